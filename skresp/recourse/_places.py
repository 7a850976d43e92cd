"""Changes that stand for a whole line of them.

Along a line one number moves, its effects follow, the rest is fixed. Between two
neighbouring places where the model or a constraint may change its mind, one change
stands for all.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import Feature
from skresp.reach import Part, minimal_interventions, own_changes, own_count

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Truth = NDArray[np.bool_]

# Where nothing is known of the model, a line is tried at so many places.
_TRIED = 65
# Combinations of the discrete features of a part, and places on all their lines.
_MOST_CONFIGURATIONS = 2_000
_MOST_PLACES = 2_000_000
# How near to a border its neighbourhood is looked at, relative to the numbers there.
# Further than the slack that constraints have for rounding: what is nearer counts as
# the border itself.
_NEAR = 1e-6
_ROUNDING = 1e-12


def lone_changes(
    part: Part, values: Numbers, rows: Places, cutter: Any, told: bool
) -> list[Numbers | None]:
    """For each value of a feature that stands alone the changes that stand for all.

    None where the value has no line.
    """
    feature = part.features[0]
    step = float(feature.step or 1) if feature.kind == "integer" else 1.0
    low, high = np.empty(len(values)), np.empty(len(values))
    for i, value in enumerate(values[:, 0]):
        low[i], high[i] = _range(feature, float(value), step)
    some = np.flatnonzero(low < high)
    out: list[Numbers | None] = [None] * len(values)
    if not len(some):
        return out
    low, high = low[some], high[some]
    lines = np.arange(len(some))
    if cutter is not None:
        line, cut = cutter(
            rows[some], low[:, None] * step, high[:, None] * step, low, high
        )
        inside = (cut > low[line]) & (cut < high[line])
        line, cut = line[inside], cut[inside]
    elif told:
        line, cut = lines[:0], low[:0]
    else:
        share = np.linspace(0, 1, _TRIED)[1:-1]
        line = np.repeat(lines, len(share))
        cut = (low[:, None] + share * (high - low)[:, None]).ravel()
    if feature.kind == "integer":
        floor = np.floor(cut)
        line = np.concatenate([lines, lines, *[line] * 4])
        place = np.concatenate([low, high, floor - 1, floor, floor + 1, floor + 2])
        inside = (place >= low[line]) & (place <= high[line])
        line, place = line[inside], place[inside]
    else:
        line, place = _between(
            np.concatenate([lines, lines, line]), np.concatenate([low, high, cut])
        )
    line, place = np.concatenate([lines, line]), np.concatenate([0.0 * low, place])
    # Staying put first, then from the lowest to the highest.
    order = np.lexsort((place, place != 0, line))
    line, place = line[order], place[order]
    new = np.r_[True, (line[1:] != line[:-1]) | (place[1:] != place[:-1])]
    line, place = line[new], place[new] * step
    ends = np.searchsorted(line, np.arange(len(some) + 1))
    for k, i in enumerate(some.tolist()):
        out[i] = place[ends[k] : ends[k + 1], None]
    return out


def _range(feature: Feature, value: float, step: float) -> tuple[float, float]:
    """The least and greatest own change, in steps; empty where there is none."""
    if not feature.can_change or np.isnan(value):
        return 1.0, 0.0
    low, high = feature.own_limits(value)
    if feature.kind == "integer":
        return float(np.ceil(low / step)), float(np.floor(high / step))
    return low, high


def _between(line: Places, place: Numbers) -> tuple[Places, Numbers]:
    """These places on lines, and one between each two that are neighbours."""
    order = np.lexsort((place, line))
    line, place = line[order], place[order]
    pair = (line[1:] == line[:-1]) & (place[1:] > place[:-1])
    middle = (place[1:] + place[:-1])[pair] / 2
    return np.concatenate([line, line[1:][pair]]), np.concatenate([place, middle])


def mixed_changes(
    part: Part, x: Numbers, row: int, cutter: Any, told: bool, interventions: str
) -> tuple[Numbers, Truth, bool, int] | None:
    """The changes of one value of a part with one free real, that stand for all.

    With which of them are single, whether that is all, and for how many points they
    count. None where several reals are free, or there are too many combinations of
    the rest.
    """
    free = [
        k
        for k, feature in enumerate(part.features)
        if np.isinf(own_count(feature, float(x[k])))
    ]
    if len(free) != 1:
        return None
    (r,) = free
    lists = [
        np.zeros(1) if k == r else own_changes(feature, float(x[k]))
        for k, feature in enumerate(part.features)
    ]
    if np.prod([float(len(changes)) for changes in lists]) > _MOST_CONFIGURATIONS:
        return None
    own = np.array(list(itertools.product(*lists)))
    low, high = part.features[r].own_limits(float(x[r]))
    unit = np.zeros((1, len(x)))
    unit[0, r] = 1.0
    rates = part.total(unit)[0]
    places, known = _turning_points(part, x, own, rates)
    if cutter is not None:
        ends = [part.total(_at(own, r, end)) for end in (low, high)]
        n = len(own)
        _, cuts = cutter(
            np.full(n, row), ends[0], ends[1], np.full(n, low), np.full(n, high)
        )
        places = np.concatenate([places, cuts])
    elif not told:
        places = np.concatenate([places, np.linspace(low, high, _TRIED)])
    places = _neighbourhood(places, low, high, float(np.abs(x[r])))
    # Each combination at the same changes of the real, effects on it included, so that
    # what need not move can be told.
    effect = part.total(own)[:, r]
    amounts = np.unique(places[None] + np.unique(effect)[:, None])
    if len(amounts) * len(own) > _MOST_PLACES:
        return None
    every = np.repeat(own, len(amounts), axis=0)
    wanted = np.tile(amounts, len(own))
    every[:, r] = wanted - np.repeat(effect, len(amounts))
    every[np.abs(every[:, r]) <= _ROUNDING * np.maximum(1.0, np.abs(wanted)), r] = 0.0
    ok = part.feasible(np.broadcast_to(x, every.shape), every)
    changes = part.total(every[ok])
    changes[:, r] = wanted[ok]  # without the rounding of back and forth
    stay = np.zeros((1, len(x)))
    moved = np.unique(changes[(changes != 0).any(axis=1)], axis=0)
    changes = np.concatenate([stay, moved])
    marks = changes != 0
    if interventions == "minimal":
        marks = minimal_interventions(changes, np.array([0, len(changes)]))
    single = marks[:, part.actionable].any(axis=1)
    points = len(own) if told else len(moved)
    return changes, single, told and known, points


def _at(own: Numbers, r: int, amount: float) -> Numbers:
    moved = own.copy()
    moved[:, r] = amount
    return moved


def _turning_points(
    part: Part, x: Numbers, own: Numbers, rates: Numbers
) -> tuple[Numbers, bool]:
    """Where constraints may change their mind, and whether they all told."""
    known = True
    found = [0.0]
    start = part.total(own)
    for change in start:
        here = x + change
        for rule, columns in part.rules:
            points = rule.turning_points(here[columns], rates[columns])
            if points is None:
                known = False
            else:
                found += points
        # Where an effect is just taken back, something stays put.
        moving = rates != 0
        found += (-change[moving] / rates[moving]).tolist()
    places = np.array(found)
    return np.unique(places[np.isfinite(places)]), known


def _neighbourhood(places: Numbers, low: float, high: float, size: float) -> Numbers:
    """The places within limits, their ends, what is very near to them and between."""
    near = _NEAR * max(1.0, size, abs(low), abs(high))
    places = np.concatenate([places, places - near, places + near, [low, high]])
    places = np.unique(places[(places >= low) & (places <= high)])
    middle = (places[1:] + places[:-1]) / 2
    return np.unique(np.concatenate([places, middle, [0.0]]))
