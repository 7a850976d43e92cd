"""The points, solver runs and time that may be spent on one person.

`allow` sets the allowance of a person, and the solver and the samplers inside spend it.
Outside of `allow` nothing is limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from ._deadline import NEVER, Deadline, LimitError

# A run of the solver takes about as long as this many points of a model.
POINTS_PER_RUN = 100


class OutOfPointsError(LimitError):
    """The points of one person are used up."""


@dataclass
class Allowance:
    """What may still be spent on one person.

    Attributes
    ----------
    deadline : Deadline
        When the call has to end.
    points : float
        The points that are left. A run of the solver costs `POINTS_PER_RUN`.
    spent : int
        The points that have been used.
    outer : Allowance or None
        The allowance that this one is a share of.
    """

    deadline: Deadline = NEVER
    points: float = np.inf
    spent: int = 0
    outer: Allowance | None = None

    def spend(self, points: int) -> None:
        """Spend points before they are used; raise if there are too few."""
        self.deadline.check()
        if points > self.points:
            raise OutOfPointsError
        if self.outer is not None:
            self.outer.spend(points)
        self.points -= points
        self.spent += points

    def spend_up_to(self, points: int) -> int:
        """Spend at most so many points, and return how many there were."""
        points = int(min(points, self.points))
        self.spend(points)
        return points

    def spend_run(self) -> float:
        """Spend a run of the solver, and return the seconds it may take."""
        self.spend(POINTS_PER_RUN)
        return max(self.deadline.left, 1e-3)


_current: ContextVar[Allowance] = ContextVar("allowance")


def allowance() -> Allowance:
    """Return the current allowance; an unlimited one outside of `allow`."""
    return _current.get(None) or Allowance()


@contextmanager
def allow(deadline: Deadline, points: float = np.inf) -> Iterator[Allowance]:
    """Limit the points and the time that may be spent inside.

    Inside of another allowance its points are spent too.
    """
    outer = _current.get(None)
    if outer is not None:
        points = min(points, outer.points)
    given = Allowance(deadline, points, outer=outer)
    token = _current.set(given)
    try:
        yield given
    finally:
        _current.reset(token)
