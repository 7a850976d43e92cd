"""Scores from complete lists of changes: exact, one list of points a part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import landed
from skresp.reach import Part

from ._door import Door, Segment
from ._dress import Numbers, Wardrobe
from ._lists import Lists, Places
from ._target import Truth


@dataclass(frozen=True)
class Table:
    """The changes of one part for every value that some row has there.

    Only changes that are an intervention on some feature stand in it.

    Attributes
    ----------
    features : positions in the part of the features that get a score
    which : for each row, its value; -1 where it has no list
    starts, counts : where each value's changes stand
    marks : column `j` marks the interventions on `features[j]`
    sizes : for each value and feature, how many interventions there are
    values : new values by column, one for each change
    """

    part: Part
    features: tuple[int, ...]
    which: Places
    starts: Places
    counts: Places
    marks: Truth
    sizes: Places
    values: dict[int, Any]

    def points_of_rows(self, rows: slice = slice(None)) -> Places:
        """How many points each row has."""
        which = self.which[rows]
        counts = self.counts[which]
        counts[which < 0] = 0
        return counts

    def points(self, rows: slice) -> tuple[Places, Places]:
        """How many points each row has, and which change each point is."""
        counts = self.points_of_rows(rows)
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        shift = self.starts[self.which[rows]] - (ends - counts)
        return counts, np.repeat(shift, counts) + np.arange(total)

    def segment(self, start: int, change: Places) -> Segment:
        """The new values of points that are these changes."""
        values = {
            i: (new[0].take(change), new[1][change])
            if isinstance(new, tuple)
            else new[change]
            for i, new in self.values.items()
        }
        return Segment(start, start + len(change), values)


def make_table(lists: Lists, interventions: str, wardrobe: Wardrobe) -> Table:
    """The table of a part, from the lists of its distinct values."""
    part, reaches = lists.part, lists.reaches
    features = part.actionable
    used = [reach.used(features, interventions) for reach in reaches]
    if len(used) == 1:
        ((change, marks),) = used
        counts = np.array([len(change)])
        sizes = marks.sum(axis=0)[None]
        before = np.broadcast_to(lists.distinct, change.shape)
    else:
        change = np.concatenate([changes for changes, _ in used])
        marks = np.concatenate([marks for _, marks in used])
        counts = np.array([len(changes) for changes, _ in used])
        sizes = np.array([marks.sum(axis=0) for _, marks in used])
        before = np.repeat(lists.distinct, counts, axis=0)
    which = lists.which
    if lists.refused.any():
        which = np.where((which >= 0) & ~lists.refused[which], which, -1)
    return Table(
        part,
        features,
        which,
        np.cumsum(counts) - counts,
        counts,
        marks,
        sizes,
        new_values(part, before, change, wardrobe),
    )


def new_values(
    part: Part,
    before: Numbers,
    change: Numbers,
    wardrobe: Wardrobe,
    exact: Mapping[int, Numbers] | None = None,
) -> dict[int, Any]:
    """What each column that moves holds after each change.

    `exact` gives the values that some features of the part take, where adding the
    change would round.
    """
    out: dict[int, Any] = {}
    for k, (name, feature) in enumerate(zip(part.names, part.features, strict=True)):
        moved = change[:, k] != 0
        if not moved.any():
            continue
        after = landed(feature, before[:, k], change[:, k])
        if exact is not None and k in exact:
            after = exact[k]
        if wardrobe.is_number(name):
            out[wardrobe.place[name]] = wardrobe.new_values(name, feature, after)
        else:
            moved &= ~np.isnan(before[:, k])
            labels = wardrobe.new_values(name, feature, np.where(moved, after, 0.0))
            out[wardrobe.place[name]] = labels, moved
    return out


def count_hits(
    door: Door, tables: Sequence[Table], rows: Places
) -> tuple[list[Places], Truth, list[NDArray[np.uint8]]]:
    """For each table, how many interventions on each feature reach the target.

    One array of points for all parts of a few rows and for the rows themselves, one
    question, one segmented sum. `rows` are the positions of the tables' rows in the
    wardrobe. The second value tells which rows are at the target as they are, the
    third holds for each table the answers themselves, packed, in the order of points.
    """
    answered: list[list[Truth]] = [[] for _ in tables]
    at_target = np.zeros(len(rows), dtype=bool)
    hits = [np.zeros((len(rows), len(t.features)), dtype=np.intp) for t in tables]
    load = np.ones(len(rows), dtype=np.intp)
    for table in tables:
        load += table.points_of_rows()
    for chunk in chunks(load, door):
        pieces = []
        start = 0
        for t, table in enumerate(tables):
            counts, change = table.points(chunk)
            if len(change):
                pieces.append((t, counts, change, start))
                start += len(change)
        owners = rows[chunk]
        reached = door.ask(
            np.concatenate([*(np.repeat(owners, c) for _, c, _, _ in pieces), owners]),
            [tables[t].segment(start, change) for t, _, change, start in pieces],
        )
        at_target[chunk] = reached[start:]
        for t, counts, change, first in pieces:
            answers = reached[first : first + len(change)]
            answered[t].append(answers)
            some = np.flatnonzero(counts)
            starts = (np.cumsum(counts) - counts)[some]
            marked = tables[t].marks[change]
            marked &= answers[:, None]
            hits[t][chunk.start + some] = np.add.reduceat(
                marked, starts, axis=0, dtype=np.intp
            )
    packed = [np.packbits(np.concatenate([[], *a]).astype(bool)) for a in answered]
    return hits, at_target, packed


def chunks(load: Places, door: Door) -> Iterator[slice]:
    """Runs of rows whose loads fit in one question, single rows aside."""
    ends = np.cumsum(load)
    start = 0
    while start < len(load):
        done = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, done + door.batch, side="right"))
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop
