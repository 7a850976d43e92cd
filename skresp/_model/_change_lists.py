"""Which change each point of a row has, where rows share lists of changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray, IndexArray


class ListedPoints(NamedTuple):
    """The points of rows: one for each change in their lists.

    Those of a part follow those of the part before, row after row.

    Attributes
    ----------
    counts : array of shape (n_parts, n_rows)
        The number of points of each row on each part.
    change : array of shape (n_points,)
        The change of each point.
    ends : list of int, of length n_parts + 1
        The points of part `p` are those from `ends[p]` to before `ends[p + 1]`.
    """

    counts: IndexArray
    change: IndexArray
    ends: list[int]

    def spread(self, of_rows: NDArray[Any]) -> NDArray[Any]:
        """Return for each point what there is for each row."""
        n_parts, n_rows = self.counts.shape
        rows = np.tile(np.arange(n_rows), n_parts)
        return of_rows[np.repeat(rows, self.counts.ravel())]


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
        """The first change of each list, of shape (n_lists,)."""
        return np.cumsum(self.counts) - self.counts

    @cached_property
    def first_lists(self) -> IndexArray:
        """Where the lists of each part begin, of shape (n_parts + 1,)."""
        return np.concatenate([[0], np.cumsum(self.n_lists)])

    @cached_property
    def first_changes(self) -> IndexArray:
        """Where the changes of each part begin, of shape (n_parts + 1,)."""
        return np.concatenate([[0], np.cumsum(self.counts)])[self.first_lists]

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
        return np.append(self.counts, 0)[self.which]

    @cached_property
    def points(self) -> ListedPoints:
        """The points of the rows."""
        counts = self.n_points.ravel()
        ends = np.cumsum(counts)
        shift = np.append(self.starts, 0)[self.which.ravel()] - (ends - counts)
        change = np.repeat(shift, counts) + np.arange(ends[-1] if len(ends) else 0)
        of_parts = np.cumsum(self.n_points.sum(axis=1)).tolist()
        return ListedPoints(self.n_points, change, [0, *of_parts])


class ChangeCodes(NamedTuple):
    """The listed changes of rows as codes of the model's columns.

    Attributes
    ----------
    lists : ChangeLists
        The lists of the rows.
    columns : array of shape (n_changes, width)
        The columns of the part of each change, then -1.
    before : array of shape (n_lists, width)
        The codes of these columns before the changes of each list.
    after : array of shape (n_changes, width)
        The same after each change.
    """

    lists: ChangeLists
    columns: IndexArray
    before: FloatArray
    after: FloatArray

    def codes_of(self, codes: FloatArray, points: IndexArray) -> FloatArray:
        """Return all codes of some points, given those of the rows."""
        row = self.lists.points.spread(np.arange(len(codes)))[points]
        change = self.lists.points.change[points]
        out = codes[row]
        at, j = np.nonzero(self.columns[change] >= 0)
        out[at, self.columns[change[at], j]] = self.after[change[at], j]
        return out
