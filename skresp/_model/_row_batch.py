"""Evaluate the rows of one call, changed in many ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn import get_config

from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._deadline import NEVER, Deadline, OutOfTimeError, Pace

from ._change_lists import ChangeLists
from ._change_scorer import ChangeScorer
from ._codes import batch_codes
from ._point_builder import PointBuilder
from ._score_function import ScoreFunction
from ._target import TargetRule

# The size of a call of the model. Small arrays stay in the processor's cache and in
# memory that is used again, which is three times as fast for a linear model. A model
# with a high cost per call needs large ones. So calls start small and grow while the
# model takes most of the time.
_FIRST_BYTES = 2 * 2**20
_MAX_BYTES = 64 * 2**20
_SLOW_MODEL = 8.0
_FEWEST_POINTS = 1_000
# With a time limit: the approximate seconds that one call may take.
_CALL_SECONDS = 0.1
_REFUSED = (
    "The model was asked about changes that the action set allows. If it cannot accept "
    "them, narrow the limits of features: lower, upper, max_increase, max_decrease."
)


@dataclass(frozen=True)
class Segment:
    """Points that differ from their rows in the same columns.

    Attributes
    ----------
    start, stop : int
        The points are those from `start` to before `stop`.
    values : dict of int to array, or to (labels, mask)
        The new values of each column, by its position in the model's input; for a
        column of labels with the mask of the points where they replace the old ones.
    """

    start: int
    stop: int
    values: dict[int, Any]

    def within(self, start: int, stop: int) -> tuple[slice, dict[int, Any]] | None:
        """Return the segment's points from `start` to before `stop`; None for none."""
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


@dataclass(frozen=True)
class ListedChanges(ChangeLists):
    """The changes of some rows, listed for each distinct value of a part.

    Attributes
    ----------
    after : array of shape (n_changes, width)
        The codes of features after each change, in the order of `columns`.
    values : callable
        Returns the new values of the model's columns for each change of a part, given
        its position: a dict of int to array, or to (labels, mask).
    """

    after: FloatArray
    values: Callable[[int], dict[int, Any]]

    @classmethod
    def none(cls, n_rows: int) -> ListedChanges:
        """Return the lists of rows that have no changes."""
        empty = np.zeros(0, dtype=np.intp)
        which, columns = empty.reshape(0, n_rows), empty.reshape(0, 0)
        return cls(which, empty, empty, columns, np.zeros((0, 0)), lambda part: {})

    def of_rows(self, rows: slice) -> ListedChanges:
        """Return the changes of some rows."""
        which = self.which[:, rows]
        return self if which.shape == self.which.shape else replace(self, which=which)

    def segment(self, part: int, start: int, change: IndexArray) -> Segment:
        """Return the new values of points with these changes of a part."""
        change = change - self.first_changes[part]
        taken = {
            i: (new[0].take(change), new[1][change])
            if isinstance(new, tuple)
            else new[change]
            for i, new in self.values(part).items()
        }
        return Segment(start, start + len(change), taken)


class RowBatch:
    """Rows of one call, with the answer whether they reach the target when changed.

    The model is called with arrays of bounded size.

    Parameters
    ----------
    target_rule : TargetRule
    point_builder : PointBuilder
        Builds points from the rows.
    score_function : ScoreFunction or None
        What is known of the model beyond `predict`.
    deadline : Deadline
        When the calls have to end.
    change_scorer : callable
        Returns what answers that many listed changes without the model, if anything.
    uses_kernels : bool
        Whether points may be answered without the model. If not, whoever computes an
        answer asks the model instead, see `_kernel_use`.
    accepts_missing : set of int, optional
        The columns in which the model is known to accept missing values; updated.
    seconds_of_rows : dict, optional
        The seconds that a row took in earlier calls of each kind; updated.

    Attributes
    ----------
    kept : dict
        What others computed of all rows, to use it again.
    """

    def __init__(
        self,
        target_rule: TargetRule,
        point_builder: PointBuilder,
        score_function: ScoreFunction | None = None,
        deadline: Deadline = NEVER,
        change_scorer: Callable[[int], ChangeScorer | None] = lambda n_points: None,
        *,
        uses_kernels: bool = True,
        accepts_missing: set[int] | None = None,
        seconds_of_rows: dict[str, float] | None = None,
    ) -> None:
        self.target_rule = target_rule
        self.change_scorer = change_scorer
        self.uses_kernels = uses_kernels
        self.accepts_missing = set() if accepts_missing is None else accepts_missing
        self.seconds_of_rows = {} if seconds_of_rows is None else seconds_of_rows
        self.score_function = score_function
        self.point_builder = point_builder
        self.deadline = deadline
        self._pace = Pace(min(_CALL_SECONDS, 0.05 * deadline.limit))
        self._max_bytes = min(get_config()["working_memory"] * 2**20, _MAX_BYTES)
        self._bytes = min(self._max_bytes, _FIRST_BYTES)
        self._coded: tuple[ScoreFunction, ScoreFunction, FloatArray] | None = None
        self.kept: dict[str, Any] = {}

    def until(self, deadline: Deadline) -> RowBatch:
        """Return the same batch with another deadline."""
        same = RowBatch(
            self.target_rule,
            self.point_builder,
            self.score_function,
            deadline,
            self.change_scorer,
            uses_kernels=self.uses_kernels,
            accepts_missing=self.accepts_missing,
            seconds_of_rows=self.seconds_of_rows,
        )
        same._coded, same.kept = self._coded, self.kept
        return same

    def coded(self, score_function: ScoreFunction) -> tuple[ScoreFunction, FloatArray]:
        """Return the rows as codes, and a score function that knows their labels."""
        if self._coded is None or self._coded[0] is not score_function:
            known, codes = batch_codes(score_function, self.point_builder)
            self.ask_about_missing(codes, np.arange(len(codes)))
            self._coded = score_function, known, codes
        return self._coded[1:]

    def known_rows(self, score_function: ScoreFunction) -> BoolArray:
        """Return in which rows the score function knows every code."""
        known, codes = self.coded(score_function)
        kept = self.kept.get("known rows")
        if kept is None or kept[0] is not known:
            kept = self.kept["known rows"] = known, known.known_rows(codes)
        return np.asarray(kept[1])

    def ask_about_missing(self, codes: FloatArray, rows: IndexArray) -> None:
        """Ask the model once about a row with a missing value in each column.

        A model may refuse them, and says so itself. What was read of it would give an
        answer.
        """
        missing = np.isnan(codes)
        if not missing.any():
            return
        columns = set(np.flatnonzero(missing.any(axis=0)).tolist())
        new = sorted(columns - self.accepts_missing)
        if new:
            self.reaches_target(rows[missing[:, new].argmax(axis=0)], final=True)
            self.accepts_missing.update(new)

    @property
    def batch_size(self) -> int:
        """The number of points in one call; it grows for slow models."""
        return int(max(self._bytes // self.point_builder.row_bytes, _FEWEST_POINTS))

    def reaches_target(
        self,
        rows: IndexArray,
        segments: Sequence[Segment] = (),
        *,
        final: bool = False,
    ) -> BoolArray:
        """Return which points reach the target.

        Point `i` is the row `rows[i]` with the values of the segment that covers it.
        Raise OutOfTimeError if the time ends first. With `final` the time does not
        count: a result rests on these few points.
        """
        out, answered = self.first_answers(rows, segments, final)
        if answered < len(rows):
            raise OutOfTimeError
        return out

    def reaches_target_in_time(self, rows: IndexArray) -> tuple[BoolArray, BoolArray]:
        """Return which rows reach the target unchanged, and which were evaluated."""
        out, answered = self.first_answers(rows)
        out[answered:] = False
        return out, np.arange(len(rows)) < answered

    def first_answers(
        self,
        rows: IndexArray,
        segments: Sequence[Segment] = (),
        final: bool = False,
    ) -> tuple[BoolArray, int]:
        """Return which points reach the target, and how many were evaluated.

        The evaluated ones come first; the rest of the array is not filled.
        """
        out = np.empty(len(rows), dtype=bool)
        limited = self.deadline.is_limited
        start = 0
        while start < len(rows):
            if limited and not final and self.deadline.is_over:
                return out, start
            size = min(self.batch_size, self._pace.size) if limited else self.batch_size
            stop = min(start + size, len(rows))
            began = perf_counter()
            cuts = [segment.within(start, stop) for segment in segments]
            points = self.point_builder.take(rows[start:stop], [c for c in cuts if c])
            transformed = perf_counter()
            out[start:stop] = self._reached(points, changed=bool(segments))
            ended = perf_counter()
            if limited:
                self._pace.note(stop - start, ended - began)
            if ended - transformed > _SLOW_MODEL * (transformed - began):
                self._bytes = min(2 * self._bytes, self._max_bytes)
            start = stop
        return out, start

    def _reached(self, points: Any, changed: bool) -> BoolArray:
        """Return which points reach the target; say of errors what was asked."""
        try:
            return self.target_rule.reached(points)
        except Exception as error:  # of the model, which may raise anything
            if changed:
                error.add_note(_REFUSED)
            raise
