"""Changes that no split of an ensemble tells apart are one class.

A value is known to an ensemble by its place among the thresholds it is compared with:
its code. Changes with the same codes lead to the same leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import distinct_rows
from skresp.scores import DOUBLE, XGBOOST, Decision, Door, Ensemble

from ._compile import FEATURE, Trees
from ._found import option_points
from ._options import Options

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]


_FLOAT32 = 1e-6


class NotSeparableError(Exception):
    """Some row is not plain numbers to the trees, or a column depends on two parts."""


@dataclass(frozen=True)
class Coder:
    """Turns values into codes: their places among a column's thresholds."""

    thresholds: dict[int, Numbers]
    rule: int

    @classmethod
    def of(cls, ensemble: Ensemble) -> Coder:
        """The coder of an ensemble's splits."""
        found = {
            column: np.unique(ensemble.threshold[nodes])
            for column, nodes in ensemble.nodes_of.items()
        }
        return cls(found, ensemble.rule)

    def codes(self, Z: Numbers) -> Codes:
        """The codes of rows; -1 where a value is missing or nobody looks."""
        out = np.full(Z.shape, -1, dtype=np.int64)
        for column in self.thresholds:
            out[:, column] = self.column(column, Z[:, column])
        return out

    def column(self, column: int, values: Numbers) -> Codes:
        """The codes of values of one column."""
        side: Any = "right" if self.rule == XGBOOST else "left"
        if self.rule != DOUBLE:
            values = values.astype(np.float32).astype(float)
        code = np.searchsorted(self.thresholds[column], values, side=side)
        return np.where(np.isnan(values), -1, code)

    def trees(self, ensemble: Ensemble, decision: Decision) -> tuple[Trees, Numbers]:
        """The ensemble over codes, its scores being gaps; and what they start from.

        A gap is positive where the target is reached, as far as one rival is
        concerned: each other class, or the cut.
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
    """Return how far a sum of trees may be off by rounding."""
    if rule != XGBOOST:
        return decision.tolerance
    # Sums in float32: each tree may round by a share of what they come to.
    leaf = trees.nodes[:, FEATURE] < 0
    size = np.where(leaf, np.abs(trees.gain).max(axis=1), 0.0)
    largest = np.maximum.reduceat(size, trees.roots)
    return max(decision.tolerance, _FLOAT32 * float(largest.sum()))


def _depth(ensemble: Ensemble) -> int:
    """Of the deepest tree."""
    depth, level = 0, ensemble.roots
    while True:
        inner = level[ensemble.feature[level] >= 0]
        if not len(inner):
            return depth
        level = np.concatenate([ensemble.left[inner], ensemble.right[inner]])
        depth += 1


@dataclass(frozen=True)
class Classes:
    """The classes of some people's changes, part by part.

    Attributes
    ----------
    part_of, slot_of : for each column the part that moves it (-1 for none), and where
        its code stands among those of a class
    codes : the people's own codes
    first, count : for each person and part, where its classes stand; the first of
        them is staying put
    class_code : the codes of the classes
    cost, option : of the cheapest change of a class, and which one that is
    single_cost, single : the same of the cheapest that is an intervention on one
        feature; infinite and -1 where there is none
    """

    part_of: Codes
    slot_of: Codes
    codes: Codes
    first: Codes
    count: Codes
    class_code: Codes
    cost: Numbers
    option: Places
    single_cost: Numbers
    single: Places

    def moved(self, people: Places, choice: Codes) -> Codes:
        """The codes of people who have changed as chosen, -1 for staying put."""
        codes = self.codes[people]
        for p in range(choice.shape[1]):
            some = np.flatnonzero(choice[:, p] >= 0)
            columns = np.flatnonzero(self.part_of == p)
            new = self.class_code[choice[some, p]][:, self.slot_of[columns]]
            codes[np.ix_(some, columns)] = new
        return codes


def classes_of(
    door: Door,
    along: Any,
    coder: Coder,
    options: Sequence[Options],
    costs: Sequence[Numbers],
    rows: Places,
) -> Classes:
    """Group the options of people by what the splits can tell."""
    people = coder.codes(_numbers(along, door.wardrobe.take(rows, [])))
    width = people.shape[1]
    part_of = np.full(width, -1, dtype=np.int64)
    slot_of = np.zeros(width, dtype=np.int64)
    first = np.zeros((len(rows), len(options)), dtype=np.int64)
    count = np.ones((len(rows), len(options)), dtype=np.int64)
    blocks: list[Codes] = []
    columns: list[list[Any]] = [[], [], [], []]
    made = 0
    for p, each in enumerate(options):
        door.deadline.check()
        moved, mine = _moved_codes(door, along, coder, each)
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
        for cost, out in (
            (costs[p], columns[:2]),
            (np.where(each.single, costs[p], np.inf), columns[2:]),
        ):
            order = np.lexsort((cost, member))
            cheapest = order[np.searchsorted(member[order], np.arange(len(start)))]
            out[0].append(cost[cheapest])
            out[1].append(np.where(np.isfinite(cost[cheapest]), cheapest, -1))
        made += len(start)
    slots = max([1, *(block.shape[1] for block in blocks)])
    class_code = np.zeros((made, slots), dtype=np.int64)
    at = 0
    for block in blocks:
        class_code[at : at + len(block), : block.shape[1]] = block
        at += len(block)
    joined = [
        np.concatenate([np.zeros(0, dtype=kind), *lists])
        for kind, lists in zip((float, np.intp, float, np.intp), columns, strict=True)
    ]
    return Classes(part_of, slot_of, people, first, count, class_code, *joined)


def _moved_codes(
    door: Door, along: Any, coder: Coder, options: Options
) -> tuple[Places, Codes]:
    """The columns whose codes the options of a part change, and these codes."""
    starts = _numbers(along, door.wardrobe.take(options.rows, []))
    owner = options.owner
    blocks: list[Numbers] = []
    differs = np.zeros(starts.shape[1], dtype=bool)
    at = 0
    for points in option_points(door, options):
        Z = _numbers(along, points)
        before = starts[owner[at : at + len(Z)]]
        differs |= ((before != Z) & ~(np.isnan(Z) & np.isnan(before))).any(axis=0)
        blocks.append(Z)
        at += len(Z)
    # Of wide rows only what differs has to be coded.
    columns = [c for c in np.flatnonzero(differs).tolist() if c in coder.thresholds]
    codes = np.empty((at, len(columns)), dtype=np.int64)
    for k, column in enumerate(columns):
        codes[:, k] = coder.column(
            column, np.concatenate([Z[:, column] for Z in blocks])
        )
    moved = (codes != codes[options.offsets[owner]]).any(axis=0)
    return np.array(columns, dtype=np.intp)[moved], codes[:, moved]


def _numbers(along: Any, points: Any) -> Numbers:
    found = along.numbers(points)
    if found is None:
        raise NotSeparableError
    return np.asarray(found)
