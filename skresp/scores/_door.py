"""The one door to the model: every question about points goes through here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config

from skresp.reach import NEVER, Deadline, OutOfTimeError, Pace

from ._along import Along
from ._dress import Wardrobe
from ._target import Goal, Truth

# The size of a question. A small one stays in the processor's cache and in memory that
# is used again, three times as fast for a linear model; a model that takes long over
# each call wants large ones. So questions start small and grow while the model takes
# most of the time.
_FIRST_BYTES = 2 * 2**20
_MOST_BYTES = 64 * 2**20
_SLOW_MODEL = 8.0
_FEWEST_POINTS = 1_000
# With a time limit: seconds that one question may take, about.
_PIECE = 0.1


@dataclass(frozen=True)
class Segment:
    """Points that differ from their rows in the same columns.

    `values` maps a column's position to its new values: numbers, or labels with the
    mask of those that count.
    """

    start: int
    stop: int
    values: dict[int, Any]

    def within(self, start: int, stop: int) -> tuple[slice, dict[int, Any]] | None:
        """The part of it that lies in a batch, counted from the batch's start."""
        low, high = max(start, self.start), min(stop, self.stop)
        if low >= high:
            return None
        own = slice(low - self.start, high - self.start)
        cut = {}
        for i, new in self.values.items():
            if isinstance(new, tuple):
                labels, moved = new[0][own], new[1][own]
                cut[i] = labels[moved], moved
            else:
                cut[i] = new[own]
        return slice(low - start, high - start), cut


class Door:
    """Asks a model whether points reach the target, in batches of bounded size.

    Parameters
    ----------
    goal : what is asked
    wardrobe : the rows that points start from, in the model's dress
    along : what the model says along lines, where that can be told
    deadline : when questions have to end
    """

    def __init__(
        self,
        goal: Goal,
        wardrobe: Wardrobe,
        along: Along | None = None,
        deadline: Deadline = NEVER,
    ) -> None:
        self.goal = goal
        self.along = along
        self.wardrobe = wardrobe
        self.deadline = deadline
        self._pace = Pace(min(_PIECE, 0.05 * deadline.limit))
        self._most = min(get_config()["working_memory"] * 2**20, _MOST_BYTES)
        self._bytes = min(self._most, _FIRST_BYTES)

    def until(self, deadline: Deadline) -> Door:
        """The same door with another deadline."""
        return Door(self.goal, self.wardrobe, self.along, deadline)

    @property
    def batch(self) -> int:
        """How many points are asked about at once, for now."""
        return int(max(self._bytes // self.wardrobe.row_bytes, _FEWEST_POINTS))

    def ask(
        self,
        rows: NDArray[np.intp],
        segments: Sequence[Segment] = (),
        *,
        final: bool = False,
    ) -> Truth:
        """Which points reach the target.

        Point `i` is the row `rows[i]` with the values of the segment that covers it.
        Raises OutOfTimeError where the time is up first, unless the question is
        `final`: the few points that a finding rests on are asked about all the same.
        """
        out, answered = self.ask_some(rows, segments, final)
        if answered < len(rows):
            raise OutOfTimeError
        return out

    def ask_in_time(self, rows: NDArray[np.intp]) -> tuple[Truth, Truth]:
        """Which rows reach the target as they are, and of which that is known."""
        out, answered = self.ask_some(rows)
        out[answered:] = False
        return out, np.arange(len(rows)) < answered

    def ask_some(
        self,
        rows: NDArray[np.intp],
        segments: Sequence[Segment] = (),
        final: bool = False,
    ) -> tuple[Truth, int]:
        """The answers, and how many of them there are: the first ones."""
        out = np.empty(len(rows), dtype=bool)
        limited = self.deadline.is_limited
        start = 0
        while start < len(rows):
            if limited and not final and self.deadline.is_over:
                return out, start
            size = min(self.batch, self._pace.size) if limited else self.batch
            stop = min(start + size, len(rows))
            began = perf_counter()
            cuts = [segment.within(start, stop) for segment in segments]
            points = self.wardrobe.take(rows[start:stop], [c for c in cuts if c])
            dressed = perf_counter()
            out[start:stop] = self.goal.reached(points)
            ended = perf_counter()
            if limited:
                self._pace.note(stop - start, ended - began)
            if ended - dressed > _SLOW_MODEL * (dressed - began):
                self._bytes = min(2 * self._bytes, self._most)
            start = stop
        return out, start
