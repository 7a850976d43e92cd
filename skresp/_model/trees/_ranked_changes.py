"""Changes of rows as ranks among the thresholds of trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skresp._model._change_lists import PartCodes
from skresp._typing import FloatArray, IndexArray, IntArray

from ._ranked_trees import Changes, RankedTrees


def ranked_changes(
    trees: RankedTrees, codes: FloatArray, parts: Sequence[PartCodes]
) -> Changes:
    """Return the changes of rows as ranks."""
    own = np.empty((len(codes), len(trees.columns)), dtype=np.int32)
    for k, c in enumerate(trees.columns.tolist()):
        own[:, k] = trees.ranks(k, codes[:, c])
    order, part_begin = _column_order(trees, parts)
    n_lists = [len(part.counts) for part in parts]
    n_changes = [int(part.counts.sum()) for part in parts]
    first_list, first_change = (np.cumsum([0, *n]) for n in (n_lists, n_changes))
    width = max([1, *np.diff(part_begin)])
    new = np.zeros((first_change[-1], width), dtype=np.int32)
    before = np.zeros((first_list[-1], width), dtype=np.int32)
    moves = np.zeros(len(new), dtype=bool)
    for p, part in enumerate(parts):
        here = slice(first_change[p], first_change[p + 1])
        row, owner = part.first_rows, part.owner
        for j, k in enumerate(order[part_begin[p] : part_begin[p + 1]].tolist()):
            new[here, j] = trees.ranks(k, part.after[int(trees.columns[k])])
            before[first_list[p] : first_list[p + 1], j] = own[row, k]
            moves[here] |= new[here, j] != own[row[owner], k]
    shape = len(codes), len(parts)
    first, counts, value = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for p, part in enumerate(parts):
        counts[:, p] = part.n_points
        first[:, p] = first_change[p] + part.starts[np.maximum(part.which, 0)]
        value[:, p] = np.where(part.which >= 0, first_list[p] + part.which, -1)
    # The sums of one part follow those of the other, row after row.
    start = (np.cumsum(counts.T) - counts.T.ravel()).reshape(shape[::-1]).T
    return Changes(
        own=own,
        order=order,
        part_begin=part_begin,
        new=new,
        first=first,
        counts=counts,
        start=np.ascontiguousarray(start),
        moves=moves,
        value=value,
        before=before,
        part_of_value=np.repeat(np.arange(len(parts)), n_lists),
        part_of_change=np.repeat(np.arange(len(parts)), n_changes),
    )


def _column_order(
    trees: RankedTrees, parts: Sequence[PartCodes]
) -> tuple[IndexArray, IntArray]:
    """Return `order` and `part_begin` of `Changes`."""
    position = {c: k for k, c in enumerate(trees.columns.tolist())}
    of_parts = [[position[c] for c in part.after if c in position] for part in parts]
    order = [k for columns in of_parts for k in columns]
    moved = set(order)
    order += [k for k in range(len(position)) if k not in moved]
    return np.array(order, dtype=np.intp), np.cumsum([0, *map(len, of_parts)])
