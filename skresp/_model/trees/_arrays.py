"""Tree ensembles of all libraries as flat arrays of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allowance

# When a row goes left: float32(x) <= threshold, float32(x) < threshold, x <= threshold.
SKLEARN, XGBOOST, DOUBLE = 0, 1, 2

# Rows times trees that are walked at once, to bound memory.
_MOST_WALKS = 1_000_000


@dataclass(frozen=True)
class Ensemble:
    """Trees as arrays over all their nodes.

    Attributes
    ----------
    roots : array of shape (n_trees,)
        The first node of each tree.
    output : array of shape (n_trees,)
        The score that each tree adds to; -1 for all (its leaves are vectors).
    feature : array of shape (n_nodes,)
        The column that a node splits on; -1 at a leaf.
    threshold : array of shape (n_nodes,)
    left, right : array of shape (n_nodes,)
        The children; -1 at a leaf.
    missing_left : array of shape (n_nodes,)
        Whether a missing value goes left.
    leaves : array of shape (n_nodes, n_scores) or (n_nodes, 1)
        What each leaf adds.
    base : array of shape (n_scores,)
        What is added to the sums.
    rule : {SKLEARN, XGBOOST, DOUBLE}
        When a row goes left.
    """

    roots: NDArray[np.int64]
    output: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: FloatArray
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: BoolArray
    leaves: FloatArray
    base: FloatArray
    rule: int

    @cached_property
    def cuts(self) -> FloatArray:
        """The values at which a row passes from left to right, one for each node.

        Libraries that compare in float32 round the value first, so it passes half way
        between two neighbouring float32 numbers.
        """
        if self.rule == DOUBLE:
            return self.threshold
        near = self.threshold.astype(np.float32)
        if self.rule == XGBOOST:
            low, high = np.nextafter(near, np.float32(-np.inf)), near
        else:
            above = near.astype(float) > self.threshold
            low = np.where(above, np.nextafter(near, np.float32(-np.inf)), near)
            high = np.nextafter(low, np.float32(np.inf))
        return (low.astype(float) + high.astype(float)) / 2

    @cached_property
    def nodes_of(self) -> dict[int, IndexArray]:
        """The nodes that split on each column."""
        inner = np.flatnonzero(self.feature >= 0)
        order = inner[np.argsort(self.feature[inner], kind="stable")]
        columns, first = np.unique(self.feature[order], return_index=True)
        groups = np.split(order, first[1:])[: len(columns)]
        return dict(zip(columns.tolist(), groups, strict=True))

    @cached_property
    def cuts_of(self) -> dict[int, FloatArray]:
        """The distinct cuts of each column, in ascending order."""
        return {c: np.unique(self.cuts[nodes]) for c, nodes in self.nodes_of.items()}

    @property
    def width(self) -> int:
        """The number of scores."""
        return len(self.base)

    def sums(self, Z: FloatArray) -> FloatArray:
        """Return the scores of rows, of shape (n_rows, n_scores)."""
        X = Z if self.rule == DOUBLE else Z.astype(np.float32).astype(np.float64)
        out = np.repeat(self.base[None], len(Z), axis=0)
        size = max(_MOST_WALKS // max(len(self.roots), 1), 1)
        for start in range(0, len(Z), size):
            allowance().deadline.check()
            some = slice(start, start + size)
            leaves = self._leaves_of(X[some])
            for k, output in enumerate(self.output):
                if output < 0:
                    out[some] += self.leaves[leaves[:, k]]
                else:
                    out[some, output] += self.leaves[leaves[:, k], 0]
        return out

    def _leaves_of(self, X: FloatArray) -> NDArray[np.int64]:
        """Return the leaf of each row in each tree, of shape (n_rows, n_trees)."""
        nodes = np.tile(self.roots, (len(X), 1))
        row, tree = np.nonzero(self.feature[nodes] >= 0)
        while len(row):
            at = nodes[row, tree]
            x = X[row, self.feature[at]]
            less = x < self.threshold[at]
            if self.rule != XGBOOST:
                less |= x == self.threshold[at]
            less = np.where(np.isnan(x), self.missing_left[at], less)
            at = np.where(less, self.left[at], self.right[at])
            nodes[row, tree] = at
            inner = self.feature[at] >= 0
            row, tree = row[inner], tree[inner]
        return nodes


class UnsupportedTreesError(Exception):
    """Trees that an `Ensemble` cannot represent."""


class Tree(NamedTuple):
    """The nodes of one tree, as arrays of shape (n_nodes,).

    Attributes
    ----------
    feature : the column that a node splits on
    threshold : where it splits
    left, right : positions of the children in the same arrays, negative at a leaf
    missing_left : whether a missing value goes left
    leaves : what a leaf adds, of shape (n_nodes, n_scores)
    """

    feature: Any
    threshold: Any
    left: Any
    right: Any
    missing_left: Any
    leaves: FloatArray


def assemble(trees: Iterator[tuple[int, Tree]], width: int, rule: int) -> Ensemble:
    """Join trees, each with the score it adds to, into one ensemble."""
    roots, output, parts = [], [], []
    start = 0
    for out, (feature, threshold, left, right, missing, leaves) in trees:
        allowance().deadline.check()
        roots.append(start)
        output.append(out)
        inner = np.asarray(left) >= 0
        parts.append(
            (
                np.where(inner, feature, -1),
                np.asarray(threshold, dtype=float),
                np.where(inner, np.asarray(left) + start, -1),
                np.where(inner, np.asarray(right) + start, -1),
                np.asarray(missing, dtype=bool),
                leaves,
            )
        )
        start += len(feature)
    if not parts:
        raise UnsupportedTreesError
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    feature, threshold, left, right, missing, leaves = joined
    return Ensemble(
        np.array(roots, dtype=np.int64),
        np.array(output, dtype=np.int64),
        feature.astype(np.int64),
        threshold,
        left.astype(np.int64),
        right.astype(np.int64),
        missing,
        np.ascontiguousarray(leaves, dtype=float),
        np.zeros(width),
        rule,
    )
