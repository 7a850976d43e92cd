"""Changes of rows as ranks among the thresholds of trees."""

from __future__ import annotations

import numpy as np

from skresp._model._change_lists import ChangeCodes
from skresp._typing import FloatArray

from ._ranked_trees import Changes, RankedTrees


def ranked_changes(
    trees: RankedTrees, codes: FloatArray, changes: ChangeCodes
) -> Changes:
    """Return the changes of rows as ranks."""
    lists, points = changes.lists, changes.lists.points
    everything = np.arange(len(trees.columns))[None]
    rows = np.zeros(len(codes), dtype=np.intp)
    own = trees.ranks(everything, rows, codes.take(trees.columns, axis=1))
    of_parts = np.append(trees.position, -1)[lists.columns]
    is_used = of_parts >= 0
    moved = np.zeros(len(trees.columns), dtype=bool)
    moved[of_parts[is_used]] = True
    part_of_change = lists.part_of_list[lists.owner]
    new = trees.ranks(of_parts, part_of_change, changes.after)
    before = trees.ranks(of_parts, lists.part_of_list, changes.before)
    ends = np.cumsum(points.counts).reshape(points.counts.shape)
    starts = np.append(lists.starts, 0)
    return Changes(
        own=own,
        order=np.concatenate([of_parts[is_used], np.flatnonzero(~moved)]),
        part_begin=np.append(0, np.cumsum(is_used.sum(axis=1))),
        new=new,
        first=np.ascontiguousarray(starts[lists.which].T),
        counts=np.ascontiguousarray(points.counts.T),
        start=np.ascontiguousarray((ends - points.counts).T),
        moves=(new != before[lists.owner]).any(axis=1),
        value=np.ascontiguousarray(lists.which.T),
        before=before,
        part_of_value=lists.part_of_list,
        part_of_change=part_of_change,
    )
