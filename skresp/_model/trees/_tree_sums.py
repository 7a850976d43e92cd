"""Sums of trees for many changes of many rows.

The kernels are imported where they are called, because numba loads slowly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skresp._model._change_lists import ChangeCodes, ChangeLists
from skresp._typing import FloatArray, IndexArray

from ._ranked_changes import ranked_changes
from ._ranked_trees import Changes, RankedTrees

if TYPE_CHECKING:
    from ._partition_walk import Options

# The largest size of the masks of small trees, and of the table of splits, in bytes.
_MAX_MASKS = 128 * 2**20
_MAX_TABLE = 64 * 2**20


class TooLargeError(Exception):
    """The tables of the kernels would be too large."""


class TreeSums:
    """Sums of trees, by masks of leaves for small trees and by walks for large ones.

    Parameters
    ----------
    trees : RankedTrees
    """

    def __init__(self, trees: RankedTrees) -> None:
        from ._leaf_masks import MAX_LEAVES, leaf_masks

        self.trees = trees
        small = trees.n_leaves <= MAX_LEAVES
        if 8 * int(trees.n_ranks.sum()) * int(small.sum()) > _MAX_MASKS:
            small[:] = False
        self._masks = leaf_masks(trees, small) if small.any() else None
        self._large = trees.roots[~small]

    def __call__(
        self, codes: FloatArray, given: ChangeCodes
    ) -> tuple[FloatArray, FloatArray]:
        """Return the sums of rows, and of all their points (`ListedPoints`).

        Raise TooLargeError where tables would take too much memory.
        """
        from ._leaf_masks import mask_sums, masks_of_ranks

        changes = ranked_changes(self.trees, codes, given)
        n_gains = self.trees.gain.shape[1]
        stay = np.zeros((len(codes), n_gains))
        out = np.zeros((len(given.lists.points.change), n_gains))
        if len(self._large):
            self._walk(changes, given.lists, stay, out)
            out += given.lists.points.spread(stay)
        if self._masks is not None:
            masks = self._masks
            rows = len(changes.before) + len(changes.new)
            if 8 * rows * masks.masks.shape[1] > _MAX_TABLE:
                raise TooLargeError
            values, options = (
                masks_of_ranks(masks, changes, part_of, ranks)
                for part_of, ranks in (
                    (changes.part_of_value, changes.before),
                    (changes.part_of_change, changes.new),
                )
            )
            mask_sums(masks, changes, values, options, stay, out)
        return stay, out

    def _walk(
        self,
        changes: Changes,
        lists: ChangeLists,
        stay: FloatArray,
        out: FloatArray,
    ) -> None:
        """Add the sums of large trees; `out` gets differences to the rows' own."""
        from ._partition_walk import BLOCK, MAX_OPTIONS, walk_sums

        most = int(changes.counts.max(initial=0))
        for done in range(0, max(most, 1), MAX_OPTIONS):
            options = self._options(changes, lists, done)
            sums = stay if done == 0 else np.zeros_like(stay)
            for low in range(0, len(stay), BLOCK):
                high = min(low + BLOCK, len(stay))
                walk_sums(
                    self._large,
                    self.trees.nodes,
                    options,
                    low,
                    high,
                    self.trees.depth,
                    sums,
                    out,
                )

    def _options(self, changes: Changes, lists: ChangeLists, done: int) -> Options:
        """Return the changes after the first `done` of each list as bits."""
        from ._partition_walk import MAX_OPTIONS, Options

        trees, order = self.trees, changes.order
        part_of = np.full(len(trees.columns), -1, dtype=np.int64)
        split_begin = np.zeros(len(trees.columns), dtype=np.int64)
        begin = np.zeros(changes.first.shape, dtype=np.int64)
        tables, size = [np.zeros(0, dtype=np.uint64)], 0
        for p, n_lists in enumerate(lists.n_lists.tolist()):
            columns = order[changes.part_begin[p] : changes.part_begin[p + 1]]
            widths = np.array([len(trees.split_nodes[k]) for k in columns], dtype=int)
            part_of[columns] = p
            split_begin[columns] = np.cumsum(widths) - widths
            which = np.maximum(lists.which[p] - lists.first_lists[p], 0)
            begin[:, p] = size + widths.sum() * which
            size += int(widths.sum()) * n_lists
            if 8 * size > _MAX_TABLE:
                raise TooLargeError
            tables.append(self._goes_left(changes, lists, p, columns, done).ravel())
        bits = np.array([(1 << n) - 1 for n in range(MAX_OPTIONS + 1)], dtype=np.uint64)
        return Options(
            own=np.ascontiguousarray(changes.own.T),
            part_of=part_of,
            bits=bits[np.clip(changes.counts - done, 0, MAX_OPTIONS)],
            start=changes.start + done,
            goes_left=np.concatenate(tables),
            begin=begin,
            split_begin=split_begin,
        )

    def _goes_left(
        self,
        changes: Changes,
        lists: ChangeLists,
        part: int,
        columns: IndexArray,
        done: int,
    ) -> NDArray[np.uint64]:
        """Return which changes of each list go left, of shape (n_lists, n_splits).

        The lists are those of a part, the splits those of its columns.
        """
        from ._partition_walk import MAX_OPTIONS, fill_splits

        here = np.arange(*lists.first_changes[part : part + 2])
        bit = here - lists.starts[lists.owner[here]] - done
        use = (bit >= 0) & (bit < MAX_OPTIONS)
        here, bit = here[use], bit[use]
        owner = lists.owner[here] - lists.first_lists[part]
        chosen = [self.trees.split_nodes[k] for k in columns]
        ends = np.cumsum([0, *map(len, chosen)])
        table = np.zeros((lists.n_lists[part], ends[-1]), dtype=np.uint64)
        for j, some in enumerate(chosen):
            out = table[:, ends[j] : ends[j + 1]]
            new = changes.new[here, j]
            fill_splits(self.trees.nodes, some, new, owner, bit, out)
        return table
