"""A few changes that represent all changes along a line.

Along a line one number moves, its effects follow, and the rest is fixed. Between two
neighbouring points where the prediction or a constraint may change, one change
represents all.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from skresp._actions._feature import Feature
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._interventions import minimal_of_one, without_missing
from ._option_settings import OptionSettings
from ._own_changes import own_changes, own_count, own_ranges
from ._part import Part
from ._real_lines import MOST_LINE_POINTS, RealLines, add_last_feasible

# Points tried along a line where nothing is known of the model.
_TRIED = 65
# Combinations of the discrete features of a part.
_MOST_CONFIGURATIONS = 2_000
# Distance of the points beside a border of a constraint, relative to the numbers there.
# It exceeds the slack that constraints have for rounding; nearer points count as the
# border itself.
_NEAR = 1e-6
# The same for the cuts of a model, which has no such slack.
_END = 1e-9


class Entry(NamedTuple):
    """The changes of one value of a part, staying put first.

    Attributes
    ----------
    changes : array of shape (n_changes, n_features)
        Total changes.
    single : array of bool of shape (n_changes,)
        Which are interventions on one feature.
    complete : bool
        Whether they represent all feasible changes.
    points : int
        The number of points that they cost.
    inward : array of shape (n_changes,) or None
        For each change the next one with a smaller own change along its line, if all
        changes in between are feasible, and single where it is; otherwise -1. None
        where the changes are a complete list, or not on a line.
    spent : int
        The number of points that drawing them took.
    """

    changes: FloatArray
    single: BoolArray
    complete: bool
    points: int
    inward: IndexArray | None = None
    spent: int = 0


def lone_entries(
    part: Part, values: FloatArray, rows: IndexArray, settings: OptionSettings
) -> list[Entry]:
    """Return the entries of values of a feature that stands alone; all have a line.

    The changes do not represent all where nothing is known along lines, or where two
    cuts of the model are closer than rounding.
    """
    feature = part.features[0]
    step = float(feature.step or 1) if feature.kind == "integer" else 1.0
    low, high = own_ranges(feature, values[:, 0])
    lines = np.arange(len(values))
    complete = np.full(len(values), settings.knows_lines)
    if settings.cutter is not None:
        line, cut, crowded = settings.cutter(
            rows, low[:, None] * step, high[:, None] * step, low, high
        )
        inside = (cut > low[line]) & (cut < high[line])
        line, cut = line[inside], cut[inside]
        if feature.kind == "real":
            complete &= ~crowded
    elif settings.knows_lines:
        line, cut = lines[:0], low[:0]
    else:
        share = np.linspace(0, 1, _TRIED)[1:-1]
        line = np.repeat(lines, len(share))
        cut = (low[:, None] + share * (high - low)[:, None]).ravel()
    if feature.kind == "integer":
        floor = np.floor(cut)
        line = np.concatenate([lines, lines, *[line] * 4])
        amount = np.concatenate([low, high, floor - 1, floor, floor + 1, floor + 2])
        inside = (amount >= low[line]) & (amount <= high[line])
        line, amount = line[inside], amount[inside]
    else:
        size = np.maximum(np.maximum(np.abs(low), np.abs(high)), abs(values[:, 0]))
        beside, pieces = lines[:0], low[:0]
        if settings.ends:
            # A cut may be so close to an end of the line that rounding hides it.
            beside, pieces = _ends(
                np.concatenate([line, lines, lines]),
                np.concatenate([cut, low, high]),
                _END * size,
                low,
                high,
            )
        line, amount = _between(
            np.concatenate([lines, lines, line]), np.concatenate([low, high, cut])
        )
        line = np.concatenate([line, beside])
        amount = np.concatenate([amount, pieces])
    line, amount = np.concatenate([lines, line]), np.concatenate([0.0 * low, amount])
    # Staying put first, then in ascending order.
    order = np.lexsort((amount, amount != 0, line))
    line, amount = line[order], amount[order]
    new = np.r_[True, (line[1:] != line[:-1]) | (amount[1:] != amount[:-1])]
    line, amount = line[new], amount[new] * step
    out = []
    for i, own in enumerate(np.split(amount, np.searchsorted(line, lines)[1:])):
        points = 1 if settings.knows_lines else len(own) - 1
        inward = _lone_inward(own, feature, float(values[i, 0]))
        out.append(Entry(own[:, None], own != 0, bool(complete[i]), points, inward))
    return out


def _lone_inward(amount: FloatArray, feature: Feature, value: float) -> IndexArray:
    """Return the `inward` of an `Entry` for changes of a feature that stands alone.

    Staying put comes first, then the changes in ascending order.
    """
    low, high = feature.own_limits(value)
    position = np.arange(len(amount))
    # The smallest change on either side is next to staying put, unless the current
    # value is outside the bounds.
    inward = np.where(amount > 0, position - 1, position + 1)
    below, above = np.flatnonzero(amount < 0), np.flatnonzero(amount > 0)
    beside = 0 if low <= 0 <= high else -1
    if len(below):
        inward[below[-1]] = beside
    if len(above):
        inward[above[0]] = beside
    inward[0] = -1
    return inward


def _ends(
    line: IndexArray,
    cut: FloatArray,
    near: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> tuple[IndexArray, FloatArray]:
    """Return points just before and just after the cuts of lines."""
    line = np.tile(line, 2)
    amount = np.concatenate([cut, cut])
    amount += np.repeat([-1.0, 1.0], len(cut)) * near[line]
    inside = (amount > low[line]) & (amount < high[line])
    return line[inside], amount[inside]


def _between(line: IndexArray, amount: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Return these points of lines, and one between each two neighbours."""
    order = np.lexsort((amount, line))
    line, amount = line[order], amount[order]
    pair = (line[1:] == line[:-1]) & (amount[1:] > amount[:-1])
    middle = (amount[1:] + amount[:-1])[pair] / 2
    return np.concatenate([line, line[1:][pair]]), np.concatenate([amount, middle])


def mixed_entry(
    part: Part, x: FloatArray, row: int, settings: OptionSettings
) -> Entry | None:
    """Return the entry of one value of a part with one free real.

    Return None where several reals are free, or the rest has too many combinations.
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
    turning, known = _turning_points(part, x, own, rates)
    borders, pieces = np.concatenate([turning, [low, high, 0.0]]), np.zeros(0)
    complete = settings.knows_lines and known
    if settings.cutter is not None:
        first, last = (part.total(_at(own, r, end)) for end in (low, high))
        n = len(own)
        _, cuts, crowded = settings.cutter(
            np.full(n, row), first, last, np.full(n, low), np.full(n, high)
        )
        complete &= not crowded.any()
        turning = np.concatenate([turning, cuts])
        if settings.ends:
            near = _END * max(abs(low), abs(high), float(np.abs(x[r])))
            pieces = np.concatenate([cuts - near, cuts + near])
    elif not settings.knows_lines:
        turning = np.concatenate([turning, np.linspace(low, high, _TRIED)])
    tried = _neighbourhood(turning, low, high, float(np.abs(x[r])))
    pieces = pieces[(pieces >= low) & (pieces <= high)]
    # Every combination gets the same total changes of the real, effects on it included.
    # Only then can minimal interventions be compared.
    effect = part.total(own)[:, r]
    effects = np.unique(effect)[:, None]
    edges = np.unique(borders[None] + effects)
    pieces = np.unique(pieces[None] + effects)
    # Within their slack of a border constraints do not distinguish points.
    least = _NEAR * max(abs(low), abs(high), float(np.abs(x[r])))
    pieces = pieces[_distance(pieces, edges) > least]
    amounts = np.unique(np.concatenate([(tried[None] + effects).ravel(), pieces]))
    if len(effects) > 1:  # between the borders of different combinations, too
        middle = (amounts[1:] + amounts[:-1]) / 2
        amounts = np.unique(np.concatenate([amounts, middle]))
    inner = ~np.isin(amounts, edges)
    if len(amounts) * len(own) > MOST_LINE_POINTS:
        return None
    lines = RealLines(part, x, own, effect, r)
    ok = lines.feasible(amounts)
    amounts, inner, ok, sound = add_last_feasible(lines, amounts, inner, ok)
    if len(amounts) * len(own) > MOST_LINE_POINTS:
        return None
    every, wanted = lines.own_changes(amounts), np.tile(amounts, len(own))
    ok = ok.ravel()
    changes = part.total(every[ok])
    changes[:, r] = wanted[ok]  # own change plus effects would round
    inward = _inward(every[:, r].reshape(len(own), -1), ok.reshape(len(own), -1))
    inner = np.tile(inner, len(own))[ok]
    moved = (changes != 0).any(axis=1)
    listed, leader, which = np.unique(
        changes[moved], axis=0, return_index=True, return_inverse=True
    )
    # Positions among the feasible changes become positions in the list.
    position = np.zeros(len(changes) + 1, dtype=np.intp)
    position[:-1][moved] = 1 + which.ravel()
    position[-1] = -1
    inward = np.concatenate([[-1], position[inward[moved][leader]]])
    inner = np.concatenate([[False], inner[moved][leader]])
    changes = np.concatenate([np.zeros((1, len(x))), listed])
    moves = without_missing(changes, x)
    marks = moves != 0
    if settings.interventions == "minimal":
        marks = minimal_of_one(moves)
    single = marks[:, part.actionable].any(axis=1)
    # The changes in between are single if the one of the two that is no border is.
    inward = np.where(inner | (single[inward] == single), inward, -1)
    points = len(own) if settings.knows_lines else len(listed)
    return Entry(changes, single, complete and sound, points, inward)


def _distance(amounts: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the distance of each amount from the nearest of some sorted edges."""
    after = np.searchsorted(edges, amounts)
    below = np.abs(amounts - edges[np.maximum(after - 1, 0)])
    above = np.abs(amounts - edges[np.minimum(after, len(edges) - 1)])
    return np.minimum(below, above)


def _inward(amounts: FloatArray, ok: BoolArray) -> IndexArray:
    """Return for each feasible change its feasible neighbour nearer to 0.

    `amounts` are own changes of the real in ascending order, with a row for each
    combination of the others. Changes between two feasible neighbours are feasible,
    since one of the two is no border. The result are positions among the feasible
    changes; -1 for none.
    """
    position = np.where(ok, np.cumsum(ok).reshape(ok.shape) - 1, -1)
    inward = np.full(ok.shape, -1, dtype=np.intp)
    inward[:, 1:] = np.where(amounts[:, 1:] > 0, position[:, :-1], inward[:, 1:])
    inward[:, :-1] = np.where(amounts[:, :-1] < 0, position[:, 1:], inward[:, :-1])
    return inward[ok]


def _at(own: FloatArray, r: int, amount: float) -> FloatArray:
    """Return own changes with one amount for the real."""
    moved = own.copy()
    moved[:, r] = amount
    return moved


def _turning_points(
    part: Part, x: FloatArray, own: FloatArray, rates: FloatArray
) -> tuple[FloatArray, bool]:
    """Return the amounts at which constraints may change, and whether all are known."""
    known = True
    amounts = [0.0]
    start = part.total(own)
    for change in start:
        here = x + change
        for rule, columns in part.rules:
            points = rule.turning_points(here[columns], rates[columns])
            if points is None:
                known = False
            else:
                amounts += points
        # Where an effect is exactly cancelled, its target stays put.
        moving = rates != 0
        amounts += (-change[moving] / rates[moving]).tolist()
    turning = np.array(amounts)
    return np.unique(turning[np.isfinite(turning)]), known


def _neighbourhood(
    amounts: FloatArray, low: float, high: float, size: float
) -> FloatArray:
    """Return amounts within limits, the limits, and points beside and between them."""
    near = _NEAR * max(1.0, size, abs(low), abs(high))
    amounts = np.concatenate([amounts, amounts - near, amounts + near, [low, high]])
    amounts = np.unique(amounts[(amounts >= low) & (amounts <= high)])
    middle = (amounts[1:] + amounts[:-1]) / 2
    return np.unique(np.concatenate([amounts, middle, [0.0]]))
