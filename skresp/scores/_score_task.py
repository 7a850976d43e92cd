"""Responsiveness: the probability that an intervention reaches the target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._errors import TooManyTogetherError
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._part import Part, as_one_part, located_parts, scored_columns

from ._confidence_interval import score_interval
from ._enumerated import count_hits, make_change_table
from ._exact_lines import known_lines
from ._line_shares import line_shares
from ._random_effects import EffectSampler
from ._row_rng import Keys, feature_keys, generator
from ._row_runs import compute_runs
from ._sampled import Draw, count_drawn, draw
from ._scores import Scores, join_run
from ._settings import ScoreSettings
from ._strategy import all_listed, unlisted_rows

# Rows whose feasible changes are looked up together.
ROWS_AT_ONCE = 16_384
# Points drawn at once, to bound memory.
MAX_DRAWS = 500_000


#: Interventions on a feature of a part, its column, and rows that have no list of them.
_Unlisted = tuple[FeasibleChanges, int, int, IndexArray]


class InvalidRowsError(ValueError):
    """Some rows break a constraint before any change."""


@dataclass(frozen=True)
class ScoreTask:
    """Rows, and what is needed to compute their scores.

    Attributes
    ----------
    batch : RowBatch
        The rows.
    actions : ActionSet
    codes : array of shape (n_rows, n_features)
        The same rows as numbers.
    make_keys : callable
        Returns the rows' random keys. Called only where something is drawn.
    settings : ScoreSettings
    """

    batch: RowBatch
    actions: ActionSet
    codes: FloatArray
    make_keys: Callable[[], Keys]
    settings: ScoreSettings

    @cached_property
    def keys(self) -> Keys:
        """The random keys of all rows, computed at the first use."""
        return self.make_keys()


def score(
    task: ScoreTask,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Scores:
    """Compute the responsiveness of every feature for every row.

    Parameters
    ----------
    task : ScoreTask
    n_jobs : int or None
    progress : callable or None
        Called with the number of rows that were scored.
    """
    deadline, rows = task.settings.deadline, len(task.codes)
    at_target = None
    if deadline.is_limited:
        # Also for rows that there is no time to score.
        at_target, _ = task.batch.reaches_target_in_time(np.arange(rows))
    scores = None
    done = 0
    is_even = all_listed(task.actions, task.settings)
    is_known = not deadline.is_limited and task.batch.change_scorer(0) is not None
    try:
        for run, some in compute_runs(
            partial(_score_run, task),
            rows,
            ROWS_AT_ONCE,
            deadline=deadline,
            n_jobs=n_jobs,
            progress=progress,
            is_even=is_even,
            is_fast=is_even and is_known,
            memory=(task.batch.seconds_of_rows, f"scores {is_known}"),
        ):
            scores = join_run(scores, run, some, rows)
            done = run.stop
    except OutOfTimeError:
        rest = slice(done, rows)
        scores = join_run(scores, rest, _ScoreRun(task, rest).result(), rows)
    if scores is None:
        return Scores.blank(0, len(task.actions.names))
    if at_target is not None:
        scores.at_target[:] = at_target & scores.valid
    return scores


def _score_run(task: ScoreTask, run: slice) -> Scores:
    """Compute the scores of a run of rows; of two halves where lists are too long."""
    try:
        return _ScoreRun(task, run).scores()
    except TooManyTogetherError:
        half = (run.start + run.stop) // 2
        halves = slice(run.start, half), slice(half, run.stop)
        return Scores.stacked([_score_run(task, rows) for rows in halves])


class _ScoreRun:
    """The scores of a run of rows, stored as they are computed.

    With a time limit, scores that are not computed when it ends are unknown.
    """

    def __init__(self, task: ScoreTask, run: slice) -> None:
        self.task, self.settings, self.batch = task, task.settings, task.batch
        self.run = run
        self.rows = np.arange(run.start, run.stop)
        self.values = task.codes[run]
        names = task.actions.names
        self.out = Scores.blank(len(self.rows), len(names))
        self.unknown: BoolArray | None = None
        if self.settings.deadline.is_limited:
            self.out = self.out.with_intervals()
            self.unknown = np.zeros(self.out.values.shape, dtype=bool)
            actionable = [names.index(name) for name in task.actions.actionable]
            self.unknown[:, actionable] = True

    def scores(self) -> Scores:
        """Compute all scores that the time allows."""
        with suppress(OutOfTimeError):
            self._compute()
        return self.result()

    def result(self) -> Scores:
        """Return the scores that were computed."""
        if self.unknown is not None:
            self.out.mark_unknown(self.unknown)
        if not self.out.valid.all():
            self.out.mask_invalid(~self.out.valid)
        return self.out

    def _compute(self) -> None:
        """Compute the scores: listed ones first, then along lines, then by drawing."""
        settings, valid = self.settings, self.out.valid
        on_parts = []
        for part, columns in located_parts(self.task.actions):
            if part.actionable or part.constraints:
                feasible = settings.feasible_changes(part, self.values[:, columns])
                if not feasible.all_valid:
                    np.logical_and(valid, feasible.valid, out=valid)
                if part.actionable:
                    on_parts.append((feasible, columns))
        if settings.invalid_rows == "raise" and not valid.all():
            raise InvalidRowsError
        by_chance = settings.random_effects is not None
        unlisted = [unlisted_rows(each, settings) for each, _ in on_parts]
        if self.unknown is None and (by_chance or any(unlisted)):
            self.out = self.out.with_intervals()
        self._score_listed(on_parts)
        if by_chance:
            self._score_effects(on_parts)
        elif any(unlisted):
            self._score_unlisted(on_parts, unlisted)

    def _score_listed(self, on_parts: list[tuple[FeasibleChanges, IndexArray]]) -> None:
        """Score interventions that are listed; also find who is at the target."""
        settings = self.settings
        listed = []
        if settings.method != "sample" and settings.random_effects is None:
            settings.deadline.check()
            listed = [each for each in on_parts if each[0].reaches]
        table = make_change_table(
            [feasible for feasible, _ in listed],
            len(self.rows),
            settings.interventions,
            self.batch.point_builder,
        )
        found = count_hits(self.batch, table, self.rows)
        self.out.at_target[:] = found.at_target
        if listed:
            positions = [scored_columns(self.task.actions)[f.part] for f, _ in listed]
            known: BoolArray | bool = True
            if self.unknown is not None:
                known = (table.which >= 0).T[:, np.nonzero(table.is_scored)[0]]
            self._store(
                slice(None),
                np.concatenate(positions),
                found.hits / np.maximum(found.sizes, 1),
                found.sizes,
                known=known,
            )

    def _store(
        self,
        rows: Any,
        position: int | IndexArray,
        share: FloatArray,
        count: IndexArray,
        *,
        low: FloatArray | None = None,
        high: FloatArray | None = None,
        exact: BoolArray | bool = True,
        known: BoolArray | bool = True,
    ) -> None:
        """Store scores of one or more features; without an interval they are exact.

        Those that are not `known` are 0, and are computed later if there is time.
        """
        out = self.out
        if not np.isscalar(position) and not isinstance(rows, slice):
            rows = rows[:, None]
        out.values[rows, position] = share
        out.n_reachable[rows, position] = count
        if out.lower is not out.values:
            out.lower[rows, position] = share if low is None else low
            out.upper[rows, position] = share if high is None else high
            out.exact[rows, position] = exact
        if self.unknown is not None:
            self.unknown[rows, position] &= np.logical_not(known)

    def _score_unlisted(
        self,
        on_parts: list[tuple[FeasibleChanges, IndexArray]],
        unlisted: list[list[IndexArray]],
    ) -> None:
        """Score interventions that are not listed: along lines, else by drawing."""
        settings, task = self.settings, self.task
        todo = [
            (feasible, j, columns[j], some)
            for (feasible, columns), groups in zip(on_parts, unlisted, strict=True)
            for some in groups
            for j in feasible.part.actionable
        ]
        # With a time limit one by one, so that what is known is stored.
        size = 1 if settings.deadline.is_limited else max(len(todo), 1)
        waiting = [
            (feasible, j, position, some[~exact])
            for start in range(0, len(todo), size)
            for (feasible, j, position, some), exact in self._score_lines(
                todo[start : start + size]
            )
        ]
        # Exact scores come first, because drawing may take all the time.
        for feasible, j, position, to_draw in waiting:
            for some in self._chunks(to_draw):
                keys = task.keys[self.rows[some]]
                drawn = draw(feasible, some, j, keys, settings)
                self._score_drawn(feasible.part, some, position, drawn)

    def _chunks(self, rows: IndexArray) -> Iterator[IndexArray]:
        """Yield a few rows at a time, to bound memory and check the time."""
        most = max(MAX_DRAWS // self.settings.n_samples, 1)
        for block in self.settings.deadline.slices(len(rows)):
            some = rows[block]
            for start in range(0, len(some), most):
                yield some[start : start + most]

    def _score_lines(
        self, unlisted: Sequence[_Unlisted]
    ) -> Iterator[tuple[_Unlisted, BoolArray]]:
        """Store the scores that are exact along lines; yield which rows have one."""
        self.settings.deadline.check()
        several = [
            known_lines(
                self.batch,
                feasible.part,
                j,
                self.rows[some],
                feasible.values[some],
                self.settings,
            )
            for feasible, j, _, some in unlisted
        ]
        most = np.iinfo(self.out.n_reachable.dtype).max
        shares = line_shares(self.batch, several)
        for each, (share, count, exact) in zip(unlisted, shares, strict=True):
            _, _, position, some = each
            count = np.minimum(count, most).astype(np.intp)
            self._store(some[exact], position, share[exact], count[exact])
            yield each, exact

    def _score_effects(
        self, on_parts: list[tuple[FeasibleChanges, IndexArray]]
    ) -> None:
        """Store scores with random effects; all of them are drawn."""
        task = self.task
        everything = as_one_part(task.actions)
        keys = task.keys[self.rows]
        for feasible, columns in on_parts:
            sampler = EffectSampler(
                task.actions, feasible, columns, self.values, self.settings
            )
            for j in feasible.part.actionable:
                seeds = feature_keys(keys, feasible.part.names[j])
                for some in self._chunks(np.flatnonzero(feasible.valid)):
                    samples = [
                        sampler.draw(i, j, generator(seeds[i])) for i in some.tolist()
                    ]
                    stuck = [sampler.cannot_move(i, j) for i in some.tolist()]
                    drawn = Draw.of(self.values[some], samples, stuck)
                    self._score_drawn(everything, some, columns[j], drawn)

    def _score_drawn(
        self, part: Part, rows: IndexArray, position: int, drawn: Draw
    ) -> None:
        """Evaluate draws, and store the scores of rows that the time allowed."""
        hits, counts = count_drawn(self.batch, part, self.rows[rows], drawn)
        some = np.flatnonzero((counts > 0) | (drawn.counts == 0))
        hits, counts, exact = hits[some], counts[some], drawn.exact[some]
        exact = exact & (counts == drawn.counts[some])
        share = hits / np.maximum(counts, 1)
        low, high = score_interval(
            hits, counts, self.settings.alpha, drawn.uniform[some]
        )
        self._store(
            rows[some],
            position,
            share,
            counts,
            low=np.where(exact, share, low),
            high=np.where(exact, share, high),
            exact=exact,
        )
