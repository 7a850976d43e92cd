"""Branch and bound where each part adds its own share: tables of one part each."""

from __future__ import annotations

import numpy as np

from ._branch import branch
from ._compile import compiled
from ._tables import prefix_maxima


@compiled
def search_sums(  # type: ignore[no-untyped-def]
    mode, goal, budget, opening, gain, cost, first, count, best, found, meter
):
    """One person's search over all choices of an option of each part.

    `gain` is what each option adds to the gaps, `opening` where they start. `best`
    gets the choice, `found` the choices in mode ALL. Returns how many were found, the
    nodes used, the best value and whether the search came to an end.
    """
    scores = gain.shape[1]
    parts = len(first)
    total = 0
    for a in range(parts):
        total += count[a]
    masks = np.empty(parts, np.int64)
    offsets = np.zeros(parts + 1, np.int64)
    cells = np.empty((total, scores))
    box_cost = np.empty(total)
    at = 0
    for a in range(parts):
        masks[a] = 1 << a
        for o in range(count[a]):
            box_cost[at] = cost[first[a] + o]
            for r in range(scores):
                cells[at, r] = gain[first[a] + o, r]
            at += 1
        offsets[a + 1] = at
    levels = np.empty((parts, parts + 1), np.int64)
    maxima = np.empty((2 * total + parts, scores))
    prefix_maxima(masks, offsets, parts, cells, count, levels, maxima)
    nodes, value, _, many, done, _ = branch(
        mode,
        goal,
        np.inf,
        masks,
        parts,
        levels,
        maxima,
        count,
        opening,
        box_cost,
        offsets[:parts],
        budget,
        -np.inf,
        np.inf,
        best,
        found,
        0,
        meter,
    )
    for a in range(parts):
        if best[a] >= 0:
            best[a] += first[a]
        for k in range(many):
            found[k, a] += first[a]
    return many, nodes, value, done
