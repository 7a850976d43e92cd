"""Upper bounds of gaps where one variable moves and the others stay.

A tree depends on a variable alone only if the person's own path through the tree meets
it. So of many variables few matter, and sums over their trees settle most of these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled
from skresp._typing import FloatArray

from ._channels import add_slope, add_slopes, least_gap
from ._forest import Box, sides_of
from ._work import PersonArrays, Work

# No variable has moved away from its current value.
_NONE = -1


@compiled
def single_bounds(
    person: PersonArrays, work: Work, reach: Box, words: NDArray[np.uint64]
) -> FloatArray:
    """Return an upper bound of the smallest gap for each variable that moves alone.

    Parameters
    ----------
    person : PersonArrays
    work : Work
        With the person's forest at level 0.
    reach : Box
        What each variable can reach.
    words : array of shape (n_views, n_words), uint64
        The positions of the current values.
    """
    before, slopes = person.rules.before, person.slopes
    variable_of, tables = person.rules.view_variable, person.tables
    forest, n = work.forest, len(before)
    width = forest.top.shape[1]
    base, gains = work.constants[0].copy(), np.zeros((n, len(work.sums)))
    # Nodes that wait, and the variable that moves there.
    room = 2 * work.nodes.shape[1]
    node, mover = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    # The variables that one tree depends on, and the largest leaf for each of them.
    met, is_met = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    largest = np.empty((n, width))
    for k in range(work.tree_end[0]):
        node[0], mover[0] = forest.roots[k], _NONE
        waiting, n_met, own = 1, 0, 0
        while waiting:
            waiting -= 1
            at, moving = node[waiting], mover[waiting]
            c, t = forest.column[at], forest.threshold[at]
            if c < 0:
                if moving == _NONE:
                    own = at
                else:
                    for w in range(width):
                        top = forest.top[at, w]
                        largest[moving, w] = max(largest[moving, w], top)
                continue
            if c < n:
                v, is_left = c, before[c] <= t
                to_left, to_right = reach.lower[c] <= t, not reach.upper[c] <= t
            else:
                v = variable_of[c - n]
                is_left = sides_of(words, c - n, tables, int(t))[0]
                to_left, to_right = sides_of(reach.words, c - n, tables, int(t))
            may_move = moving in (_NONE, v)
            for goes_left in (True, False):
                is_own = goes_left == is_left
                if not is_own:
                    if not (may_move and (to_left if goes_left else to_right)):
                        continue
                    if not is_met[v]:
                        met[n_met], is_met[v], largest[v] = v, True, -np.inf
                        n_met += 1
                node[waiting] = forest.left[at] if goes_left else forest.right[at]
                mover[waiting] = moving if is_own else v
                waiting += 1
        for w in range(width):
            leaf, channel = forest.top[own, w], forest.channel[k] + w
            base[channel] += leaf
            for i in range(n_met):
                gains[met[i], channel] += max(largest[met[i], w] - leaf, 0.0)
        for i in range(n_met):
            is_met[met[i]] = False
    add_slopes(slopes, before, before, base)
    out = np.empty(n)
    for v in range(n):
        sums = base + gains[v]
        if slopes.moves[v]:
            add_slope(slopes, v, before[v], before[v], -1.0, sums)
            add_slope(slopes, v, reach.lower[v], reach.upper[v], 1.0, sums)
        out[v] = least_gap(person.channels, sums, person.size)
    return out
