"""Kernels: plain loops over arrays, compiled where numba is installed.

Without numba the same source runs as it is, slowly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp.scores import compiled

Ints = NDArray[np.int64]

# What stands in the columns of `Trees.nodes`.
FEATURE, RANK, LEFT, RIGHT = range(4)


class Trees(NamedTuple):
    """An ensemble in which a value is known by its place among the thresholds.

    `nodes` has a row a node: its column (-1 at a leaf), its rank, where those go whose
    code is at most the rank, and where the others go; a missing value has code -1 and
    a way of its own. `gain` is what a leaf adds to each score, `depth` that of the
    deepest tree.
    """

    roots: Ints
    nodes: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    gain: NDArray[np.float64]
    depth: int


@compiled
def goes_left(code, node, nodes, missing_left):  # type: ignore[no-untyped-def]
    """Which way a code goes at a node."""
    if code < 0:
        return missing_left[node]
    return code <= nodes[node, RANK]
