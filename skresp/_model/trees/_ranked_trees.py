"""Trees that compare ranks among their thresholds, for the kernels of changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray

from ._raw_trees import RawTrees

Ranks = NDArray[np.int32]

# The number of layouts that are kept.
_MAX_LAYOUTS = 64

#: The columns of `Nodes.links`.
COLUMN, CUT, LEFT, RIGHT, SPLIT = range(5)


class Nodes(NamedTuple):
    """Nodes of trees for kernels.

    Attributes
    ----------
    links : array of shape (n_nodes, 5), int32
        For each node the position of its column in `RankedTrees.columns` (-1 at a
        leaf); the cut: a rank up to this one goes left (-1 - row of `goes_left` on a
        listed column); the children; and the number of its split among those of its
        column, which share cut and direction of missing values.
    missing_left : array of shape (n_nodes,), bool
    gain : array of shape (n_nodes, n_gains)
        What a leaf adds.
    goes_left : array of shape (n_tables, n_positions), bool
    missing : array of shape (n_columns,), int32
        The rank of a missing value.
    """

    links: Ranks
    missing_left: BoolArray
    gain: FloatArray
    goes_left: BoolArray
    missing: Ranks


def number_splits(links: Ranks, missing_left: BoolArray) -> None:
    """Set the numbers of splits in `Nodes.links`."""
    column = links[:, COLUMN]
    order = np.lexsort((missing_left, links[:, CUT], column))
    order = order[np.searchsorted(column[order], 0) :]
    column, cut, to_left = column[order], links[order, CUT], missing_left[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (cut[1:] != cut[:-1]) | (to_left[1:] != to_left[:-1])
    new[1:] |= column[1:] != column[:-1]
    number = np.cumsum(new) - 1
    first = np.searchsorted(column, column)  # of each column
    links[order, SPLIT] = number - number[first]


class Changes(NamedTuple):
    """The changes of rows on some parts, as ranks.

    Attributes
    ----------
    own : array of shape (n_rows, n_columns), int32
        The ranks of the rows.
    order : array of shape (n_columns,)
        The columns of one part after the other, then those that no part moves.
    part_begin : array of shape (n_parts + 1,)
        Where the columns of each part begin in `order`.
    new : array of shape (n_changes, max_columns_of_a_part), int32
        The ranks after each change, in the columns of its part.
    first, counts : array of shape (n_rows, n_parts)
        The first change of each row on each part, and how many there are.
    start : array of shape (n_rows, n_parts)
        Where the sums of these changes begin.
    moves : array of shape (n_changes,), bool
        Whether a change leads to other ranks.
    value : array of shape (n_rows, n_parts)
        The row of `before` of each row on each part; -1 where it has no changes.
    before : array of shape (n_values, max_columns_of_a_part), int32
        The ranks before changes.
    part_of_value, part_of_change : array of shape (n_values,), (n_changes,)
    """

    own: Ranks
    order: IndexArray
    part_begin: IntArray
    new: Ranks
    first: IntArray
    counts: IntArray
    start: IntArray
    moves: BoolArray
    value: IntArray
    before: Ranks
    part_of_value: IntArray
    part_of_change: IntArray


class Layout(NamedTuple):
    """Where the columns of parts are among those of trees.

    Attributes
    ----------
    of_parts : array of shape (n_parts, width)
        Positions in `RankedTrees.columns`; -1 for none.
    order, part_begin : arrays
        See `Changes`.
    """

    of_parts: IndexArray
    order: IndexArray
    part_begin: IntArray


@dataclass(frozen=True)
class RankedTrees:
    """Trees over ranks: how many thresholds of a column are less than a number.

    The rank of a listed column is its position.

    Attributes
    ----------
    trees : RawTrees
    gain : array of shape (n_nodes, n_gains)
        What each leaf adds.
    """

    trees: RawTrees
    gain: FloatArray

    @cached_property
    def columns(self) -> IndexArray:
        """The columns of the model's input that some node splits on."""
        return np.array(self.trees.split_columns, dtype=np.intp)

    @cached_property
    def cuts(self) -> list[FloatArray]:
        """The thresholds of each of `columns`, ascending; empty for a listed one."""
        return [
            np.zeros(0) if self._lists(c) else self.trees.thresholds(c)
            for c in self.columns.tolist()
        ]

    @cached_property
    def n_ranks(self) -> IntArray:
        """The number of ranks of each of `columns`, a missing value included."""
        positions = self.trees.goes_left.shape[1]
        return np.array(
            [
                positions if self._lists(c) else len(cuts) + 2
                for c, cuts in zip(self.columns.tolist(), self.cuts, strict=True)
            ],
            dtype=np.int64,
        )

    def _lists(self, column: int) -> bool:
        return bool(self.trees.is_listed[column])

    @cached_property
    def position(self) -> IndexArray:
        """The position in `columns` of each column of the model's input, else -1.

        The last entry is for no column.
        """
        out = np.full(len(self.trees.is_listed) + 1, -1, dtype=np.intp)
        out[self.columns] = np.arange(len(self.columns))
        return out

    def layout(self, columns: IndexArray) -> Layout:
        """Return where the columns of parts are, given those of the model's input.

        Parameters
        ----------
        columns : array of shape (n_parts, width)
            The columns of each part, then -1.
        """
        key = columns.shape, columns.tobytes()
        found = self._layouts.get(key)
        if found is None:
            if len(self._layouts) >= _MAX_LAYOUTS:
                self._layouts.clear()
            of_parts = self.position[columns]
            is_used = of_parts >= 0
            moved = np.zeros(len(self.columns), dtype=bool)
            moved[of_parts[is_used]] = True
            found = self._layouts[key] = Layout(
                of_parts,
                np.concatenate([of_parts[is_used], np.flatnonzero(~moved)]),
                np.append(0, np.cumsum(is_used.sum(axis=1))),
            )
        return found

    @cached_property
    def _layouts(self) -> dict[Any, Layout]:
        """Results of `layout`."""
        return {}

    @cached_property
    def _joined_cuts(self) -> tuple[FloatArray, IntArray]:
        """All of `cuts`, and where those of each column begin."""
        ends = np.cumsum([len(cuts) for cuts in self.cuts], dtype=np.int64)
        return np.concatenate([np.zeros(0), *self.cuts]), np.append(0, ends)

    @cached_property
    def _listed(self) -> list[int]:
        """The positions in `columns` of listed columns."""
        return [k for k, c in enumerate(self.columns.tolist()) if self._lists(c)]

    def ranks(self, columns: IndexArray, which: IndexArray, codes: FloatArray) -> Ranks:
        """Return the ranks of codes, and of no code where the trees have no column.

        Parameters
        ----------
        columns : array of shape (n_kinds, width)
            Positions in `columns` for each kind of row; -1 for none.
        which : array of shape (n_rows,)
            The kind of each row of codes.
        codes : array of shape (n_rows, width)

        Returns
        -------
        array of shape (n_rows, width)
            The ranks of a row, then 0.
        """
        from ._rank_kernels import ranks_of_codes

        out: Ranks = ranks_of_codes(*self._joined_cuts, columns, which, codes)
        for k in self._listed:
            for kind, j in np.argwhere(columns == k).tolist():
                some = np.flatnonzero(which == kind)
                found = self.trees.positions_of(int(self.columns[k]), codes[some, j])
                out[some, (columns[kind, :j] >= 0).sum()] = found.astype(np.int32)
        return out

    @cached_property
    def nodes(self) -> Nodes:
        """The nodes, for kernels."""
        trees = self.trees
        cut = trees.ranks.copy()
        for c in self.columns[self._listed].tolist():
            at = trees.nodes_of(c)
            cut[at] = -1 - trees.threshold[at]
        at_column = self.position[trees.column]
        links = np.stack(
            [at_column, cut, trees.left, trees.right, np.zeros_like(cut)],
            axis=1,
            dtype=np.int32,
        )
        number_splits(links, trees.missing_left)
        return Nodes(
            links,
            trees.missing_left,
            np.ascontiguousarray(self.gain),
            trees.goes_left,
            (self.n_ranks - 1).astype(np.int32),
        )

    @cached_property
    def depth(self) -> int:
        """The depth of the deepest tree."""
        depth, level = 0, self.roots
        while True:
            inner = level[self.trees.column[level] >= 0]
            if not len(inner):
                return depth
            level = np.concatenate([self.trees.left[inner], self.trees.right[inner]])
            depth += 1

    @cached_property
    def n_leaves(self) -> IntArray:
        """The number of leaves of each tree."""
        return np.add.reduceat((self.trees.column < 0).astype(np.int64), self.roots)

    @property
    def roots(self) -> NDArray[np.int32]:
        """The first node of each tree."""
        return self.trees.roots

    @cached_property
    def largest_sum(self) -> float:
        """The sum over trees of the largest absolute gain of a leaf."""
        return self.trees.largest_sum(self.gain)
