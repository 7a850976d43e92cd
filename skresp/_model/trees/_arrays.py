"""Tree ensembles of all libraries as flat arrays of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray
from skresp.reach._allowance import allowance

# When a row goes left: float32(x) <= threshold, float32(x) < threshold, x <= threshold.
SKLEARN, XGBOOST, DOUBLE = 0, 1, 2


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

    roots: NDArray[np.int32]
    output: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: FloatArray
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: BoolArray
    leaves: FloatArray
    base: FloatArray
    rule: int

    @property
    def width(self) -> int:
        """The number of scores."""
        return len(self.base)


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
                np.where(inner, feature, -1).astype(np.int32),
                np.asarray(threshold, dtype=float),
                np.where(inner, np.asarray(left) + start, -1).astype(np.int32),
                np.where(inner, np.asarray(right) + start, -1).astype(np.int32),
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
        np.array(roots, dtype=np.int32),
        np.array(output, dtype=np.int32),
        feature,
        threshold,
        left,
        right,
        missing,
        np.ascontiguousarray(leaves, dtype=float),
        np.zeros(width),
        rule,
    )
