"""Gains of changes of one part, with all other parts as they are.

Small trees are summed by masks of leaves, large ones by a walk of all people together,
as for scores: see `skresp/_model/trees/_leaf_masks.py` and `_partition_walk.py`. Where
the tables for that would take longer than the walk, each person walks alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model._change_lists import ChangeLists
from skresp._model.trees._leaf_masks import (
    MAX_LEAVES,
    LeafMasks,
    empty_masks,
    fill_masks,
    mask_sums,
    masks_of_ranks,
)
from skresp._model.trees._ranked_trees import Changes, Nodes, Ranks, number_splits
from skresp._model.trees._walk_rounds import Round, WalkedTrees
from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray
from skresp.reach._allowance import allowance
from skresp.reach._deadline import Deadline

from ._equivalent_changes import ChangesOfValues, EquivalentChanges
from ._nodes import FEATURE, LEFT, RANK, RIGHT, Trees, tree_sums
from ._single_part import GainIndex, add_differences, single_part_gains

# The largest size of the masks of trees, and of the masks of changes, in bytes.
_MAX_MASKS = 128 * 2**20
_MAX_TABLE = 64 * 2**20
# Rows that walk through trees faster than their masks are joined.
_FEW_ROWS = 8
# Splits that are looked up in the time of one person's walk through one tree.
_SPLITS_PER_WALK = 32


class RankedForest(NamedTuple):
    """Trees over codes, small and large ones.

    Attributes
    ----------
    trees : Trees
    n_ranks : array of shape (n_columns,)
        The number of codes of each column; the last one is for a missing value.
    masks : LeafMasks or None
        The small trees.
    walked : WalkedTrees or None
        The large trees.
    """

    trees: Trees
    n_ranks: IntArray
    masks: LeafMasks | None
    walked: WalkedTrees | None

    @classmethod
    def of(cls, trees: Trees, small: BoolArray) -> RankedForest:
        """Return trees; `small` says which are summed by masks of leaves."""
        n_ranks = _n_ranks(trees)
        links = np.zeros((len(trees.nodes), 5), dtype=np.int32)
        links[:, :4] = trees.nodes[:, [FEATURE, RANK, LEFT, RIGHT]]
        nodes = Nodes(
            links,
            trees.missing_left,
            trees.gain,
            np.zeros((1, 1), dtype=bool),
            (n_ranks - 1).astype(np.int32),
        )
        masks = walked = None
        if small.any():
            masks = empty_masks(n_ranks, trees.gain.shape[1], _n_leaves(trees)[small])
            given = trees.roots[small].astype(np.int32), nodes, masks.offsets, n_ranks
            allowance().deadline.call(fill_masks, *given, masks.masks, masks.gain)
        if not small.all():
            number_splits(links, trees.missing_left)
            roots = trees.roots[~small].astype(np.int32)
            walked = WalkedTrees(roots, nodes, trees.depth)
        return cls(trees, n_ranks, masks, walked)

    def sums(self, codes: IntArray) -> FloatArray:
        """Return the sums of all trees at rows of codes."""
        if self.masks is None or len(codes) < _FEW_ROWS:
            return np.asarray(tree_sums(self.trees, codes))
        columns = np.arange(len(self.n_ranks))
        nothing = np.zeros((len(codes), 0), dtype=np.int64)
        empty, none = np.zeros((0, 1), dtype=np.int32), np.zeros(0, dtype=np.int64)
        unchanged = Changes(
            own=self.ranks(codes[:, : len(columns)], columns),
            order=columns,
            part_begin=np.zeros(1, dtype=np.int64),
            new=empty,
            first=nothing,
            counts=nothing,
            start=nothing,
            moves=np.zeros(0, dtype=bool),
            value=nothing,
            before=empty,
            part_of_value=none,
            part_of_change=none,
        )
        out = np.zeros((len(codes), self.trees.gain.shape[1]))
        no_masks = np.zeros((0, self.masks.masks.shape[1]), dtype=np.uint64)
        mask_sums(self.masks, unchanged, no_masks, no_masks, out, out[:0])
        if self.walked is not None:
            roots = self.walked.roots.astype(np.int64)
            out += tree_sums(self.trees._replace(roots=roots), codes)
        return out

    def ranks(self, codes: IntArray, columns: IndexArray) -> Ranks:
        """Return codes as ranks; a missing value, -1, has the last one."""
        return np.where(codes < 0, self.n_ranks[columns] - 1, codes).astype(np.int32)


def small_trees(trees: Trees) -> BoolArray:
    """Return which trees have few enough leaves, if their masks fit into memory."""
    small = _n_leaves(trees) <= MAX_LEAVES
    if 8 * int(_n_ranks(trees).sum()) * int(small.sum()) > _MAX_MASKS:
        small[:] = False
    return small


def _n_leaves(trees: Trees) -> IntArray:
    """Return the number of leaves of each tree."""
    is_leaf = (trees.nodes[:, FEATURE] < 0).astype(np.int64)
    return np.asarray(np.add.reduceat(is_leaf, trees.roots))


def _n_ranks(trees: Trees) -> IntArray:
    """Return the number of codes of each column, a missing value included."""
    inner = trees.nodes[:, FEATURE] >= 0
    n_columns = int(trees.nodes[:, FEATURE].max(initial=-1)) + 1
    highest = np.full(n_columns, -1, dtype=np.int64)
    np.maximum.at(highest, trees.nodes[inner, FEATURE], trees.nodes[inner, RANK])
    return highest + 3


class PartGains:
    """The gains of the changes of people.

    Parameters
    ----------
    forest : RankedForest
    changes : ChangesOfValues

    Attributes
    ----------
    order, part_begin, new, moves : arrays
        See `skresp._model.trees._ranked_trees.Changes`.
    lists : ChangeLists
        The lists of changes of all values, of nobody.
    options : array of shape (n_changes, n_small_trees), uint64
        The masks that changes leave; empty where they would take too much memory.
    """

    def __init__(self, forest: RankedForest, changes: ChangesOfValues) -> None:
        self.forest, self.changes = forest, changes
        n_parts, width = len(changes.offsets) - 1, len(forest.n_ranks)
        part_of, slot_of = changes.part_of[:width], changes.slot_of[:width]
        columns = [np.flatnonzero(part_of == p) for p in range(n_parts)]
        self.order = np.concatenate([*columns, np.flatnonzero(part_of < 0)])
        self.part_begin = np.cumsum([0, *map(len, columns)])
        part_of_value = np.repeat(np.arange(n_parts), np.diff(changes.offsets))
        part_of_change = np.repeat(part_of_value, changes.counts)
        slots = np.full((n_parts, max([1, *map(len, columns)])), -1, dtype=np.intp)
        for p, some in enumerate(columns):
            slots[p, : len(some)] = some
        column = slots[part_of_change]
        self.new = np.zeros(column.shape, dtype=np.int32)
        at, k = np.nonzero(column >= 0)
        column = column[at, k]
        self.new[at, k] = forest.ranks(changes.new_code[at, slot_of[column]], column)
        # The first change of a value is staying put.
        self.moves = np.ones(len(self.new), dtype=bool)
        self.moves[changes.first] = False
        self.begins = changes.first
        self.lists = ChangeLists(
            np.zeros((n_parts, 0), dtype=np.intp),
            changes.counts,
            np.diff(changes.offsets),
            np.full((n_parts, 0), -1),
        )
        nothing = np.zeros((0, n_parts), dtype=np.int64)
        own = np.zeros((0, width), dtype=np.int32)
        self.options = np.zeros((0, 0), dtype=np.uint64)
        self._nobody = self._ranked_changes(own, nothing, nothing, nothing)
        if forest.masks is not None:
            self.options = self._options(forest.masks, part_of_change)

    def _options(
        self, masks: LeafMasks, part_of_change: IndexArray
    ) -> NDArray[np.uint64]:
        """Return the masks that changes leave."""
        n_trees = masks.masks.shape[1]
        if 8 * len(self.new) * n_trees > _MAX_TABLE:
            return np.zeros((0, n_trees), dtype=np.uint64)
        made: NDArray[np.uint64] = masks_of_ranks(
            masks, self._nobody, part_of_change, self.new
        )
        return made

    def rounds(self, n_people: int) -> list[Round] | None:
        """Return where changes go in large trees, if that is faster to find out.

        None where the people walk alone.
        """
        walked = self.forest.walked
        if walked is None:
            return None
        walks = len(walked.roots) * n_people
        if self._size_of_rounds > min(_SPLITS_PER_WALK * walks, _MAX_TABLE // 8):
            return None
        return self._rounds

    @cached_property
    def _size_of_rounds(self) -> int:
        """The number of splits that rounds look up."""
        assert self.forest.walked is not None
        most = int(self.lists.counts.max(initial=0))
        return most * self.forest.walked.n_entries(self._nobody, self.lists)

    @cached_property
    def _rounds(self) -> list[Round]:
        """Where changes go in large trees."""
        assert self.forest.walked is not None
        return self.forest.walked.rounds(self._nobody, self.lists)

    def add(
        self,
        deadline: Deadline,
        rounds: list[Round] | None,
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
        if self.forest.walked is not None:
            if rounds is None:
                self._walk_alone(deadline, people, changes, index, stay, gain)
            else:
                rows = np.zeros((len(people), gain.shape[1]))
                given = self._ranked(people, changes, index.start)
                lists = self._lists(people, changes)
                self.forest.walked.add_sums(rounds, given, lists, rows, gain, deadline)
                stay[people] += rows
        if self.forest.masks is not None:
            self._add_small(deadline, people, changes, index, stay, gain)

    def _walk_alone(
        self,
        deadline: Deadline,
        people: IndexArray,
        changes: EquivalentChanges,
        index: GainIndex,
        stay: FloatArray,
        gain: FloatArray,
    ) -> None:
        """Add the sums and gains of large trees, person by person."""
        assert self.forest.walked is not None
        trees, roots = self.forest.trees, self.forest.walked.roots.astype(np.int64)
        for some in deadline.slices(len(roots)):
            few = trees._replace(roots=roots[some])
            deadline.call(
                single_part_gains, people, few, changes, index.start, stay, gain
            )

    def _add_small(
        self,
        deadline: Deadline,
        people: IndexArray,
        changes: EquivalentChanges,
        index: GainIndex,
        stay: FloatArray,
        gain: FloatArray,
    ) -> None:
        """Add the sums and gains of small trees."""
        sums = np.zeros_like(gain)
        own = np.zeros_like(stay)
        for some in deadline.slices(len(people)):
            who = people[some]
            rows = np.zeros((len(who), gain.shape[1]))
            given = self._ranked(who, changes, index.start)
            masks, options = self.forest.masks, self.options
            deadline.call(mask_sums, masks, given, options, options, rows, sums)
            own[who] = rows
        stay += own
        deadline.call(add_differences, people, index.start, sums, own, gain)

    def _lists(self, people: IndexArray, changes: EquivalentChanges) -> ChangeLists:
        """Return the lists of changes of people; -1 for those who cannot move."""
        which = np.searchsorted(self.begins, changes.first[people].T)
        which = np.where(changes.counts[people].T > 1, which, -1)
        return replace(self.lists, which=which)

    def _ranked(
        self, people: IndexArray, changes: EquivalentChanges, start: IntArray
    ) -> Changes:
        """Return the changes of people as ranks."""
        n_parts, width = changes.first.shape[1], len(self.forest.n_ranks)
        return self._ranked_changes(
            self.forest.ranks(changes.codes[people][:, :width], np.arange(width)),
            changes.first[people],
            changes.counts[people],
            np.ascontiguousarray(start[people, :n_parts]),
        )

    def _ranked_changes(
        self, own: Ranks, first: IntArray, counts: IntArray, start: IntArray
    ) -> Changes:
        """Return the changes of people with these ranks."""
        # Staying put is a change with a mask of its own, unless the person has moved.
        has_mask = (counts > 1) & (len(self.options) > 0)
        nothing = np.zeros(0, dtype=np.int64)
        return Changes(
            own=own,
            order=self.order,
            part_begin=self.part_begin,
            new=self.new,
            first=first,
            counts=counts,
            start=start,
            moves=self.moves,
            value=np.where(has_mask, first, -1),
            before=self.new[:0],
            part_of_value=nothing,
            part_of_change=nothing,
        )
