"""Classes of changes that no split of a tree ensemble distinguishes.

The code of a value is its rank among the thresholds that it is compared with. Changes
with the same codes lead to the same leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from skresp._model._decision import Decision
from skresp._model._row_batch import RowBatch
from skresp._model.trees._arrays import DOUBLE, XGBOOST, Ensemble
from skresp._model.trees._score_function import TreeScoreFunction
from skresp._recourse._option_points import option_points
from skresp._recourse.engines._base import EngineInput, NotSeparableError
from skresp._typing import FloatArray, IndexArray, IntArray
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._options import Options

from ._nodes import FEATURE, Trees

# Relative rounding error of a sum in float32, with a margin.
_FLOAT32 = 1e-6


@dataclass(frozen=True)
class Coder:
    """Encodes values as ranks among the thresholds of their column."""

    thresholds: dict[int, FloatArray]
    rule: int

    @classmethod
    def of(cls, ensemble: Ensemble) -> Coder:
        """Return the coder for the splits of an ensemble."""
        found = {
            column: np.unique(ensemble.threshold[nodes])
            for column, nodes in ensemble.nodes_of.items()
        }
        return cls(found, ensemble.rule)

    def codes(self, Z: FloatArray) -> IntArray:
        """Return the codes of rows, -1 where missing or in columns without splits."""
        out = np.full(Z.shape, -1, dtype=np.int64)
        for column in self.thresholds:
            out[:, column] = self.column(column, Z[:, column])
        return out

    def column(self, column: int, values: FloatArray) -> IntArray:
        """Return the codes of values of one column."""
        side: Any = "right" if self.rule == XGBOOST else "left"
        if self.rule != DOUBLE:
            values = values.astype(np.float32).astype(float)
        code = np.searchsorted(self.thresholds[column], values, side=side)
        return np.where(np.isnan(values), -1, code)

    def trees(self, ensemble: Ensemble, decision: Decision) -> tuple[Trees, FloatArray]:
        """Return the ensemble over codes, with gaps as scores, and their base.

        A gap is positive where the score of the target exceeds that of one rival:
        another class, or the cut.
        """
        rank = np.zeros(len(ensemble.feature), dtype=np.int64)
        for column, thresholds in self.thresholds.items():
            at = ensemble.nodes_of[column]
            rank[at] = np.searchsorted(thresholds, ensemble.threshold[at])
        wide = ensemble.leaves
        if ensemble.width > 1 and wide.shape[1] == 1:
            tree = np.searchsorted(ensemble.roots, np.arange(len(wide)), side="right")
            wide = np.zeros((len(wide), ensemble.width))
            wide[np.arange(len(wide)), ensemble.output[tree - 1]] = ensemble.leaves[
                :, 0
            ]
        gain, base = decision.gaps(wide), decision.gaps(ensemble.base[None])[0]
        base = base - decision.offset
        columns = (ensemble.feature, rank, ensemble.left, ensemble.right)
        trees = Trees(
            ensemble.roots,
            np.ascontiguousarray(np.array(columns, dtype=np.int32).T),
            ensemble.missing_left,
            np.ascontiguousarray(gain),
            _depth(ensemble),
        )
        return trees, base


def tolerance_of(trees: Trees, decision: Decision, rule: int) -> float:
    """Return the rounding error of a sum of trees."""
    if rule != XGBOOST:
        return decision.tolerance
    # Sums in float32: adding each tree rounds by a share of the sum.
    leaf = trees.nodes[:, FEATURE] < 0
    size = np.where(leaf, np.abs(trees.gain).max(axis=1), 0.0)
    largest = np.maximum.reduceat(size, trees.roots)
    return max(decision.tolerance, _FLOAT32 * float(largest.sum()))


def _depth(ensemble: Ensemble) -> int:
    """Return the depth of the deepest tree."""
    depth, level = 0, ensemble.roots
    while True:
        inner = level[ensemble.feature[level] >= 0]
        if not len(inner):
            return depth
        level = np.concatenate([ensemble.left[inner], ensemble.right[inner]])
        depth += 1


class ChangeClasses(NamedTuple):
    """The classes of people's changes on each part, as arrays for kernels.

    Attributes
    ----------
    part_of : array of shape (n_columns,)
        The part that moves each column, -1 for none.
    slot_of : array of shape (n_columns,)
        The position of the column's code in `class_code`.
    codes : array of shape (n_people, n_columns)
        The people's own codes.
    first, counts : arrays of shape (n_people, n_parts)
        Where the classes of each person and part begin, and how many there are. The
        first class is staying put.
    class_code : array of shape (n_classes, n_slots)
    cost, option : arrays of shape (n_classes,)
        Cost and position of the cheapest option of each class.
    single_cost, single : arrays of shape (n_classes,)
        The same for the cheapest intervention on one feature; infinite and -1 where
        there is none.
    """

    part_of: IntArray
    slot_of: IntArray
    codes: IntArray
    first: IntArray
    counts: IntArray
    class_code: IntArray
    cost: FloatArray
    option: IndexArray
    single_cost: FloatArray
    single: IndexArray

    def codes_after(self, people: IndexArray, choice: IntArray) -> IntArray:
        """Return the codes of people after a choice of classes, -1 for staying put."""
        codes = self.codes[people]
        for p in range(choice.shape[1]):
            some = np.flatnonzero(choice[:, p] >= 0)
            columns = np.flatnonzero(self.part_of == p)
            new = self.class_code[choice[some, p]][:, self.slot_of[columns]]
            codes[np.ix_(some, columns)] = new
        return codes


def classes_of(
    score_function: TreeScoreFunction, coder: Coder, given: EngineInput
) -> ChangeClasses:
    """Group the options of people into classes; there is at least one part.

    Raises NotSeparableError where a row is not numeric for the trees, or where two
    parts move the same column.
    """
    batch, options, rows = given.batch, given.options, given.rows
    people = coder.codes(_numbers(score_function, batch.point_builder.take(rows, [])))
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
        moved, mine = _moved_codes(batch, score_function, coder, each)
        if (part_of[moved] >= 0).any():
            raise NotSeparableError
        own = mine[each.offsets[each.which]]
        if not np.array_equal(own, people[:, moved]):
            raise NotSeparableError
        part_of[moved] = p
        slot_of[moved] = np.arange(len(moved))
        start, member = distinct_rows([each.owner, *mine.T])
        owner = each.owner[start]
        begins = np.searchsorted(owner, np.arange(len(each.values)))
        first[:, p] = made + begins[each.which]
        count[:, p] = np.bincount(owner, minlength=len(each.values))[each.which]
        blocks.append(mine[start])
        single_cost = np.where(each.single, given.costs[p], np.inf)
        cheapest.append(
            (
                *_cheapest_of_classes(given.costs[p], member, len(start)),
                *_cheapest_of_classes(single_cost, member, len(start)),
            )
        )
        made += len(start)
    codes = _side_by_side(blocks)
    joined = [np.concatenate(arrays) for arrays in zip(*cheapest, strict=True)]
    return ChangeClasses(part_of, slot_of, people, first, count, codes, *joined)


def _cheapest_of_classes(
    cost: FloatArray, member: IndexArray, n_classes: int
) -> tuple[FloatArray, IndexArray]:
    """Return cost and position of the cheapest option of each class, -1 for none.

    `member` is the class of each option. Options of infinite cost do not count.
    """
    order = np.lexsort((cost, member))
    cheapest = order[np.searchsorted(member[order], np.arange(n_classes))]
    least = cost[cheapest]
    return least, np.where(np.isfinite(least), cheapest, -1)


def _side_by_side(blocks: list[IntArray]) -> IntArray:
    """Return the codes of the classes of all parts, filled up with zeros."""
    slots = max([1, *(block.shape[1] for block in blocks)])
    out = np.zeros((sum(map(len, blocks)), slots), dtype=np.int64)
    at = 0
    for block in blocks:
        out[at : at + len(block), : block.shape[1]] = block
        at += len(block)
    return out


def _moved_codes(
    batch: RowBatch,
    score_function: TreeScoreFunction,
    coder: Coder,
    options: Options,
) -> tuple[IndexArray, IntArray]:
    """Return the columns whose codes the options of a part change, and the codes."""
    starts = _numbers(score_function, batch.point_builder.take(options.rows, []))
    owner = options.owner
    blocks: list[FloatArray] = []
    differs = np.zeros(starts.shape[1], dtype=bool)
    at = 0
    for points in option_points(batch, options):
        Z = _numbers(score_function, points)
        before = starts[owner[at : at + len(Z)]]
        differs |= ((before != Z) & ~(np.isnan(Z) & np.isnan(before))).any(axis=0)
        blocks.append(Z)
        at += len(Z)
    # Rows may be wide: only columns that differ are encoded.
    columns = [c for c in np.flatnonzero(differs).tolist() if c in coder.thresholds]
    codes = np.empty((at, len(columns)), dtype=np.int64)
    for k, column in enumerate(columns):
        codes[:, k] = coder.column(
            column, np.concatenate([Z[:, column] for Z in blocks])
        )
    moved = (codes != codes[options.offsets[owner]]).any(axis=0)
    return np.array(columns, dtype=np.intp)[moved], codes[:, moved]


def _numbers(score_function: TreeScoreFunction, points: Any) -> FloatArray:
    """Return points as the numbers that the trees compare."""
    found = score_function.numbers(points)
    if found is None:
        raise NotSeparableError
    return np.asarray(found)
