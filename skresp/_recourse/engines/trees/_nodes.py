"""Nodes of a tree ensemble as arrays, and the path of a row through them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled, compiled_part
from skresp._typing import BoolArray, FloatArray, IntArray

# Columns of `Trees.nodes`.
FEATURE, RANK, LEFT, RIGHT = range(4)


class Trees(NamedTuple):
    """A tree ensemble over codes: ranks of values among the thresholds of a column.

    Attributes
    ----------
    roots : array of shape (n_trees,)
    nodes : array of shape (n_nodes, 4)
        The column (-1 at a leaf), the rank of the threshold, the node for codes up to
        the rank, and the node for greater codes.
    missing_left : array of shape (n_nodes,)
        Whether missing values, whose code is -1, go left.
    gain : array of shape (n_nodes, n_scores)
        What a leaf adds to each score.
    depth : int
        Of the deepest tree.
    """

    roots: IntArray
    nodes: NDArray[np.int32]
    missing_left: BoolArray
    gain: FloatArray
    depth: int


@compiled_part
def goes_left(code, node, nodes, missing_left):  # type: ignore[no-untyped-def]
    """Return whether a code goes left at a node."""
    if code < 0:
        return missing_left[node]
    return code <= nodes[node, RANK]


@compiled
def tree_sums(trees, codes):  # type: ignore[no-untyped-def]
    """Return the sums of all trees at rows of codes."""
    roots, nodes, missing_left, gain, _ = trees
    out = np.zeros((len(codes), gain.shape[1]))
    for tree in range(len(roots)):
        for i in range(len(codes)):
            node = roots[tree]
            while nodes[node, FEATURE] >= 0:
                code = codes[i, nodes[node, FEATURE]]
                goes = goes_left(code, node, nodes, missing_left)
                node = nodes[node, LEFT] if goes else nodes[node, RIGHT]
            for r in range(gain.shape[1]):
                out[i, r] += gain[node, r]
    return out
