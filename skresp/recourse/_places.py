"""Changes that stand for a whole line of them.

Along a line one number moves, its effects follow, the rest is fixed. Between two
neighbouring places where the model or a constraint may change its mind, one change
stands for all.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp.actions import Feature
from skresp.reach import (
    Part,
    minimal_interventions,
    own_changes,
    own_count,
    without_missing,
)

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
# The same for the cuts of a model, which has no such slack: the ends of its pieces.
_END = 1e-9
_ROUNDING = 1e-12


class Entry(NamedTuple):
    """The changes of one value of a part, staying put first.

    Attributes
    ----------
    changes : array of shape (n_changes, n_features)
    single : array of shape (n_changes,)
        Which are interventions on some one feature.
    complete : bool
        Whether they stand for all changes.
    points : int
        For how many points they count.
    inward : array of shape (n_changes,) or None
        For each change the next one with a smaller own change along its line, where
        all changes in between are feasible, and single where it is; -1 where there is
        none. None where the changes are a list of all, or lie on no line.
    """

    changes: Numbers
    single: Truth
    complete: bool
    points: int
    inward: Places | None = None


def lone_changes(
    part: Part,
    values: Numbers,
    rows: Places,
    cutter: Any,
    told: bool,
    ends: bool = False,
) -> list[Numbers | None]:
    """For each value of a feature that stands alone the changes that stand for all.

    None where the value has no line. With `ends` the ends of the pieces between the
    cuts of the model are among them.
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
        size = np.maximum(np.maximum(np.abs(low), np.abs(high)), abs(values[some, 0]))
        beside, pieces = lines[:0], low[:0]
        if ends:
            # A cut may lie so near to an end of the line that rounding hides it.
            beside, pieces = _ends(
                np.concatenate([line, lines, lines]),
                np.concatenate([cut, low, high]),
                _END * size,
                low,
                high,
            )
        line, place = _between(
            np.concatenate([lines, lines, line]), np.concatenate([low, high, cut])
        )
        line = np.concatenate([line, beside])
        place = np.concatenate([place, pieces])
    line, place = np.concatenate([lines, line]), np.concatenate([0.0 * low, place])
    # Staying put first, then from the lowest to the highest.
    order = np.lexsort((place, place != 0, line))
    line, place = line[order], place[order]
    new = np.r_[True, (line[1:] != line[:-1]) | (place[1:] != place[:-1])]
    line, place = line[new], place[new] * step
    stops = np.searchsorted(line, np.arange(len(some) + 1))
    for k, i in enumerate(some.tolist()):
        out[i] = place[stops[k] : stops[k + 1], None]
    return out


def lone_inward(changes: Numbers, feature: Feature, value: float) -> Places:
    """Return the `inward` of an `Entry` for changes of a feature that stands alone.

    They are staying put, then from the lowest to the highest.
    """
    amount = changes[:, 0]
    low, high = feature.own_limits(value)
    place = np.arange(len(amount))
    # The smallest change on either side is next to staying put, unless that lies
    # outside the bounds.
    inward = np.where(amount > 0, place - 1, place + 1)
    below, above = np.flatnonzero(amount < 0), np.flatnonzero(amount > 0)
    beside = 0 if low <= 0 <= high else -1
    if len(below):
        inward[below[-1]] = beside
    if len(above):
        inward[above[0]] = beside
    inward[0] = -1
    return inward


def _ends(
    line: Places, cut: Numbers, near: Numbers, low: Numbers, high: Numbers
) -> tuple[Places, Numbers]:
    """Return places just before and just behind the cuts of lines."""
    line = np.tile(line, 2)
    place = np.concatenate([cut, cut])
    place += np.repeat([-1.0, 1.0], len(cut)) * near[line]
    inside = (place > low[line]) & (place < high[line])
    return line[inside], place[inside]


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
    part: Part,
    x: Numbers,
    row: int,
    cutter: Any,
    told: bool,
    interventions: str,
    ends: bool = False,
) -> Entry | None:
    """The changes of one value of a part with one free real, that stand for all.

    None where several reals are free, or there are too many combinations of the rest.
    With `ends` the ends of the pieces between the cuts of the model are among them.
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
    borders, pieces = np.concatenate([places, [low, high, 0.0]]), np.zeros(0)
    if cutter is not None:
        first, last = (part.total(_at(own, r, end)) for end in (low, high))
        n = len(own)
        _, cuts = cutter(
            np.full(n, row), first, last, np.full(n, low), np.full(n, high)
        )
        places = np.concatenate([places, cuts])
        if ends:
            near = _END * max(abs(low), abs(high), float(np.abs(x[r])))
            pieces = np.concatenate([cuts - near, cuts + near])
    elif not told:
        places = np.concatenate([places, np.linspace(low, high, _TRIED)])
    places = _neighbourhood(places, low, high, float(np.abs(x[r])))
    pieces = pieces[(pieces >= low) & (pieces <= high)]
    # Each combination at the same changes of the real, effects on it included, so that
    # what need not move can be told.
    effect = part.total(own)[:, r]
    effects = np.unique(effect)[:, None]
    edges = np.unique(borders[None] + effects)
    pieces = np.unique(pieces[None] + effects)
    # What lies nearer to a border than the slack of constraints is not judged by them.
    least = _NEAR * max(abs(low), abs(high), float(np.abs(x[r])))
    pieces = pieces[_distance(pieces, edges) > least]
    amounts = np.unique(np.concatenate([(places[None] + effects).ravel(), pieces]))
    if len(effects) > 1:  # between the borders of different combinations, too
        middle = (amounts[1:] + amounts[:-1]) / 2
        amounts = np.unique(np.concatenate([amounts, middle]))
    inner = ~np.isin(amounts, edges)
    if len(amounts) * len(own) > _MOST_PLACES:
        return None
    lines = _Lines(part, x, own, effect, r)
    ok = lines.feasible(amounts)
    amounts, inner, ok, sound = _up_to_borders(lines, amounts, inner, ok)
    if len(amounts) * len(own) > _MOST_PLACES:
        return None
    every, wanted = lines.own_changes(amounts), np.tile(amounts, len(own))
    ok = ok.ravel()
    changes = part.total(every[ok])
    changes[:, r] = wanted[ok]  # without the rounding of back and forth
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
    if interventions == "minimal":
        marks = minimal_interventions(moves, np.array([0, len(changes)]))
    single = marks[:, part.actionable].any(axis=1)
    # What is in between is as single as the one of the two that is no border.
    inward = np.where(inner | (single[inward] == single), inward, -1)
    points = len(own) if told else len(listed)
    return Entry(changes, single, told and known and sound, points, inward)


class _Lines(NamedTuple):
    """A line of changes of one real for each combination of the other features.

    Attributes
    ----------
    part : Part
    x : array of shape (n_features,)
    own : array of shape (n_lines, n_features)
        The own changes of the others.
    effect : array of shape (n_lines,)
        What they do to the real.
    r : int
        The position of the real.
    """

    part: Part
    x: Numbers
    own: Numbers
    effect: Numbers
    r: int

    def own_changes(self, amounts: Numbers) -> Numbers:
        """Return the own changes with these total changes of the real, line by line."""
        line = np.repeat(np.arange(len(self.own)), len(amounts))
        return self._at(line, np.tile(amounts, len(self.own)))

    def feasible(self, amounts: Numbers) -> Truth:
        """Tell which are feasible, a row for each line."""
        line = np.repeat(np.arange(len(self.own)), len(amounts))
        ok = self._feasible(line, np.tile(amounts, len(self.own)))
        return ok.reshape(len(self.own), -1)

    def last_feasible(self, line: Places, good: Numbers, bad: Numbers) -> Numbers:
        """Halve between feasible and infeasible amounts until no number is between."""
        good, bad = good.copy(), bad.copy()
        some = np.arange(len(line))
        while True:
            middle = good[some] / 2 + bad[some] / 2
            new = (middle != good[some]) & (middle != bad[some])
            some, middle = some[new], middle[new]
            if not len(some):
                return good
            ok = self._feasible(line[some], middle)
            good[some[ok]], bad[some[~ok]] = middle[ok], middle[~ok]

    def whole_behind(self, line: Places, last: Numbers, bad: Numbers) -> bool:
        """Tell whether a whole number between these is feasible.

        Constraints take whole numbers exactly, and give others some slack.
        """
        value = self.x[self.r] + bad
        whole = np.where(last < bad, np.ceil(value) - 1, np.floor(value) + 1)
        amount = whole - self.x[self.r]
        some = (amount > np.minimum(last, bad)) & (amount < np.maximum(last, bad))
        return bool(self._feasible(line[some], amount[some]).any())

    def _feasible(self, line: Places, wanted: Numbers) -> Truth:
        own = self._at(line, wanted)
        return self.part.feasible(np.broadcast_to(self.x, own.shape), own)

    def _at(self, line: Places, wanted: Numbers) -> Numbers:
        own = self.own[line]
        amount = wanted - self.effect[line]
        still = np.abs(amount) <= _ROUNDING * np.maximum(1.0, np.abs(wanted))
        own[:, self.r] = np.where(still, 0.0, amount)
        return own


def _up_to_borders(
    lines: _Lines, amounts: Numbers, inner: Truth, ok: Truth
) -> tuple[Numbers, Truth, Truth, bool]:
    """Add the last feasible change before each border that is itself infeasible.

    Up to there the changes of a piece are feasible, and only its ends stand for them.
    Behind a border that is feasible nothing is looked for: what rounding allows there
    is no freedom. Also return whether nothing feasible lies behind what is added.

    Parameters
    ----------
    lines : the lines of a part
    amounts : array of shape (n_amounts,)
        Total changes of the real, from the lowest to the highest.
    inner : array of shape (n_amounts,)
        Which are no borders.
    ok : array of shape (n_lines, n_amounts)
        Which are feasible.
    """
    within = ok & inner
    line, left = np.nonzero(within[:, :-1] & ~ok[:, 1:])
    back, right = np.nonzero(within[:, 1:] & ~ok[:, :-1])
    line = np.concatenate([line, back])
    good = amounts[np.concatenate([left, right + 1])]
    bad = amounts[np.concatenate([left + 1, right])]
    last = lines.last_feasible(line, good, bad)
    sound = not lines.whole_behind(line, last, bad)
    last = np.setdiff1d(last, amounts)
    free = np.zeros((len(ok), len(last)), dtype=bool)
    if free.size + ok.size <= _MOST_PLACES:  # otherwise the caller refuses
        # Other lines go there, too, where the piece is theirs, not only its border.
        above = np.searchsorted(amounts, last)
        below = above - 1
        free = within[:, below] | within[:, above] | (ok[:, below] & ok[:, above])
        free &= lines.feasible(last)
    order = np.argsort(np.concatenate([amounts, last]), kind="stable")
    return (
        np.concatenate([amounts, last])[order],
        np.concatenate([inner, np.ones(len(last), dtype=bool)])[order],
        np.concatenate([ok, free], axis=1)[:, order],
        sound,
    )


def _distance(places: Numbers, edges: Numbers) -> Numbers:
    """Return how far each place is from the nearest of some sorted edges."""
    after = np.searchsorted(edges, places)
    below = np.abs(places - edges[np.maximum(after - 1, 0)])
    above = np.abs(places - edges[np.minimum(after, len(edges) - 1)])
    return np.minimum(below, above)


def _inward(amounts: Numbers, ok: Truth) -> Places:
    """Return the feasible neighbour of each feasible change that is nearer to 0.

    `amounts` are own changes of the real, a row for each combination of the others,
    from the lowest to the highest. What neighbours on both sides of a border have in
    between is as feasible as they are, since one of the two is no border. Positions
    among the feasible changes; -1 for none.
    """
    position = np.where(ok, np.cumsum(ok).reshape(ok.shape) - 1, -1)
    inward = np.full(ok.shape, -1, dtype=np.intp)
    inward[:, 1:] = np.where(amounts[:, 1:] > 0, position[:, :-1], inward[:, 1:])
    inward[:, :-1] = np.where(amounts[:, :-1] < 0, position[:, 1:], inward[:, :-1])
    return inward[ok]


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
