"""The walk of lines through the trees, compiled by numba."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled, compiled_part


@compiled
def leaves_met(trees, lines):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Return the first leaf of each line in each tree, and where other leaves follow.

    The loop goes tree by tree, so that a tree stays in the processor's cache for all
    lines.

    Parameters
    ----------
    trees : SplitArrays
    lines : PositionLines

    Returns
    -------
    first : array of shape (n_lines, n_trees)
        The first leaf.
    which : array of shape (n_events, 3)
        The line, a later leaf, and the leaf before it, in the order of the line.
    where : array of shape (n_events,)
        The `t` at which the later leaf begins.
    """
    n_lines = len(lines.low)
    first = np.empty((n_lines, len(trees.roots)), np.int64)
    which = np.empty((64 * n_lines, 3), np.int64)
    where = np.empty(64 * n_lines)
    count = 0
    # Each node of a tree waits at most once.
    waiting_node = np.empty(len(trees.column), np.int64)
    waiting_span = np.empty((len(trees.column), 2))
    for tree in range(len(trees.roots)):
        for i in range(n_lines):
            waiting_node[0] = trees.roots[tree]
            waiting_span[0, 0], waiting_span[0, 1] = lines.low[i], lines.high[i]
            waiting = 1
            last = -1
            while waiting:
                waiting -= 1
                node = waiting_node[waiting]
                a, b = waiting_span[waiting, 0], waiting_span[waiting, 1]
                while trees.column[node] >= 0:
                    speed = lines.rate[i, trees.column[node]]
                    start = lines.start[i, trees.column[node]]
                    if speed == 0.0:
                        node = _child(trees, node, start)
                        continue
                    cut = (trees.threshold[node] - start) / speed
                    early, late = trees.left[node], trees.right[node]
                    if speed < 0:
                        early, late = late, early
                    if cut <= a:
                        node = late
                    elif cut >= b:
                        node = early
                    else:
                        waiting_node[waiting] = late
                        waiting_span[waiting, 0], waiting_span[waiting, 1] = cut, b
                        waiting += 1
                        node, b = early, cut
                if last < 0:
                    first[i, tree] = node
                else:
                    if count == len(where):
                        which, where = _with_room(which, where)
                    which[count, 0], which[count, 1], which[count, 2] = i, node, last
                    where[count] = a
                    count += 1
                last = node
    return first, which[:count], where[:count]


@compiled_part
def _child(trees, node, x):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Return the node that a value, or a position, goes to."""
    if trees.is_listed[trees.column[node]]:
        goes_left = trees.goes_left[int(trees.threshold[node]), int(x)]
    elif np.isnan(x):
        goes_left = trees.missing_left[node]
    else:
        goes_left = x <= trees.threshold[node]
    return trees.left[node] if goes_left else trees.right[node]


@compiled_part
def _with_room(which, where):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Return both arrays with twice the room."""
    wider = np.empty((2 * len(which), 3), np.int64)
    wider[: len(which)] = which
    longer = np.empty(2 * len(where))
    longer[: len(where)] = where
    return wider, longer


@compiled
def running_sums(line, gain):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Return the sums of gains up to each one, from the first of its line on.

    The sums of a line depend on no other line, not even by rounding.

    Parameters
    ----------
    line : array of shape (n,)
        In ascending order.
    gain : array of shape (n, n_outputs)
    """
    out = gain.copy()
    for i in range(1, len(gain)):
        if line[i] == line[i - 1]:
            out[i] += out[i - 1]
    return out
