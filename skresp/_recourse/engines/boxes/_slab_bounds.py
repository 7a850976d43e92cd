"""Upper bounds of the sums of trees in slabs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled_part, copied_part
from skresp._typing import FloatArray

from ._forest import LEAF, Forest
from ._slabs import Slabs

# Columns of one tree from which on each is looked at by itself.
_MANY = 32


@compiled_part
def bound_slabs(
    forest: Forest,
    first: int,
    last: int,
    tables: NDArray[np.uint64],
    variables: int,
    slabs: Slabs,
) -> None:
    """Add up the largest leaves of trees in slabs, below and above them.

    Of the trees from `first` to before `last`. Each node lies before its left and then
    its right subtree.
    """
    m = _number_columns(slabs, variables)
    slabs.sums[:] = 0.0
    size = 0
    for k in range(first, last):
        size = max(size, forest.end[k] - forest.roots[k])
    links = np.empty((3, size), dtype=np.int32)
    below = np.empty((size, slabs.edges.shape[1]))
    for k in range(first, last):
        root, stop = forest.roots[k], forest.end[k]
        many = _rank_columns(forest, root, stop, slabs)
        for w in range(forest.top.shape[1]):
            if many < _MANY:
                _find_largest(forest, root, stop, w, tables, variables, slabs, many)
            else:
                heads = _link_nodes(forest, root, stop, slabs, many, links)
                for a in range(many):
                    head = heads[a]
                    _climb(
                        forest, root, w, tables, variables, slabs, a, head, links, below
                    )
                    for s in range(slabs.edges.shape[1]):
                        slabs.best[0, s * many + a] = below[0, s]
            _spread_largest(slabs, many, m, forest.top[root, w])
            _add_largest(slabs, m, forest.channel[k] + w)
        for i in range(many):
            slabs.rank[slabs.used[i]] = -1
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
def _rank_columns(forest: Forest, root: int, stop: int, slabs: Slabs) -> int:
    """Number the columns with slabs that a tree splits on; return how many there are.

    Wide trees split on few of the columns. In all slabs of the others, the largest leaf
    is that of the whole tree.
    """
    many = 0
    for at in range(root, stop):
        c = forest.column[at]
        if c >= 0 and slabs.many[c] and slabs.rank[c] < 0:
            slabs.used[many], slabs.rank[c] = c, many
            many += 1
    return many


@copied_part
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
    """Find the largest leaves of one tree in slabs, as the first row of `best`.

    From the last node to the root, so that the subtrees of a node are the last two
    rows: the right one, then the left one. Below a node, the slabs of its own column
    keep the largest leaves of the sides that they reach. `m` is the number of columns
    with slabs that the tree splits on.
    """
    column, threshold, top = forest.column, forest.threshold, forest.top
    many, rank, inner, outer = slabs.many, slabs.rank, slabs.inner, slabs.outer
    groups, largest, best = slabs.groups, slabs.largest, slabs.best
    n, size = slabs.edges.shape[1] * m, 0
    for at in range(stop - 1, root - 1, -1):
        c = column[at]
        if c == LEAF:
            for i in range(n):
                best[size, i] = top[at, w]
            size += 1
        elif c >= 0:
            t, a = threshold[at], rank[c]
            right, left = size - 2, size - 1
            for s in range(many[c]):
                if c < variables:
                    goes_left, goes_right = inner[c, s] < t, outer[c, s] > t
                else:
                    goes_left = goes_right = False
                    row = int(t)
                    for k in range(tables.shape[1]):
                        group = groups[c - variables, s, k]
                        goes_left |= group & tables[row, k] != np.uint64(0)
                        goes_right |= group & ~tables[row, k] != np.uint64(0)
                of_left, of_right = best[left, s * m + a], best[right, s * m + a]
                keep_right = not goes_left or (goes_right and of_right > of_left)
                largest[s] = of_right if keep_right else of_left
            for i in range(n):
                best[right, i] = max(best[left, i], best[right, i])
            for s in range(many[c]):
                best[right, s * m + a] = largest[s]
            size -= 1


@compiled_part
def _link_nodes(
    forest: Forest,
    root: int,
    stop: int,
    slabs: Slabs,
    many: int,
    links: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Link the nodes of one tree, see `_climb`; return the last of each column."""
    heads = np.full(many, -1, dtype=np.int32)
    links[0, 0] = -1
    links[2, : stop - root] = -1
    for at in range(root, stop):
        c = forest.column[at]
        if c < 0:
            continue
        links[0, forest.left[at] - root] = links[0, forest.right[at] - root] = at
        if slabs.rank[c] >= 0:
            links[1, at - root] = heads[slabs.rank[c]]
            heads[slabs.rank[c]] = at
    return heads


@copied_part
def _climb(
    forest: Forest,
    root: int,
    w: int,
    tables: NDArray[np.uint64],
    variables: int,
    slabs: Slabs,
    a: int,
    head: int,
    links: NDArray[np.int32],
    below: FloatArray,
) -> None:
    """Find the largest leaves of one tree in the slabs of one column.

    From the nodes that split on the column up to the root: below other nodes, all slabs
    have the same largest leaf. In a tree that splits on many columns these are few.

    Parameters
    ----------
    a, head : int
        The number of the column in the tree, and the last node that splits on it.
    links : array of shape (3, n_nodes), int32
        For each node its parent, the node before it with the same column, and the
        column for which its row of `below` was found.
    below : array of shape (n_nodes, n_slabs)
        The largest leaves below nodes; the first row is that of the root.
    """
    column, left, right, top = forest.column, forest.left, forest.right, forest.top
    c, at = slabs.used[a], head
    while at >= 0:
        up = at
        while True:
            i, j = left[up] - root, right[up] - root
            t = forest.threshold[up]
            for s in range(slabs.many[c]):
                of_left = below[i, s] if links[2, i] == a else top[i + root, w]
                of_right = below[j, s] if links[2, j] == a else top[j + root, w]
                keep_right = of_right > of_left
                if up == at:
                    if c < variables:
                        goes_left = slabs.inner[c, s] < t
                        goes_right = slabs.outer[c, s] > t
                    else:
                        goes_left = goes_right = False
                        row = int(t)
                        for k in range(tables.shape[1]):
                            group = slabs.groups[c - variables, s, k]
                            goes_left |= group & tables[row, k] != np.uint64(0)
                            goes_right |= group & ~tables[row, k] != np.uint64(0)
                    keep_right = not goes_left or (goes_right and keep_right)
                below[up - root, s] = of_right if keep_right else of_left
            links[2, up - root] = a
            up = links[0, up - root]
            if up < 0 or column[up] == c:
                break
        at = links[1, at - root]


@copied_part
def _spread_largest(slabs: Slabs, many: int, m: int, top: float) -> None:
    """Spread the largest leaves of one tree over the slabs of all columns."""
    best, whole, slots = slabs.best[0], slabs.whole, slabs.edges.shape[1]
    whole[: slots * m] = top
    for i in range(many):
        a = slabs.place[slabs.used[i]]
        for s in range(slots):
            whole[s * m + a] = best[s * many + i]


@copied_part
def _add_largest(slabs: Slabs, m: int, channel: int) -> None:
    """Add the largest leaves of one tree to the sums of its channel."""
    best, slots = slabs.whole, slabs.edges.shape[1]
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
