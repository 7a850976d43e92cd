"""A tree that is made node by node."""

from __future__ import annotations

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._forest import LEAF, Forest


class TreeNodes:
    """Collects the nodes of one tree; each lies before its left and right subtrees."""

    def __init__(self, width: int) -> None:
        self.column: list[int] = []
        self.threshold: list[float] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.top: list[FloatArray] = []
        self.width = width

    def inner(self, column: int, threshold: float) -> int:
        """Add a node; its left child is the next one."""
        self.column.append(column)
        self.threshold.append(threshold)
        self.left.append(len(self.column))
        self.right.append(-1)
        self.top.append(np.zeros(self.width))
        return len(self.column) - 1

    def leaf(self, value: FloatArray) -> int:
        """Add a leaf."""
        at = self.inner(LEAF, 0.0)
        self.left[at], self.top[at] = -1, value
        return at

    def steps(self, column: int, edges: FloatArray, values: FloatArray) -> int:
        """Add a balanced tree over the steps of a number."""
        if not len(edges):
            return self.leaf(values[0])
        middle = len(edges) // 2
        at = self.inner(column, float(edges[middle]))
        self.steps(column, edges[:middle], values[: middle + 1])
        self.right[at] = self.steps(column, edges[middle + 1 :], values[middle + 1 :])
        return at

    def labels(
        self,
        column: int,
        order: IndexArray,
        values: FloatArray,
        tables: list[BoolArray],
    ) -> int:
        """Add a balanced tree over positions in the order of their values.

        Its tables are added to `tables`.
        """
        if len(order) == 1:
            return self.leaf(values[order[0]])
        middle = len(order) // 2
        goes_left = np.zeros(len(values), dtype=bool)
        goes_left[order[:middle]] = True
        at = self.inner(column, float(len(tables)))
        tables.append(goes_left)
        self.labels(column, order[:middle], values, tables)
        self.right[at] = self.labels(column, order[middle:], values, tables)
        return at

    def forest(self, channel: int) -> Forest:
        """Return the tree as a forest, given its first channel."""
        return Forest.of(
            np.array(self.column, dtype=np.int32),
            np.array(self.threshold, dtype=float),
            np.array(self.left, dtype=np.int32),
            np.array(self.right, dtype=np.int32),
            np.array(self.top),
            np.zeros(1, dtype=np.int32),
            np.full(1, channel, dtype=np.int32),
        )
