"""Exact scores from complete lists of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model._change_lists import ListedPoints
from skresp._model._listed_answers import answer_listed
from skresp._model._point_builder import PointBuilder
from skresp._model._row_batch import ListedChanges, RowBatch
from skresp._typing import BoolArray, IndexArray
from skresp.reach._cache import ScoredChanges
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._part import Part

from ._changed_points import new_values


@dataclass(frozen=True)
class ChangeTable(ListedChanges):
    """The interventions on some parts, for each of their distinct values.

    Attributes
    ----------
    is_scored : array of bool of shape (n_parts, max_actionable)
        Which of `max_actionable` features each part has.
    marks : array of bool of shape (n_changes, max_actionable)
        Column `j` marks the interventions on the feature `part.actionable[j]`.
    sizes : array of shape (n_lists + 1, max_actionable)
        The number of interventions on each feature; 0 in the last row.
    """

    is_scored: BoolArray
    marks: BoolArray
    sizes: IndexArray


def make_change_table(
    on_parts: Sequence[FeasibleChanges],
    n_rows: int,
    interventions: str,
    builder: PointBuilder,
) -> ChangeTable:
    """Return the table of some parts, from the lists of their distinct values."""
    scored = [
        [
            reach.scored(each.part, value, interventions)
            for reach, value in zip(each.reaches, each.distinct, strict=True)
        ]
        for each in on_parts
    ]
    lists = [changes for of_part in scored for changes in of_part]
    n_lists = np.array([len(of_part) for of_part in scored], dtype=np.intp)
    counts = np.array([len(changes.changes) for changes in lists], dtype=np.intp)
    columns, movable, actionable = _columns(
        tuple(each.part for each in on_parts), builder
    )
    part_of_list = np.repeat(np.arange(len(scored)), n_lists)
    part_of_change = np.repeat(part_of_list, counts)
    sizes = np.zeros((len(lists) + 1, actionable.shape[1]), dtype=np.intp)
    sizes[:-1][actionable[part_of_list]] = _flat([c.sizes for c in lists])
    after = np.zeros((len(part_of_change), columns.shape[1]))
    after[movable[part_of_change]] = _flat([c.after for c in lists])
    marks = np.zeros((len(after), actionable.shape[1]), dtype=bool)
    marks[actionable[part_of_change]] = _flat([c.marks for c in lists])
    which = np.array([each.listed for each in on_parts], dtype=np.intp)
    which = which.reshape(len(scored), n_rows)
    first = (np.cumsum(n_lists) - n_lists)[:, None]
    which += first
    if not all(each.all_listed for each in on_parts):
        which[which < first] = -1

    made: dict[int, dict[int, Any]] = {}

    def values(p: int) -> dict[int, Any]:
        if p not in made:
            made[p] = _new_values(on_parts[p], scored[p], builder)
        return made[p]

    return ChangeTable(
        which=which,
        counts=counts,
        n_lists=n_lists,
        columns=columns,
        after=after,
        values=values,
        is_scored=actionable,
        marks=marks,
        sizes=sizes,
    )


class _Columns(NamedTuple):
    """What parts move and what is scored, in rows of one length.

    Attributes
    ----------
    columns : array of shape (n_parts, max_movable)
        The model's columns that each part moves, then -1.
    movable : array of bool of shape (n_parts, max_movable)
        Where there is one.
    actionable : array of bool of shape (n_parts, max_actionable)
        Whether the part has so many actionable features.
    """

    columns: IndexArray
    movable: BoolArray
    actionable: BoolArray


def _columns(parts: tuple[Part, ...], builder: PointBuilder) -> _Columns:
    """Return what parts move and what is scored."""
    moved = [part.names[k] for part in parts for k in part.movable]
    return _arranged(parts, tuple([builder.position[name] for name in moved]))


@lru_cache(maxsize=64)
def _arranged(parts: tuple[Part, ...], positions: tuple[int, ...]) -> _Columns:
    """Return the same; `positions` are the model's columns that parts move."""
    movable = _first_of_row([len(part.movable) for part in parts])
    columns = np.full(movable.shape, -1, dtype=np.intp)
    columns[movable] = positions
    return _Columns(
        columns, movable, _first_of_row([len(part.actionable) for part in parts])
    )


def _first_of_row(counts: list[int]) -> BoolArray:
    """Return rows in which so many entries are True, followed by False."""
    return np.arange(max([0, *counts])) < np.reshape(counts, (-1, 1))


def _flat(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the entries of arrays, one array after the other."""
    return np.concatenate([np.zeros(0, dtype=bool), *(a.ravel() for a in arrays)])


def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _new_values(
    feasible: FeasibleChanges, scored: list[ScoredChanges], builder: PointBuilder
) -> dict[int, Any]:
    """Return the values of the model's columns after the changes of a part."""
    changes = [each.changes for each in scored]
    before = np.repeat(feasible.distinct, [len(each) for each in changes], axis=0)
    return new_values(feasible.part, before, _joined(changes), builder)


class Hits(NamedTuple):
    """What the answers to listed changes say.

    Attributes
    ----------
    hits, sizes : array of shape (n_rows, n_scored)
        How many interventions reach the target, of how many; the features of one part
        after those of the other.
    at_target : array of bool of shape (n_rows,)
        Which rows reach the target unchanged.
    """

    hits: IndexArray
    sizes: IndexArray
    at_target: BoolArray


def count_hits(batch: RowBatch, table: ChangeTable, rows: IndexArray) -> Hits:
    """Count the interventions on each feature that reach the target.

    Parameters
    ----------
    rows : array of shape (n_rows,)
        The positions of the table's rows in the batch.
    """
    at_target = np.zeros(len(rows), dtype=bool)
    n_parts, most = table.is_scored.shape
    hits = np.zeros((n_parts, len(rows), most), dtype=np.intp)
    for run, (points, reached, at_target[run]) in answer_listed(batch, table, rows):
        hits[:, run] = _marks_of_rows(table.marks, points, reached)
    part, feature = np.nonzero(table.is_scored)
    sizes = table.sizes[table.which]
    return Hits(hits[part, :, feature].T, sizes[part, :, feature].T, at_target)


def _marks_of_rows(
    marks: BoolArray, points: ListedPoints, reached: BoolArray
) -> IndexArray:
    """Return how often the points of each part and row that reach it have each mark.

    Several counts share a number, which is added up once for all of them.
    """
    most = marks.shape[1]
    found = np.zeros((*points.counts.shape, most), dtype=np.intp)
    some = np.nonzero(points.counts)
    if not len(some[0]):
        return found
    counts, first = points.counts[some], points.starts[some]
    bits = int(counts.max()).bit_length()
    total = np.zeros(len(reached) + 1, dtype=np.uint64)
    for begin in range(0, most, 64 // bits):
        here = slice(begin, begin + 64 // bits)
        shift = np.arange(most, dtype=np.uint64)[here] * np.uint64(bits)
        shift -= shift[0]
        packed = (marks[:, here].astype(np.uint64) << shift).sum(axis=1)
        # Sums of all points may wrap around; their differences are exact.
        np.cumsum(packed[points.change] * reached, out=total[1:])
        each = total[first + counts] - total[first]
        found[some[0], some[1], here] = each[:, None] >> shift & np.uint64(
            (1 << bits) - 1
        )
    return found


def listed_answers(batch: RowBatch, table: ChangeTable, rows: IndexArray) -> BoolArray:
    """Return which points of a table of one part reach the target, ordered by row."""
    reached = [found.points for _, found in answer_listed(batch, table, rows)]
    return np.concatenate([np.zeros(0, dtype=bool), *reached])
