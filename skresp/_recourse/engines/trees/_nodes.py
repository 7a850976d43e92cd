"""Nodes of a tree ensemble, as arrays for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray

Ints = NDArray[np.int64]

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

    roots: Ints
    nodes: NDArray[np.int32]
    missing_left: BoolArray
    gain: FloatArray
    depth: int
