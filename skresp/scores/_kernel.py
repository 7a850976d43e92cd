"""The walk of `_sweep`, compiled by numba.

Several times as fast as the whole-array form, which does the same without numba.
Whoever has not installed it uses the other.
"""

from __future__ import annotations

import numpy as np

from ._compiled import compiled

_DEEPEST = 1_024  # stretches of one tree that wait to be walked


@compiled
def leaves_met(  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    roots,
    feature,
    threshold,
    cuts,
    left,
    right,
    missing_left,
    strict,
    start,
    seen,
    rate,
    low,
    high,
):
    """The first leaf of each line in each tree, and where other leaves follow.

    Tree by tree, so that a tree stays in the processor's cache for all lines; the
    leaves of one tree on one line come in the order of the line. What follows is told
    as line, leaf, the leaf before it, and the place. `strict` tells that a row goes
    left where its value is below the threshold, not also where it is equal. The last
    value is False where a tree is too deep.
    """
    first = np.empty((len(low), len(roots)), np.int64)
    room = 64 * len(low)
    which = np.empty((room, 3), np.int64)
    where = np.empty(room)
    count = 0
    waiting_node = np.empty(_DEEPEST, np.int64)
    waiting_from = np.empty(_DEEPEST)
    waiting_to = np.empty(_DEEPEST)
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
                        x = seen[i, f]
                        if np.isnan(x):
                            goes = missing_left[node]
                        elif strict:
                            goes = x < threshold[node]
                        else:
                            goes = x <= threshold[node]
                        node = left[node] if goes else right[node]
                        continue
                    cut = (cuts[node] - start[i, f]) / speed
                    early = left[node] if speed > 0 else right[node]
                    late = right[node] if speed > 0 else left[node]
                    if cut <= a:
                        node = late
                    elif cut >= b:
                        node = early
                    else:
                        if waiting == _DEEPEST:
                            return first, which[:0], where[:0], False
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
    return first, which[:count], where[:count], True
