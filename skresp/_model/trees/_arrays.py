"""Tree ensembles of all libraries as flat arrays of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model._unreadable import UnreadableError
from skresp._typing import BoolArray, FloatArray, IntArray
from skresp.reach._allowance import allowance

NO_TREES = "The model has no trees."


@dataclass(frozen=True, kw_only=True)
class TreeArrays:
    """Trees as arrays over all their nodes.

    Attributes
    ----------
    roots : array of shape (n_trees,), int32
        The first node of each tree. The nodes of a tree are contiguous.
    output : array of shape (n_trees,), int32
        The score that each tree adds to; -1 for all (its leaves are vectors).
    column : array of shape (n_nodes,), int32
        The column that a node splits on; -1 at a leaf.
    threshold : array of shape (n_nodes,), float64
    left, right : array of shape (n_nodes,), int32
        The children; -1 at a leaf.
    missing_left : array of shape (n_nodes,), bool
        Whether a missing value goes left.
    leaves : array of shape (n_nodes, n_outputs) or (n_nodes, 1)
        What each leaf adds. The values of inner nodes mean nothing.
    """

    roots: NDArray[np.int32]
    output: NDArray[np.int32]
    column: NDArray[np.int32]
    threshold: FloatArray
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: BoolArray
    leaves: FloatArray

    def largest_sum(self, gain: FloatArray) -> float:
        """Return the sum over trees of the largest absolute gain of a leaf.

        `gain` has the shape (n_nodes, n_gains).
        """
        size = np.where(self.column < 0, np.abs(gain).max(axis=1), 0.0)
        return float(np.maximum.reduceat(size, self.roots).sum())


class Arithmetic(NamedTuple):
    """How a library compares values with thresholds, and adds leaves.

    Attributes
    ----------
    compares_float32 : bool
        Whether values are rounded to float32 before they are compared.
    is_strict : bool
        Whether a value goes left if it is less than the threshold; otherwise also if
        they are equal.
    sums_float32 : bool
        Whether leaves are added in float32.
    sparse_zero_is_missing : bool
        Whether a value that a sparse matrix does not store is missing.
    integers_to_float32 : bool
        Whether an array of integers is converted to float32 first, unlike other input.
    """

    compares_float32: bool = False
    is_strict: bool = False
    sums_float32: bool = False
    sparse_zero_is_missing: bool = False
    integers_to_float32: bool = False


@dataclass(frozen=True, kw_only=True)
class Ensemble(TreeArrays):
    """Trees over the columns that the final estimator gets, as its library has them.

    Attributes
    ----------
    n_outputs : int
        The number of scores.
    arithmetic : Arithmetic
    grain : float
        All leaves are multiples of it, and the library adds them without rounding; 0
        where it rounds.
    """

    n_outputs: int
    arithmetic: Arithmetic
    grain: float = 0.0


class Tree(NamedTuple):
    """The nodes of one tree, as arrays of shape (n_nodes,).

    Attributes
    ----------
    column : the column that a node splits on
    threshold : where it splits
    left, right : positions of the children in the same arrays, negative at a leaf
    missing_left : whether a missing value goes left
    leaves : what a leaf adds, of shape (n_nodes, n_outputs)
    """

    column: Any
    threshold: Any
    left: Any
    right: Any
    missing_left: Any
    leaves: FloatArray


def assemble(
    trees: Iterable[tuple[int, Tree]],
    n_outputs: int,
    arithmetic: Arithmetic,
    grain: float = 0.0,
) -> Ensemble:
    """Join trees, each with the score it adds to, into one ensemble."""
    sizes, output, parts = [], [], []
    deadline = allowance().deadline
    for out, tree in trees:
        deadline.check()
        sizes.append(len(tree.column))
        output.append(out)
        parts.append(tree)
    if not parts:
        raise UnreadableError(NO_TREES)
    nodes = Tree(*map(np.concatenate, zip(*parts, strict=True)))
    return ensemble_of(nodes, sizes, output, n_outputs, arithmetic, grain)


def ensemble_of(
    nodes: Tree,
    sizes: Sequence[int] | IntArray,
    output: Sequence[int],
    n_outputs: int,
    arithmetic: Arithmetic,
    grain: float = 0.0,
) -> Ensemble:
    """Return the ensemble of trees whose nodes follow each other.

    `sizes` are the numbers of their nodes, `output` the scores they add to.
    """
    roots = np.cumsum(sizes) - sizes
    start, inner = np.repeat(roots, sizes), nodes.left >= 0
    return Ensemble(
        roots=roots.astype(np.int32),
        output=np.array(output, dtype=np.int32),
        column=np.where(inner, nodes.column, -1).astype(np.int32),
        threshold=nodes.threshold.astype(float),
        left=np.where(inner, nodes.left + start, -1).astype(np.int32),
        right=np.where(inner, nodes.right + start, -1).astype(np.int32),
        missing_left=nodes.missing_left.astype(bool),
        leaves=np.ascontiguousarray(nodes.leaves, dtype=float),
        n_outputs=n_outputs,
        arithmetic=arithmetic,
        grain=grain,
    )
