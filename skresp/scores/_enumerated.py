"""Exact scores from complete lists of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
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
    marks : list of array of bool of shape (n_changes_of_part, n_actionable)
        Column `j` marks the interventions on the feature `part.actionable[j]`.
    sizes : list of array of shape (n_values_of_part, n_actionable)
        The number of interventions.
    """

    parts: list[Part]
    marks: list[BoolArray]
    sizes: list[IndexArray]

    def which_of(self, p: int) -> IndexArray:
        """Return the value of each row on a part; -1 where it has no list."""
        return np.where(self.which[p] < 0, -1, self.which[p] - self.first_lists[p])


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
    marks, sizes, n_lists, start = [], [], 0, 0
    for p, (each, lists) in enumerate(zip(on_parts, scored, strict=True)):
        which[p] = each.listed + n_lists
        which[p, each.listed < 0] = -1
        n_lists += len(lists)
        marks.append(_joined([changes.marks for changes in lists]))
        sizes.append(np.array([changes.sizes for changes in lists]))
        here = after[start : start + len(marks[p]), : len(each.part.movable)]
        here[:] = _joined([changes.after for changes in lists])
        start += len(marks[p])

    @cache
    def values(p: int) -> dict[int, Any]:
        return _new_values(on_parts[p], scored[p], builder)

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
    hits : list of arrays of shape (n_rows, n_actionable)
        For each part of a table how many interventions reach the target.
    at_target : array of bool of shape (n_rows,)
        Which rows reach the target unchanged.
    packed : list of arrays
        For each part which points reach the target, as packed bits.
    """

    hits: list[IndexArray]
    at_target: BoolArray
    packed: list[NDArray[np.uint8]]


def count_hits(batch: RowBatch, table: ChangeTable, rows: IndexArray) -> Hits:
    """Count the interventions on each feature that reach the target.

    Parameters
    ----------
    rows : array of shape (n_rows,)
        The positions of the table's rows in the batch.
    """
    reached_points: list[list[BoolArray]] = [[] for _ in table.parts]
    at_target = np.zeros(len(rows), dtype=bool)
    hits = [np.zeros((len(rows), m.shape[1]), dtype=np.intp) for m in table.marks]
    for run, (answers, at_target[run]) in answer_listed(batch, table, rows):
        points = table.of_rows(run).points
        for p, (start, stop) in enumerate(pairwise(points.ends)):
            reached = answers[start:stop]
            reached_points[p].append(reached)
            some = points.counts[p].nonzero()[0]
            if len(some):
                counts = points.counts[p][some]
                change = points.change[start:stop] - table.first_changes[p]
                marked = table.marks[p][change]
                marked &= reached[:, None]
                hits[p][run.start + some] = np.add.reduceat(
                    marked, np.cumsum(counts) - counts, axis=0, dtype=np.intp
                )
    packed = [np.packbits(_joined(r) if r else []) for r in reached_points]
    return Hits(hits, at_target, packed)
