"""Sums of trees for many changes of many rows.

The kernels are imported where they are called, because numba loads slowly.
"""

from __future__ import annotations

import numpy as np

from skresp._model._change_lists import ChangeCodes
from skresp._typing import FloatArray

from ._ranked_changes import ranked_changes
from ._ranked_trees import RankedTrees
from ._walk_rounds import WalkedTrees

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
        self._walked = None
        if not small.all():
            self._walked = WalkedTrees(trees.roots[~small], trees.nodes, trees.depth)

    def __call__(self, codes: FloatArray, given: ChangeCodes) -> FloatArray:
        """Return the sums of all points of rows (`ListedPoints`), then of the rows.

        Raise TooLargeError where tables would take too much memory.
        """
        from ._leaf_masks import mask_sums, masks_of_ranks

        changes = ranked_changes(self.trees, codes, given)
        points = given.lists.points
        sums = np.zeros((len(points) + len(codes), self.trees.gain.shape[1]))
        out, stay = sums[: len(points)], sums[len(points) :]
        if self._walked is not None:
            if 8 * self._walked.n_entries(changes, given.lists) > _MAX_TABLE:
                raise TooLargeError
            rounds = self._walked.rounds(changes, given.lists)
            self._walked.add_sums(rounds, changes, given.lists, stay, out)
            out += points.spread(stay)
        if self._masks is not None:
            masks = self._masks
            rows = len(changes.before) + len(changes.new)
            if 8 * rows * masks.masks.shape[1] > _MAX_TABLE:
                raise TooLargeError
            part_of = changes.part_of_value
            values = masks_of_ranks(masks, changes, part_of, changes.before)
            part_of = changes.part_of_change
            options = masks_of_ranks(masks, changes, part_of, changes.new)
            mask_sums(masks, changes, values, options, stay, out)
        return sums
