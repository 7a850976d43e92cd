"""Which change each point of a row has, where rows share lists of changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skresp._typing import FloatArray, IndexArray


@dataclass(frozen=True)
class ChangeLists:
    """The lists of changes of some rows on one part.

    Attributes
    ----------
    which : array of shape (n_rows,)
        The list of each row; -1 where it has none.
    starts, counts : array of shape (n_lists,)
        The first change of each list, and how many it has. The changes of a list
        follow those of the list before.
    """

    which: IndexArray
    starts: IndexArray
    counts: IndexArray

    @property
    def owner(self) -> IndexArray:
        """The list of each change, of shape (n_changes,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def first_rows(self) -> IndexArray:
        """The first row of each list, of shape (n_lists,)."""
        rows = np.flatnonzero(self.which >= 0)[::-1]
        out = np.zeros(len(self.counts), dtype=np.intp)
        out[self.which[rows]] = rows
        return out

    @property
    def n_points(self) -> IndexArray:
        """The number of points of each row, of shape (n_rows,)."""
        return self._counts(self.which)

    def _counts(self, which: IndexArray) -> IndexArray:
        return np.where(which >= 0, self.counts[which], 0)

    def points(self, rows: slice = slice(None)) -> tuple[IndexArray, IndexArray]:
        """Return the number of points of each row, and the change of each point."""
        which = self.which[rows]
        counts = self._counts(which)
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        shift = self.starts[which] - (ends - counts)
        return counts, np.repeat(shift, counts) + np.arange(total)


@dataclass(frozen=True)
class PartCodes(ChangeLists):
    """The listed changes of rows on one part, as codes of the model's columns.

    Attributes
    ----------
    after : dict of int to array of shape (n_changes,)
        The codes after each change, by column.
    """

    after: dict[int, FloatArray]

    def before(self, codes: FloatArray) -> dict[int, FloatArray]:
        """Return the codes before each change, by column, given those of the rows."""
        row = self.first_rows[self.owner]
        return {c: codes[row, c] for c in self.after}
