"""The changes of rows as bits, for the walk through large trees.

A mask has room for a few dozen changes. Where rows have more, the walk is repeated for
the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model._change_lists import ChangeLists
from skresp._typing import FloatArray, IndexArray
from skresp.reach._deadline import NEVER, Deadline

from ._ranked_trees import COLUMN, SPLIT, Changes, Nodes

if TYPE_CHECKING:
    from ._partition_walk import Rows, Splits


class _Share(NamedTuple):
    """Changes of one part that a round includes.

    Attributes
    ----------
    part : int
    done : int
        The changes of each list before this one were in earlier rounds.
    size : int
        How many changes of a list are included, at most.
    bit : int
        The bit of the first of them.
    """

    part: int
    done: int
    size: int
    bit: int

    @property
    def bits(self) -> NDArray[np.uint64]:
        """The masks of none of these changes, of the first, of the first two, ..."""
        masks = [((1 << n) - 1) << self.bit for n in range(self.size + 1)]
        return np.array(masks, dtype=np.uint64)


class Round(NamedTuple):
    """Changes that go down the trees together.

    Attributes
    ----------
    shares : list of _Share
    splits : Splits
    """

    shares: list[_Share]
    splits: Splits

    def rows(self, own: NDArray[Any], changes: Changes, lists: ChangeLists) -> Rows:
        """Return the rows of the lists; `own` are their ranks, column by column."""
        from ._partition_walk import Rows

        every = np.zeros(own.shape[1], dtype=np.uint64)
        which = np.zeros(lists.which.shape, dtype=np.uint32)
        for share in self.shares:
            left = lists.n_points[share.part] - share.done
            every |= share.bits[np.clip(left, 0, share.size)]
            of_part = lists.which[share.part] - lists.first_lists[share.part]
            which[share.part] = np.maximum(of_part, 0)
        return Rows(own, every, which, changes.start)


@dataclass(frozen=True)
class WalkedTrees:
    """Trees whose sums are found by walks.

    Attributes
    ----------
    roots : array of shape (n_trees,)
    nodes : Nodes
    depth : int
        Of the deepest tree.
    """

    roots: NDArray[np.int32]
    nodes: Nodes
    depth: int

    @cached_property
    def split_nodes(self) -> list[IndexArray]:
        """For each column, a node with each of its splits."""
        links = self.nodes.links
        inner = np.flatnonzero(links[:, COLUMN] >= 0)
        n_columns = len(self.nodes.missing)
        n_splits = np.zeros(n_columns, dtype=np.int64)
        np.maximum.at(n_splits, links[inner, COLUMN], links[inner, SPLIT] + 1)
        begin = np.cumsum(n_splits) - n_splits
        found = np.zeros(int(n_splits.sum()), dtype=np.intp)
        found[begin[links[inner, COLUMN]] + links[inner, SPLIT]] = inner
        return np.split(found, begin[1:])

    def n_entries(self, changes: Changes, lists: ChangeLists) -> int:
        """Return the number of entries of the tables of a round, at most."""
        n_splits = np.array([len(some) for some in self.split_nodes])
        return sum(
            int(n_splits[_columns(changes, p)].sum()) * n_lists
            for p, n_lists in enumerate(lists.n_lists.tolist())
        )

    def rounds(self, changes: Changes, lists: ChangeLists) -> list[Round]:
        """Return where the changes of lists go, in as few rounds as possible."""
        return [
            Round(shares, self._splits(changes, lists, shares))
            for shares in _shares(lists)
        ]

    def add_sums(
        self,
        rounds: Sequence[Round],
        changes: Changes,
        lists: ChangeLists,
        stay: FloatArray,
        out: FloatArray,
        deadline: Deadline = NEVER,
    ) -> None:
        """Add the sums of rows, and the differences of all their changes to them.

        Parameters
        ----------
        rounds : list of Round
            Made from the same lists, of these or of other rows.
        changes : Changes
        lists : ChangeLists
            The lists of the rows.
        stay : array of shape (n_rows, n_gains)
        out : array of shape (n_points, n_gains)
        deadline : Deadline
        """
        from ._partition_walk import BLOCK, walk_sums

        few_ranks = int(self.nodes.missing.max(initial=0)) < 2**16
        dtype = np.uint16 if few_ranks else np.int32
        own = np.ascontiguousarray(changes.own.T, dtype=dtype)
        for k, each in enumerate(rounds):
            rows = each.rows(own, changes, lists)
            sums = stay if k == 0 else np.zeros_like(stay)
            for some in deadline.slices(len(self.roots)):
                for low in range(0, len(stay), BLOCK):
                    deadline.call(
                        walk_sums,
                        self.roots[some],
                        self.nodes,
                        each.splits,
                        rows,
                        low,
                        min(low + BLOCK, len(stay)),
                        self.depth,
                        sums,
                        out,
                    )

    def _splits(
        self, changes: Changes, lists: ChangeLists, shares: Sequence[_Share]
    ) -> Splits:
        """Return where the changes of one round go."""
        from ._partition_walk import MAX_OPTIONS, Splits

        n_columns = changes.own.shape[1]
        part_of, begin = np.full(n_columns, -1), np.zeros(n_columns, dtype=np.int64)
        part_bits = np.zeros(len(lists.n_lists), dtype=np.uint64)
        part_of_bit, position = np.zeros((2, MAX_OPTIONS), dtype=np.int64)
        tables, size = [np.zeros(0, dtype=np.uint64)], 0
        for share in shares:
            for j, k in enumerate(_columns(changes, share.part).tolist()):
                table = self._goes_left(k, lists, changes.new[:, j], share)
                part_of[k], begin[k] = share.part, size
                tables.append(table.ravel())
                size += table.size
            part_bits[share.part] = share.bits[-1]
            here = slice(share.bit, share.bit + share.size)
            part_of_bit[here] = share.part
            position[here] = share.done + np.arange(share.size)
        return Splits(
            part_of=part_of,
            part_bits=part_bits,
            goes_left=np.concatenate(tables),
            begin=begin,
            n_lists=lists.n_lists.astype(np.int64),
            part_of_bit=part_of_bit,
            position=position,
        )

    def _goes_left(
        self, column: int, lists: ChangeLists, new: NDArray[np.int32], share: _Share
    ) -> NDArray[np.uint64]:
        """Return which changes of each list go left, of shape (n_splits, n_lists).

        The lists are those of a part, the splits those of one of its columns, `new` the
        ranks after all changes.
        """
        from ._partition_walk import fill_splits

        chosen, part = self.split_nodes[column], share.part
        here = np.arange(*lists.first_changes[part : part + 2])
        bit = here - lists.starts[lists.owner[here]] - share.done
        use = (bit >= 0) & (bit < share.size)
        here, bit = here[use], bit[use] + share.bit
        owner = lists.owner[here] - lists.first_lists[part]
        table = np.zeros((len(chosen), int(lists.n_lists[part])), dtype=np.uint64)
        fill_splits(self.nodes, chosen, new[here], owner, bit, table)
        return table


def _shares(lists: ChangeLists) -> Iterator[list[_Share]]:
    """Yield the changes of each round: as many as masks have room for."""
    from ._partition_walk import MAX_OPTIONS

    shares: list[_Share] = []
    bit = 0
    for p in range(len(lists.n_lists)):
        counts = lists.counts[slice(*lists.first_lists[p : p + 2])]
        done, most = 0, int(counts.max(initial=0))
        while done < most:
            if bit == MAX_OPTIONS:
                yield shares
                shares, bit = [], 0
            size = min(most - done, MAX_OPTIONS - bit)
            shares.append(_Share(p, done, size, bit))
            done, bit = done + size, bit + size
    yield shares


def _columns(changes: Changes, part: int) -> IndexArray:
    """Return the columns that a part moves."""
    begin = changes.part_begin
    return changes.order[begin[part] : begin[part + 1]]
