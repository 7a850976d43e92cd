"""Exact scores from complete lists of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._model._point_builder import PointBuilder
from skresp._model._row_batch import RowBatch, Segment
from skresp._typing import BoolArray, IndexArray
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._part import Part

from ._changed_points import new_values


@dataclass(frozen=True)
class ChangeTable:
    """The interventions on one part, for each of its distinct values.

    Attributes
    ----------
    part : Part
    features : tuple of int
        Positions in the part of the features that get a score.
    which : array of shape (n_rows,)
        The value of each row; -1 where it has no list.
    starts, counts : array of shape (n_values,)
        The first change of each value, and how many it has.
    marks : array of bool of shape (n_changes, n_scored_features)
        Column `j` marks the interventions on `features[j]`.
    sizes : array of shape (n_values, n_scored_features)
        The number of interventions.
    values : dict of int to array, or to (labels, mask)
        The new values of each of the model's columns, one for each change.
    """

    part: Part
    features: tuple[int, ...]
    which: IndexArray
    starts: IndexArray
    counts: IndexArray
    marks: BoolArray
    sizes: IndexArray
    values: dict[int, Any]

    def points_of_rows(self, rows: slice = slice(None)) -> IndexArray:
        """Return the number of points of each row."""
        which = self.which[rows]
        counts = self.counts[which]
        counts[which < 0] = 0
        return counts

    def points(self, rows: slice) -> tuple[IndexArray, IndexArray]:
        """Return the number of points of each row, and the change of each point."""
        counts = self.points_of_rows(rows)
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        shift = self.starts[self.which[rows]] - (ends - counts)
        return counts, np.repeat(shift, counts) + np.arange(total)

    def segment(self, start: int, change: IndexArray) -> Segment:
        """Return the new values of points with these changes."""
        values = {
            i: (new[0].take(change), new[1][change])
            if isinstance(new, tuple)
            else new[change]
            for i, new in self.values.items()
        }
        return Segment(start, start + len(change), values)


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
        part,
        features,
        which,
        np.cumsum(counts) - counts,
        counts,
        marks,
        sizes,
        new_values(part, before, change, point_builder),
    )


def count_hits(
    batch: RowBatch, tables: Sequence[ChangeTable], rows: IndexArray
) -> tuple[list[IndexArray], BoolArray, list[NDArray[np.uint8]]]:
    """Count the interventions on each feature that reach the target.

    The points of all parts of a few rows, and the rows themselves, go to the model in
    one call.

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
    n_points = np.ones(len(rows), dtype=np.intp)
    for table in tables:
        n_points += table.points_of_rows()
    for chunk in chunks(n_points, batch):
        pieces = []
        start = 0
        for t, table in enumerate(tables):
            counts, change = table.points(chunk)
            if len(change):
                pieces.append((t, counts, change, start))
                start += len(change)
        owners = rows[chunk]
        reached = batch.reaches_target(
            np.concatenate([*(np.repeat(owners, c) for _, c, _, _ in pieces), owners]),
            [tables[t].segment(start, change) for t, _, change, start in pieces],
        )
        at_target[chunk] = reached[start:]
        for t, counts, change, first in pieces:
            on_table = reached[first : first + len(change)]
            reached_points[t].append(on_table)
            some = np.flatnonzero(counts)
            starts = (np.cumsum(counts) - counts)[some]
            marked = tables[t].marks[change]
            marked &= on_table[:, None]
            hits[t][chunk.start + some] = np.add.reduceat(
                marked, starts, axis=0, dtype=np.intp
            )
    packed = [
        np.packbits(np.concatenate([[], *r]).astype(bool)) for r in reached_points
    ]
    return hits, at_target, packed


def chunks(n_points: IndexArray, batch: RowBatch) -> Iterator[slice]:
    """Yield runs of rows whose points fit in one call of the model, or one row."""
    ends = np.cumsum(n_points)
    start = 0
    while start < len(n_points):
        done = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, done + batch.batch_size, side="right"))
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop
