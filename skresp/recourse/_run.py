"""What all ways to verdicts share: some people, what they can do, who is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp.scores import Door

from ._found import (
    EXHAUSTION,
    FIXED,
    JOINT,
    NOT_ALL,
    OUT_OF_BUDGET,
    POSSIBLE,
    UNKNOWN,
    WITNESS,
    Ask,
    Found,
    reached,
)
from ._options import Options

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]

# Choices so near to the border that the model itself is asked about each.
MOST_ASKED = 4_096


class Run:
    """A run of people; an engine adds how it finds out.

    `complete` tells whose options stand for all that they can do, `listed` whose
    options are all that they can do, and `priced` whose cheapest options are the
    cheapest of all that they can do: nothing is known of a callable cost in between.
    `points` tells for how many points the options of each count.
    """

    def __init__(
        self,
        door: Door,
        options: list[Options],
        rows: Places,
        denied: Truth,
        ask: Ask,
    ) -> None:
        self.door, self.options, self.rows = door, options, rows
        self.denied, self.ask = denied, ask
        self.complete = np.ones(len(rows), dtype=bool)
        self.listed = np.ones(len(rows), dtype=bool)
        self.points = np.zeros(len(rows), dtype=np.int64)
        for each in options:
            self.complete &= each.complete[each.which]
            self.listed &= each.listed[each.which]
            self.points += each.points[each.which]
        self.priced = self.listed if callable(ask.cost) else self.complete

    def stay(self, people: Places) -> Places:
        """The choice of staying put."""
        stays = [each.offsets[each.which[people]] for each in self.options]
        return np.array(stays, dtype=np.intp).T.reshape(len(people), len(stays))

    def reached(self, people: Places, choice: Places) -> Truth:
        """Whether the model says that choices of these people reach the target."""
        return reached(self.door, self.options, self.rows[people], choice)

    def note_joint(self, out: Found, people: Places, choice: Places) -> None:
        """Note ways of several changes.

        Where the options are not all that a person can do, a single change that works
        may be missing.
        """
        out.choice[people] = choice
        out.note(people, JOINT, WITNESS)
        out.note(people[~self.complete[people]], POSSIBLE, WITNESS)

    def settle(
        self, out: Found, i: int, choice: Places, cost: Numbers, done: bool
    ) -> None:
        """Ask the model about all choices of a person that are near the border.

        `done` tells that these are all of them.
        """
        out.used[i] += len(choice)
        ok = np.flatnonzero(self.reached(np.full(len(choice), i), choice))
        if len(ok):
            best = ok[np.argmin(cost[ok])]
            self.note_joint(out, np.array([i]), choice[[best]])
            out.cheapest[i] = done and self.priced[i]
        elif done and self.complete[i]:
            out.note(i, FIXED, EXHAUSTION)
        else:
            out.note(i, UNKNOWN, NOT_ALL if done else OUT_OF_BUDGET)
