"""All interventions of many people on one feature, with the model's answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp.actions import ActionSet
from skresp.reach import Part, parts_of

from ._door import Door, Segment
from ._dress import Numbers
from ._lines import told_lines
from ._listed import make_table, new_values
from ._lists import Places, Question, look_up
from ._responsiveness import part_columns
from ._sampled import draws
from ._scores import Page
from ._stream import Keys


@dataclass(frozen=True)
class Points:
    """Points of several people, ordered by person.

    Attributes
    ----------
    feature : str
    place : where the feature stands among the columns
    owner : whose point it is
    before, change : what they have and by how much it changes, in numbers
    columns : the columns of the action set that `before` and `change` hold
    reached : whether the model gives the target
    weight : how much a point counts; a piece of a line counts its size
    edge : the change of the feature where a point, or its piece, begins
    """

    feature: str
    place: int
    owner: Places
    before: Numbers
    change: Numbers
    columns: Places
    reached: NDArray[np.bool_]
    weight: Numbers
    edge: Numbers

    @property
    def amount(self) -> Numbers:
        """The change of the feature itself."""
        return self.change[:, self.place]

    def taken(self, rows: Places, people: int) -> Points:
        """The points of people at these positions, as often as they are named."""
        counts = np.bincount(self.owner, minlength=people)
        starts = np.cumsum(counts) - counts
        wanted = counts[rows]
        shift = starts[rows] - (np.cumsum(wanted) - wanted)
        pick = np.repeat(shift, wanted) + np.arange(wanted.sum())
        return Points(
            self.feature,
            self.place,
            np.repeat(np.arange(len(rows)), wanted),
            self.before[pick],
            self.change[pick],
            self.columns,
            self.reached[pick],
            self.weight[pick],
            self.edge[pick],
        )


def points_of(
    door: Door,
    actions: ActionSet,
    codes: Numbers,
    keys: Callable[[], Keys],
    question: Question,
    book: list[Page],
    feature: str,
) -> Points:
    """The interventions of all rows on one feature.

    Answers to listed points stand in the book; drawn ones are asked for again.
    """
    part, columns = next(
        (p, c)
        for p, c in zip(parts_of(actions), part_columns(actions), strict=True)
        if feature in p.names
    )
    j = part.names.index(feature)
    found = []
    if not all(page.in_time for page in book):
        raise ValueError(
            "Some scores were not computed within time_limit, so this variant of them "
            "is not known. Call explain with a larger time_limit, or without one."
        )
    for page in book:
        values = codes[page.run][:, columns]
        rows = np.arange(page.run.start, page.run.stop)
        lists = look_up(part, values, question, page.most)
        if part in page.answers and j in part.actionable:
            table = make_table(lists, question.interventions, door.wardrobe)
            counts, change = table.points(slice(None))
            answers = np.unpackbits(page.answers[part], count=len(change)).astype(bool)
            owner = np.repeat(np.arange(len(rows)), counts)
            marked = table.marks[change, part.actionable.index(j)]
            changes = np.concatenate(
                [
                    r.used(part.actionable, question.interventions)[0]
                    for r in lists.reaches
                ]
            )[change[marked]]
            one = np.ones(int(marked.sum()))
            found.append(
                (rows[owner[marked]], changes, answers[marked], one, changes[:, j])
            )
        for some, draw in draws(lists, question):
            if j not in part.actionable:
                continue
            told = np.zeros(len(some), dtype=bool)
            pieces = _pieces(door, part, j, rows[some], lists.values[some], question)
            if pieces is not None:
                told, *mine = pieces
                found.append((rows[some[mine[0]]], *mine[1:]))
            left = np.flatnonzero(~told)
            if len(left):
                drawn = draw(j, left, keys()[rows[some[left]]])
                owner = np.repeat(rows[some[left]], drawn.counts)
                new = new_values(part, drawn.before, drawn.changes, door.wardrobe)
                reached = door.ask(owner, [Segment(0, len(owner), new)])
                one = np.ones(len(owner))
                found.append((owner, drawn.changes, reached, one, drawn.changes[:, j]))
    nothing = (
        np.zeros(0, dtype=np.intp),
        np.zeros((0, len(part.names))),
        np.zeros(0, dtype=bool),
        np.zeros(0),
        np.zeros(0),
    )
    owner, total, reached, weight, edge = (
        np.concatenate(columns) for columns in zip(nothing, *found, strict=True)
    )
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    return Points(
        feature,
        j,
        owner,
        codes[owner][:, columns],
        total[order],
        columns,
        reached[order],
        weight[order],
        edge[order],
    )


def _pieces(
    door: Door, part: Part, j: int, rows: Places, values: Numbers, question: Question
) -> (
    tuple[NDArray[np.bool_], Places, Numbers, NDArray[np.bool_], Numbers, Numbers]
    | None
):
    """Pieces of lines as points: which rows have them, then their columns."""
    found = told_lines(door, part, j, rows, values, question)
    if found is None:
        return None
    lines, told, pieces = found
    # A piece on both sides of where the person stands is two.
    both = (pieces.low < 0) & (pieces.high > 0)
    line = np.concatenate([pieces.line, pieces.line[both]])
    low = np.concatenate([pieces.low, np.zeros(int(both.sum()))])
    high = np.concatenate([np.where(both, 0.0, pieces.high), pieces.high[both]])
    reached = np.concatenate([pieces.reached, pieces.reached[both]])
    if lines.whole:  # 0 is no change
        low, high = np.where(low == 0, 1.0, low), np.where(high == 0, -1.0, high)
    size, middle = high - low, (low + high) / 2
    if lines.whole:
        size, middle = size + 1.0, np.floor(middle)
    edge = np.where(np.abs(low) < np.abs(high), low, high) * lines.step
    keep = (size > 0) & told[line]
    changes = lines.changes(line, middle)
    return (
        told,
        line[keep],
        changes[keep],
        reached[keep],
        size[keep],
        edge[keep],
    )
