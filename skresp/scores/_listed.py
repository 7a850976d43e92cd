"""Scores from complete lists of changes: exact, one list of points a part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import Part, Reach

from ._door import Door, Segment
from ._dress import Numbers, Wardrobe
from ._target import Truth

Places = NDArray[np.intp]


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

    def points(self, rows: slice) -> tuple[Places, Places]:
        """How many points each row has, and which change each point is."""
        which = self.which[rows]
        counts = np.where(which >= 0, self.counts[which], 0)
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        shift = self.starts[which] - (ends - counts)
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


def make_table(
    part: Part,
    which: Places,
    values: Numbers,
    reaches: Sequence[Reach],
    interventions: str,
    wardrobe: Wardrobe,
) -> Table:
    """The table of a part, from the reach of each distinct value."""
    features = part.actionable
    marks = []
    changes = []
    counts = np.zeros(len(reaches), dtype=np.intp)
    sizes = np.zeros((len(reaches), len(features)), dtype=np.intp)
    for v, reach in enumerate(reaches):
        marked = reach.minimal if interventions == "minimal" else reach.changes != 0
        marked = marked[:, features]
        used = marked.any(axis=1)
        marks.append(marked[used])
        changes.append(reach.changes[used])
        counts[v] = used.sum()
        sizes[v] = marked.sum(axis=0)
    change = np.concatenate(changes)
    before = np.repeat(values, counts, axis=0)
    listed = np.array([reach.refused is None for reach in reaches])
    return Table(
        part,
        features,
        np.where((which >= 0) & listed[which], which, -1),
        np.cumsum(counts) - counts,
        counts,
        np.concatenate(marks),
        sizes,
        new_values(part, before, change, wardrobe),
    )


def new_values(
    part: Part, before: Numbers, change: Numbers, wardrobe: Wardrobe
) -> dict[int, Any]:
    """What each column that moves holds after each change."""
    out: dict[int, Any] = {}
    for k, (name, feature) in enumerate(zip(part.names, part.features, strict=True)):
        moved = change[:, k] != 0
        if not moved.any():
            continue
        after = before[:, k] + change[:, k]
        if wardrobe.is_number(name):
            out[wardrobe.place[name]] = wardrobe.new_values(name, feature, after)
        else:
            moved &= ~np.isnan(before[:, k])
            labels = wardrobe.new_values(name, feature, np.where(moved, after, 0.0))
            out[wardrobe.place[name]] = labels, moved
    return out


def count_hits(
    door: Door, tables: Sequence[Table], rows: Places
) -> tuple[list[Places], Truth]:
    """For each table, how many interventions on each feature reach the target.

    One array of points for all parts of a few rows and for the rows themselves, one
    question, one segmented sum. `rows` are the positions of the tables' rows in the
    wardrobe. The second value tells which rows are at the target as they are.
    """
    at_target = np.zeros(len(rows), dtype=bool)
    hits = [np.zeros((len(rows), len(t.features)), dtype=np.intp) for t in tables]
    load = np.ones(len(rows), dtype=np.intp)
    for table in tables:
        load += np.where(table.which >= 0, table.counts[table.which], 0)
    for chunk in chunks(load, door.batch):
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
            some = np.flatnonzero(counts)
            starts = (np.cumsum(counts) - counts)[some]
            marked = tables[t].marks[change]
            marked &= answers[:, None]
            hits[t][chunk.start + some] = np.add.reduceat(
                marked, starts, axis=0, dtype=np.intp
            )
    return hits, at_target


def chunks(load: Places, most: int) -> list[slice]:
    """Runs of rows whose loads add up to at most `most`, single rows aside."""
    ends = np.cumsum(load)
    out = []
    start = 0
    while start < len(load):
        done = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, done + most, side="right"))
        stop = max(stop, start + 1)
        out.append(slice(start, stop))
        start = stop
    return out
