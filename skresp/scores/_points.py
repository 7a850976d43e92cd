"""All interventions of many people on one feature, with the model's answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp.actions import ActionSet
from skresp.reach import parts_of

from ._door import Door, Segment
from ._dress import Numbers
from ._listed import make_table, new_values
from ._lists import Places, Question, look_up
from ._responsiveness import Page, part_columns
from ._sampled import draws
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
    """

    feature: str
    place: int
    owner: Places
    before: Numbers
    change: Numbers
    columns: Places
    reached: NDArray[np.bool_]

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
            found.append((rows[owner[marked]], changes, answers[marked]))
        for some, draw in draws(lists, question):
            if j in part.actionable:
                everybody = np.arange(len(some))
                drawn = draw(j, everybody, keys()[rows[some]])
                owner = np.repeat(rows[some], drawn.counts)
                new = new_values(part, drawn.before, drawn.changes, door.wardrobe)
                segment = Segment(0, len(owner), new)
                found.append((owner, drawn.changes, door.ask(owner, [segment])))
    width = len(part.names)
    owner = np.concatenate([np.zeros(0, dtype=np.intp), *(o for o, _, _ in found)])
    total = np.concatenate([np.zeros((0, width)), *(c for _, c, _ in found)])
    reached = np.concatenate([np.zeros(0, dtype=bool), *(r for _, _, r in found)])
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
    )
