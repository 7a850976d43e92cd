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
        points = given.lists.points
        out = np.zeros((len(points.change), n_gains))
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
            values, options = (
                masks_of_ranks(masks, changes, part_of, ranks)
                for part_of, ranks in (
                    (changes.part_of_value, changes.before),
                    (changes.part_of_change, changes.new),
                )
            )
            mask_sums(masks, changes, values, options, stay, out)
        return stay, out
