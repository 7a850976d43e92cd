"""Upper bounds of the sums of trees in slabs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled_part

from ._forest import LEAF, Forest
from ._slabs import Slabs


@compiled_part
def bound_slabs(
    forest: Forest,
    first: int,
    last: int,
    end: int,
    tables: NDArray[np.uint64],
    variables: int,
    slabs: Slabs,
) -> None:
    """Add up the largest leaves of trees in slabs, below and above them.

    The trees from `first` to before `last` lie one after the other, the last one up to
    node `end`, and each node lies before its left and then its right subtree.
    """
    m = _number_columns(slabs, variables)
    slabs.sums[:] = 0.0
    for k in range(first, last):
        stop = forest.roots[k + 1] if k + 1 < last else end
        for w in range(forest.top.shape[1]):
            _find_largest(forest, forest.roots[k], stop, w, tables, variables, slabs, m)
            _add_largest(slabs, m, forest.channel[k] + w)
    for a in range(m):
        c = slabs.column[a]
        for s in range(slabs.many[c]):
            for k in range(slabs.top.shape[2]):
                slabs.top[c, s, k] = slabs.sums[0, k, s * m + a]
                slabs.below[c, s, k] = slabs.sums[1, k, s * m + a]
                slabs.above[c, s, k] = slabs.sums[2, k, s * m + a]


@compiled_part
def _number_columns(slabs: Slabs, variables: int) -> int:
    """Number the columns with slabs; return how many there are."""
    m = 0
    for c in range(len(slabs.many)):
        many = slabs.many[c]
        if many == 0:
            continue
        slabs.column[m], slabs.place[c] = c, m
        m += 1
        if c < variables:
            for s in range(slabs.edges.shape[1]):
                slabs.inner[c, s] = slabs.edges[c, s - 1] if s else -np.inf
                slabs.outer[c, s] = slabs.edges[c, s] if s < many - 1 else np.inf
    return m


@compiled_part
def _find_largest(
    forest: Forest,
    root: int,
    stop: int,
    w: int,
    tables: NDArray[np.uint64],
    variables: int,
    slabs: Slabs,
    m: int,
) -> None:
    """Find the largest leaves of one tree in all slabs, as the first row of `best`.

    From the last node to the root, so that the subtrees of a node are the last two
    rows: the right one, then the left one.
    """
    n = slabs.edges.shape[1] * m
    best, size = slabs.best, 0
    for at in range(stop - 1, root - 1, -1):
        c = forest.column[at]
        if c == LEAF:
            best[size, :n] = forest.top[at, w]
            size += 1
        elif c >= 0:
            _keep_sides(forest, at, tables, variables, slabs, m, size)
            right, left = best[size - 2], best[size - 1]
            for i in range(n):
                right[i] = left[i] if left[i] > right[i] else right[i]
            a = slabs.place[c]
            for s in range(slabs.many[c]):
                right[s * m + a] = slabs.largest[s]
            size -= 1


@compiled_part
def _keep_sides(
    forest: Forest,
    at: int,
    tables: NDArray[np.uint64],
    variables: int,
    slabs: Slabs,
    m: int,
    size: int,
) -> None:
    """Find the largest leaves below a node in the slabs of the node's own column."""
    c, t = forest.column[at], forest.threshold[at]
    a = slabs.place[c]
    for s in range(slabs.many[c]):
        right, left = slabs.best[size - 2, s * m + a], slabs.best[size - 1, s * m + a]
        if c < variables:
            goes_left, goes_right = slabs.inner[c, s] < t, slabs.outer[c, s] > t
        else:
            goes_left = goes_right = False
            table = tables[int(t)]
            for k in range(len(table)):
                group = slabs.groups[c - variables, s, k]
                goes_left = goes_left or group & table[k] != np.uint64(0)
                goes_right = goes_right or group & ~table[k] != np.uint64(0)
        if not goes_left or (goes_right and right > left):
            slabs.largest[s] = right
        else:
            slabs.largest[s] = left


@compiled_part
def _add_largest(slabs: Slabs, m: int, channel: int) -> None:
    """Add the largest leaves of one tree to the sums of its channel."""
    best, slots = slabs.best[0], slabs.edges.shape[1]
    top, below = slabs.sums[0, channel], slabs.sums[1, channel]
    above, so_far = slabs.sums[2, channel], slabs.largest
    so_far[:m] = -np.inf
    for s in range(slots):
        for a in range(m):
            here = best[s * m + a]
            so_far[a] = here if here > so_far[a] else so_far[a]
            top[s * m + a] += here
            below[s * m + a] += so_far[a]
    so_far[:m] = -np.inf
    for s in range(slots - 1, -1, -1):
        for a in range(m):
            # A column may have fewer slabs than there is room for.
            if s < slabs.many[slabs.column[a]]:
                here = best[s * m + a]
                so_far[a] = here if here > so_far[a] else so_far[a]
                above[s * m + a] += so_far[a]
