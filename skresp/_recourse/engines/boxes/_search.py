"""Depth-first branch and bound over the boxes of one person."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled, compiled_part

from ._channels import add_slopes, least_gap
from ._forest import Box, Split, add_tops, restrict
from ._point_gaps import gap_at_point
from ._propagate import propagate
from ._rules import REAL
from ._slab_bounds import bound_slabs
from ._slabs import MAX_SLABS, choose_split, divide, shave
from ._witness import aim_at_box, aim_at_slabs, lies_in, settle
from ._work import PersonArrays, Work

# Boxes that are bounded by whole trees only, after the first few.
_FIRST_WITH_SLABS = 3
_PLAIN = 500
# Trees that are cut down before the bound of the box is looked at.
_TREES_AT_ONCE = 32
# A linear term is not divided further where its interval is this small, relative to
# the values.
_NARROW = 1e-9


class Stop(IntEnum):
    """Why the search stopped.

    DONE : all boxes were searched.
    PAUSED : the number of boxes is reached.
    FULL : there is no room for more nodes or boxes.
    POINT : `Work.point` is feasible and beyond the border.
    TIE : `Work.point` is feasible and in doubt.
    OPEN : the box `Work.low`, `Work.high`, `Work.words` may reach the target, and no
        feasible point of it was found.

    After POINT and TIE, `Work.flags[0]` says whether nothing is left of the box, which
    has no better point.
    """

    DONE = 0
    PAUSED = 1
    FULL = 2
    POINT = 3
    TIE = 4
    OPEN = 5


# The compiler does not treat enums as constants.
_DONE, _PAUSED, _FULL, _POINT, _TIE, _OPEN = range(6)
# What becomes of a box.
_NO_ROOM, _NOTHING, _GOES_ON = range(3)


@compiled
def search(person: PersonArrays, work: Work, limit: int) -> int:
    """Search boxes until something is found, or `limit` boxes were searched.

    Call it again to go on. Returns a value of `Stop`.
    """
    names = np.arange(len(work.slabs.many)).astype(np.int32)
    split = Split(person.tables, np.zeros(0, dtype=np.bool_))
    while work.counter[0]:
        if work.counter[1] >= limit:
            return _PAUSED
        if work.counter[0] + 2 > len(work.stack_level):
            return _FULL
        at = work.counter[0] - 1
        level = work.stack_level[at]
        if level + 2 > len(work.node_end):
            return _FULL
        _take_box(person, work, at)
        if not propagate(
            person.rules, work.low, work.high, work.words, work.open_parts
        ):
            work.counter[0] -= 1
            work.counter[1] += 1
            continue
        way = _descend(person, work, level, split, names)
        if way == _NO_ROOM:
            return _FULL
        work.counter[0] -= 1
        work.counter[1] += 1
        if way == _NOTHING:
            continue
        stop = _examine(person, work, level + 1)
        if stop != _DONE:
            return stop
    return _DONE


@compiled_part
def _take_box(person: PersonArrays, work: Work, at: int) -> None:
    """Make a box of the stack the current one."""
    level, c, n = work.stack_level[at], work.stack_column[at], len(work.low) // 2
    work.low[:], work.high[:] = work.level_low[level], work.level_high[level]
    work.words[:], work.open_parts[:] = work.level_words[level], work.level_open[level]
    if c >= n:
        work.words[c - n] = work.stack_words[at]
    elif c >= 0:
        work.low[n + c], work.high[n + c] = work.stack_low[at], work.stack_high[at]
    if c >= 0:
        _open_part(person, work.open_parts, c)


@compiled_part
def _open_part(person: PersonArrays, open_parts: NDArray[np.bool_], c: int) -> None:
    """Note that the box is smaller in a column."""
    n = len(person.rules.kind)
    k = c if c < n else person.rules.view_variable[c - n]
    open_parts[person.rules.part[k]] = True


@compiled_part
def _box(work: Work) -> Box:
    """Return the reached values of the current box."""
    n = len(work.low) // 2
    return Box(work.low[n:], work.high[n:], work.words)


@compiled_part
def _descend(
    person: PersonArrays, work: Work, level: int, split: Split, names: NDArray[np.int32]
) -> int:
    """Cut the forest of a level down to the current box.

    It stops where the trees so far show that no point of the box reaches the target.
    """
    first = work.tree_end[level - 1] if level else 0
    last, node = work.tree_end[level], work.node_end[level]
    if last + (last - first) > len(work.forest.roots):
        return _NO_ROOM
    box, tree, constants = _box(work), last, work.constants[level + 1]
    kept = _kept_trees(work, level, first, last, box)
    constants[:] = work.constants[level]
    # Of the trees that are not cut down yet, the bounds in the larger box.
    tops, sums = work.sums, work.other
    tops[:] = 0.0
    add_tops(work.forest, first, last, tops)
    for start in range(first, last, _TREES_AT_ONCE):
        stop, done = min(start + _TREES_AT_ONCE, last), tree
        node, tree = restrict(
            work.forest,
            start,
            stop,
            split,
            box,
            names,
            work.forest,
            node,
            tree,
            constants,
            work.nodes,
            kept,
        )
        if node < 0:
            return _NO_ROOM
        sums[:] = 0.0
        add_tops(work.forest, start, stop, sums)
        tops -= sums
        add_tops(work.forest, done, tree, tops)
        sums[:] = constants + tops
        add_slopes(person.slopes, box.lower, box.upper, sums)
        if least_gap(person.channels, sums, person.size) < -person.channels.tolerance:
            return _NOTHING
    work.node_end[level + 1], work.tree_end[level + 1] = node, tree
    level += 1
    work.level_low[level], work.level_high[level] = work.low, work.high
    work.level_words[level], work.level_open[level] = work.words, work.open_parts
    work.is_shaved[level] = False
    return _GOES_ON


@compiled_part
def _kept_trees(
    work: Work, level: int, first: int, last: int, box: Box
) -> NDArray[np.bool_]:
    """Return the trees of the first box whose nodes all stay in the current box.

    They split on no column in which the box is smaller than the one that the forest of
    the level was cut down to. Nothing is known of the trees of level 0, which is not
    cut down to the first box.
    """
    forest, uses, n = work.forest, work.uses, len(box.lower)
    if level == 0 or work.tree_end[1] - work.tree_end[0] > uses.shape[1]:
        return np.zeros(0, dtype=np.bool_)
    if level == 1:
        uses[:] = False
        for k in range(first, last):
            forest.source[k] = k - first
            for at in range(forest.roots[k], forest.end[k]):
                if forest.column[at] >= 0:
                    uses[forest.column[at], k - first] = True
    kept = np.ones(uses.shape[1], dtype=np.bool_)
    for c in range(len(uses)):
        if c < n:
            same = box.lower[c] == work.level_low[level, n + c]
            same = same and box.upper[c] == work.level_high[level, n + c]
        else:
            same = True
            for w in range(box.words.shape[1]):
                known = work.level_words[level, c - n, w]
                same = same and box.words[c - n, w] == known
        if not same or work.is_shaved[level, c]:
            kept &= ~uses[c]
    return kept


@compiled_part
def _examine(person: PersonArrays, work: Work, level: int) -> int:
    """Bound the current box, try a point of it, and divide it.

    `level` is where the forest of the box is.
    """
    channels, slopes, rules = person.channels, person.slopes, person.rules
    tolerance = channels.tolerance
    box, n = _box(work), len(rules.kind)
    first, last = work.tree_end[level - 1], work.tree_end[level]
    bare, sums = work.other, work.sums
    bare[:] = work.constants[level]
    add_slopes(slopes, box.lower, box.upper, bare)
    sums[:] = bare
    add_tops(work.forest, first, last, sums)
    whole = least_gap(channels, sums, person.size)
    if whole < -tolerance:
        return _DONE
    slabs = work.slabs
    slabs.many[:] = 0
    column, slab, left_first, cut = -1, 0, True, 0.0
    if last > first:
        if work.counter[1] <= _FIRST_WITH_SLABS or work.counter[1] > _PLAIN:
            divide(work.forest, first, last, box, MAX_SLABS, slabs)
            bound_slabs(work.forest, first, last, person.tables, n, slabs)
            whole, column, slab, left_first = choose_split(
                bare, whole, channels, slopes, box, person.size, slabs, sums
            )
            if whole < -tolerance or not shave(box, slabs, -tolerance):
                return _DONE
            _note_shaved(person, work, level)
        if column < 0:
            column, cut, left_first = _split_at_root(work, first, last)
            slab = -1
    aim_at_box(rules, slopes, channels, work.low, work.high, work.words, work.point)
    aim_at_slabs(rules, work.high, slabs, work.point)
    stop, decided = _DONE, False
    for turn in range(2):
        # In a box without trees the middle is tried too.
        if turn == 0 or (last == first and stop == _DONE):
            stop, decided = _try(person, work, whole, last > first, turn == 1)
    work.flags[0] = False
    if last == first:
        if not _moves(person):
            work.flags[0] = decided
            return stop if decided else _OPEN
        work.flags[0] = True
        if stop == _TIE and decided:
            return stop
        column = _widest(person, box)
        if column < 0:
            return stop if stop == _POINT else _OPEN
        work.flags[0] = False
        slab, cut = -1, (box.lower[column] + box.upper[column]) / 2
        if rules.kind[column] != REAL:
            cut = np.floor(cut)
    _push(work, level, column, slab, cut, left_first, person.tables)
    return stop


@compiled_part
def _note_shaved(person: PersonArrays, work: Work, level: int) -> None:
    """Make the current box that of its level, after slabs were cut off."""
    low, high = work.level_low[level], work.level_high[level]
    words, n = work.level_words[level], len(low) // 2
    for c in range(len(work.slabs.many)):
        if work.slabs.many[c] == 0:
            continue
        if c < n:
            same = work.low[n + c] == low[n + c] and work.high[n + c] == high[n + c]
            low[n + c], high[n + c] = work.low[n + c], work.high[n + c]
        else:
            same = np.all(work.words[c - n] == words[c - n])
            words[c - n] = work.words[c - n]
        if not same:
            work.is_shaved[level, c] = True
            _open_part(person, work.level_open[level], c)


@compiled_part
def _try(
    person: PersonArrays, work: Work, whole: float, has_trees: bool, middle: bool
) -> tuple[int, bool]:
    """Try a point of the current box, whose gaps are at most `whole`.

    Return why to stop, and whether no point of the box is better.
    """
    rules, tolerance = person.rules, person.channels.tolerance
    if not settle(
        rules, work.low, work.high, work.words, work.slabs, work.point, middle
    ):
        return _DONE, False
    gap = gap_at_point(person, work)
    inside = lies_in(work.low, work.high, work.words, work.point)
    constant = inside and not has_trees and not _moves(person)
    if gap > tolerance:
        return _POINT, True
    if gap >= -tolerance or constant:
        return _TIE, inside and (constant or whole - gap <= tolerance)
    return _DONE, False


@compiled_part
def _moves(person: PersonArrays) -> bool:
    """Return whether the person can change the value of a linear term."""
    return bool(np.any(person.slopes.moves))


@compiled_part
def _widest(person: PersonArrays, box: Box) -> int:
    """Return the variable whose linear terms vary most in a box; -1 for none."""
    slopes = person.slopes
    best, column = 0.0, -1
    for k in range(len(slopes.moves)):
        width = box.upper[k] - box.lower[k]
        size = max(1.0, max(abs(box.lower[k]), abs(box.upper[k])))
        if not slopes.moves[k] or width <= _NARROW * size:
            continue
        for c in range(slopes.slope.shape[1]):
            varies = abs(slopes.slope[k, c]) * width
            if varies > best:
                best, column = varies, k
    return column


@compiled_part
def _split_at_root(work: Work, first: int, last: int) -> tuple[int, float, bool]:
    """Return the column, the threshold and the better side of a root.

    Of the column whose roots decide most, the root that decides most.
    """
    forest = work.forest
    votes = np.zeros(len(work.slabs.many))
    best = np.full(len(votes), -1.0)
    chosen = np.zeros(len(votes), dtype=np.int64)
    lean = np.zeros(len(votes))
    for k in range(first, last):
        root = forest.roots[k]
        c = forest.column[root]
        apart = 0.0
        for w in range(forest.top.shape[1]):
            left = forest.top[forest.left[root], w]
            right = forest.top[forest.right[root], w]
            apart += abs(left - right)
            lean[c] += left - right
        votes[c] += apart
        if apart > best[c]:
            best[c], chosen[c] = apart, root
    column = 0
    for c in range(len(votes)):
        if best[c] >= 0.0 and (best[column] < 0.0 or votes[c] > votes[column]):
            column = c
    return column, forest.threshold[chosen[column]], lean[column] >= 0.0


@compiled_part
def _push(
    work: Work,
    level: int,
    column: int,
    slab: int,
    cut: float,
    left_first: bool,
    tables: NDArray[np.uint64],
) -> None:
    """Put both halves of the current box on the stack, the better one on top.

    Without a slab, `cut` is a number or the row of a table.
    """
    n = len(work.low) // 2
    for turn in range(2):
        is_left = left_first == (turn == 1)
        at = work.counter[0]
        work.stack_level[at], work.stack_column[at] = level, column
        if column < n:
            low, high = work.low[n + column], work.high[n + column]
            edge = work.slabs.edges[column, slab] if slab >= 0 else cut
            if is_left:
                high = min(edge, high)
            else:
                low = max(np.nextafter(edge, np.inf), low)
            work.stack_low[at], work.stack_high[at] = low, high
        else:
            v = column - n
            for w in range(work.words.shape[1]):
                some = np.uint64(0)
                if slab < 0:
                    some = tables[int(cut), w]
                else:
                    for s in range(slab + 1):
                        some |= work.slabs.groups[v, s, w]
                if not is_left:
                    some = ~some
                work.stack_words[at, w] = work.words[v, w] & some
        if column >= n or work.stack_low[at] <= work.stack_high[at]:
            work.counter[0] += 1
