"""Lines through the columns of a model's input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._row_leaves import Origin


class LineEnds(NamedTuple):
    """Lines that are given by their ends.

    Attributes
    ----------
    first, last : array of shape (n_lines, n_columns)
        The codes at both ends.
    low, high : array of shape (n_lines,)
        The positions of the ends.
    origin : Origin or None
        The rows that the lines start from, if they are known.
    """

    first: FloatArray
    last: FloatArray
    low: FloatArray
    high: FloatArray
    origin: Origin | None = None

    @property
    def columns(self) -> IndexArray:
        """The columns that differ between the ends of some line; few of many."""
        if self.origin is None:
            return np.flatnonzero((self.first != self.last).any(axis=0))
        some = self.origin.columns
        return some[(self.first[:, some] != self.last[:, some]).any(axis=0)]

    @property
    def moves(self) -> BoolArray:
        """Which columns of each line move; a missing value stays missing."""
        return (self.first != self.last) & ~np.isnan(self.first)

    def take(self, lines: IndexArray) -> LineEnds:
        """Return some of the lines."""
        first, last, low, high = (each[lines] for each in self[:4])
        origin = None if self.origin is None else self.origin.take(lines)
        return LineEnds(first, last, low, high, origin)
