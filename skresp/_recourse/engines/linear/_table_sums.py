"""The search over sums of gains, with one table per part."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled
from skresp._recourse.engines.trees._leaf_tables import Tables, prefix_maxima
from skresp._recourse.engines.trees._table_search import branch


@compiled
def search_sums(  # type: ignore[no-untyped-def]
    goal, opening, gain, cost, first, count, best, found, meter
):
    """Search over all choices of one option per part, for one person.

    Parameters
    ----------
    goal : Goal
    opening : array of shape (n_scores,)
        The person's own gaps.
    gain : array of shape (n_options, n_scores)
        What each option adds to the gaps.
    cost : array of shape (n_options,)
    first, count : arrays of shape (n_parts,)
        Where the options of each part begin, and how many there are.
    best : array of shape (n_parts,)
        Gets the best choice.
    found : array of shape (n_room, n_parts)
        Gets the choices in mode ALL.
    meter : see `run_until`

    Returns
    -------
    number of choices found, nodes used, best value, whether the search finished
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
    tables = Tables(masks, offsets, cells, levels, maxima)
    prefix_maxima(tables, parts, count)
    nodes, value, _, many, done, _ = branch(
        goal,
        tables,
        parts,
        count,
        opening,
        box_cost,
        offsets[:parts],
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
