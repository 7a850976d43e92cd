"""Sums of trees for many changes of many rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from skresp._model._change_lists import PartCodes
from skresp._typing import FloatArray

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
        self, codes: FloatArray, parts: Sequence[PartCodes]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the sums of rows, and of all their changes, part by part.

        Raise TooLargeError where tables would take too much memory.
        """
        from ._leaf_masks import mask_sums, masks_of_ranks

        changes = ranked_changes(self.trees, codes, parts)
        n_gains = self.trees.gain.shape[1]
        stay = np.zeros((len(codes), n_gains))
        out = np.zeros((int(changes.counts.sum()), n_gains))
        if len(self._large):
            self._walk(changes, parts, stay, out)
            for part, start in zip(parts, changes.start.T, strict=True):
                counts = part.n_points
                first = int(start[0]) if len(start) else 0
                here = slice(first, first + int(counts.sum()))
                out[here] += np.repeat(stay, counts, axis=0)
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
        parts: Sequence[PartCodes],
        stay: FloatArray,
        out: FloatArray,
    ) -> None:
        """Add the sums of large trees; `out` gets differences to the rows' own."""
        from ._partition_walk import BLOCK, MAX_OPTIONS, walk_sums

        most = int(changes.counts.max(initial=0))
        for done in range(0, max(most, 1), MAX_OPTIONS):
            options = self._options(changes, parts, done)
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

    def _options(
        self, changes: Changes, parts: Sequence[PartCodes], done: int
    ) -> Options:
        """Return the changes after the first `done` of each list as bits."""
        from ._partition_walk import MAX_OPTIONS, Options, fill_splits

        trees = self.trees
        part_of = np.full(len(trees.columns), -1, dtype=np.int64)
        split_begin = np.zeros(len(trees.columns), dtype=np.int64)
        begin = np.zeros(changes.first.shape, dtype=np.int64)
        tables, total, offset = [np.zeros(0, dtype=np.uint64)], 0, 0
        for p, part in enumerate(parts):
            columns = changes.order[changes.part_begin[p] : changes.part_begin[p + 1]]
            part_of[columns] = p
            widths = [len(trees.split_nodes[k]) for k in columns]
            ends = np.cumsum(widths, dtype=np.int64)
            width = int(ends[-1]) if len(ends) else 0
            total += 8 * width * len(part.counts)
            if total > _MAX_TABLE:
                raise TooLargeError
            owner = part.owner
            bit = np.arange(len(owner)) - part.starts[owner] - done
            use = np.flatnonzero((bit >= 0) & (bit < MAX_OPTIONS))
            table = np.zeros((len(part.counts), width), dtype=np.uint64)
            for j, k in enumerate(columns.tolist()):
                split_begin[k] = ends[j] - widths[j]
                fill_splits(
                    trees.nodes,
                    trees.split_nodes[k],
                    changes.new[offset + use, j],
                    owner[use],
                    bit[use],
                    table[:, split_begin[k] : ends[j]],
                )
            begin[:, p] = sum(map(len, tables)) + width * np.maximum(part.which, 0)
            tables.append(table.ravel())
            offset += len(owner)
        bits = np.array([(1 << n) - 1 for n in range(MAX_OPTIONS + 1)], dtype=np.uint64)
        return Options(
            np.ascontiguousarray(changes.own.T),
            part_of,
            bits[np.clip(changes.counts - done, 0, MAX_OPTIONS)],
            changes.start + done,
            np.concatenate(tables),
            begin,
            split_begin,
        )


def ranked_changes(
    trees: RankedTrees, codes: FloatArray, parts: Sequence[PartCodes]
) -> Changes:
    """Return the changes of rows as ranks."""
    n, used = len(codes), len(trees.columns)
    own = np.empty((n, used), dtype=np.int32)
    for k, c in enumerate(trees.columns.tolist()):
        own[:, k] = trees.ranks(k, codes[:, c])
    position = {c: k for k, c in enumerate(trees.columns.tolist())}
    of_parts = [[position[c] for c in part.after if c in position] for part in parts]
    n_changes = [int(part.counts.sum()) for part in parts]
    widest = max((len(columns) for columns in of_parts), default=0)
    new = np.zeros((sum(n_changes), max(widest, 1)), dtype=np.int32)
    n_values = sum(len(part.counts) for part in parts)
    before = np.zeros((n_values, new.shape[1]), dtype=np.int32)
    first = np.zeros((n, len(parts)), dtype=np.int64)
    count, start, value = (np.zeros_like(first) for _ in range(3))
    moves = np.zeros(len(new), dtype=bool)
    offset = points = values = 0
    for p, part in enumerate(parts):
        here = slice(offset, offset + n_changes[p])
        row, owner = part.first_rows, part.owner
        for j, k in enumerate(of_parts[p]):
            new[here, j] = trees.ranks(k, part.after[int(trees.columns[k])])
            before[values : values + len(row), j] = own[row, k]
            moves[here] |= new[here, j] != own[row[owner], k]
        count[:, p] = part.n_points
        first[:, p] = offset + part.starts[np.maximum(part.which, 0)]
        value[:, p] = np.where(part.which >= 0, values + part.which, -1)
        ends = np.cumsum(count[:, p])
        start[:, p] = points + ends - count[:, p]
        offset += n_changes[p]
        values += len(row)
        points += int(ends[-1]) if n else 0
    order = [k for columns in of_parts for k in columns]
    begin = np.cumsum([0, *map(len, of_parts)])
    moved = set(order)
    order += [k for k in range(used) if k not in moved]
    return Changes(
        own,
        np.array(order, dtype=np.intp),
        begin,
        new,
        first,
        count,
        start,
        moves,
        value,
        before,
        np.repeat(np.arange(len(parts)), [len(part.counts) for part in parts]),
        np.repeat(np.arange(len(parts)), n_changes),
    )
