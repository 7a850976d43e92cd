"""Sums of large trees: rows and sets of their changes go down each tree together.

A set of at most 64 changes of a row on one part is a bit mask. At each node the rows
and sets that arrive are divided into those that go left and those that go right. A
table says which changes of a set go left where a node splits on a column of their part,
so changes that share a path are counted once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled
from skresp._typing import IntArray

from ._rank_kernels import goes_left, lowest_bit
from ._ranked_trees import COLUMN, CUT, LEFT, RIGHT, SPLIT, Ranks

#: The changes of a part that go together.
MAX_OPTIONS = 64
#: Rows that go together, so that they stay in the processor's cache.
BLOCK = 4_096


class Options(NamedTuple):
    """The changes of rows as bits, and where they go at splits.

    Attributes
    ----------
    own : array of shape (n_columns, n_rows), int32
        The ranks of the rows.
    part_of : array of shape (n_columns,)
        The part that moves each column; -1 for none.
    bits : array of shape (n_rows, n_parts), uint64
        The changes of each row.
    start : array of shape (n_rows, n_parts)
        Where the sums of these changes begin.
    goes_left : array of shape (n_entries,), uint64
        Which changes go left: for each list of changes an entry for each split of the
        columns of its part.
    begin : array of shape (n_rows, n_parts)
        Where the entries of each row's list begin.
    split_begin : array of shape (n_columns,)
        Where the splits of each column begin among those of its part.
    """

    own: Ranks
    part_of: IntArray
    bits: NDArray[np.uint64]
    start: IntArray
    goes_left: NDArray[np.uint64]
    begin: IntArray
    split_begin: IntArray


@compiled
def fill_splits(nodes, chosen, new, owner, bit, out):  # type: ignore[no-untyped-def]
    """Set the bits of changes that go left at splits of one column.

    Parameters
    ----------
    nodes : Nodes
    chosen : array of shape (n_splits,)
        A node with each split.
    new : array of shape (n_changes,), int32
        The ranks after changes.
    owner, bit : array of shape (n_changes,)
        The list of each change, and its bit.
    out : array of shape (n_lists, n_splits), uint64
    """
    for s in range(len(chosen)):
        link, missing_left = nodes.links[chosen[s]], nodes.missing_left[chosen[s]]
        for c in range(len(new)):
            if goes_left(new[c], link, nodes.missing, missing_left, nodes.goes_left):
                out[owner[c], s] |= np.uint64(1) << np.uint64(bit[c])


@compiled
def walk_sums(roots, nodes, options, low, high, depth, stay, out):  # type: ignore[no-untyped-def]
    """Add the sums of trees of some rows, and of all their changes.

    Parameters
    ----------
    roots : array of shape (n_trees,)
    nodes : Nodes
    options : Options
    low, high : int
        The rows are those from `low` to before `high`.
    depth : int
        The depth of the deepest tree.
    stay : array of shape (n_rows, n_gains)
        The sums of the rows themselves are added to it.
    out : array of shape (n_points, n_gains)
        The sums of the changes, less those of the row, are added to it.
    """
    links, missing_left, gain, tables, missing = nodes
    own, part_of, every, start, bits, begin, split_begin = options
    n, parts = high - low, every.shape[1]
    room = n
    for i in range(low, high):
        for p in range(parts):
            some = every[i, p]
            while some != 0:
                room += 1
                some &= some - np.uint64(1)
    row, part = np.empty(room + 1, np.int32), np.empty(room + 1, np.int32)
    mask = np.empty(room + 1, np.uint64)
    right_row, right_part = np.empty_like(row), np.empty_like(part)
    right_mask = np.empty_like(mask)
    on_path = np.empty((parts, high), np.uint64)
    stack = np.empty((2 * depth + 2, 3), np.int64)  # node, first entry, entries
    for tree in range(len(roots)):
        for i in range(low, high):
            row[i - low], part[i - low], mask[i - low] = i, -1, 0
            for p in range(parts):
                on_path[p, i] = every[i, p]
        stack[0, 0], stack[0, 1], stack[0, 2] = roots[tree], 0, n
        waiting = 1
        while waiting:
            waiting -= 1
            node, at, many = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
            k = links[node, COLUMN]
            if k < 0:
                for e in range(at, at + many):
                    i, p, some = row[e], part[e], mask[e]
                    if p < 0:
                        for r in range(gain.shape[1]):
                            stay[i, r] += gain[node, r]
                        for q in range(parts):
                            some = every[i, q] & ~on_path[q, i]
                            while some != 0:
                                here = start[i, q] + lowest_bit(some)
                                for r in range(gain.shape[1]):
                                    out[here, r] -= gain[node, r]
                                some &= some - np.uint64(1)
                    while p >= 0 and some != 0:
                        here = start[i, p] + lowest_bit(some)
                        for r in range(gain.shape[1]):
                            out[here, r] += gain[node, r]
                        some &= some - np.uint64(1)
                continue
            p, cut, left_missing = part_of[k], links[node, CUT], missing_left[node]
            entry = split_begin[k] + links[node, SPLIT]
            to_left, to_right = at, 0
            for e in range(at, at + many):
                i, q, some = row[e], part[e], mask[e]
                rank = own[k, i]
                if cut < 0:
                    goes = tables[-1 - cut, rank]
                else:
                    goes = (rank <= cut) | (left_missing & (rank == missing[k]))
                if p < 0 or (q >= 0 and q != p):
                    right_row[to_right], right_part[to_right] = i, q
                    right_mask[to_right] = some
                    row[to_left], part[to_left], mask[to_left] = i, q, some
                    to_left += goes
                    to_right += not goes
                    continue
                left = bits[begin[i, p] + entry]
                if q == p:
                    left &= some
                    others = some & ~left
                    right_row[to_right], right_part[to_right] = i, q
                    right_mask[to_right] = others
                    row[to_left], part[to_left], mask[to_left] = i, q, left
                    to_left += left != 0
                    to_right += others != 0
                    continue
                leaves = on_path[p, i] & (~left if goes else left)
                on_path[p, i] &= ~leaves
                if goes:
                    right_row[to_right], right_part[to_right] = i, p
                    right_mask[to_right] = leaves
                    to_right += leaves != 0
                    row[to_left], part[to_left], mask[to_left] = i, q, some
                    to_left += 1
                else:
                    right_row[to_right], right_part[to_right] = i, q
                    right_mask[to_right] = some
                    to_right += 1
                    row[to_left], part[to_left], mask[to_left] = i, p, leaves
                    to_left += leaves != 0
            to_left -= at
            for e in range(to_right):
                row[at + to_left + e] = right_row[e]
                part[at + to_left + e] = right_part[e]
                mask[at + to_left + e] = right_mask[e]
            if to_left:
                stack[waiting, 0], stack[waiting, 1] = links[node, LEFT], at
                stack[waiting, 2] = to_left
                waiting += 1
            if to_right:
                stack[waiting, 0], stack[waiting, 1] = links[node, RIGHT], at + to_left
                stack[waiting, 2] = to_right
                waiting += 1
