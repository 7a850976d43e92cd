"""What an engine found out about some people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import Deadline
from skresp.scores import Door, Segment, new_values

from ._options import Options

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]

APPROVED, SINGLE, JOINT, POSSIBLE, FIXED, UNKNOWN, INVALID = range(7)
STATUSES = (
    "approved",
    "single",
    "joint",
    "possible",
    "fixed",
    "unknown",
    "invalid",
)

# How a verdict was come by.
NOTHING, WITNESS, BOUND, EXHAUSTION, NO_CHANGE = range(5)
OUT_OF_BUDGET, NOT_ALL, CONTRADICTED = range(5, 8)
CHEAPEST_OF_ALL, CHEAPEST_FOUND = range(8, 10)
PROOFS = (
    "",
    "witness",
    "bound",
    "exhaustion",
    "no feasible change",
    "out of budget",
    "not all changes can be gone through",
    "the model's answer differs from its reading",
    "cheapest",
    "cheapest found",
)


@dataclass(frozen=True)
class Ask:
    """How far to go, and what makes a witness cheap.

    With `exact` the best of everybody is looked for, and no verdicts.
    """

    max_points: int
    deadline: Deadline
    cost: Any
    seed: int
    features: int  # how many there are in all
    exact: bool = False


@dataclass
class Found:
    """Verdicts of a run of people; a choice is a place in the options of each part.

    `best` is the choice with the greatest score, where `best_known`. `cheapest` tells
    where the choice was compared with every other one that has its status.
    """

    status: NDArray[np.int8]
    proof: NDArray[np.int8]
    choice: Places
    used: NDArray[np.int64]
    best: Places
    best_known: Truth
    cheapest: Truth
    parts: list[Options] = field(default_factory=list)

    @classmethod
    def blank(cls, options: Sequence[Options], people: int) -> Found:
        """Nothing is known, everybody stays put."""
        stay = np.empty((people, len(options)), dtype=np.intp)
        for p, each in enumerate(options):
            stay[:, p] = each.offsets[each.which]
        return cls(
            np.full(people, UNKNOWN, dtype=np.int8),
            np.full(people, OUT_OF_BUDGET, dtype=np.int8),
            stay,
            np.zeros(people, dtype=np.int64),
            stay.copy(),
            np.zeros(people, dtype=bool),
            np.zeros(people, dtype=bool),
            list(options),
        )

    def note(self, people: Any, status: int, proof: int) -> None:
        """Note a verdict of some people."""
        self.status[people] = status
        self.proof[people] = proof


def segments(door: Door, options: Sequence[Options], choice: Places) -> list[Segment]:
    """The new values of points that are these choices, one row each."""
    out = []
    for p, each in enumerate(options):
        pick = choice[:, p]
        values = new_values(
            each.part, each.before_of(pick), each.changes[pick], door.wardrobe
        )
        if values:
            out.append(Segment(0, len(choice), values))
    return out


def option_points(door: Door, options: Options) -> Iterator[Any]:
    """Every option of a part as points in the model's dress, a batch at a time.

    All else is as in some row that has the value the option starts from.
    """
    rows = options.rows[options.owner]
    for start in range(0, len(rows), door.batch):
        door.deadline.check()
        some = np.arange(start, min(start + door.batch, len(rows)))
        changed = segments(door, [options], some[:, None])
        cuts = [segment.within(0, len(some)) for segment in changed]
        yield door.wardrobe.take(rows[some], [cut for cut in cuts if cut])


def option_pairs(door: Door, options: Options) -> Iterator[tuple[Any, Any, Places]]:
    """Yield points of options as `option_points` does, with those of staying put.

    The third tells which of the points of staying put an option starts from.
    """
    stays = replace(
        options,
        offsets=np.arange(len(options.values) + 1),
        changes=options.changes[options.offsets[:-1]],
    )
    owner, at = options.owner, 0
    for after in option_points(door, options):
        here = owner[at : at + after.shape[0]]
        first, last = int(here[0]), int(here[-1]) + 1
        changed = segments(door, [stays], np.arange(first, last)[:, None])
        cuts = [segment.within(0, last - first) for segment in changed]
        kept = [cut for cut in cuts if cut]
        yield door.wardrobe.take(options.rows[first:last], kept), after, here - first
        at += len(here)


def reached(
    door: Door,
    options: Sequence[Options],
    rows: Places,
    choice: Places,
    *,
    final: bool = False,
) -> Truth:
    """Whether the model says so: the choices of these rows reach the target."""
    out = np.zeros(len(rows), dtype=bool)
    size = max(door.batch, 1)
    for start in range(0, len(rows), size):
        some = slice(start, start + size)
        changed = segments(door, options, choice[some])
        out[some] = door.ask(rows[some], changed, final=final)
    return out
