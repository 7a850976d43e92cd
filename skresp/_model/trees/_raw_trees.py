"""Trees that split on the columns of the model's own input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray
from skresp.reach._allowance import allowance

from ._arrays import TreeArrays

# Rows times trees that are walked at once, to bound memory.
_MAX_WALKS = 1_000_000


class ColumnSplits(NamedTuple):
    """The nodes that split on a column of numbers.

    Attributes
    ----------
    cuts : array of shape (n_cuts,)
        Their finite thresholds, each once, in ascending order.
    nodes : array of shape (n_splits,)
    ranks : array of shape (n_splits,), int32
        The positions of the thresholds of these nodes in `cuts`; -1 for -inf.
    most : int
        The largest number of these nodes in one tree.
    """

    cuts: FloatArray
    nodes: IndexArray
    ranks: NDArray[np.int32]
    most: int


@dataclass(frozen=True, kw_only=True)
class RawTrees(TreeArrays):
    """Trees over codes of the columns of the model's input (see `Column`).

    A node goes left where `x <= threshold`, compared in float64. On a listed column it
    looks up the position of the value in a table instead, and `threshold` is the row of
    `goes_left`. The position of a label is its code. A number may be listed too: its
    position is that of the piece between `edges` that it lies in. The last position is
    that of a missing value.

    Attributes
    ----------
    is_listed : array of shape (n_columns,), bool
    goes_left : array of shape (n_tables, n_positions), bool
        Which positions go left.
    edges : dict of int to array
        For each listed column of numbers, the largest number of each piece but the
        last, in ascending order.
    """

    is_listed: BoolArray
    goes_left: BoolArray
    edges: dict[int, FloatArray]

    def positions(self, codes: FloatArray) -> FloatArray:
        """Return codes with those of listed columns replaced by positions."""
        if not self.is_listed.any():
            return codes
        out = codes.copy()
        for c in np.flatnonzero(self.is_listed):
            out[:, c] = self.positions_of(int(c), codes[:, c])
        return out

    def positions_of(self, column: int, codes: FloatArray) -> FloatArray:
        """Return the positions of codes of one listed column."""
        missing = np.isnan(codes)
        found = codes
        if column in self.edges:
            found = np.searchsorted(self.edges[column], codes).astype(float)
        return np.where(missing, self.goes_left.shape[1] - 1, found)

    def sums(self, codes: FloatArray, n_outputs: int) -> FloatArray:
        """Return the sums of the leaves of rows, of shape (n_rows, n_outputs)."""
        out = np.zeros((len(codes), n_outputs))
        X = self.positions(codes)
        if not allowance().deadline.is_limited:  # a kernel may have to be compiled
            from ._leaf_walk import add_leaves  # numba loads slowly

            X = np.ascontiguousarray(X)
            add_leaves(self._nodes, self.output, self.leaves, X, out)
            return out
        for some in self._slices(len(codes)):
            leaf = self._leaves_by_level(X[some])
            for k, output in enumerate(self.output):
                if output < 0:
                    out[some] += self.leaves[leaf[:, k]]
                else:
                    out[some, output] += self.leaves[leaf[:, k], 0]
        return out

    def gains(self, nodes: IndexArray, n_outputs: int) -> FloatArray:
        """Return what leaves add to each score, of shape (len(nodes), n_outputs)."""
        gain = self.leaves[nodes]
        if gain.shape[1] == n_outputs:
            return gain
        tree = np.searchsorted(self.roots, nodes, side="right") - 1
        out = np.zeros((len(nodes), n_outputs))
        out[np.arange(len(nodes)), self.output[tree]] = gain[:, 0]
        return out

    def cuts(self, column: int) -> FloatArray:
        """Return where the sums may jump along a column of numbers, ascending."""
        if self.is_listed[column]:
            return self.edges.get(column, np.zeros(0))
        thresholds = self.thresholds(column)
        return thresholds[np.isfinite(thresholds)]

    def thresholds(self, column: int) -> FloatArray:
        """Return the distinct thresholds of a column, or rows of tables, ascending."""
        distinct, begins, _ = self._sorted_thresholds
        return distinct[begins[column] : begins[column + 1]]

    @property
    def ranks(self) -> NDArray[np.int32]:
        """The position of each node's threshold in `thresholds`; 0 at a leaf."""
        return self._sorted_thresholds[2]

    @cached_property
    def _sorted_thresholds(self) -> tuple[FloatArray, IntArray, NDArray[np.int32]]:
        """The thresholds of all columns, where those of each begin, and `ranks`."""
        n_columns = len(self.is_listed)
        order = np.flatnonzero(self.column >= 0)
        order = order[np.argsort(self.threshold[order])]
        # Two sorts of one key each; that of small integers takes no comparisons.
        small = np.int16 if n_columns < 2**15 else np.int32
        order = order[np.argsort(self.column[order].astype(small), kind="stable")]
        column, threshold = self.column[order], self.threshold[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (threshold[1:] != threshold[:-1]) | (column[1:] != column[:-1])
        counts = np.bincount(column[new], minlength=n_columns)
        begins = np.append(0, np.cumsum(counts))
        ranks = np.zeros(len(self.column), dtype=np.int32)
        ranks[order] = np.cumsum(new) - 1 - begins[column]
        return threshold[new], begins, ranks

    def nodes_of(self, column: int) -> IndexArray:
        """Return the nodes that split on a column, ascending."""
        return self._nodes_of_columns[column]

    def splits_on(self, columns: IndexArray) -> BoolArray:
        """Return which trees split on some of these columns."""
        out = np.zeros(len(self.roots), dtype=bool)
        for c in columns.tolist():
            nodes = self.nodes_of(c)
            out[np.searchsorted(self.roots, nodes, side="right") - 1] = True
        return out

    @property
    def split_columns(self) -> list[int]:
        """The columns that some node splits on."""
        counts = np.diff(self._sorted_thresholds[1])
        return np.flatnonzero(counts).tolist()

    def column_splits(self, column: int) -> ColumnSplits:
        """Return the splits on a column of numbers that is not listed."""
        if column not in self._column_splits:
            nodes, cuts = self.nodes_of(column), self.cuts(column)
            # A threshold of -inf is no cut, and the first of `thresholds`.
            below = int(np.isneginf(self.thresholds(column)[:1]).sum())
            ranks = self.ranks[nodes] - below
            ends = np.searchsorted(nodes, [*self.roots, len(self.column)])
            most = int(np.diff(ends).max())
            self._column_splits[column] = ColumnSplits(cuts, nodes, ranks, most)
        return self._column_splits[column]

    @cached_property
    def largest_size(self) -> float:
        """The sum over trees of the largest absolute value of a leaf."""
        return self.largest_sum(self.leaves)

    @cached_property
    def _nodes_of_columns(self) -> list[IndexArray]:
        """The nodes that split on each column, ascending."""
        inner = np.flatnonzero(self.column >= 0)
        column = self.column[inner]
        order = inner[np.argsort(column, kind="stable")]
        ends = np.cumsum(np.bincount(column, minlength=len(self.is_listed))).tolist()
        return [order[a:b] for a, b in pairwise([0, *ends])]

    @cached_property
    def _column_splits(self) -> dict[int, ColumnSplits]:
        """The splits that were found so far."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        made = ("_column_splits", "_nodes_of_columns", "_sorted_thresholds")
        return {k: v for k, v in self.__dict__.items() if k not in made}

    def leaves_of(self, X: FloatArray) -> IndexArray:
        """Return the leaf of each row of positions in each tree."""
        if allowance().deadline.is_limited:  # a kernel may have to be compiled
            return self._leaves_by_level(X)
        from ._leaf_walk import walk_to_leaves  # numba loads slowly

        leaf: IndexArray = walk_to_leaves(self._nodes, np.ascontiguousarray(X))
        return leaf

    @property
    def _nodes(self) -> tuple[Any, ...]:
        """What the kernels of walks take of the trees."""
        return (
            self.roots,
            self.column,
            self.threshold,
            self.left,
            self.right,
            self.missing_left,
            self.is_listed,
            self.goes_left,
        )

    def _leaves_by_level(self, X: FloatArray) -> IndexArray:
        """Return the same, without a kernel."""
        nodes = np.tile(self.roots.astype(np.intp), (len(X), 1))
        row, tree = np.nonzero(self.column[nodes] >= 0)
        while len(row):
            at = nodes[row, tree]
            goes = self._goes_left(at, X[row, self.column[at]])
            at = np.where(goes, self.left[at], self.right[at])
            nodes[row, tree] = at
            inner = self.column[at] >= 0
            row, tree = row[inner], tree[inner]
        return nodes

    def _goes_left(self, nodes: IndexArray, x: FloatArray) -> BoolArray:
        """Return at which nodes these values go left."""
        goes = np.where(
            np.isnan(x), self.missing_left[nodes], x <= self.threshold[nodes]
        )
        if self.is_listed.any():
            listed = np.flatnonzero(self.is_listed[self.column[nodes]])
            table = self.threshold[nodes[listed]].astype(np.intp)
            goes[listed] = self.goes_left[table, x[listed].astype(np.intp)]
        return goes

    def bounds(
        self, lower: FloatArray, upper: FloatArray, sets: dict[int, BoolArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest sums over boxes, one pair for each tree.

        Parameters
        ----------
        lower, upper : array of shape (n_boxes, n_columns)
            Closed intervals of the columns that are not listed; NaN where missing.
        sets : dict of int to array of shape (n_boxes, n_positions)
            The positions of each listed column that belong to the box.

        Returns
        -------
        low, high : array of shape (n_boxes, n_trees, n_values)
        """
        shape = (len(lower), len(self.roots), self.leaves.shape[1])
        low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
        box, tree = np.indices(shape[:2]).reshape(2, -1)
        node = self.roots[tree].astype(np.intp)
        while len(node):
            leaf = self.column[node] < 0
            at = box[leaf], tree[leaf]
            np.minimum.at(low, at, self.leaves[node[leaf]])
            np.maximum.at(high, at, self.leaves[node[leaf]])
            box, tree, node = box[~leaf], tree[~leaf], node[~leaf]
            left, right = self._ways(node, box, lower, upper, sets)
            box = np.concatenate([box[left], box[right]])
            tree = np.concatenate([tree[left], tree[right]])
            node = np.concatenate([self.left[node[left]], self.right[node[right]]])
            node = node.astype(np.intp)
        return low, high

    def _ways(
        self,
        node: IndexArray,
        box: IndexArray,
        lower: FloatArray,
        upper: FloatArray,
        sets: dict[int, BoolArray],
    ) -> tuple[BoolArray, BoolArray]:
        """Return at which nodes some point of the box goes left, and goes right."""
        column = self.column[node]
        a, b = lower[box, column], upper[box, column]
        missing = np.isnan(a)
        left = np.where(missing, self.missing_left[node], a <= self.threshold[node])
        right = np.where(missing, ~self.missing_left[node], b > self.threshold[node])
        for c, allowed in sets.items():
            some = np.flatnonzero(column == c)
            tables = self.goes_left[self.threshold[node[some]].astype(np.intp)]
            mine = allowed[box[some]]
            left[some] = (tables & mine).any(axis=1)
            right[some] = (~tables & mine).any(axis=1)
        return left, right

    def _slices(self, rows: int) -> Iterator[slice]:
        """Yield slices of rows of bounded memory."""
        size = max(_MAX_WALKS // max(len(self.roots), 1), 1)
        for start in range(0, rows, size):
            allowance().deadline.check()
            yield slice(start, start + size)
