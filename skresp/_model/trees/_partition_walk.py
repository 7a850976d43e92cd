"""Sums of large trees: rows and their changes go down each tree together.

The changes of a row are the bits of a mask, and one more bit is for the row itself. At
each node the rows that arrive are divided into those that go left and those that go
right; where a node splits on a column that changes move, so are the masks. So all that
share a path take it once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled
from skresp._typing import IntArray

from ._rank_kernels import goes_left, lowest_bit
from ._ranked_trees import COLUMN, CUT, LEFT, RIGHT, SPLIT

#: The changes of a row that go together.
MAX_OPTIONS = 63
#: Rows that go together, so that they stay in the processor's cache.
BLOCK = 4_096

_ROW_ITSELF = np.uint64(1) << np.uint64(63)


class Splits(NamedTuple):
    """Where the changes of lists go at splits.

    Attributes
    ----------
    part_of : array of shape (n_columns,)
        The part that moves each column; -1 for none.
    part_bits : array of shape (n_parts,), uint64
        The bits of the changes of each part.
    goes_left : array of shape (n_entries,), uint64
        Which changes go left: for each split of a column that a part moves an entry for
        each list of the part.
    begin : array of shape (n_columns,)
        Where the entries of each column's splits begin.
    n_lists : array of shape (n_parts,)
    part_of_bit, position : array of shape (MAX_OPTIONS,)
        The part of the change of each bit, and its position in the list.
    """

    part_of: IntArray
    part_bits: NDArray[np.uint64]
    goes_left: NDArray[np.uint64]
    begin: IntArray
    n_lists: IntArray
    part_of_bit: IntArray
    position: IntArray


class Rows(NamedTuple):
    """Rows, and which changes they have.

    Attributes
    ----------
    own : array of shape (n_columns, n_rows), uint16 or int32
        The ranks of the rows.
    every : array of shape (n_rows,), uint64
        The changes of each row, on all parts.
    which : array of shape (n_parts, n_rows), uint32
        The list of changes of each row.
    start : array of shape (n_rows, n_parts)
        Where the sums of each row's changes begin.
    """

    own: NDArray[Any]
    every: NDArray[np.uint64]
    which: NDArray[np.uint32]
    start: IntArray


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
    out : array of shape (n_splits, n_lists), uint64
    """
    for s in range(len(chosen)):
        link, missing_left = nodes.links[chosen[s]], nodes.missing_left[chosen[s]]
        for c in range(len(new)):
            if goes_left(new[c], link, nodes.missing, missing_left, nodes.goes_left):
                out[s, owner[c]] |= np.uint64(1) << np.uint64(bit[c])


@compiled
def walk_sums(roots, nodes, splits, rows, low, high, depth, stay, out):  # type: ignore[no-untyped-def]
    """Add the sums of trees of some rows, and of all their changes.

    Positions are unsigned where they are used for each row: numba tests signed ones for
    a count from the end, which takes as long as the rest.

    Parameters
    ----------
    roots : array of shape (n_trees,)
    nodes : Nodes
    splits : Splits
    rows : Rows
    low, high : int
        The rows are those from `low` to before `high`.
    depth : int
        The depth of the deepest tree.
    stay : array of shape (n_rows, n_gains)
        The sums of the rows themselves are added to it.
    out : array of shape (n_points, n_gains)
        The differences of the changes to the row are added to it.
    """
    links, missing_left, gain, tables, missing = nodes
    part_of, part_bits, bits, begin, n_lists, part_of_bit, position = splits
    own, every, which, start = rows
    n, n_gains = high - low, gain.shape[1]
    nothing = np.uint64(0)
    n_points = 0
    for i in range(low, high):
        some = every[i]
        while some != nothing:
            n_points += 1
            some &= some - np.uint64(1)
    # A node has at most one entry of each row. Left children are stacked behind.
    row = np.empty(n * (depth + 2), np.uint32)
    mask = np.empty(n * (depth + 2), np.uint64)
    stack = np.empty((depth + 2, 3), np.int64)  # node, first entry, end
    # Changes at another leaf than their row.
    moved_row = np.empty(n_points + 1, np.uint32)
    moved_mask = np.empty(n_points + 1, np.uint64)
    moved_leaf = np.empty(n_points + 1, np.uint32)
    leaf = np.empty(n, np.uint32)  # of each row
    for tree in range(len(roots)):
        for i in range(n):
            row[i], mask[i] = i, every[low + i] | _ROW_ITSELF
        stack[0, 0], stack[0, 1], stack[0, 2] = roots[tree], 0, n
        waiting = 1
        moved = np.uint64(0)
        while waiting:
            waiting -= 1
            node = stack[waiting, 0]
            first, end = np.uint64(stack[waiting, 1]), np.uint64(stack[waiting, 2])
            k = links[node, COLUMN]
            if k < 0:
                for e in range(first, end):
                    moved_row[moved], moved_leaf[moved] = row[e], node
                    moved_mask[moved] = mask[e]
                    is_row = (mask[e] & _ROW_ITSELF) != nothing
                    if is_row:
                        leaf[row[e]] = node
                    moved += np.uint64(not is_row)
                continue
            p, cut, left_missing = part_of[k], links[node, CUT], missing_left[node]
            rank, absent = own[k, low:high], missing[k]
            to_left, to_right = end, first
            if p < 0:
                for e in range(first, end):
                    i, some = row[e], mask[e]
                    if cut < 0:
                        goes = tables[-1 - cut, rank[i]]
                    else:
                        goes = (rank[i] <= cut) | (left_missing & (rank[i] == absent))
                    row[to_left], mask[to_left] = i, some
                    to_left += np.uint64(goes)
                    row[to_right], mask[to_right] = i, some
                    to_right += np.uint64(not goes)
            else:
                entry = begin[k] + links[node, SPLIT] * n_lists[p]
                of_list = bits[entry : entry + n_lists[p]]
                my_list, others = which[p, low:high], ~part_bits[p]
                for e in range(first, end):
                    i, some = row[e], mask[e]
                    if cut < 0:
                        goes = tables[-1 - cut, rank[i]]
                    else:
                        goes = (rank[i] <= cut) | (left_missing & (rank[i] == absent))
                    left = of_list[my_list[i]] | (others if goes else nothing)
                    row[to_left], mask[to_left] = i, some & left
                    to_left += np.uint64((some & left) != nothing)
                    row[to_right], mask[to_right] = i, some & ~left
                    to_right += np.uint64((some & ~left) != nothing)
            if to_right > first:
                stack[waiting, 0] = links[node, RIGHT]
                stack[waiting, 1], stack[waiting, 2] = first, to_right
                waiting += 1
            if to_left > end:
                stack[waiting, 0] = links[node, LEFT]
                stack[waiting, 1], stack[waiting, 2] = end, to_left
                waiting += 1
        for i in range(n):
            for r in range(n_gains):
                stay[low + i, r] += gain[leaf[i], r]
        for e in range(moved):
            i, some = moved_row[e], moved_mask[e]
            for r in range(n_gains):
                more = gain[moved_leaf[e], r] - gain[leaf[i], r]
                left = some
                while left != nothing:
                    b = np.uint64(lowest_bit(left))
                    here = start[low + i, part_of_bit[b]] + position[b]
                    out[here, r] += more
                    left &= left - np.uint64(1)
