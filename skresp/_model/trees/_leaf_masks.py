"""Sums of small trees by bit masks of the leaves that are still possible.

The leaves of a tree are numbered from left to right, at most 64 of them. Each rank of a
column leaves some of them possible: one bit each. The leaf of a point is the lowest bit
that all its columns leave.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled, compiled_part
from skresp._typing import BoolArray, FloatArray, IntArray

from ._rank_kernels import goes_left, lowest_bit
from ._ranked_trees import COLUMN, CUT, LEFT, RIGHT, RankedTrees

#: The leaves that one mask has room for.
MAX_LEAVES = 64
# Trees whose masks are filled together: as many as fit into a line of the cache.
_TREES_AT_ONCE = 8


class LeafMasks(NamedTuple):
    """Masks of the leaves of trees.

    Attributes
    ----------
    masks : array of shape (n_ranks, n_trees), uint64
        The leaves that a rank leaves possible, the ranks of all columns one after the
        other.
    offsets : array of shape (n_columns,)
        Where the ranks of each column begin.
    gain : array of shape (n_gains, n_trees, most_leaves)
        What each leaf adds. No wider than the largest tree, since a sum looks up one
        leaf of each tree: narrow rows stay in the processor's cache.
    """

    masks: NDArray[np.uint64]
    offsets: IntArray
    gain: FloatArray


def leaf_masks(trees: RankedTrees, some: BoolArray) -> LeafMasks:
    """Return the masks of some trees, each of at most `MAX_LEAVES` leaves."""
    out = empty_masks(trees.n_ranks, trees.gain.shape[1], trees.n_leaves[some])
    roots, n_ranks = trees.roots[some], trees.n_ranks
    fill_masks(roots, trees.nodes, out.offsets, n_ranks, out.masks, out.gain)
    return out


def empty_masks(n_ranks: IntArray, n_gains: int, n_leaves: IntArray) -> LeafMasks:
    """Return masks for `fill_masks`, given the number of leaves of each tree."""
    return LeafMasks(
        np.empty((int(n_ranks.sum()), len(n_leaves)), dtype=np.uint64),
        np.cumsum(n_ranks) - n_ranks,
        np.zeros((n_gains, len(n_leaves), int(n_leaves.max()))),
    )


@compiled_part
def _rule_out(left, right, node, nodes, offset, n_ranks, masks, k):  # type: ignore[no-untyped-def]
    """Clear the leaves below a node that each rank of its column rules out."""
    missing = n_ranks - 1
    cut, missing_left = nodes.links[node, CUT], nodes.missing_left[node]
    if cut < 0:
        for rank in range(n_ranks):
            link = nodes.links[node]
            goes = goes_left(rank, link, nodes.missing, missing_left, nodes.goes_left)
            masks[k, offset + rank] &= ~(right if goes else left)
        return
    for rank in range(offset, offset + cut + 1):
        masks[k, rank] &= ~right
    for rank in range(offset + cut + 1, offset + missing):
        masks[k, rank] &= ~left
    masks[k, offset + missing] &= ~(right if missing_left else left)


@compiled
def fill_masks(roots, nodes, offsets, n_ranks, masks, gain):  # type: ignore[no-untyped-def]
    """Number the leaves of trees, and set the bits that ranks do not rule out."""
    one = np.uint64(1)
    stack = np.empty(2 * MAX_LEAVES + 2, np.int64)
    # The leaves below each node that was entered, as bits.
    below = np.zeros(len(nodes.links), np.uint64)
    # The masks of some trees, one tree after the other: the ranks of a tree are set
    # much faster where they lie side by side.
    some = np.empty((_TREES_AT_ONCE, len(masks)), np.uint64)
    for first in range(0, len(roots), _TREES_AT_ONCE):
        n = min(_TREES_AT_ONCE, len(roots) - first)
        some[:] = ~np.uint64(0)
        for k in range(n):
            n_leaves, depth = 0, 1
            stack[0] = roots[first + k]
            while depth:
                node = stack[depth - 1]
                if nodes.links[node, COLUMN] < 0:
                    below[node] = one << np.uint64(n_leaves)
                    for r in range(gain.shape[0]):
                        gain[r, first + k, n_leaves] = nodes.gain[node, r]
                    n_leaves += 1
                    depth -= 1
                    continue
                left, right = nodes.links[node, LEFT], nodes.links[node, RIGHT]
                if below[left] == 0 or below[right] == 0:
                    stack[depth] = left if below[left] == 0 else right
                    depth += 1
                    continue
                below[node] = below[left] | below[right]
                column = nodes.links[node, COLUMN]
                _rule_out(
                    below[left],
                    below[right],
                    node,
                    nodes,
                    offsets[column],
                    n_ranks[column],
                    some,
                    k,
                )
                depth -= 1
        for rank in range(len(masks)):
            for k in range(n):
                masks[rank, first + k] = some[k, rank]


# The functions below take an array and a row of it, and no tuples of arrays: a view of
# the row, or a copy of the tuple, would take a third as long as a sum.


@compiled_part
def _leaf_sum(masks, i, others, j, gain, r):  # type: ignore[no-untyped-def]
    """Return the sum over trees of the leaves at the lowest bits of both masks."""
    a = b = c = d = 0.0
    n = masks.shape[1]
    whole = n - n % 4
    for t in range(0, whole, 4):  # four sums, which the processor adds side by side
        a += gain[r, t, lowest_bit(masks[i, t] & others[j, t])]
        b += gain[r, t + 1, lowest_bit(masks[i, t + 1] & others[j, t + 1])]
        c += gain[r, t + 2, lowest_bit(masks[i, t + 2] & others[j, t + 2])]
        d += gain[r, t + 3, lowest_bit(masks[i, t + 3] & others[j, t + 3])]
    for t in range(whole, n):
        a += gain[r, t, lowest_bit(masks[i, t] & others[j, t])]
    return a + b + c + d


@compiled_part
def _set_all(out, k):  # type: ignore[no-untyped-def]
    """Set all bits of a row of masks."""
    for t in range(out.shape[1]):
        out[k, t] = ~np.uint64(0)


@compiled_part
def _keep(out, k, others, i):  # type: ignore[no-untyped-def]
    """Keep the bits of a row of masks that another row has as well."""
    for t in range(out.shape[1]):
        out[k, t] &= others[i, t]


@compiled_part
def _keep_own(out, k, masks, offsets, order, begin, end, own, i):  # type: ignore[no-untyped-def]
    """Keep the bits that a row's ranks leave in the columns from `begin` to `end`."""
    whole = end - (end - begin) % 4
    for j in range(begin, whole, 4):  # four columns at once: fewer passes over `out`
        a = offsets[order[j]] + own[i, order[j]]
        b = offsets[order[j + 1]] + own[i, order[j + 1]]
        c = offsets[order[j + 2]] + own[i, order[j + 2]]
        d = offsets[order[j + 3]] + own[i, order[j + 3]]
        for t in range(out.shape[1]):
            out[k, t] &= (masks[a, t] & masks[b, t]) & (masks[c, t] & masks[d, t])
    for j in range(whole, end):
        _keep(out, k, masks, offsets[order[j]] + own[i, order[j]])


@compiled_part
def _set_both(out, k, masks, i, others, j):  # type: ignore[no-untyped-def]
    """Set a row of masks to the bits that two rows have."""
    for t in range(out.shape[1]):
        out[k, t] = masks[i, t] & others[j, t]


@compiled
def masks_of_ranks(trees, changes, part_of, ranks):  # type: ignore[no-untyped-def]
    """Return the masks that ranks leave, each in the columns of one part.

    Parameters
    ----------
    trees : LeafMasks
    changes : Changes
    part_of : array of shape (n_some,)
        The part of each row of ranks.
    ranks : array of shape (n_some, max_columns_of_a_part), int32

    Returns
    -------
    array of shape (n_some, n_trees), uint64
    """
    masks, offsets, _ = trees
    order, part_begin = changes.order, changes.part_begin
    out = np.empty((len(ranks), masks.shape[1]), np.uint64)
    for i in range(len(ranks)):
        _set_all(out, i)
        begin = part_begin[part_of[i]]
        for j in range(begin, part_begin[part_of[i] + 1]):
            _keep(out, i, masks, offsets[order[j]] + ranks[i, j - begin])
    return out


@compiled
def mask_sums(trees, changes, values, options, stay, out):  # type: ignore[no-untyped-def]
    """Add the sums of trees of rows, and of all their changes.

    Parameters
    ----------
    trees : LeafMasks
    changes : Changes
    values, options : array of shape (n_values, n_trees), (n_changes, n_trees)
        The masks that the values of rows on a part, and changes, leave. Without
        options, where these would take too much memory, they are made one by one.
    stay : array of shape (n_rows, n_gains)
        The sums of the rows themselves are added to it.
    out : array of shape (n_points, n_gains)
        The sums of the changes are added to it.
    """
    masks, offsets, gain = trees
    first, count, start = changes.first, changes.counts, changes.start
    order, part_begin, value = changes.order, changes.part_begin, changes.value
    own, new = changes.own, changes.new
    n, parts = first.shape
    n_gains, n_trees, _ = gain.shape
    before = np.empty((parts + 1, n_trees), np.uint64)  # of all columns but later parts
    mine = np.empty((parts, n_trees), np.uint64)  # of each part, where not in `values`
    after = np.empty((1, n_trees), np.uint64)  # of later parts
    rest = np.empty((1, n_trees), np.uint64)
    made = options if len(options) else np.empty((1, n_trees), np.uint64)
    own_sum = np.empty(n_gains)
    for i in range(n):
        _set_all(before, 0)
        begin = part_begin[parts]
        _keep_own(before, 0, masks, offsets, order, begin, len(order), own, i)
        for p in range(parts):
            if value[i, p] >= 0:
                _set_both(before, p + 1, before, p, values, value[i, p])
                continue
            _set_all(mine, p)
            begin, end = part_begin[p], part_begin[p + 1]
            _keep_own(mine, p, masks, offsets, order, begin, end, own, i)
            _set_both(before, p + 1, before, p, mine, p)
        for r in range(n_gains):
            own_sum[r] = _leaf_sum(before, parts, before, parts, gain, r)
            stay[i, r] += own_sum[r]
        _set_all(after, 0)
        for p in range(parts - 1, -1, -1):
            if count[i, p]:
                _set_both(rest, 0, before, p, after, 0)
            for c in range(count[i, p]):
                change, at = first[i, p] + c, start[i, p] + c
                if not changes.moves[change]:
                    for r in range(n_gains):
                        out[at, r] += own_sum[r]
                    continue
                option = change
                if not len(options):
                    option = 0
                    _set_all(made, 0)
                    for j in range(part_begin[p], part_begin[p + 1]):
                        rank = new[change, j - part_begin[p]]
                        _keep(made, 0, masks, offsets[order[j]] + rank)
                for r in range(n_gains):
                    out[at, r] += _leaf_sum(rest, 0, made, option, gain, r)
            if value[i, p] >= 0:
                _keep(after, 0, values, value[i, p])
            else:
                _keep(after, 0, mine, p)
