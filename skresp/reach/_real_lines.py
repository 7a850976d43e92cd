"""Lines of changes of one real feature, and how far they are feasible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._part import Part

# Points on all lines of a part.
MOST_LINE_POINTS = 2_000_000
_ROUNDING = 1e-12


class RealLines(NamedTuple):
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

    def own_changes(self, amounts: FloatArray) -> FloatArray:
        """Return own changes with these total changes of the real, line by line."""
        line = np.repeat(np.arange(len(self.own)), len(amounts))
        return self._at(line, np.tile(amounts, len(self.own)))

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
        own = self._at(line, wanted)
        return self.part.feasible(np.broadcast_to(self.x, own.shape), own)

    def _at(self, line: IndexArray, wanted: FloatArray) -> FloatArray:
        """Return own changes with these total changes of the real on these lines."""
        own = self.own[line]
        amount = wanted - self.effect[line]
        still = np.abs(amount) <= _ROUNDING * np.maximum(1.0, np.abs(wanted))
        own[:, self.r] = np.where(still, 0.0, amount)
        return own


def add_last_feasible(
    lines: RealLines, amounts: FloatArray, inner: BoolArray, ok: BoolArray
) -> tuple[FloatArray, BoolArray, BoolArray, bool]:
    """Add the last feasible change before each border that is itself infeasible.

    All changes of a piece up to there are feasible, and its ends represent them. Beyond
    a feasible border nothing is searched: only rounding allows changes there.

    Parameters
    ----------
    lines : RealLines
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
    complete : bool
        Whether nothing feasible lies beyond the added changes.
    """
    within = ok & inner
    line, left = np.nonzero(within[:, :-1] & ~ok[:, 1:])
    back, right = np.nonzero(within[:, 1:] & ~ok[:, :-1])
    line = np.concatenate([line, back])
    good = amounts[np.concatenate([left, right + 1])]
    bad = amounts[np.concatenate([left + 1, right])]
    last = lines.last_feasible(line, good, bad)
    complete = not lines.has_whole_between(line, last, bad)
    last = np.setdiff1d(last, amounts)
    free = np.zeros((len(ok), len(last)), dtype=bool)
    if free.size + ok.size <= MOST_LINE_POINTS:  # otherwise the caller refuses
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
        complete,
    )
