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
def _table_of(masks, offsets, used, keys, mask, sizes, room):  # type: ignore[no-untyped-def]
    """Return the table over these parts, created if new; -1 where there is no room."""
    position = (mask * 0x9E3779B1) % HASH
    while keys[position] >= 0:
        if masks[keys[position]] == mask:
            return keys[position]
        position = (position + 1) % HASH
    table = used[0]
    size = 1
    for a in range(len(sizes)):
        if mask >> a & 1:
            size *= sizes[a]
            if size > room:
                return -1
    if table == MAX_TABLES or offsets[table] + size > room:
        return -1
    keys[position] = table
    masks[table] = mask
    offsets[table + 1] = offsets[table] + size
    used[0] += 1
    return table


@compiled_part
def _add_leaf(  # type: ignore[no-untyped-def]
    node, mask, fits, gain, low, high, box, tables, buffers, constant, best, meter
):
    """Add a leaf to the table of its parts; return False where that does not fit."""
    _, box_start, sizes, group_of, group_size, order = box
    masks, offsets, cells, _, _ = tables
    used, keys, positions, _, _ = buffers
    scores = gain.shape[1]
    for r in range(scores):
        best[r] = max(best[r], gain[node, r])
    if mask == 0:
        for r in range(scores):
            constant[r] += gain[node, r]
        return fits
    if not fits:
        return False
    before = used[0]
    table = _table_of(masks, offsets, used, keys, mask, group_size, len(cells))
    if table < 0:
        return False
    if used[0] > before:
        cells[offsets[table] : offsets[table + 1]] = 0.0
    # The positions of the leaf's cells, part by part from the last one.
    many = 1
    positions[0] = offsets[table]
    stride = 1
    for a in range(len(sizes) - 1, -1, -1):
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
    meter[0] += many * (scores + 1)
    for r in range(scores):
        amount = gain[node, r]
        for m in range(many):
            cells[positions[m], r] += amount
    return True


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
    roots, nodes, missing_left, gain, _ = trees
    slot_of, new_code = changes.slot_of, changes.new_code
    members, box_start, sizes, group_of, _, order = box
    used, keys, _, waiting, trail = buffers
    scores = gain.shape[1]
    parts = len(sizes)
    keys[:] = -1
    used[0] = 0
    tables.offsets[0] = 0
    constant[:] = 0.0
    bound[:] = 0.0
    fits = True
    low = np.empty(parts, np.int64)
    high = np.empty(parts, np.int64)
    best = np.empty(scores)
    for a in range(parts):
        low[a], high[a] = box_start[a], box_start[a] + sizes[a]
    for tree in range(len(roots)):
        node = roots[tree]
        mask = 0
        pending = 0
        narrowed = 0
        best[:] = -np.inf
        while True:
            while nodes[node, FEATURE] >= 0:
                f = nodes[node, FEATURE]
                a = active_of[f]
                if a < 0:
                    goes = goes_left(codes[f], node, nodes, missing_left)
                    node = nodes[node, LEFT] if goes else nodes[node, RIGHT]
                    continue
                slot = slot_of[f]
                middle = low[a]
                meter[0] += high[a] - low[a]
                for k in range(low[a], high[a]):
                    o = order[k]
                    if goes_left(new_code[members[o], slot], node, nodes, missing_left):
                        order[k] = order[middle]
                        order[middle] = o
                        middle += 1
                if middle == high[a]:
                    node = nodes[node, LEFT]
                elif middle == low[a]:
                    node = nodes[node, RIGHT]
                else:
                    # Left first; the trail restores the present box later.
                    waiting[pending, 0] = nodes[node, RIGHT]
                    waiting[pending, 1] = a
                    waiting[pending, 2] = middle
                    waiting[pending, 3] = mask
                    waiting[pending, 4] = narrowed
                    pending += 1
                    trail[narrowed, 0] = a
                    trail[narrowed, 1] = low[a]
                    trail[narrowed, 2] = high[a]
                    narrowed += 1
                    mask |= 1 << group_of[a]
                    node, high[a] = nodes[node, LEFT], middle
            fits = _add_leaf(
                node,
                mask,
                fits,
                gain,
                low,
                high,
                box,
                tables,
                buffers,
                constant,
                best,
                meter,
            )
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
