"""Tables of the sums of a tree ensemble over a box.

A person has a list of changes for each part (see `EquivalentChanges`). A
*box* is a set of changes for each part. Walking a tree with a box gives the leaves that
points of the box can reach; a leaf is added to a table over those parts only that
decide whether it is reached. Small parts are joined to groups, whose combinations
count as one choice: few large tables are faster than many small ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skresp._numba import compiled_part
from skresp._typing import IntArray

from ._nodes import FEATURE, LEFT, RIGHT, goes_left

MAX_CELLS = 1 << 16
MAX_TABLES = 1 << 10
# Size of the hash table from parts to tables.
HASH = 1 << 11


class Box(NamedTuple):
    """Changes of each part, one part after the other.

    Attributes
    ----------
    changes : array of shape (n_box,)
    start, sizes : arrays of shape (n_parts,)
        Where the changes of each part begin, and how many there are.
    group_of : array of shape (n_parts,)
    group_size : array of shape (n_groups,)
        The number of combinations of each group.
    order : array of shape (n_box,)
        Positions in `changes`, rearranged within parts while trees are walked.
    """

    changes: IntArray
    start: IntArray
    sizes: IntArray
    group_of: IntArray
    group_size: IntArray
    order: IntArray


class Buffers(NamedTuple):
    """Memory that `walk` works in.

    Attributes
    ----------
    used : array of shape (1,)
        The number of tables.
    keys : array of shape (HASH,)
        Tables by hash of their parts, -1 for none.
    positions : array of shape (max_cells,)
    waiting : array of shape (depth + 2, 5)
        Right children to visit, with the state of the box there.
    trail : array of shape (2 * depth + 4, 3)
        Parts that were narrowed, with their previous ranges.
    """

    used: IntArray
    keys: IntArray
    positions: IntArray
    waiting: IntArray
    trail: IntArray


@compiled_part
def _entry_of(keys, masks, mask):  # type: ignore[no-untyped-def]
    """Return where the table over these parts is in `keys`, or where it may be put."""
    position = (mask * 0x9E3779B1) & (HASH - 1)
    while keys[position] >= 0 and masks[keys[position]] != mask:
        position = (position + 1) & (HASH - 1)
    return position


@compiled_part
def _add_table(masks, offsets, cells, table, mask, sizes):  # type: ignore[no-untyped-def]
    """Add a table over some parts, of zeros; return whether there is room for it."""
    size = 1
    for a in range(len(sizes)):
        if mask >> a & 1:
            size *= sizes[a]
            if size > len(cells):
                return False
    if table == MAX_TABLES or offsets[table] + size > len(cells):
        return False
    masks[table] = mask
    offsets[table + 1] = offsets[table] + size
    cells[offsets[table] : offsets[table + 1]] = 0.0
    return True


@compiled_part
def _set_positions(  # type: ignore[no-untyped-def]
    positions, mask, low, high, box_start, sizes, group_of, order
):
    """Set the positions of a leaf's cells in its table; return their number."""
    many = 1
    positions[0] = 0
    stride = 1
    for a in range(len(sizes) - 1, -1, -1):  # the last part varies fastest
        if not mask >> group_of[a] & 1:
            continue
        first = order[low[a]] - box_start[a]
        fresh = many
        for k in range(low[a] + 1, high[a]):
            step = (order[k] - box_start[a]) * stride
            for m in range(many):
                positions[fresh] = positions[m] + step
                fresh += 1
        for m in range(many):
            positions[m] += first * stride
        many = fresh
        stride *= sizes[a]
    return many


@compiled_part
def walk(  # type: ignore[no-untyped-def]
    trees, changes, codes, active_of, box, tables, buffers, constant, bound, meter
):
    """Add the leaves of all trees over a box to tables.

    Parameters
    ----------
    trees : Trees
    changes : EquivalentChanges
    codes : array of shape (n_columns,)
        The person's own codes.
    active_of : array of shape (n_columns,)
        The part that moves each column, as a position in the box; -1 for none.
    box : Box
    tables : Tables
        Gets the cells; maxima are not computed.
    buffers : Buffers
    constant : array of shape (n_scores,)
        Gets the sum of leaves that every point of the box reaches.
    bound : array of shape (n_scores,)
        Gets the sum of the best leaves of the trees.
    meter : see `run_until`

    Returns
    -------
    False where the tables do not fit, or the work exceeds the meter; in the latter
    case `bound` is not complete.
    """
    # Arrays are taken out of their tuples here, and the functions that are called for
    # each leaf get no tuples: a copy of these takes longer than the leaf.
    roots, nodes, missing_left, gain, _ = trees
    slot_of, new_code = changes.slot_of, changes.new_code
    members, box_start, sizes, group_of, group_size, order = box
    masks, offsets, cells, _, _ = tables
    used, keys, positions, waiting, trail = buffers
    scores = gain.shape[1]
    parts = len(sizes)
    keys[:] = -1
    used[0] = 0
    offsets[0] = 0
    constant[:] = 0.0
    bound[:] = 0.0
    fits = True
    low = np.empty(parts, np.int64)
    high = np.empty(parts, np.int64)
    best = np.empty(scores)
    for a in range(parts):
        low[a], high[a] = box_start[a], box_start[a] + sizes[a]
    for tree in range(len(roots)):
        node = np.int64(roots[tree])
        mask = 0
        pending = 0
        narrowed = 0
        best[:] = -np.inf
        while True:
            while nodes[node, FEATURE] >= 0:
                f = nodes[node, FEATURE]
                left, right = np.int64(nodes[node, LEFT]), np.int64(nodes[node, RIGHT])
                a = active_of[f]
                if a < 0:
                    goes = goes_left(codes[f], node, nodes, missing_left)
                    node = left if goes else right
                    continue
                slot = slot_of[f]
                middle, end = low[a], high[a]
                meter[0] += end - middle
                for k in range(middle, end):
                    o = order[k]
                    if goes_left(new_code[members[o], slot], node, nodes, missing_left):
                        order[k] = order[middle]
                        order[middle] = o
                        middle += 1
                if middle == end:
                    node = left
                elif middle == low[a]:
                    node = right
                else:
                    # Left first; the trail restores the present box later.
                    waiting[pending, 0] = right
                    waiting[pending, 1] = a
                    waiting[pending, 2] = middle
                    waiting[pending, 3] = mask
                    waiting[pending, 4] = narrowed
                    pending += 1
                    trail[narrowed, 0] = a
                    trail[narrowed, 1] = low[a]
                    trail[narrowed, 2] = end
                    narrowed += 1
                    mask |= 1 << group_of[a]
                    node, high[a] = left, middle
            for r in range(scores):
                best[r] = max(best[r], gain[node, r])
            if mask == 0:
                for r in range(scores):
                    constant[r] += gain[node, r]
            elif fits:
                entry = _entry_of(keys, masks, mask)
                if keys[entry] < 0:
                    fits = _add_table(masks, offsets, cells, used[0], mask, group_size)
                    if fits:
                        keys[entry] = used[0]
                        used[0] += 1
                if fits:
                    first = offsets[keys[entry]]
                    many = _set_positions(
                        positions, mask, low, high, box_start, sizes, group_of, order
                    )
                    meter[0] += many * (scores + 1)
                    for r in range(scores):
                        amount = gain[node, r]
                        for m in range(many):
                            cells[first + positions[m], r] += amount
            meter[0] += parts
            if meter[0] > meter[1]:
                return False
            if not pending:
                break
            pending -= 1
            node = waiting[pending, 0]
            a = waiting[pending, 1]
            mask = waiting[pending, 3] | 1 << group_of[a]
            while narrowed > waiting[pending, 4]:
                narrowed -= 1
                b = trail[narrowed, 0]
                low[b], high[b] = trail[narrowed, 1], trail[narrowed, 2]
            trail[narrowed, 0] = a
            trail[narrowed, 1] = low[a]
            trail[narrowed, 2] = high[a]
            narrowed += 1
            low[a] = waiting[pending, 2]
        while narrowed:
            narrowed -= 1
            b = trail[narrowed, 0]
            low[b], high[b] = trail[narrowed, 1], trail[narrowed, 2]
        for r in range(scores):
            bound[r] += best[r]
    return fits
