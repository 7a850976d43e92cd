"""A tree ensemble over a box, as tables of few parts each.

A person has, for each part, a list of classes: changes that no split tells apart. A
*box* is a choice of some classes of each part. Walking a tree with a box gives the
leaves that points of the box can fall into; a leaf is added to a table over just the
parts that decide whether it is met. Small parts stand together in groups, whose
combinations count as one choice: few large tables are faster than many small ones.
"""

from __future__ import annotations

import numpy as np

from ._compile import FEATURE, LEFT, RIGHT, compiled, goes_left

# Parts that one search can hold: a table's parts are the bits of a word.
MOST_PARTS = 62
MOST_CELLS = 1 << 16
MOST_TABLES = 1 << 10
HASH = 1 << 11


@compiled
def table_of(masks, offsets, used, keys, mask, sizes, room):  # type: ignore[no-untyped-def]
    """The number of the table over these parts, made if it is new; -1 for no room."""
    place = (mask * 0x9E3779B1) % HASH
    while keys[place] >= 0:
        if masks[keys[place]] == mask:
            return keys[place]
        place = (place + 1) % HASH
    table = used[0]
    size = 1
    for a in range(len(sizes)):
        if mask >> a & 1:
            size *= sizes[a]
            if size > room:
                return -1
    if table == MOST_TABLES or offsets[table] + size > room:
        return -1
    keys[place] = table
    masks[table] = mask
    offsets[table + 1] = offsets[table] + size
    used[0] += 1
    return table


@compiled
def _add_leaf(  # type: ignore[no-untyped-def]
    node,
    mask,
    fits,
    gain,
    low,
    high,
    order,
    box_start,
    sizes,
    group_of,
    group_size,
    masks,
    offsets,
    used,
    keys,
    cells,
    places,
    constant,
    best,
    meter,
):
    """Add what a leaf gives to the table of its parts; False where that is too much."""
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
    table = table_of(masks, offsets, used, keys, mask, group_size, len(cells))
    if table < 0:
        return False
    if used[0] > before:
        cells[offsets[table] : offsets[table + 1]] = 0.0
    # The places of the leaf's cells, part by part from the last one on.
    many = 1
    places[0] = offsets[table]
    stride = 1
    for a in range(len(sizes) - 1, -1, -1):
        if not mask >> group_of[a] & 1:
            continue
        first = order[low[a]] - box_start[a]
        fresh = many
        for k in range(low[a] + 1, high[a]):
            step = (order[k] - box_start[a]) * stride
            for m in range(many):
                places[fresh] = places[m] + step
                fresh += 1
        for m in range(many):
            places[m] += first * stride
        many = fresh
        stride *= sizes[a]
    meter[0] += many * (scores + 1)
    for r in range(scores):
        amount = gain[node, r]
        for m in range(many):
            cells[places[m], r] += amount
    return True


@compiled
def walk(  # type: ignore[no-untyped-def]
    trees,
    active_of,
    slot_of,
    codes,
    class_code,
    box,
    box_start,
    sizes,
    group_of,
    group_size,
    order,
    waiting,
    trail,
    masks,
    offsets,
    used,
    keys,
    cells,
    places,
    constant,
    bound,
    meter,
):
    """Tables of all trees over a box; False where they do not fit.

    `bound` gets what the trees could give at most, each by itself, `constant` what
    leaves give that every point of the box meets. False as well, and nothing is
    known, where that takes more work than the meter allows.
    """
    roots, nodes, missing_left, gain, _ = trees
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
                    if goes_left(class_code[box[o], slot], node, nodes, missing_left):
                        order[k] = order[middle]
                        order[middle] = o
                        middle += 1
                if middle == high[a]:
                    node = nodes[node, LEFT]
                elif middle == low[a]:
                    node = nodes[node, RIGHT]
                else:
                    # Left first; what is noted brings the box of now back later on.
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
                order,
                box_start,
                sizes,
                group_of,
                group_size,
                masks,
                offsets,
                used,
                keys,
                cells,
                places,
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


@compiled
def prefix_maxima(masks, offsets, tables, cells, sizes, levels, maxima):  # type: ignore[no-untyped-def]
    """For each table, what remains of it once only its first parts are chosen.

    `levels[t, l]` is where the maxima over all but the first `l` parts stand.
    """
    scores = cells.shape[1]
    end = 0
    dims = np.empty(len(sizes), np.int64)
    for t in range(tables):
        depth = 0
        for a in range(len(sizes)):
            if masks[t] >> a & 1:
                dims[depth] = sizes[a]
                depth += 1
        size = offsets[t + 1] - offsets[t]
        levels[t, depth] = end
        for k in range(size):
            for r in range(scores):
                maxima[end + k, r] = cells[offsets[t] + k, r]
        below = end
        end += size
        for level in range(depth - 1, -1, -1):
            width = dims[level]
            size //= width
            levels[t, level] = end
            for k in range(size):
                for r in range(scores):
                    most = maxima[below + k * width, r]
                    for o in range(1, width):
                        most = max(most, maxima[below + k * width + o, r])
                    maxima[end + k, r] = most
            below = end
            end += size
