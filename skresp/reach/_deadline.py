"""The time a call may take, looked at by every loop that can be long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np

# Seconds of work between two looks at the clock, about.
PIECE = 0.02


class LimitError(Exception):
    """Work was ended by a limit."""


class OutOfTimeError(LimitError):
    """The time limit of the call has passed."""


@dataclass(frozen=True)
class Deadline:
    """When a call has to end; never, unless a limit is given.

    Made at the start of a call and handed down. Without a limit nothing depends on
    the clock.

    Attributes
    ----------
    limit : seconds that the call may take
    at : when they have passed, by the monotonic clock
    """

    limit: float = np.inf
    at: float = np.inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline so many seconds from now; None for no limit."""
        return cls() if seconds is None else cls(seconds, monotonic() + seconds)

    def again(self) -> Deadline:
        """Return a deadline with the same limit, from now on."""
        return Deadline.after(self.limit) if self.is_limited else self

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return bool(np.isfinite(self.at))

    @property
    def left(self) -> float:
        """Seconds left, 0 where the time is up."""
        return max(self.at - monotonic(), 0.0) if self.is_limited else np.inf

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.is_limited and monotonic() >= self.at

    def check(self) -> None:
        """Raise OutOfTimeError where the time is up."""
        if self.is_over:
            raise OutOfTimeError

    def slices(
        self, n: int, piece: float = PIECE, most: int | None = None
    ) -> Iterator[slice]:
        """Yield slices of `range(n)`, in order; raise where the time is up.

        One slice for all without a limit. With one, the first has one element, and
        the others are as long as `piece` seconds allow, at most `most`.
        """
        if not self.is_limited:
            if n:
                yield slice(0, n)
            return
        start, pace = 0, Pace(piece)
        while start < n:
            self.check()
            began = monotonic()
            stop = min(start + pace.size, start + (most or n), n)
            yield slice(start, stop)
            pace.note(stop - start, monotonic() - began)
            start = stop


#: No limit.
NEVER = Deadline()


class Pace:
    """How many things to do between two looks at the clock.

    Starts with one and grows while that takes less than `piece` seconds, or hardly
    longer than one thing: then it is the call that takes time, not what is done.
    """

    def __init__(self, piece: float = PIECE) -> None:
        self.piece = piece
        self.size = 1
        self._least = np.inf

    def note(self, done: int, took: float) -> None:
        """Note how long it took to do so many."""
        self._least = min(self._least, took)
        wanted = max(self.piece, 2.0 * self._least)
        size = int(done * wanted / max(took, 1e-6))
        self.size = max(1, min(4 * max(done, 1), size))
