"""Exact scores from complete lists of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp._model._listed_answers import answer_listed
from skresp._model._point_builder import PointBuilder
from skresp._model._row_batch import ListedChanges, RowBatch
from skresp._typing import BoolArray, IndexArray
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._part import Part

from ._changed_points import new_values


@dataclass(frozen=True)
class ChangeTable(ListedChanges):
    """The interventions on one part, for each of its distinct values.

    Attributes
    ----------
    part : Part
    features : tuple of int
        Positions in the part of the features that get a score.
    marks : array of bool of shape (n_changes, n_scored_features)
        Column `j` marks the interventions on `features[j]`.
    sizes : array of shape (n_values, n_scored_features)
        The number of interventions.
    """

    part: Part
    features: tuple[int, ...]
    marks: BoolArray
    sizes: IndexArray


def make_change_table(
    feasible: FeasibleChanges, interventions: str, point_builder: PointBuilder
) -> ChangeTable:
    """Return the table of a part, from the lists of its distinct values."""
    part, reaches = feasible.part, feasible.reaches
    features = part.actionable
    used = [reach.used(features, interventions) for reach in reaches]
    if len(used) == 1:
        ((change, marks),) = used
        counts = np.array([len(change)])
        sizes = marks.sum(axis=0)[None]
        before = np.broadcast_to(feasible.distinct, change.shape)
    else:
        change = np.concatenate([changes for changes, _ in used])
        marks = np.concatenate([marks for _, marks in used])
        counts = np.array([len(changes) for changes, _ in used])
        sizes = np.array([marks.sum(axis=0) for _, marks in used])
        before = np.repeat(feasible.distinct, counts, axis=0)
    which = feasible.which
    if feasible.refused.any():
        which = np.where((which >= 0) & ~feasible.refused[which], which, -1)
    return ChangeTable(
        which,
        np.cumsum(counts) - counts,
        counts,
        new_values(part, before, change, point_builder),
        part,
        features,
        marks,
        sizes,
    )


def count_hits(
    batch: RowBatch, tables: Sequence[ChangeTable], rows: IndexArray
) -> tuple[list[IndexArray], BoolArray, list[NDArray[np.uint8]]]:
    """Count the interventions on each feature that reach the target.

    Parameters
    ----------
    rows : array of shape (n_rows,)
        The positions of the tables' rows in the batch.

    Returns
    -------
    hits : list of arrays of shape (n_rows, n_scored_features)
        One for each table.
    at_target : array of bool of shape (n_rows,)
        Which rows reach the target unchanged.
    packed : list of arrays
        For each table which points reach the target, as packed bits.
    """
    reached_points: list[list[BoolArray]] = [[] for _ in tables]
    at_target = np.zeros(len(rows), dtype=bool)
    hits = [np.zeros((len(rows), len(t.features)), dtype=np.intp) for t in tables]
    for run, (answers, at_target[run]) in answer_listed(batch, tables, rows):
        for t, (table, reached) in enumerate(zip(tables, answers, strict=True)):
            reached_points[t].append(reached)
            counts, change = table.points(run)
            some = np.flatnonzero(counts)
            if len(some):
                starts = (np.cumsum(counts) - counts)[some]
                marked = table.marks[change]
                marked &= reached[:, None]
                hits[t][run.start + some] = np.add.reduceat(
                    marked, starts, axis=0, dtype=np.intp
                )
    packed = [
        np.packbits(np.concatenate([[], *r]).astype(bool)) for r in reached_points
    ]
    return hits, at_target, packed
