"""The sweep of `_sweep`, line by line, compiled by numba.

Ten times as fast as the whole-array form, which does the same without numba. This
module imports it: whoever has not installed it uses the other.
"""

from __future__ import annotations

import numba
import numpy as np

_DEEPEST = 1_024  # stretches of one tree that wait to be walked


@numba.njit(cache=True, nogil=True)
def sweep_lines(  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    roots,
    output,
    feature,
    threshold,
    left,
    right,
    missing_left,
    leaves,
    base,
    strict,
    start,
    seen,
    rate,
    low,
    high,
):
    """Pieces of lines: which line, from, to, scores; -1 lines where a tree is too deep.

    `strict` tells that a row goes left where its value is below the threshold, not
    also where it is equal.
    """
    width = len(base)
    room = 1_024
    line_of = np.empty(room, np.int64)
    ends = np.empty((room, 2))
    scores = np.empty((room, width))
    count = 0
    waiting_node = np.empty(_DEEPEST, np.int64)
    waiting_from = np.empty(_DEEPEST)
    waiting_to = np.empty(_DEEPEST)
    when = np.empty(4_096)
    what = np.empty((4_096, width))
    running = np.empty(width)
    last = np.empty(width)
    for i in range(len(low)):
        running[:] = base
        events = 0
        for tree in range(len(roots)):
            waiting_node[0] = roots[tree]
            waiting_from[0], waiting_to[0] = low[i], high[i]
            waiting = 1
            is_first = True
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
                    cut = (threshold[node] - start[i, f]) / speed
                    early = left[node] if speed > 0 else right[node]
                    late = right[node] if speed > 0 else left[node]
                    if cut <= a:
                        node = late
                    elif cut >= b:
                        node = early
                    else:
                        if waiting == _DEEPEST:
                            return line_of[:0], ends[:0], scores[:0], False
                        waiting_node[waiting] = late
                        waiting_from[waiting], waiting_to[waiting] = cut, b
                        waiting += 1
                        node, b = early, cut
                # Leaves of a tree come in the order of the line: the first adds to the
                # sum, each later one is an event where its stretch begins.
                if is_first:
                    if output[tree] < 0:
                        for k in range(width):
                            last[k] = leaves[node, k]
                            running[k] += last[k]
                    else:
                        last[0] = leaves[node, 0]
                        running[output[tree]] += last[0]
                    is_first = False
                    continue
                if events == len(when):
                    more = np.empty(2 * events)
                    more[:events] = when
                    when = more
                    wider = np.empty((2 * events, width))
                    wider[:events] = what
                    what = wider
                when[events] = a
                if output[tree] < 0:
                    for k in range(width):
                        what[events, k] = leaves[node, k] - last[k]
                        last[k] = leaves[node, k]
                else:
                    what[events, :] = 0.0
                    what[events, output[tree]] = leaves[node, 0] - last[0]
                    last[0] = leaves[node, 0]
                events += 1
        order = np.argsort(when[:events])
        a = low[i]
        for e in range(events + 1):
            b = when[order[e]] if e < events else high[i]
            if b > a:
                if count == room:
                    room *= 2
                    new_line = np.empty(room, np.int64)
                    new_line[:count] = line_of
                    line_of = new_line
                    new_ends = np.empty((room, 2))
                    new_ends[:count] = ends
                    ends = new_ends
                    new_scores = np.empty((room, width))
                    new_scores[:count] = scores
                    scores = new_scores
                line_of[count] = i
                ends[count, 0], ends[count, 1] = a, b
                scores[count] = running
                count += 1
                a = b
            if e < events:
                for k in range(width):
                    running[k] += what[order[e], k]
    return line_of[:count], ends[:count], scores[:count], True
