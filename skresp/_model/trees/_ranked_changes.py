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
    layout = trees.layout(lists.columns)
    part_of_change = lists.part_of_list[lists.owner]
    new = trees.ranks(layout.of_parts, part_of_change, changes.after)
    before = trees.ranks(layout.of_parts, lists.part_of_list, changes.before)
    return Changes(
        own=own,
        order=layout.order,
        part_begin=layout.part_begin,
        new=new,
        first=np.ascontiguousarray(lists.starts[lists.which].T),
        counts=np.ascontiguousarray(points.counts.T),
        start=np.ascontiguousarray(points.starts.T),
        moves=(new != before[lists.owner]).any(axis=1),
        value=np.ascontiguousarray(lists.which.T),
        before=before,
        part_of_value=lists.part_of_list,
        part_of_change=part_of_change,
    )
