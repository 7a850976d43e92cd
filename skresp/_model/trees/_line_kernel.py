"""The walk of lines through the trees, compiled by numba."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled


@compiled
def leaves_met(  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    roots,
    feature,
    threshold,
    left,
    right,
    missing_left,
    is_listed,
    goes_left,
    start,
    rate,
    low,
    high,
):
    """Return the first leaf of each line in each tree, and where other leaves follow.

    The loop goes tree by tree, so that a tree stays in the processor's cache for all
    lines.

    Parameters
    ----------
    roots ... goes_left : the arrays of `RawTrees`
    start, rate : array of shape (n_lines, n_columns)
        Column `k` holds `start + rate * t`. A listed column does not move, and holds
        a position.
    low, high : array of shape (n_lines,)
        The range of `t`.

    Returns
    -------
    first : array of shape (n_lines, n_trees)
        The first leaf.
    which : array of shape (n_events, 3)
        The line, a later leaf, and the leaf before it, in the order of the line.
    where : array of shape (n_events,)
        The `t` at which the later leaf begins.
    """
    first = np.empty((len(low), len(roots)), np.int64)
    room = 64 * len(low)
    which = np.empty((room, 3), np.int64)
    where = np.empty(room)
    count = 0
    # Each node of a tree waits at most once.
    waiting_node = np.empty(len(feature), np.int64)
    waiting_from = np.empty(len(feature))
    waiting_to = np.empty(len(feature))
    for tree in range(len(roots)):
        for i in range(len(low)):
            waiting_node[0] = roots[tree]
            waiting_from[0], waiting_to[0] = low[i], high[i]
            waiting = 1
            last = -1
            while waiting:
                waiting -= 1
                node = waiting_node[waiting]
                a, b = waiting_from[waiting], waiting_to[waiting]
                while feature[node] >= 0:
                    f = feature[node]
                    speed = rate[i, f]
                    if speed == 0.0:
                        x = start[i, f]
                        if is_listed[f]:
                            goes = goes_left[int(threshold[node]), int(x)]
                        elif np.isnan(x):
                            goes = missing_left[node]
                        else:
                            goes = x <= threshold[node]
                        node = left[node] if goes else right[node]
                        continue
                    cut = (threshold[node] - start[i, f]) / speed
                    early = left[node] if speed > 0 else right[node]
                    late = right[node] if speed > 0 else left[node]
                    if cut <= a:
                        node = late
                    elif cut >= b:
                        node = early
                    else:
                        waiting_node[waiting] = late
                        waiting_from[waiting], waiting_to[waiting] = cut, b
                        waiting += 1
                        node, b = early, cut
                if last < 0:
                    first[i, tree] = node
                    last = node
                    continue
                if count == room:
                    room *= 2
                    wider = np.empty((room, 3), np.int64)
                    wider[:count] = which
                    which = wider
                    longer = np.empty(room)
                    longer[:count] = where
                    where = longer
                which[count, 0], which[count, 1], which[count, 2] = i, node, last
                where[count] = a
                last = node
                count += 1
    return first, which[:count], where[:count]
