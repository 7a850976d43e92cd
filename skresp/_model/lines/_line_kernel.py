"""The sums of trees along lines, compiled by numba.

A line adds what changes at each cut to an array over all cuts, and sets a bit for each
of them. The cuts are sorted once for a model. So nothing is sorted for a line: it meets
the bits in order.
"""

from __future__ import annotations

import numpy as np

from skresp._model.trees._rank_kernels import lowest_bit
from skresp._numba import compiled, compiled_part

from ._line_walk import LEAF, LINE, OUTPUT, START, STOP, WalkArrays, walk_tree


@compiled
def line_pieces(trees, lines, cuts, still, size):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Return the pieces of lines on which the sums of trees are constant.

    The sums of a line depend on no other line, not even by rounding.

    Parameters
    ----------
    trees : SplitArrays
    lines : PositionLines
    cuts : LineCuts
    still : StillLeaves
    size : int
        The lines that go through the trees together.

    Returns
    -------
    line : array of shape (n_pieces,)
    low, high : array of shape (n_pieces,)
    sums : array of shape (n_pieces, n_outputs)
    """
    n_lines, n_cuts = len(lines.low), len(cuts.values)
    n_values = trees.leaves.shape[1]
    line, sums = (
        np.empty(64 * n_lines, np.int64),
        np.empty((64 * n_lines, trees.n_outputs)),
    )
    low, high = np.empty(64 * n_lines), np.empty(64 * n_lines)
    count = 0
    room = WalkArrays(
        np.empty((size * cuts.most_pieces, 3), np.int32),
        np.empty((size * cuts.most_pieces, 2)),
        np.empty(size * cuts.most_pieces, np.int32),
        np.empty(size * cuts.most_pieces, np.int32),
        np.empty(len(trees.column), np.int32),
        np.empty(len(trees.column), np.int64),
    )
    opening = np.empty((size, trees.n_outputs))
    found = np.empty((2 * size * cuts.most_pieces, 5), np.int32)
    # By how much the sums of one line change at each cut, in the order of the line, and
    # the bits of the cuts where they change.
    change = np.zeros((n_cuts, trees.n_outputs))
    met = np.zeros(n_cuts // 64, np.uint64)
    for begin in range(0, n_lines, size):
        end = min(begin + size, n_lines)
        opening[:] = 0.0
        n_found = 0
        for tree in range(len(trees.roots)):
            if still.stays[tree]:
                output = trees.output[tree] if n_values < trees.n_outputs else 0
                for i in range(begin, end):
                    for r in range(n_values):
                        gain = trees.leaves[still.leaf[i, tree], r]
                        opening[i - begin, output + r] += gain
                continue
            if n_found + size * cuts.most_pieces > len(found):
                found = _with_room(found, 0)
            n_found = walk_tree(
                trees, tree, lines, begin, end, cuts, room, opening, found, n_found
            )
        order, start = _by_line(found, n_found, size)
        for i in range(begin, end):
            mine = order[start[i - begin] : start[i - begin + 1]]
            _add_changes(trees.leaves, found, mine, change, met)
            if count + n_cuts + 1 > len(line):
                line, sums = _with_room(line, n_cuts + 1), _with_room(sums, n_cuts + 1)
                low, high = _with_room(low, n_cuts + 1), _with_room(high, n_cuts + 1)
            first = count
            count = _add_pieces(
                lines, i, cuts, opening[i - begin], change, met, low, high, sums, count
            )
            line[first:count] = i
    return line[:count], low[:count], high[:count], sums[:count]


@compiled_part
def _by_line(found, n_found, n_lines):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Return the order of pieces by line, and where those of each line begin."""
    start = np.zeros(n_lines + 2, np.int64)
    for k in range(n_found):
        start[found[k, LINE] + 2] += 1
    for i in range(n_lines):
        start[i + 2] += start[i + 1]
    order = np.empty(n_found, np.int32)
    for k in range(n_found):
        i = found[k, LINE] + 1
        order[start[i]] = k
        start[i] += 1
    return order, start


@compiled_part
def _add_changes(leaves, found, mine, change, met):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Add the leaves of one line where they begin, and subtract them where they end."""
    for k in mine:
        a, b, leaf, output = (
            found[k, START],
            found[k, STOP],
            found[k, LEAF],
            found[k, OUTPUT],
        )
        for r in range(leaves.shape[1]):
            gain = leaves[leaf, r]
            if a >= 0:
                change[a, output + r] += gain
            if b >= 0:
                change[b, output + r] -= gain
        if b >= 0:
            met[b >> 6] |= np.uint64(1) << np.uint64(b & 63)


@compiled_part
def _add_pieces(lines, i, cuts, running, change, met, low, high, sums, count):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Add the pieces of one line, and clear its changes; return the new count."""
    n_columns = len(cuts.columns)
    # For each column that moves: its next cut and the position, and the word of bits.
    ahead = np.empty(n_columns, np.int64)
    position = np.empty(n_columns)
    word = cuts.begin[:-1] // 64
    at, nearest = lines.low[i], -1
    while True:
        for m in range(n_columns):
            if nearest >= 0 and m != nearest:
                continue  # its next cut is known
            ahead[m], position[m] = -1, np.inf
            while word[m] < cuts.begin[m + 1] // 64:
                some = met[word[m]]
                if some:
                    met[word[m]] = some & (some - np.uint64(1))
                    ahead[m] = cut = 64 * word[m] + lowest_bit(some)
                    column = cuts.columns[m]
                    start, speed = lines.start[column, i], lines.rate[column, i]
                    if speed < 0:
                        cut = cuts.mirror[column] - cut
                    position[m] = (cuts.values[cut] - start) / speed
                    break
                word[m] += 1
        following, nearest = lines.high[i], -1
        for m in range(n_columns):
            if position[m] < following:
                following, nearest = position[m], m
        if following > at:
            low[count], high[count] = at, following
            for r in range(len(running)):
                sums[count, r] = running[r]
            count += 1
            at = following
        if nearest < 0:
            return count
        for r in range(len(running)):
            running[r] += change[ahead[nearest], r]
            change[ahead[nearest], r] = 0.0


@compiled_part
def _with_room(array, more):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Return an array with at least twice the room, and room for that many more."""
    longer = np.empty((2 * len(array) + more, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
