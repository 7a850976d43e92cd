"""Gains of changes of one part in small trees, by masks of leaves.

Most trees of boosted models have at most 64 leaves. For these the leaf of a point is
found without a walk, see `skresp/_model/trees/_leaf_masks.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skresp._model.trees._leaf_masks import (
    MAX_LEAVES,
    LeafMasks,
    fill_masks,
    mask_sums,
    masks_of_ranks,
)
from skresp._model.trees._ranked_trees import Changes, Nodes, Ranks
from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray
from skresp.reach._allowance import allowance
from skresp.reach._deadline import Deadline

from ._equivalent_changes import EquivalentChanges
from ._nodes import FEATURE, LEFT, RANK, RIGHT, Trees
from ._single_part import GainIndex

# The largest size of the masks of trees, and of the masks of changes, in bytes.
_MAX_MASKS = 128 * 2**20
_MAX_TABLE = 64 * 2**20


class MaskedTrees(NamedTuple):
    """Small trees as masks of their leaves.

    Attributes
    ----------
    masks : LeafMasks
    n_ranks : array of shape (n_columns,)
        The number of codes of each column; the last one is for a missing value.
    """

    masks: LeafMasks
    n_ranks: IntArray

    @classmethod
    def of(cls, trees: Trees, small: BoolArray) -> MaskedTrees:
        """Return the masks of some trees."""
        n_ranks = _n_ranks(trees)
        offsets = np.cumsum(n_ranks) - n_ranks
        links = np.zeros((len(trees.nodes), 5), dtype=np.int32)
        links[:, :4] = trees.nodes[:, [FEATURE, RANK, LEFT, RIGHT]]
        nodes = Nodes(
            links,
            trees.missing_left,
            trees.gain,
            np.zeros((1, 1), dtype=bool),
            (n_ranks - 1).astype(np.int32),
        )
        roots = trees.roots[small].astype(np.int32)
        masks = np.full((int(n_ranks.sum()), len(roots)), ~np.uint64(0))
        gain = np.zeros((trees.gain.shape[1], len(roots), MAX_LEAVES))
        deadline = allowance().deadline
        deadline.call(fill_masks, roots, nodes, offsets, n_ranks, masks, gain)
        return cls(LeafMasks(masks, offsets, gain), n_ranks)

    def ranks(self, codes: IntArray, columns: IndexArray) -> Ranks:
        """Return codes as ranks; a missing value, -1, has the last one."""
        return np.where(codes < 0, self.n_ranks[columns] - 1, codes).astype(np.int32)


def small_trees(trees: Trees) -> BoolArray:
    """Return which trees have few enough leaves, if their masks fit into memory."""
    is_leaf = (trees.nodes[:, FEATURE] < 0).astype(np.int64)
    small = np.add.reduceat(is_leaf, trees.roots) <= MAX_LEAVES
    if 8 * int(_n_ranks(trees).sum()) * int(small.sum()) > _MAX_MASKS:
        small[:] = False
    return small


def _n_ranks(trees: Trees) -> IntArray:
    """Return the number of codes of each column, a missing value included."""
    inner = trees.nodes[:, FEATURE] >= 0
    n_columns = int(trees.nodes[:, FEATURE].max(initial=-1)) + 1
    highest = np.full(n_columns, -1, dtype=np.int64)
    np.maximum.at(highest, trees.nodes[inner, FEATURE], trees.nodes[inner, RANK])
    return highest + 3


class MaskGains:
    """The gains of the changes of people in small trees.

    Parameters
    ----------
    trees : MaskedTrees
    changes : EquivalentChanges
        Of all people.

    Attributes
    ----------
    order, part_begin, new, moves : arrays
        See `skresp._model.trees._ranked_trees.Changes`.
    options : array of shape (n_changes, n_trees), uint64
        The masks that changes leave; empty where they would take too much memory.
    """

    def __init__(self, trees: MaskedTrees, changes: EquivalentChanges) -> None:
        self.trees = trees
        n_parts, width = changes.first.shape[1], len(trees.n_ranks)
        part_of, slot_of = changes.part_of[:width], changes.slot_of[:width]
        columns = [np.flatnonzero(part_of == p) for p in range(n_parts)]
        self.order = np.concatenate([*columns, np.flatnonzero(part_of < 0)])
        self.part_begin = np.cumsum([0, *map(len, columns)])
        part_of_change = _parts_of_changes(changes)
        slots = max([1, *map(len, columns)])
        self.new = np.zeros((len(changes.new_code), slots), dtype=np.int32)
        for p, some in enumerate(columns):
            here = np.flatnonzero(part_of_change == p)
            codes = changes.new_code[np.ix_(here, slot_of[some])]
            self.new[here, : len(some)] = trees.ranks(codes, some)
        # The first change of a person on a part is staying put.
        self.moves = np.ones(len(self.new), dtype=bool)
        self.moves[changes.first.ravel()] = False
        self.options = np.zeros((0, trees.masks.masks.shape[1]), dtype=np.uint64)
        if 8 * len(self.new) * self.options.shape[1] <= _MAX_TABLE:
            nobody = self._ranked(np.zeros(0, dtype=np.intp), changes)
            self.options = masks_of_ranks(trees.masks, nobody, part_of_change, self.new)

    def add(
        self,
        deadline: Deadline,
        people: IndexArray,
        changes: EquivalentChanges,
        index: GainIndex,
        stay: FloatArray,
        gain: FloatArray,
    ) -> None:
        """Add the sums where people stay put, and the gains of their changes.

        See `single_part_gains` for the parameters. The codes and counts of `changes`
        may be others than those of all people.
        """
        sums = np.zeros_like(gain)
        own = np.zeros_like(stay)
        for some in deadline.slices(len(people)):
            who = people[some]
            rows = np.zeros((len(who), gain.shape[1]))
            given = self._ranked(who, changes, index.start)
            masks, options = self.trees.masks, self.options
            deadline.call(mask_sums, masks, given, options, options, rows, sums)
            own[who] = rows
        stay += own
        at = index.owner, index.part
        has_sum = index.which < changes.first[at] + changes.counts[at]
        gain += np.where(has_sum[:, None], sums - own[index.owner], 0.0)

    def _ranked(
        self,
        people: IndexArray,
        changes: EquivalentChanges,
        start: IntArray | None = None,
    ) -> Changes:
        """Return the changes of people as ranks."""
        n_parts, width = changes.first.shape[1], len(self.trees.n_ranks)
        first, counts = changes.first[people], changes.counts[people]
        start = np.zeros_like(changes.first) if start is None else start
        columns = np.arange(width)
        # Staying put is a change with a mask of its own, unless the person has moved.
        has_mask = (counts > 1) & (len(self.options) > 0)
        nothing = np.zeros(0, dtype=np.int64)
        return Changes(
            own=self.trees.ranks(changes.codes[people][:, :width], columns),
            order=self.order,
            part_begin=self.part_begin,
            new=self.new,
            first=first,
            counts=counts,
            start=np.ascontiguousarray(start[people, :n_parts]),
            moves=self.moves,
            value=np.where(has_mask, first, -1),
            before=self.new[:0],
            part_of_value=nothing,
            part_of_change=nothing,
        )


def _parts_of_changes(changes: EquivalentChanges) -> IndexArray:
    """Return the part of each change; those of one part follow those of another."""
    ends = (changes.first + changes.counts).max(axis=0, initial=0)
    return np.searchsorted(ends, np.arange(len(changes.new_code)), side="right")
