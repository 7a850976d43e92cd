"""Options of a part with one free real: a few changes along its lines.

Each combination of the other features has a line, along which the real moves and its
effects follow. Between two neighbouring points where the prediction or a constraint may
change, one change represents all.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._interventions import minimal_of_one, without_missing
from ._own_changes import own_changes, own_count
from ._part import Part
from ._value_options import LINE_END, LINE_POINTS, OptionSettings, ValueOptions

# Combinations of the discrete features of a part.
_MAX_CONFIGURATIONS = 2_000
# Points on all lines of a part.
_MAX_LINE_POINTS = 2_000_000
# Distance of the points beside a border of a constraint, relative to the numbers there.
# It exceeds the slack that constraints have for rounding; nearer points count as the
# border itself.
_NEAR = 1e-6


class _Lines(NamedTuple):
    """A line of changes of one real for each combination of the other features.

    Attributes
    ----------
    part : Part
    x : array of shape (n_features,)
    own : array of shape (n_lines, n_features)
        The own changes of the others.
    effect : array of shape (n_lines,)
        Their effect on the real.
    r : int
        The position of the real.
    """

    part: Part
    x: FloatArray
    own: FloatArray
    effect: FloatArray
    r: int

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and largest own change of the real."""
        return self.part.features[self.r].own_limits(float(self.x[self.r]))

    @property
    def size(self) -> float:
        """The size of the numbers along the lines."""
        low, high = self.limits
        return max(abs(low), abs(high), float(np.abs(self.x[self.r])))

    def own_changes(self, amounts: FloatArray) -> FloatArray:
        """Return own changes with these total changes of the real, line by line."""
        line = np.repeat(np.arange(len(self.own)), len(amounts))
        return self._at(line, np.tile(amounts, len(self.own)))

    def at(self, amount: float) -> FloatArray:
        """Return the own changes of all lines at one own change of the real."""
        own = self.own.copy()
        own[:, self.r] = amount
        return own

    def feasible(self, amounts: FloatArray) -> BoolArray:
        """Return which amounts are feasible, with a row for each line."""
        line = np.repeat(np.arange(len(self.own)), len(amounts))
        ok = self._feasible(line, np.tile(amounts, len(self.own)))
        return ok.reshape(len(self.own), -1)

    def last_feasible(
        self, line: IndexArray, good: FloatArray, bad: FloatArray
    ) -> FloatArray:
        """Bisect between feasible and infeasible amounts to neighbouring floats."""
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

    def has_whole_between(
        self, line: IndexArray, last: FloatArray, bad: FloatArray
    ) -> bool:
        """Return whether a whole number between these amounts is feasible.

        Constraints treat whole numbers exactly, and give others some slack.
        """
        value = self.x[self.r] + bad
        whole = np.where(last < bad, np.ceil(value) - 1, np.floor(value) + 1)
        amount = whole - self.x[self.r]
        some = (amount > np.minimum(last, bad)) & (amount < np.maximum(last, bad))
        return bool(self._feasible(line[some], amount[some]).any())

    def _feasible(self, line: IndexArray, wanted: FloatArray) -> BoolArray:
        """Return which total changes of the real are feasible on these lines."""
        own = self._at(line, wanted)
        return self.part.feasible(np.broadcast_to(self.x, own.shape), own)

    def _at(self, line: IndexArray, wanted: FloatArray) -> FloatArray:
        """Return own changes with these total changes of the real on these lines."""
        own = self.own[line]
        own[:, self.r] = wanted - self.effect[line]
        change = self.part.total(own)
        change[:, self.r] = wanted
        return self.part.own(change)  # what counts as rounding is decided there


def mixed_options(
    part: Part, x: FloatArray, row: int, settings: OptionSettings
) -> ValueOptions | None:
    """Return the options of one value of a part with one free real.

    Return None where several reals are free, or the rest has too many combinations.
    """
    lines = _lines_of(part, x)
    if lines is None:
        return None
    amounts, inner, covers_all = _amounts(lines, row, settings)
    if len(amounts) * len(lines.own) > _MAX_LINE_POINTS:
        return None
    ok = lines.feasible(amounts)
    amounts, inner, ok, reaches_ends = _add_last_feasible(lines, amounts, inner, ok)
    if len(amounts) * len(lines.own) > _MAX_LINE_POINTS:
        return None
    changes, inward, inner = _distinct_changes(lines, amounts, inner, ok)
    moves = without_missing(changes, x)
    marks = moves != 0
    if settings.interventions == "minimal":
        marks = minimal_of_one(moves)
    single = marks[:, part.actionable].any(axis=1)
    # Changes between two neighbours are single if the one that is not a border is.
    inward = np.where(inner | (single[inward] == single), inward, -1)
    points = len(lines.own) if settings.knows_lines else len(changes) - 1
    return ValueOptions(changes, single, covers_all and reaches_ends, points, inward)


def _lines_of(part: Part, x: FloatArray) -> _Lines | None:
    """Return a line for each combination of the discrete features.

    Return None where several reals are free, or there are too many combinations.
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
    if np.prod([float(len(changes)) for changes in lists]) > _MAX_CONFIGURATIONS:
        return None
    own = np.array(list(itertools.product(*lists)))
    return _Lines(part, x, own, part.total(own)[:, r], r)


def _amounts(
    lines: _Lines, row: int, settings: OptionSettings
) -> tuple[FloatArray, BoolArray, bool]:
    """Return the total changes of the real to try on all lines, in ascending order.

    The second array says which are not borders. The last value is whether they
    represent all.
    """
    low, high = lines.limits
    turning, known = _turning_points(lines)
    borders, pieces = np.concatenate([turning, [low, high, 0.0]]), np.zeros(0)
    covers_all = settings.knows_lines and known
    if settings.cutter is not None:
        n = len(lines.own)
        first, last = (lines.part.total(lines.at(end)) for end in (low, high))
        _, cuts, crowded = settings.cutter(
            np.full(n, row), first, last, np.full(n, low), np.full(n, high)
        )
        covers_all &= not crowded.any()
        turning = np.concatenate([turning, cuts])
        if settings.ends:
            near = LINE_END * lines.size
            pieces = np.concatenate([cuts - near, cuts + near])
    elif not settings.knows_lines:
        turning = np.concatenate([turning, np.linspace(low, high, LINE_POINTS)])
    tried = _neighbourhood(turning, low, high, lines.size)
    pieces = pieces[(pieces >= low) & (pieces <= high)]
    # Every combination gets the same total changes of the real, effects on it included.
    # Only then can minimal interventions be compared.
    effects = np.unique(lines.effect)[:, None]
    edges = np.unique(borders[None] + effects)
    pieces = np.unique(pieces[None] + effects)
    # Within their slack of a border constraints do not distinguish points.
    pieces = pieces[_distance(pieces, edges) > _NEAR * lines.size]
    amounts = np.unique(np.concatenate([(tried[None] + effects).ravel(), pieces]))
    if len(effects) > 1:  # between the borders of different combinations, too
        middle = (amounts[1:] + amounts[:-1]) / 2
        amounts = np.unique(np.concatenate([amounts, middle]))
    return amounts, ~np.isin(amounts, edges), covers_all


def _distinct_changes(
    lines: _Lines, amounts: FloatArray, inner: BoolArray, ok: BoolArray
) -> tuple[FloatArray, IndexArray, BoolArray]:
    """Return the distinct total changes of all lines, staying put first.

    The other arrays are, for each change, the position of its feasible neighbour nearer
    to 0 (-1 for none), and whether it is not a border.
    """
    n, r = len(lines.own), lines.r
    every, wanted = lines.own_changes(amounts), np.tile(amounts, n)
    inward = _inward(every[:, r].reshape(n, -1), ok)
    ok = ok.ravel()
    changes = lines.part.total(every[ok])
    changes[:, r] = wanted[ok]  # own change plus effects would round
    inner = np.tile(inner, n)[ok]
    moved = (changes != 0).any(axis=1)
    listed, leader, which = np.unique(
        changes[moved], axis=0, return_index=True, return_inverse=True
    )
    # Positions among the feasible changes become positions in the list.
    position = np.zeros(len(changes) + 1, dtype=np.intp)
    position[:-1][moved] = 1 + which.ravel()
    position[-1] = -1
    return (
        np.concatenate([np.zeros((1, changes.shape[1])), listed]),
        np.concatenate([[-1], position[inward[moved][leader]]]),
        np.concatenate([[False], inner[moved][leader]]),
    )


def _turning_points(lines: _Lines) -> tuple[FloatArray, bool]:
    """Return the amounts at which constraints may change, and whether all are known."""
    part = lines.part
    unit = np.zeros((1, len(lines.x)))
    unit[0, lines.r] = 1.0
    rates = part.total(unit)[0]
    known = True
    amounts = [0.0]
    for change in part.total(lines.own):
        here = lines.x + change
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
    near = _NEAR * max(1.0, size)
    amounts = np.concatenate([amounts, amounts - near, amounts + near, [low, high]])
    amounts = np.unique(amounts[(amounts >= low) & (amounts <= high)])
    middle = (amounts[1:] + amounts[:-1]) / 2
    return np.unique(np.concatenate([amounts, middle, [0.0]]))


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
    since one of the two is not a border. The results are positions among the feasible
    changes; -1 for none.
    """
    position = np.where(ok, np.cumsum(ok).reshape(ok.shape) - 1, -1)
    inward = np.full(ok.shape, -1, dtype=np.intp)
    inward[:, 1:] = np.where(amounts[:, 1:] > 0, position[:, :-1], inward[:, 1:])
    inward[:, :-1] = np.where(amounts[:, :-1] < 0, position[:, 1:], inward[:, :-1])
    return inward[ok]


def _add_last_feasible(
    lines: _Lines, amounts: FloatArray, inner: BoolArray, ok: BoolArray
) -> tuple[FloatArray, BoolArray, BoolArray, bool]:
    """Add the last feasible change before each border that is itself infeasible.

    All changes of a piece up to there are feasible, and its ends represent them. Beyond
    a feasible border nothing is searched: only rounding allows changes there.

    Parameters
    ----------
    lines : _Lines
    amounts : array of shape (n_amounts,)
        Total changes of the real, in ascending order.
    inner : array of bool of shape (n_amounts,)
        Which are not borders.
    ok : array of bool of shape (n_lines, n_amounts)
        Which are feasible.

    Returns
    -------
    amounts, inner, ok : arrays
        The same with the added changes.
    reaches_ends : bool
        Whether nothing feasible lies beyond the added changes.
    """
    within = ok & inner
    line, left = np.nonzero(within[:, :-1] & ~ok[:, 1:])
    back, right = np.nonzero(within[:, 1:] & ~ok[:, :-1])
    line = np.concatenate([line, back])
    good = amounts[np.concatenate([left, right + 1])]
    bad = amounts[np.concatenate([left + 1, right])]
    last = lines.last_feasible(line, good, bad)
    reaches_ends = not lines.has_whole_between(line, last, bad)
    last = np.setdiff1d(last, amounts)
    free = np.zeros((len(ok), len(last)), dtype=bool)
    if free.size + ok.size <= _MAX_LINE_POINTS:  # otherwise the caller refuses
        # Other lines get the point too, if it is inside one of their pieces.
        above = np.searchsorted(amounts, last)
        below = above - 1
        free = within[:, below] | within[:, above] | (ok[:, below] & ok[:, above])
        free &= lines.feasible(last)
    order = np.argsort(np.concatenate([amounts, last]), kind="stable")
    return (
        np.concatenate([amounts, last])[order],
        np.concatenate([inner, np.ones(len(last), dtype=bool)])[order],
        np.concatenate([ok, free], axis=1)[:, order],
        reaches_ends,
    )
