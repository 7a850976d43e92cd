"""Equivalent changes: options that no split of a tree ensemble distinguishes.

The code of a value is its rank among the thresholds that it is compared with. Options
with the same codes lead to the same leaves, and count as one change in this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from skresp._model._decision import DOUBT, Decision
from skresp._model._group import Group
from skresp._model._score_function import ScoreFunction
from skresp._model.trees._raw_trees import RawTrees
from skresp._recourse._option_points import option_codes
from skresp._recourse.engines._base import EngineInput, NotSeparableError
from skresp._recourse.engines._tree_depth import tree_depth
from skresp._typing import FloatArray, IndexArray, IntArray
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._options import Options

from ._nodes import FEATURE, Trees

# Relative rounding error of a sum in float32, with a margin.
_FLOAT32 = 1e-6


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
        for column, nodes in nodes_of(trees).items():
            distinct = np.unique(trees.threshold[nodes])
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
        for column in (*self.thresholds, *self.tables):
            made, codes = self.column(trees, column, X[:, column])
            out[:, made] = codes
        return out

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
        feature, rank = trees.column.copy(), np.zeros(len(trees.column), dtype=np.int32)
        for column, at in nodes_of(trees).items():
            if column in self.thresholds:
                rank[at] = np.searchsorted(self.thresholds[column], trees.threshold[at])
            else:
                feature[at] = len(trees.is_listed) + trees.threshold[at]
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


def nodes_of(trees: RawTrees) -> dict[int, IndexArray]:
    """Return the nodes that split on each column."""
    inner = np.flatnonzero(trees.column >= 0)
    order = inner[np.argsort(trees.column[inner], kind="stable")]
    columns, first = np.unique(trees.column[order], return_index=True)
    groups = np.split(order, first[1:])[: len(columns)]
    return dict(zip(columns.tolist(), groups, strict=True))


def tolerance_of(trees: Trees, decision: Decision) -> float:
    """Return the rounding error of a sum of trees."""
    if decision.doubt <= DOUBT:
        return decision.tolerance
    # Sums in float32: adding each tree rounds by a share of the sum.
    leaf = trees.nodes[:, FEATURE] < 0
    size = np.where(leaf, np.abs(trees.gain).max(axis=1), 0.0)
    largest = np.maximum.reduceat(size, trees.roots)
    return max(decision.tolerance, _FLOAT32 * float(largest.sum()))


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

    def codes_after(self, people: IndexArray, choice: IntArray) -> IntArray:
        """Return the codes of people after a choice of changes, -1 for staying put."""
        codes = self.codes[people]
        for p in range(choice.shape[1]):
            some = np.flatnonzero(choice[:, p] >= 0)
            columns = np.flatnonzero(self.part_of == p)
            new = self.new_code[choice[some, p]][:, self.slot_of[columns]]
            codes[np.ix_(some, columns)] = new
        return codes


def equivalent_changes(
    score_function: ScoreFunction, coder: Coder, given: EngineInput
) -> EquivalentChanges:
    """Join equivalent options of people into changes; there is at least one part.

    Raises NotSeparableError where the scores of a row are not known, or where two
    parts move the same column.
    """
    batch, options, rows = given.batch, given.options, given.rows
    known, codes = batch.coded(score_function)
    trees = known.groups[0].trees
    if trees is None or not known.known_rows(codes[rows]).all():
        raise NotSeparableError
    people = coder.codes(trees, codes[rows])
    width = people.shape[1]
    part_of = np.full(width, -1, dtype=np.int64)
    slot_of = np.zeros(width, dtype=np.int64)
    first = np.zeros((len(rows), len(options)), dtype=np.int64)
    count = np.ones((len(rows), len(options)), dtype=np.int64)
    blocks: list[IntArray] = []
    cheapest: list[tuple[FloatArray, IndexArray, FloatArray, IndexArray]] = []
    made = 0
    for p, each in enumerate(options):
        batch.deadline.check()
        after = option_codes(batch, score_function, each)
        moved, mine = _moved_codes(trees, coder, each, after)
        if (part_of[moved] >= 0).any():
            raise NotSeparableError
        own = mine[each.offsets[each.which]]
        if not np.array_equal(own, people[:, moved]):
            raise NotSeparableError
        part_of[moved] = p
        slot_of[moved] = np.arange(len(moved))
        start, member = distinct_rows(np.column_stack([each.owner, mine]))
        owner = each.owner[start]
        begins = np.searchsorted(owner, np.arange(len(each.values)))
        first[:, p] = made + begins[each.which]
        count[:, p] = np.bincount(owner, minlength=len(each.values))[each.which]
        blocks.append(mine[start])
        single_cost = np.where(each.single, given.costs[p], np.inf)
        cheapest.append(
            (
                *_cheapest_options(given.costs[p], member, len(start)),
                *_cheapest_options(single_cost, member, len(start)),
            )
        )
        made += len(start)
    new_code = _side_by_side(blocks)
    joined = [np.concatenate(arrays) for arrays in zip(*cheapest, strict=True)]
    return EquivalentChanges(part_of, slot_of, people, first, count, new_code, *joined)


def _cheapest_options(
    cost: FloatArray, member: IndexArray, n_changes: int
) -> tuple[FloatArray, IndexArray]:
    """Return cost and position of the cheapest option of each change, -1 for none.

    `member` is the change of each option. Options of infinite cost do not count.
    """
    order = np.lexsort((cost, member))
    cheapest = order[np.searchsorted(member[order], np.arange(n_changes))]
    least = cost[cheapest]
    return least, np.where(np.isfinite(least), cheapest, -1)


def _side_by_side(blocks: list[IntArray]) -> IntArray:
    """Return the codes of the changes of all parts, filled up with zeros."""
    slots = max([1, *(block.shape[1] for block in blocks)])
    out = np.zeros((sum(map(len, blocks)), slots), dtype=np.int64)
    at = 0
    for block in blocks:
        out[at : at + len(block), : block.shape[1]] = block
        at += len(block)
    return out


def _moved_codes(
    trees: RawTrees, coder: Coder, options: Options, after: dict[int, FloatArray]
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
