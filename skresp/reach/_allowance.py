"""What one person may cost: points, runs of the solver, and the time that is left.

The solver and the samplers look at the allowance of the person they work for, which
whoever knows the person sets with `allow`. Outside of that nothing is limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from ._deadline import NEVER, Deadline, LimitError

# A run of the solver takes as long as asking a model about so many points, about.
POINTS_PER_RUN = 100


class OutOfPointsError(LimitError):
    """The points of one person have been used up."""


@dataclass
class Allowance:
    """How much may still be done for one person.

    Attributes
    ----------
    deadline : when the call has to end
    points : how many points are left; a run of the solver counts for some
    """

    deadline: Deadline = NEVER
    points: float = np.inf

    def spend(self, points: int) -> None:
        """Take off points before they are used; raise where that is too many."""
        self.deadline.check()
        if points > self.points:
            raise OutOfPointsError
        self.points -= points

    def spend_run(self, seconds: float) -> float:
        """Take off a run of the solver; the seconds it may take, at most `seconds`."""
        self.spend(POINTS_PER_RUN)
        return min(seconds, max(self.deadline.left, 1e-3))


_current: ContextVar[Allowance] = ContextVar("allowance")


def allowance() -> Allowance:
    """Return the allowance of the person that is worked for; without any, no limit."""
    return _current.get(None) or Allowance()


@contextmanager
def allow(deadline: Deadline, points: float = np.inf) -> Iterator[Allowance]:
    """Limit what is done inside to so many points, and to the time that is left."""
    given = Allowance(deadline, points)
    token = _current.set(given)
    try:
        yield given
    finally:
        _current.reset(token)
