"""Equivalent changes: options that no split of a tree ensemble distinguishes.

The code of a value is its rank among the thresholds that it is compared with. Options
with the same codes lead to the same leaves, and count as one change in this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skresp._model._decision import Decision
from skresp._model._group import Group
from skresp._model._row_batch import RowBatch
from skresp._model._score_function import ScoreFunction
from skresp._model.trees._rank_kernels import set_ranks
from skresp._model.trees._raw_trees import RawTrees
from skresp._recourse.engines._base import EngineInput, NotSeparableError
from skresp._recourse.engines._tree_depth import tree_depth
from skresp._typing import FloatArray, IndexArray, IntArray
from skresp.reach._deadline import Deadline
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._options import Options

from ._nodes import FEATURE, Trees
from ._single_part import codes_after


@dataclass(frozen=True)
class Coder:
    """Encodes values as ranks among the thresholds that they are compared with.

    The columns of the model's input come first. After them comes one column for each
    table of listed columns (see `RawTrees`): its code is 0 where a value goes left,
    else 1.

    Attributes
    ----------
    thresholds : dict of int to array
        The distinct thresholds of each column of numbers, in ascending order.
    tables : dict of int to array
        The tables of each listed column.
    width : int
        The number of columns of codes.
    """

    thresholds: dict[int, FloatArray]
    tables: dict[int, IndexArray]
    width: int

    @classmethod
    def of(cls, trees: RawTrees) -> Coder:
        """Return the coder for the splits of trees."""
        thresholds, tables = {}, {}
        for column in trees.split_columns:
            distinct = trees.thresholds(column)
            if trees.is_listed[column]:
                tables[column] = distinct.astype(np.intp)
            else:
                thresholds[column] = distinct
        n_columns, n_tables = len(trees.is_listed), len(trees.goes_left)
        return cls(thresholds, tables, n_columns + n_tables)

    def codes(self, trees: RawTrees, X: FloatArray) -> IntArray:
        """Return the codes of rows, -1 where missing or in columns without splits.

        `X` are codes of the model's columns, and `trees` know all their labels.
        """
        out = np.full((len(X), self.width), -1, dtype=np.int64)
        columns, cuts, begin = self._numbers
        set_ranks(cuts, begin, columns, X, out)
        for column in self.tables:
            made, codes = self.column(trees, column, X[:, column])
            out[:, made] = codes
        return out

    @cached_property
    def _numbers(self) -> tuple[IndexArray, FloatArray, IntArray]:
        """The columns of numbers, all their thresholds, and where each begins."""
        ends = np.cumsum([len(cuts) for cuts in self.thresholds.values()])
        return (
            np.array(list(self.thresholds), dtype=np.intp),
            np.concatenate([np.zeros(0), *self.thresholds.values()]),
            np.append(0, ends).astype(np.int64),
        )

    def column(
        self, trees: RawTrees, column: int, values: FloatArray
    ) -> tuple[IndexArray, IntArray]:
        """Return the columns of codes of one column of the model, and the codes."""
        if column in self.thresholds:
            code = np.searchsorted(self.thresholds[column], values)
            code = np.where(np.isnan(values), -1, code)
            return np.array([column]), code[:, None]
        tables = self.tables[column]
        position = trees.positions_of(column, values).astype(np.intp)
        goes = trees.goes_left[tables][:, position].T
        return len(trees.is_listed) + tables, np.where(goes, 0, 1)

    def trees(self, group: Group, decision: Decision) -> tuple[Trees, FloatArray]:
        """Return the trees over codes, with gaps as scores, and their base.

        A gap is positive where the score of the target exceeds that of one rival:
        another class, or the cut.
        """
        trees = group.trees
        assert trees is not None
        feature, rank = trees.column.copy(), trees.ranks.copy()
        for column in self.tables:
            at = trees.nodes_of(column)
            feature[at], rank[at] = len(trees.is_listed) + trees.threshold[at], 0
        wide, width = trees.leaves, len(group.base)
        if width > 1 and wide.shape[1] == 1:
            tree = np.searchsorted(trees.roots, np.arange(len(wide)), side="right")
            wide = np.zeros((len(wide), width))
            wide[np.arange(len(wide)), trees.output[tree - 1]] = trees.leaves[:, 0]
        gain, base = decision.gaps(wide), decision.gaps(group.base[None])[0]
        coded = Trees(
            trees.roots.astype(np.int64),
            np.ascontiguousarray(
                np.array((feature, rank, trees.left, trees.right), dtype=np.int32).T
            ),
            trees.missing_left,
            np.ascontiguousarray(gain),
            tree_depth(trees),
        )
        return coded, base - decision.offset


def tolerance_of(trees: Trees, decision: Decision) -> float:
    """Return the rounding error of a sum of trees."""
    # Adding each tree rounds by a share of the sum.
    leaf = trees.nodes[:, FEATURE] < 0
    size = np.where(leaf, np.abs(trees.gain).max(axis=1), 0.0)
    largest = np.maximum.reduceat(size, trees.roots)
    return max(decision.tolerance, decision.rounding * float(largest.sum()))


class EquivalentChanges(NamedTuple):
    """The changes of people on each part, as arrays for kernels.

    A change is a set of equivalent options of one part.

    Attributes
    ----------
    part_of : array of shape (n_columns,)
        The part that moves each column, -1 for none.
    slot_of : array of shape (n_columns,)
        The position of the column's code in `new_code`.
    codes : array of shape (n_people, n_columns)
        The people's own codes.
    first, counts : arrays of shape (n_people, n_parts)
        Where the changes of each person and part begin, and how many there are. The
        first change is staying put.
    new_code : array of shape (n_changes, n_slots)
        The codes after each change.
    cost, option : arrays of shape (n_changes,)
        Cost and position of the cheapest option of each change.
    single_cost, single : arrays of shape (n_changes,)
        The same for the cheapest intervention on one feature; infinite and -1 where
        there is none.
    """

    part_of: IntArray
    slot_of: IntArray
    codes: IntArray
    first: IntArray
    counts: IntArray
    new_code: IntArray
    cost: FloatArray
    option: IndexArray
    single_cost: FloatArray
    single: IndexArray

    def codes_after(
        self, people: IndexArray, choice: IntArray, deadline: Deadline
    ) -> IntArray:
        """Return the codes of people after a choice of changes, -1 for staying put."""
        given = self.codes, people, choice, self.part_of, self.slot_of, self.new_code
        codes: IntArray = deadline.call(codes_after, *given)
        return codes


class ChangesOfValues(NamedTuple):
    """The changes of the values of all parts, whoever has them.

    Attributes
    ----------
    part_of, slot_of, new_code, cost, option, single_cost, single : arrays
        See `EquivalentChanges`.
    first, counts : arrays of shape (n_values,)
        Where the changes of each value begin, and how many there are.
    offsets : array of shape (n_parts + 1,)
        Where the values of each part begin.
    """

    part_of: IntArray
    slot_of: IntArray
    new_code: IntArray
    cost: FloatArray
    option: IndexArray
    single_cost: FloatArray
    single: IndexArray
    first: IntArray
    counts: IntArray
    offsets: IndexArray

    def of_people(
        self, codes: IntArray, options: Sequence[Options]
    ) -> EquivalentChanges:
        """Return the changes of people with these codes.

        Raises NotSeparableError where the codes of a person are not those of the
        person's values.
        """
        which = np.stack([each.which for each in options], axis=1)
        value = which + self.offsets[:-1]
        first = self.first[value]
        columns = np.flatnonzero(self.part_of >= 0)
        own = self.new_code[first[:, self.part_of[columns]], self.slot_of[columns]]
        if not np.array_equal(own, codes[:, columns]):
            raise NotSeparableError
        return EquivalentChanges(
            self.part_of,
            self.slot_of,
            codes,
            first,
            self.counts[value],
            *self[2:7],
        )


def changes_of_values(
    score_function: ScoreFunction,
    coder: Coder,
    options: Sequence[Options],
    costs: Sequence[FloatArray],
    after_options: Iterable[Mapping[int, FloatArray]],
) -> ChangesOfValues:
    """Join equivalent options into changes; there is at least one part.

    Raises NotSeparableError where two parts move the same column.

    Parameters
    ----------
    score_function : ScoreFunction
        It knows all labels.
    coder : Coder
    options, costs : one Options and one array of costs per part
    after_options : one mapping per part
        The codes of the model's columns after each option.
    """
    trees = score_function.groups[0].trees
    assert trees is not None
    part_of = np.full(coder.width, -1, dtype=np.int64)
    slot_of = np.zeros(coder.width, dtype=np.int64)
    blocks = []
    for p, (each, after) in enumerate(zip(options, after_options, strict=True)):
        moved, codes = _moved_codes(trees, coder, each, after)
        if (part_of[moved] >= 0).any():
            raise NotSeparableError
        part_of[moved] = p
        slot_of[moved] = np.arange(len(moved))
        blocks.append(codes)
    codes = _side_by_side(blocks)
    offsets = np.cumsum([0, *(len(each.values) for each in options)])
    owner = np.repeat(
        np.arange(offsets[-1]), np.concatenate([each.counts for each in options])
    )
    # Values of different parts differ, and so do their options.
    start, member = distinct_rows(np.column_stack([owner, codes]))
    price = np.concatenate(costs)
    is_single = np.concatenate([each.single for each in options])
    begins = np.repeat(
        np.cumsum([0, *map(len, blocks[:-1])]), [len(block) for block in blocks]
    )[start]
    cost, option = _cheapest_options(price, member, begins)
    single_price = np.where(is_single, price, np.inf)
    single_cost, single = _cheapest_options(single_price, member, begins)
    return ChangesOfValues(
        part_of,
        slot_of,
        codes[start],
        cost,
        option,
        single_cost,
        single,
        np.searchsorted(owner[start], np.arange(offsets[-1])),
        np.bincount(owner[start], minlength=offsets[-1]),
        offsets,
    )


def codes_of_people(
    score_function: ScoreFunction, coder: Coder, given: EngineInput
) -> tuple[ScoreFunction, IntArray]:
    """Return a score function that knows all labels, and the codes of people.

    Raises NotSeparableError where the scores of a row are not known.
    """
    known, codes = given.batch.coded(score_function)
    trees = known.groups[0].trees
    if trees is None:
        raise NotSeparableError
    if not known.known_rows(codes[given.rows]).all():
        raise NotSeparableError
    made = given.batch.kept.get("tree codes")
    if made is not None and made[0] is coder:
        return known, made[1][given.rows]
    return known, coder.codes(trees, codes[given.rows])


def kept_codes(
    coder: Coder, batch: RowBatch, trees: RawTrees, codes: FloatArray
) -> IntArray:
    """Return the codes of all rows of a batch, kept for `codes_of_people`."""
    made = coder.codes(trees, codes)
    batch.kept["tree codes"] = coder, made
    return made


def _cheapest_options(
    cost: FloatArray, member: IndexArray, begins: IntArray
) -> tuple[FloatArray, IndexArray]:
    """Return cost and position of the cheapest option of each change, -1 for none.

    `member` is the change of each option, and the positions of its part begin at
    `begins`. Options of infinite cost do not count.
    """
    order = np.lexsort((cost, member))
    cheapest = order[np.searchsorted(member[order], np.arange(len(begins)))]
    least = cost[cheapest]
    return least, np.where(np.isfinite(least), cheapest - begins, -1)


def _side_by_side(blocks: list[IntArray]) -> IntArray:
    """Return the codes of the options of all parts, filled up with zeros."""
    slots = max([1, *(block.shape[1] for block in blocks)])
    out = np.zeros((sum(map(len, blocks)), slots), dtype=np.int64)
    at = 0
    for block in blocks:
        out[at : at + len(block), : block.shape[1]] = block
        at += len(block)
    return out


def _moved_codes(
    trees: RawTrees, coder: Coder, options: Options, after: Mapping[int, FloatArray]
) -> tuple[IndexArray, IntArray]:
    """Return the columns whose codes the options of a part change, and the codes.

    `after` are the codes of the model's columns after each option.
    """
    columns = [np.zeros(0, dtype=np.intp)]
    blocks = [np.zeros((len(options.changes), 0), dtype=np.int64)]
    for column, values in after.items():
        if column in coder.thresholds or column in coder.tables:
            made, codes = coder.column(trees, column, values)
            columns.append(made)
            blocks.append(codes)
    codes = np.concatenate(blocks, axis=1)
    moved = (codes != codes[options.offsets[options.owner]]).any(axis=0)
    return np.concatenate(columns)[moved], codes[:, moved]
