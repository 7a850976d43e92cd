"""The search over all choices of one change per part, one person at a time.

Prefix maxima of tables bound a partial choice, so that choices that cannot beat the
best are pruned. A box whose tables would be too large is halved.
"""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled, compiled_part
from skresp._recourse.engines._table_search import (
    Goal,
    SearchMode,
    Tables,
    branch,
    prefix_maxima,
)

from ._leaf_tables import HASH, MAX_CELLS, MAX_TABLES, Box, Buffers, walk

_MAX_BOXES = 512
_LARGEST_GROUP = 16


@compiled_part
def _group(sizes, group_of, group_size):  # type: ignore[no-untyped-def]
    """Join neighbouring parts with few combinations; return the number of groups."""
    groups = 0
    for a in range(len(sizes)):
        if groups and group_size[groups - 1] * sizes[a] <= _LARGEST_GROUP:
            group_size[groups - 1] *= sizes[a]
        else:
            group_size[groups] = sizes[a]
            groups += 1
        group_of[a] = groups - 1
    return groups


@compiled_part
def _costs(box, change_cost):  # type: ignore[no-untyped-def]
    """Return the costs of the combinations of each group, and where they begin."""
    changes, box_start, sizes, group_of, group_size, _ = box
    start = np.zeros(len(group_size) + 1, np.int64)
    for g in range(len(group_size)):
        start[g + 1] = start[g] + group_size[g]
    cost = np.zeros(start[len(group_size)])
    for g in range(len(group_size)):
        for k in range(group_size[g]):
            rest = k
            for a in range(len(sizes) - 1, -1, -1):
                if group_of[a] == g:
                    member = changes[box_start[a] + rest % sizes[a]]
                    cost[start[g] + k] += change_cost[member]
                    rest //= sizes[a]
    return cost, start


@compiled_part
def _decode(pick, box, out):  # type: ignore[no-untyped-def]
    """Set `out` to the changes of a choice of one combination per group."""
    changes, box_start, sizes, group_of, _, _ = box
    for a in range(len(sizes) - 1, -1, -1):
        rest = pick[group_of[a]]
        for b in range(len(sizes) - 1, a, -1):
            if group_of[b] == group_of[a]:
                rest //= sizes[b]
        out[a] = changes[box_start[a] + rest % sizes[a]]


@compiled_part
def _first_box(first, count):  # type: ignore[no-untyped-def]
    """Return a stack of boxes with all changes in the first one.

    As the changes of each box, and how many there are of each part.
    """
    stack_box = np.empty((_MAX_BOXES, count.sum()), np.int64)
    stack_size = np.empty((_MAX_BOXES, len(count)), np.int64)
    at = 0
    for a in range(len(count)):
        stack_size[0, a] = count[a]
        for o in range(count[a]):
            stack_box[0, at] = first[a] + o
            at += 1
    return stack_box, stack_size


@compiled_part
def _memory(scores, parts, depth):  # type: ignore[no-untyped-def]
    """Return room for the tables of a box, and for the walk through its trees."""
    tables = Tables(
        np.empty(MAX_TABLES, np.int64),
        np.empty(MAX_TABLES + 1, np.int64),
        np.empty((MAX_CELLS, scores)),
        np.empty((MAX_TABLES, parts + 1), np.int64),
        np.empty((2 * MAX_CELLS + MAX_TABLES, scores)),
    )
    buffers = Buffers(
        np.zeros(1, np.int64),
        np.empty(HASH, np.int64),
        np.empty(MAX_CELLS, np.int64),
        np.empty((depth + 2, 5), np.int64),
        np.empty((2 * depth + 4, 3), np.int64),
    )
    return tables, buffers


@compiled_part
def _push_halves(box, stack_box, stack_size, stack):  # type: ignore[no-untyped-def]
    """Put a box on the stack in two halves, by the part with the most changes."""
    members, box_start, sizes, _, _, _ = box
    widest = 0
    for a in range(len(sizes)):
        if sizes[a] > sizes[widest]:
            widest = a
    half = sizes[widest] // 2
    for side in range(2):
        at = 0
        for a in range(len(sizes)):
            start, stop = 0, sizes[a]
            if a == widest:
                start, stop = (half, stop) if side == 0 else (0, half)
            stack_size[stack + side, a] = stop - start
            for k in range(start, stop):
                stack_box[stack + side, at] = members[box_start[a] + k]
                at += 1


@compiled_part
def _search(  # type: ignore[no-untyped-def]
    goal,
    trees,
    base,
    changes,
    codes,
    active_of,
    first,
    count,
    best_value,
    best,
    found,
    memory,
    meter,
):
    """Search over all choices of one change per part, for one person.

    Parameters
    ----------
    goal : Goal
    trees : Trees
    base : array of shape (n_scores,)
        What the sums of trees start from.
    changes : EquivalentChanges
    codes : array of shape (n_columns,)
        The person's own codes.
    active_of : array of shape (n_columns,)
        The part that moves each column, in the order of branching; -1 for none.
    first, count : arrays of shape (n_parts,)
        Where the changes of each part begin, in the order of branching, and how many
        there are.
    best_value : float
        What a choice must beat in mode BEST.
    best : array of shape (n_parts,)
        Gets the best choice, where there is one.
    found : array of shape (n_room, n_parts)
        Gets the choices in mode ALL.
    memory : see `_memory`
    meter : see `run_until`

    Returns
    -------
    number of choices found, nodes used, best value, whether the search finished
    """
    mode, wanted_gain, enough, max_steps = goal
    scores = trees.gain.shape[1]
    parts = len(first)
    stack_box, stack_size = _first_box(first, count)
    total = stack_box.shape[1]
    stack = 1
    order = np.empty(total, np.int64)
    members = np.empty(total, np.int64)
    box_start = np.empty(parts, np.int64)
    sizes = np.empty(parts, np.int64)
    tables, buffers = memory
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
        if nodes >= max_steps or meter[0] > meter[1]:
            return count_found, nodes, best_value, False
        nodes += 1
        stack -= 1
        sizes[:] = stack_size[stack]
        members[:] = stack_box[stack]
        at = 0
        for a in range(parts):
            box_start[a] = at
            at += sizes[a]
        for k in range(at):
            order[k] = k
        groups = _group(sizes, group_of, group_size)
        box = Box(members, box_start, sizes, group_of, group_size[:groups], order)
        fits = walk(
            trees,
            changes,
            codes,
            active_of,
            box,
            tables,
            buffers,
            constant,
            bound,
            meter,
        )
        if meter[0] > meter[1]:
            return count_found, nodes, best_value, False
        if fits:
            for r in range(scores):
                constant[r] += base[r]
            n_tables = buffers.used[0]
            prefix_maxima(tables, n_tables, box.group_size)
            group_cost, group_start = _costs(box, changes.cost)
            before = count_found
            steps, best_value, best_cost, count_found, done, changed = branch(
                Goal(mode, wanted_gain, enough, max_steps - nodes),
                tables,
                n_tables,
                box.group_size,
                constant,
                group_cost,
                group_start,
                best_value,
                best_cost,
                chosen,
                picked,
                count_found,
                meter,
            )
            nodes += steps
            if changed:
                _decode(chosen, box, best)
            for k in range(before, count_found):
                _decode(picked[k], box, found[k])
            if not done:
                return count_found, nodes, best_value, False
            if mode == SearchMode.BEST and best_value > enough:
                return count_found, nodes, best_value, True
            continue
        most = np.inf
        for r in range(scores):
            most = min(most, base[r] + bound[r])
        if mode == SearchMode.BEST:
            if most <= best_value:
                continue
        elif most < wanted_gain:
            continue
        if stack + 2 > _MAX_BOXES:
            return count_found, nodes, best_value, False
        _push_halves(box, stack_box, stack_size, stack)
        stack += 2
    return count_found, nodes, best_value, True


@compiled
def search(  # type: ignore[no-untyped-def]
    goal,
    trees,
    base,
    changes,
    codes,
    active_of,
    first,
    count,
    best_value,
    best,
    found,
    meter,
):
    """Search over all choices of one change per part, for one person: see `_search`."""
    return _search(
        goal,
        trees,
        base,
        changes,
        codes,
        active_of,
        first,
        count,
        best_value,
        best,
        found,
        _memory(trees.gain.shape[1], len(first), trees.depth),
        meter,
    )


@compiled
def search_all(  # type: ignore[no-untyped-def]
    people,
    enough,
    max_steps,
    trees,
    base,
    changes,
    influence,
    value,
    choice,
    used,
    done,
    meter,
):
    """Search the best choice of each of some people, see `_search`.

    Parameters
    ----------
    people : array of shape (n_some,)
    enough : float
    max_steps : array of shape (n_people,)
        Maximum number of nodes for each person.
    trees, base, changes, meter : see `_search`
    influence : array of shape (n_people, n_parts)
        Parts with the most influence are branched on first.
    value : array of shape (n_people,)
        What to beat; gets the best values.
    choice : array of shape (n_people, n_parts)
        Gets the changes that beat it.
    used, done : arrays of shape (n_people,)
        Get the nodes used, and whether the search finished.
    """
    part_of, first, count = changes.part_of, changes.first, changes.counts
    parts = first.shape[1]
    active_of = np.empty(len(part_of), np.int64)
    position = np.empty(parts, np.int64)
    found = np.empty((0, parts), np.int64)
    memory = _memory(trees.gain.shape[1], parts, trees.depth)
    for i in people:
        active = 0
        ranking = np.argsort(-influence[i], kind="mergesort")
        position[:] = -1
        for p in ranking:
            if count[i, p] > 1:
                position[p] = active
                active += 1
        mine_first = np.empty(active, np.int64)
        mine_count = np.empty(active, np.int64)
        for p in range(parts):
            if position[p] >= 0:
                mine_first[position[p]] = first[i, p]
                mine_count[position[p]] = count[i, p]
        for f in range(len(part_of)):
            active_of[f] = position[part_of[f]] if part_of[f] >= 0 else -1
        best = np.full(active, -1, np.int64)
        _, used[i], value[i], done[i] = _search(
            Goal(SearchMode.BEST.value, 0.0, enough, max_steps[i]),
            trees,
            base,
            changes,
            changes.codes[i],
            active_of,
            mine_first,
            mine_count,
            value[i],
            best,
            found,
            memory,
            meter,
        )
        for p in range(parts):
            if position[p] >= 0 and best[position[p]] >= 0:
                choice[i, p] = best[position[p]]
