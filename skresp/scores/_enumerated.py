"""Exact scores from complete lists of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    parts : list of Part
    marks : array of bool of shape (n_changes, max_actionable)
        Column `j` marks the interventions on the feature `part.actionable[j]`.
    sizes : array of shape (n_lists + 1, max_actionable)
        The number of interventions on each feature; 0 in the last row.
    """

    parts: list[Part]
    marks: BoolArray
    sizes: IndexArray

    @cached_property
    def is_scored(self) -> BoolArray:
        """Which of `max_actionable` features each part has."""
        counts = np.array([len(part.actionable) for part in self.parts], dtype=np.intp)
        return np.arange(self.sizes.shape[1]) < counts[:, None]


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
    which = np.empty((len(on_parts), n_rows), dtype=np.intp)
    columns = _columns(on_parts, builder)
    counts = [len(changes.changes) for lists in scored for changes in lists]
    after = np.zeros((sum(counts), columns.shape[1]))
    most = max([0, *(len(each.part.actionable) for each in on_parts)])
    sizes = np.zeros((len(counts) + 1, most), dtype=np.intp)
    marks = np.zeros((len(after), most), dtype=bool)
    n_lists = start = 0
    for p, (each, lists) in enumerate(zip(on_parts, scored, strict=True)):
        which[p] = each.listed + n_lists
        if not each.all_listed:
            which[p, each.listed < 0] = -1
        movable, actionable = len(each.part.movable), len(each.part.actionable)
        joined = _joined([changes.after for changes in lists])
        here = slice(start, start + len(joined))
        after[here, :movable] = joined
        marks[here, :actionable] = _joined([changes.marks for changes in lists])
        found = [changes.sizes for changes in lists]
        sizes[n_lists : n_lists + len(lists), :actionable] = found
        n_lists, start = n_lists + len(lists), here.stop

    made: dict[int, dict[int, Any]] = {}

    def values(p: int) -> dict[int, Any]:
        if p not in made:
            made[p] = _new_values(on_parts[p], scored[p], builder)
        return made[p]

    return ChangeTable(
        which=which,
        counts=np.array(counts, dtype=np.intp),
        n_lists=np.array([len(lists) for lists in scored], dtype=np.intp),
        columns=columns,
        after=after,
        values=values,
        parts=[each.part for each in on_parts],
        marks=marks,
        sizes=sizes,
    )


def _columns(on_parts: Sequence[FeasibleChanges], builder: PointBuilder) -> IndexArray:
    """Return the model's columns that each part moves, then -1."""
    width = max([0, *(len(each.part.movable) for each in on_parts)])
    out = np.full((len(on_parts), width), -1, dtype=np.intp)
    for p, each in enumerate(on_parts):
        names = each.part.names
        for j, k in enumerate(each.part.movable):
            out[p, j] = builder.position[names[k]]
    return out


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
        some = np.nonzero(points.counts)
        if len(some[0]):
            marked = table.marks[points.change]
            marked &= reached[:, None]
            hits[some[0], run.start + some[1]] = np.add.reduceat(
                marked, points.starts[some], axis=0, dtype=np.intp
            )
    part, feature = np.nonzero(table.is_scored)
    sizes = table.sizes[table.which]
    return Hits(hits[part, :, feature].T, sizes[part, :, feature].T, at_target)


def listed_answers(batch: RowBatch, table: ChangeTable, rows: IndexArray) -> BoolArray:
    """Return which points of a table of one part reach the target, ordered by row."""
    reached = [found.points for _, found in answer_listed(batch, table, rows)]
    return np.concatenate([np.zeros(0, dtype=bool), *reached])
