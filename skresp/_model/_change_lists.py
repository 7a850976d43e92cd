"""Which change each point of a row has, where rows share lists of changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray, IndexArray


@dataclass(frozen=True)
class ListedPoints:
    """The points of rows: one for each change in their lists.

    Those of a part follow those of the part before, row after row.

    Attributes
    ----------
    counts, starts : array of shape (n_parts, n_rows)
        The number of points of each row on each part, and the first of them.
    change : array of shape (n_points,)
        The change of each point.
    ends : list of int, of length n_parts + 1
        The points of part `p` are those from `ends[p]` to before `ends[p + 1]`.
    """

    counts: IndexArray
    starts: IndexArray
    change: IndexArray
    ends: list[int]

    def __len__(self) -> int:
        return self.ends[-1]

    @cached_property
    def row(self) -> IndexArray:
        """The row of each point."""
        n_parts, n_rows = self.counts.shape
        return np.repeat(np.tile(np.arange(n_rows), n_parts), self.counts.ravel())

    def spread(self, of_rows: NDArray[Any]) -> NDArray[Any]:
        """Return for each point what there is for each row."""
        return of_rows[self.row]


@dataclass(frozen=True)
class ChangeLists:
    """The lists of changes of some rows, part by part.

    The lists of a part follow those of the part before, and the changes of a list
    those of the list before.

    Attributes
    ----------
    which : array of shape (n_parts, n_rows)
        The list of each row on each part; -1 where it has none.
    counts : array of shape (n_lists,)
        How many changes each list has.
    n_lists : array of shape (n_parts,)
        How many lists each part has.
    columns : array of shape (n_parts, width)
        The columns of the model that the changes of each part move, then -1.
    """

    which: IndexArray
    counts: IndexArray
    n_lists: IndexArray
    columns: IndexArray

    @cached_property
    def starts(self) -> IndexArray:
        """The first change of each list, then their number, of shape (n_lists + 1,)."""
        out = np.zeros(len(self.counts) + 1, dtype=np.intp)
        np.cumsum(self.counts, out=out[1:])
        return out

    @cached_property
    def first_lists(self) -> IndexArray:
        """Where the lists of each part begin, of shape (n_parts + 1,)."""
        return np.concatenate([[0], np.cumsum(self.n_lists)])

    @cached_property
    def first_changes(self) -> IndexArray:
        """Where the changes of each part begin, of shape (n_parts + 1,)."""
        return self.starts[self.first_lists]

    @cached_property
    def part_of_list(self) -> IndexArray:
        """The part of each list, of shape (n_lists,)."""
        return np.repeat(np.arange(len(self.n_lists)), self.n_lists)

    @cached_property
    def owner(self) -> IndexArray:
        """The list of each change, of shape (n_changes,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def first_rows(self) -> IndexArray:
        """The first row of each list, of shape (n_lists,)."""
        n_rows = self.which.shape[1]
        listed = np.flatnonzero(self.which >= 0)[::-1]
        out = np.zeros(len(self.counts), dtype=np.intp)
        out[self.which.ravel()[listed]] = listed % max(n_rows, 1)
        return out

    @cached_property
    def n_points(self) -> IndexArray:
        """The number of points of each row on each part, (n_parts, n_rows)."""
        counts = np.zeros(len(self.counts) + 1, dtype=np.intp)
        counts[:-1] = self.counts  # the last one is for no list
        return counts[self.which]

    @cached_property
    def points(self) -> ListedPoints:
        """The points of the rows."""
        counts = self.n_points
        ends = np.cumsum(counts).reshape(counts.shape)
        of_parts = ends[:, -1].tolist() if ends.size else [0] * len(ends)
        starts = ends - counts
        shift = self.starts[self.which] - starts
        change = np.repeat(shift.ravel(), counts.ravel())
        change += np.arange(len(change))
        return ListedPoints(counts, starts, change, [0, *of_parts])


class ChangeCodes(NamedTuple):
    """The listed changes of rows as codes of the model's columns.

    Attributes
    ----------
    lists : ChangeLists
        The lists of the rows.
    list_columns : array of shape (n_lists, width)
        The columns of the part of each list, then -1.
    before : array of shape (n_lists, width)
        The codes of these columns before the changes of each list.
    after : array of shape (n_changes, width)
        The same after each change.
    """

    lists: ChangeLists
    list_columns: IndexArray
    before: FloatArray
    after: FloatArray

    @property
    def columns(self) -> IndexArray:
        """The columns of the part of each change, then -1, (n_changes, width)."""
        return self.list_columns[self.lists.owner]

    def codes_of(self, codes: FloatArray, points: IndexArray) -> FloatArray:
        """Return all codes of some points, given those of the rows."""
        change = self.lists.points.change[points]
        out = codes[self.lists.points.row[points]]
        columns = self.list_columns[self.lists.owner[change]]
        at, j = np.nonzero(columns >= 0)
        out[at, columns[at, j]] = self.after[change[at], j]
        return out
