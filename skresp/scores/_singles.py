"""Whether some intervention on one feature reaches the target, as its score knows it.

The same lists, lines and draws that scores are computed from, so that scores and
verdicts cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp.reach import Part

from ._door import Door, Segment
from ._dress import Numbers
from ._lines import Lines, Pieces, most_listed, told_lines
from ._listed import new_values
from ._lists import Lists, Places, Question, look_up
from ._sampled import Drawer, draws
from ._stream import Keys

Truth = NDArray[np.bool_]


@dataclass
class Singles:
    """Interventions on one feature that reach the target.

    Attributes
    ----------
    owner : whose intervention it is, in ascending order
    change : total changes on the part, accepted by `predict` and feasible
    settled : for each person, whether they have no others of which it is not known
    used : for each person, how many points that took
    """

    owner: Places
    change: Numbers
    settled: Truth
    used: NDArray[np.int64]


def single_changes(
    door: Door,
    part: Part,
    j: int,
    rows: Places,
    values: Numbers,
    keys: Keys,
    question: Question,
    points: NDArray[np.int64],
) -> Singles:
    """Return interventions on feature `j` of a part that reach the target.

    Parameters
    ----------
    rows, values, keys : of the people: positions in the wardrobe, their values on the
        part, random keys
    points : array of int
        How many points may be evaluated for each person.
    """
    search = _Search(door, part, j, rows, values, points)
    lists = look_up(
        part, values, question, most_listed(door, [(part, values)], question)
    )
    search.listed(lists, question.interventions)
    for some, draw in draws(lists, question):
        told = np.zeros(len(some), dtype=bool)
        found = told_lines(door, part, j, rows[some], values[some], question)
        if found is not None:
            lines, told, pieces = found
            search.lines(some, lines, told, pieces)
        search.drawn(some, np.flatnonzero(~told), draw, keys)
    return search.result()


class _Search:
    """Collects interventions that reach the target, person by person."""

    def __init__(
        self,
        door: Door,
        part: Part,
        j: int,
        rows: Places,
        values: Numbers,
        points: NDArray[np.int64],
    ) -> None:
        self.door, self.part, self.j = door, part, j
        self.rows, self.values = rows, values
        self.left = np.array(points, dtype=np.int64)
        self.points = self.left.copy()
        self.settled = np.zeros(len(rows), dtype=bool)
        self.found: list[tuple[Places, Numbers]] = []

    def result(self) -> Singles:
        owner = np.concatenate(
            [np.zeros(0, dtype=np.intp), *(o for o, _ in self.found)]
        )
        nothing = np.zeros((0, len(self.part.names)))
        change = np.concatenate([nothing, *(c for _, c in self.found)])
        order = np.argsort(owner, kind="stable")
        used = self.points - self.left
        return Singles(owner[order], change[order], self.settled, used)

    def tried(self, owner: Places, change: Numbers) -> Truth:
        """Ask about changes, and keep those that reach the target."""
        before = self.values[owner]
        ok = self.part.feasible(before, self.part.own(change))
        ok &= (change != 0).any(axis=1)
        some = np.flatnonzero(ok)
        new = new_values(self.part, before[some], change[some], self.door.wardrobe)
        segment = Segment(0, len(some), new)
        ok[some] = self.door.ask(self.rows[owner[some]], [segment] if new else [])
        self.found.append((owner[ok], change[ok]))
        return ok

    def within(self, owner: Places) -> Truth:
        """Return whose changes, all of them, their points allow; and take these off."""
        counts = np.bincount(owner, minlength=len(self.rows))
        allowed = counts <= self.left
        self.left -= np.where(allowed, counts, 0)
        return allowed

    def listed(self, lists: Lists, how: str) -> None:
        """Try everything that complete lists hold."""
        owner, changes = [], []
        for i in np.flatnonzero(lists.which >= 0):
            reach = lists.reaches[lists.which[i]]
            if reach.refused is None and reach.valid:
                mine = reach.changes[reach.interventions(self.j, how)]
                owner.append(np.full(len(mine), i))
                changes.append(mine)
                self.settled[i] = True
        if owner:
            self._try_all(np.concatenate(owner), np.concatenate(changes))

    def _try_all(self, owner: Places, change: Numbers) -> None:
        """Try the changes of those whose points allow for all of them."""
        allowed = self.within(owner)
        self.settled &= allowed
        some = allowed[owner]
        self.tried(owner[some], change[some])

    def lines(self, some: Places, lines: Lines, told: Truth, pieces: Pieces) -> None:
        """Try a few places of lines: on pieces that reach the target, else at borders.

        What works nowhere but at isolated points of a line works at a border.
        """
        good = np.bincount(pieces.line[pieces.reached], minlength=len(some)) > 0
        line, amount = _near_places(pieces, lines.whole)
        owner = some[line]
        allowed = self.within(owner)[owner]
        self.tried(owner[allowed], lines.changes(line[allowed], amount[allowed]))
        none = told & ~good
        self.settled[some[none]] = True
        if not lines.whole:
            line, amount = _borders(pieces, none)
            self._try_all(some[line], lines.changes(line, amount))

    def drawn(self, some: Places, left: Places, draw: Drawer, keys: Keys) -> None:
        """Try the interventions that a score is computed from."""
        for k in left:
            i = some[k]
            if self.settled[i] or self.left[i] <= 0:
                continue
            drawn = draw(self.j, np.array([k]), keys[[i]])
            change = drawn.changes[: self.left[i]]
            self.settled[i] = bool(drawn.exact[0]) and len(change) == len(drawn.changes)
            self.left[i] -= len(change)
            self.tried(np.full(len(change), i), change)


def _near_places(pieces: Pieces, whole: bool) -> tuple[Places, Numbers]:
    """Return places on the nearest and on the largest piece that reaches the target."""
    reached = np.flatnonzero(pieces.reached)
    line, low, high = pieces.line[reached], pieces.low[reached], pieces.high[reached]
    apart = np.maximum(np.maximum(low, -high), 0.0)
    picks = []
    for key in (apart, low - high):
        order = np.lexsort((key, line))
        first = np.r_[True, line[order][1:] != line[order][:-1]] if len(order) else []
        picks.append(order[np.asarray(first, dtype=bool)])
    pick = np.unique(np.concatenate(picks))
    line, low, high = line[pick], low[pick], high[pick]
    across = (low <= 0) & (high >= 0)
    # On a piece around the current value, the longer side.
    end = np.where(high >= -low, high, low)
    near = np.where(across, end, np.where(low > 0, low, high))
    middle = np.where(across, end / 2, (low + high) / 2)
    if whole:
        middle = np.where(across, end, np.floor(middle))
    return np.concatenate([line, line]), np.concatenate([near, middle])


def _borders(pieces: Pieces, lines: Truth) -> tuple[Places, Numbers]:
    """Return the ends of the pieces of some lines, each once."""
    some = lines[pieces.line]
    line = np.concatenate([pieces.line[some]] * 2)
    place = np.concatenate([pieces.low[some], pieces.high[some]])
    order = np.lexsort((place, line))
    line, place = line[order], place[order]
    new = (line[1:] != line[:-1]) | (place[1:] != place[:-1])
    keep = np.r_[True, new][: len(line)] & (place != 0)
    return line[keep], place[keep]
