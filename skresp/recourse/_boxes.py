"""The search over all choices of a class of each part, one person at a time.

Tables have prefix maxima, so that a partial choice has a bound, and what cannot beat
the best is cut off. A box whose tables would be too large is halved.
"""

from __future__ import annotations

import numpy as np

from ._branch import branch
from ._compile import compiled
from ._tables import HASH, MOST_CELLS, MOST_TABLES, prefix_maxima, walk

_MOST_BOXES = 512
_LARGEST_GROUP = 16


@compiled
def _group(sizes, group_of, group_size):  # type: ignore[no-untyped-def]
    """Neighbouring parts together while their combinations are few; how many groups."""
    groups = 0
    for a in range(len(sizes)):
        if groups and group_size[groups - 1] * sizes[a] <= _LARGEST_GROUP:
            group_size[groups - 1] *= sizes[a]
        else:
            group_size[groups] = sizes[a]
            groups += 1
        group_of[a] = groups - 1
    return groups


@compiled
def _costs(sizes, group_of, group_size, box_cost, box_start):  # type: ignore[no-untyped-def]
    """What the combinations of each group cost, and where they stand."""
    start = np.zeros(len(group_size) + 1, np.int64)
    for g in range(len(group_size)):
        start[g + 1] = start[g] + group_size[g]
    cost = np.zeros(start[len(group_size)])
    for g in range(len(group_size)):
        for k in range(group_size[g]):
            rest = k
            for a in range(len(sizes) - 1, -1, -1):
                if group_of[a] == g:
                    cost[start[g] + k] += box_cost[box_start[a] + rest % sizes[a]]
                    rest //= sizes[a]
    return cost, start


@compiled
def _decode(pick, sizes, group_of, box, box_start, out):  # type: ignore[no-untyped-def]
    """The classes behind a choice of a combination of each group."""
    for a in range(len(sizes) - 1, -1, -1):
        rest = pick[group_of[a]]
        for b in range(len(sizes) - 1, a, -1):
            if group_of[b] == group_of[a]:
                rest //= sizes[b]
        out[a] = box[box_start[a] + rest % sizes[a]]


@compiled
def search(  # type: ignore[no-untyped-def]
    mode,
    goal,
    enough,
    budget,
    trees,
    base,
    active_of,
    slot_of,
    codes,
    class_code,
    class_cost,
    first,
    count,
    best_value,
    best,
    found,
    meter,
):
    """One person's search over all choices of a class of each part.

    `first` and `count` tell where the classes of each part stand, the parts in the
    order of branching; `best` gets the choice, `found` the choices in mode ALL.
    Returns how many were found, the nodes used, the best value and whether the search
    came to an end; in mode BEST `best` is set only where `best_value` was beaten. No
    more work is done than the meter allows.
    """
    scores = trees.gain.shape[1]
    depth = trees.depth
    parts = len(first)
    total = 0
    for a in range(parts):
        total += count[a]
    stack_box = np.empty((_MOST_BOXES, total), np.int64)
    stack_size = np.empty((_MOST_BOXES, parts), np.int64)
    at = 0
    for a in range(parts):
        stack_size[0, a] = count[a]
        for o in range(count[a]):
            stack_box[0, at] = first[a] + o
            at += 1
    stack = 1
    waiting = np.empty((depth + 2, 5), np.int64)
    trail = np.empty((2 * depth + 4, 3), np.int64)
    order = np.empty(total, np.int64)
    box = np.empty(total, np.int64)
    box_cost = np.empty(total)
    box_start = np.empty(parts, np.int64)
    sizes = np.empty(parts, np.int64)
    masks = np.empty(MOST_TABLES, np.int64)
    offsets = np.empty(MOST_TABLES + 1, np.int64)
    used = np.zeros(1, np.int64)
    keys = np.empty(HASH, np.int64)
    cells = np.empty((MOST_CELLS, scores))
    places = np.empty(MOST_CELLS, np.int64)
    maxima = np.empty((2 * MOST_CELLS + MOST_TABLES, scores))
    levels = np.empty((MOST_TABLES, parts + 1), np.int64)
    constant = np.empty(scores)
    bound = np.empty(scores)
    group_of = np.empty(parts, np.int64)
    group_size = np.empty(parts, np.int64)
    chosen = np.empty(parts, np.int64)
    picked = np.empty((len(found), parts), np.int64)
    nodes = 0
    count_found = 0
    best_cost = np.inf
    while stack:
        meter[0] += total
        if nodes >= budget or meter[0] > meter[1]:
            return count_found, nodes, best_value, False
        nodes += 1
        stack -= 1
        at = 0
        for a in range(parts):
            sizes[a] = stack_size[stack, a]
            box_start[a] = at
            for _ in range(sizes[a]):
                box[at] = stack_box[stack, at]
                box_cost[at] = class_cost[box[at]]
                order[at] = at
                at += 1
        groups = _group(sizes, group_of, group_size)
        fits = walk(
            trees,
            active_of,
            slot_of,
            codes,
            class_code,
            box,
            box_start,
            sizes,
            group_of,
            group_size[:groups],
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
        )
        if meter[0] > meter[1]:
            return count_found, nodes, best_value, False
        if fits:
            for r in range(scores):
                constant[r] += base[r]
            tables = used[0]
            prefix_maxima(
                masks, offsets, tables, cells, group_size[:groups], levels, maxima
            )
            group_cost, group_start = _costs(
                sizes, group_of, group_size[:groups], box_cost, box_start
            )
            before = count_found
            steps, best_value, best_cost, count_found, done, changed = branch(
                mode,
                goal,
                enough,
                masks,
                tables,
                levels,
                maxima,
                group_size[:groups],
                constant,
                group_cost,
                group_start,
                budget - nodes,
                best_value,
                best_cost,
                chosen,
                picked,
                count_found,
                meter,
            )
            nodes += steps
            if changed:
                _decode(chosen, sizes, group_of, box, box_start, best)
            for k in range(before, count_found):
                _decode(picked[k], sizes, group_of, box, box_start, found[k])
            if not done:
                return count_found, nodes, best_value, False
            if mode == 0 and best_value > enough:
                return count_found, nodes, best_value, True
            continue
        promise = np.inf
        for r in range(scores):
            promise = min(promise, base[r] + bound[r])
        if (mode == 0 and promise <= best_value) or (mode != 0 and promise < goal):
            continue
        widest = 0
        for a in range(parts):
            if sizes[a] > sizes[widest]:
                widest = a
        half = sizes[widest] // 2
        if stack + 2 > _MOST_BOXES:
            return count_found, nodes, best_value, False
        for side in range(2):
            at = 0
            for a in range(parts):
                start, stop = 0, sizes[a]
                if a == widest:
                    start, stop = (half, stop) if side == 0 else (0, half)
                stack_size[stack, a] = stop - start
                for k in range(start, stop):
                    stack_box[stack, at] = box[box_start[a] + k]
                    at += 1
            stack += 1
    return count_found, nodes, best_value, True


@compiled
def search_all(  # type: ignore[no-untyped-def]
    people,
    enough,
    budget,
    trees,
    base,
    part_of,
    slot_of,
    codes,
    class_code,
    class_cost,
    first,
    count,
    influence,
    value,
    choice,
    used,
    done,
    meter,
):
    """`search` for the best of each of some people; `value` holds what to beat.

    `first`, `count`, `influence` and `choice` have a column a part; parts with the
    most influence are branched on first. `budget` has the nodes that each may use.
    """
    parts = first.shape[1]
    active_of = np.empty(len(part_of), np.int64)
    place = np.empty(parts, np.int64)
    found = np.empty((0, parts), np.int64)
    for i in people:
        active = 0
        ranking = np.argsort(-influence[i], kind="mergesort")
        place[:] = -1
        for p in ranking:
            if count[i, p] > 1:
                place[p] = active
                active += 1
        mine_first = np.empty(active, np.int64)
        mine_count = np.empty(active, np.int64)
        for p in range(parts):
            if place[p] >= 0:
                mine_first[place[p]] = first[i, p]
                mine_count[place[p]] = count[i, p]
        for f in range(len(part_of)):
            active_of[f] = place[part_of[f]] if part_of[f] >= 0 else -1
        best = np.full(active, -1, np.int64)
        _, used[i], value[i], done[i] = search(
            0,
            0.0,
            enough,
            budget[i],
            trees,
            base,
            active_of,
            slot_of,
            codes[i],
            class_code,
            class_cost,
            mine_first,
            mine_count,
            value[i],
            best,
            found,
            meter,
        )
        for p in range(parts):
            if place[p] >= 0 and best[place[p]] >= 0:
                choice[i, p] = best[place[p]]
