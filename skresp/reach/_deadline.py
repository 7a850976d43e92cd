"""The time limit of a call, checked by every loop that can be long."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

# Approximate seconds of work between two checks of the time.
PIECE = 0.02


# Seconds, more than 30 million years.
_FOREVER = 1e15


class LimitError(Exception):
    """A limit ended the work."""


class OutOfTimeError(LimitError):
    """The time limit of the call has passed."""


@dataclass(frozen=True)
class Deadline:
    """When a call has to end.

    Created at the start of a call and passed on. Without a limit nothing depends on
    the clock.

    Attributes
    ----------
    limit : float
        Seconds that the call may take; inf for no limit.
    at : float
        When they have passed, by the monotonic clock.
    """

    limit: float = np.inf
    at: float = np.inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline some seconds from now; None for no limit."""
        if seconds is None or seconds > _FOREVER:
            return cls()
        return cls(seconds, monotonic() + seconds)

    def again(self) -> Deadline:
        """Return a deadline with the same limit, from now on."""
        return Deadline.after(self.limit) if self.is_limited else self

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit."""
        return math.isfinite(self.at)

    @property
    def left(self) -> float:
        """Seconds left; 0 after the deadline."""
        return max(self.at - monotonic(), 0.0) if self.is_limited else np.inf

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.is_limited and monotonic() >= self.at

    def check(self) -> None:
        """Raise OutOfTimeError after the deadline."""
        if self.is_over:
            raise OutOfTimeError

    def call(self, kernel: Callable[..., T], *given: Any) -> T:
        """Call a compiled kernel; raise OutOfTimeError if compiling takes too long."""
        if self.is_limited:
            from skresp._numba import is_compiled_in  # numba loads slowly

            if not is_compiled_in(self.left, kernel, *given):
                raise OutOfTimeError
        return kernel(*given)

    def slices(
        self, n: int, piece: float = PIECE, most: int | None = None
    ) -> Iterator[slice]:
        """Yield slices of `range(n)` in order; raise OutOfTimeError at the deadline.

        Without a limit there is one slice. With one, the first has one element, and
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
    """How many items to process between two checks of the time.

    Starts with one and grows while processing takes less than `piece` seconds, or
    hardly longer than one item: then the time depends on the calls, not on the items.
    """

    def __init__(self, piece: float = PIECE) -> None:
        self.piece = piece
        self.size = 1
        self._least = np.inf

    def note(self, done: int, took: float) -> None:
        """Record how many seconds a number of items took."""
        self._least = min(self._least, took)
        wanted = max(self.piece, 2.0 * self._least)
        size = int(done * wanted / max(took, 1e-6))
        self.size = max(1, min(4 * max(done, 1), size))
