"""Responsiveness: the probability that an intervention reaches the target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skresp._actions._action_set import ActionSet
from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._deadline import PIECE, OutOfTimeError
from skresp.reach._errors import TooManyTogetherError
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._part import Part, parts_of
from skresp.reach._sampling import Sample

from ._confidence_interval import agresti_coull
from ._enumerated import ChangeTable, count_hits, make_change_table
from ._exact_lines import exact_lines
from ._random_effects import cannot_move, draw_with_effects
from ._row_rng import Keys, feature_keys, generator
from ._sampled import Draw, count_drawn, draws
from ._scores import CachedAnswers, Scores
from ._settings import ScoreSettings

# Rows whose feasible changes are looked up together.
ROWS_AT_ONCE = 16_384
# Points drawn at once, to bound memory.
MOST_DRAWS = 500_000


def score(
    batch: RowBatch,
    actions: ActionSet,
    codes: FloatArray,
    keys: Callable[[], Keys],
    settings: ScoreSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Scores:
    """Compute the responsiveness of every feature for every row.

    Parameters
    ----------
    batch : RowBatch
        The rows.
    actions : ActionSet
    codes : array of shape (n_rows, n_features)
        The same rows as numbers; valid rows only.
    keys : callable
        Returns the rows' random keys. Called only where something is drawn.
    settings : ScoreSettings
    n_jobs : int or None
    progress : callable or None
        Called with the number of rows that were scored.
    """
    deadline, jobs = settings.deadline, effective_n_jobs(n_jobs)
    at_target = None
    if deadline.is_limited:
        # Also for rows that there is no time to score.
        at_target, _ = batch.reaches_target_in_time(np.arange(len(codes)))
    out = []
    done = 0
    try:
        # With a limit a few rows at a time, so that their scores are kept.
        piece = max(PIECE, 0.05 * deadline.limit)
        for block in deadline.slices(len(codes), piece, jobs * ROWS_AT_ONCE):
            length = block.stop - block.start
            size = ROWS_AT_ONCE
            if progress is not None or jobs > 1:
                # Enough runs for all jobs and for progress. Runs do not change scores.
                size = min(size, max(length // 32, 64))
            if deadline.is_limited:
                size = min(size, -(-length // jobs))
            runs = [
                slice(start, min(start + size, block.stop))
                for start in range(block.start, block.stop, size)
            ]
            calls = [(batch, actions, codes, keys, settings, run) for run in runs]
            if len(runs) == 1:
                results = (score_run(*call) for call in calls)
            else:
                results = Parallel(
                    n_jobs=n_jobs, prefer="threads", return_as="generator"
                )(delayed(score_run)(*call) for call in calls)
            for run, scores in zip(runs, results, strict=True):
                out.append(scores)
                done = run.stop
                if progress is not None:
                    progress(run.stop - run.start)
    except OutOfTimeError:
        out.append(_Run(batch, actions, codes, keys, settings, slice(done, None)).out)
    if not out:
        return Scores.blank(0, len(actions.names))
    scores = out[0] if len(out) == 1 else Scores.stacked(out)
    if at_target is not None:
        scores.at_target[:] = at_target & scores.valid
    return scores


def score_run(
    batch: RowBatch,
    actions: ActionSet,
    codes: FloatArray,
    keys: Callable[[], Keys],
    settings: ScoreSettings,
    run: slice,
) -> Scores:
    """Compute the scores of a run of rows."""
    try:
        return _Run(batch, actions, codes, keys, settings, run).scores()
    except TooManyTogetherError:
        half = (run.start + run.stop) // 2
        halves = slice(run.start, half), slice(half, run.stop)
        return Scores.stacked(
            [score_run(batch, actions, codes, keys, settings, h) for h in halves]
        )


@lru_cache(maxsize=64)
def part_columns(actions: ActionSet) -> tuple[IndexArray, ...]:
    """Return for each part the positions of its features in the action set."""
    position = {name: i for i, name in enumerate(actions.names)}
    return tuple(
        np.array([position[name] for name in part.names]) for part in parts_of(actions)
    )


class InvalidRowsError(ValueError):
    """Some rows break a constraint before any change."""


def interventions_of(
    actions: ActionSet,
    feature: str,
    codes: FloatArray,
    keys: Keys,
    settings: ScoreSettings,
) -> tuple[Sample, bool]:
    """Return the interventions of one person, and whether these are all.

    They are the ones that the person's score was computed from, as total changes with
    one column for each feature of the action set.
    """
    part, columns = next(
        (p, c)
        for p, c in zip(parts_of(actions), part_columns(actions), strict=True)
        if feature in p.names
    )
    j = part.names.index(feature)
    feasible = FeasibleChanges.of(
        part, codes[:, columns], settings.method, settings.deadline
    )
    if settings.effects is not None and part.features[j].actionable:
        rng = generator(feature_keys(keys, feature)[0])
        drawn = draw_with_effects(
            actions, feasible, columns, 0, codes[0], j, settings, rng
        )
        return drawn, False
    drawn, complete = _on_part(feasible, j, keys, settings)
    changes = np.zeros((len(drawn.changes), len(actions.names)))
    changes[:, columns] = drawn.changes
    return replace(drawn, changes=changes), complete


def _on_part(
    feasible: FeasibleChanges, j: int, keys: Keys, settings: ScoreSettings
) -> tuple[Sample, bool]:
    """Return the interventions of one person on a part, and whether these are all."""
    part = feasible.part
    if not part.features[j].actionable:
        return Sample(np.zeros((0, len(part.names))), 0), True
    for _, draw in draws(feasible, settings):
        drawn = draw(j, np.zeros(1, dtype=np.intp), keys)
        sample = Sample(drawn.changes, int(drawn.tried[0]), bool(drawn.uniform[0]))
        return sample, bool(drawn.exact[0])
    reach = feasible.reaches[feasible.which[0]]
    changes = reach.changes[reach.interventions(j, settings.interventions)]
    return Sample(changes, 0), True


def as_one_part(actions: ActionSet) -> Part:
    """Return a part with all features and no constraints, to build points with."""
    names = actions.names
    features = tuple(actions.features.values())
    return Part(names, features, (), (), tuple(range(len(names))))


def is_listed(part: Part, values: FloatArray, settings: ScoreSettings) -> bool:
    """Return whether one person's changes on a part are all listed."""
    feasible = FeasibleChanges.of(part, values, settings.method, settings.deadline)
    drawn = settings.method == "sample" or settings.effects is not None
    return not drawn and not feasible.is_drawn(settings.method)


class _Run:
    """The scores of a run of rows, stored as they are computed.

    With a time limit, scores that are not computed when it ends are unknown.
    """

    def __init__(
        self,
        batch: RowBatch,
        actions: ActionSet,
        codes: FloatArray,
        keys: Callable[[], Keys],
        settings: ScoreSettings,
        run: slice,
    ) -> None:
        self.batch, self.actions, self.keys = batch, actions, keys
        self.settings = settings
        self.rows = np.arange(*run.indices(len(codes)))
        self.values = codes[run]
        self.out = Scores.blank(len(self.rows), len(actions.names))
        self.unknown: BoolArray | None = None
        if settings.deadline.is_limited:
            self.out = self.out.with_intervals(True)
            self.unknown = np.zeros(self.out.values.shape, dtype=bool)
            self.unknown[:, [actions.names.index(n) for n in actions.actionable]] = True
            self.out.mark_unknown(self.unknown)
        self.out = replace(
            self.out, answer_cache=[CachedAnswers(self._slice, {}, in_time=False)]
        )

    @property
    def _slice(self) -> slice:
        return (
            slice(int(self.rows[0]), int(self.rows[-1]) + 1)
            if len(self.rows)
            else (slice(0, 0))
        )

    def scores(self) -> Scores:
        """Compute all scores that the time allows."""
        with suppress(OutOfTimeError):
            self._fill()
        if self.unknown is not None:
            self.out.mark_unknown(self.unknown)
        if not self.out.valid.all():
            self.out.mask_invalid(~self.out.valid)
        return self.out

    def _mark_done(self, rows: Any, position: int) -> None:
        """Record that scores have been computed."""
        if self.unknown is not None:
            self.unknown[rows, position] = False

    def _fill(self) -> None:
        """Compute the scores: listed ones first, then along lines, then by drawing."""
        batch, settings = self.batch, self.settings
        on_parts = []
        parts = [
            (part, self.values[:, columns], columns)
            for part, columns in zip(
                parts_of(self.actions), part_columns(self.actions), strict=True
            )
            if part.actionable or part.constraints
        ]
        valid = self.out.valid
        for part, values, columns in parts:
            feasible = FeasibleChanges.of(
                part, values, settings.method, settings.deadline, settings.max_listed
            )
            np.logical_and(valid, feasible.valid, out=valid)
            if part.actionable:
                on_parts.append((feasible, columns))
        if settings.invalid_rows == "raise" and not valid.all():
            raise InvalidRowsError
        tables = []
        if settings.method != "sample" and settings.effects is None:
            for feasible, columns in on_parts:
                if (feasible.which >= 0).any():
                    settings.deadline.check()
                    table = make_change_table(
                        feasible, settings.interventions, batch.point_builder
                    )
                    tables.append((table, columns))
        counted, self.out.at_target[:], packed = count_hits(
            batch, [t for t, _ in tables], self.rows
        )
        answers = {t.part: bits for (t, _), bits in zip(tables, packed, strict=True)}
        for (table, columns), hits in zip(tables, counted, strict=True):
            self._score_listed(table, columns, hits)
        drawn = settings.effects is not None
        drawn = drawn or any(f.is_drawn(settings.method) for f, _ in on_parts)
        if self.unknown is None:
            self.out = self.out.with_intervals(drawn)
        if settings.effects is not None:
            self._score_effects(on_parts)
        else:
            self._score_unlisted(on_parts)
        self.out = replace(self.out, answer_cache=[CachedAnswers(self._slice, answers)])

    def _score_listed(
        self, table: ChangeTable, columns: IndexArray, hits: IndexArray
    ) -> None:
        """Store the scores of listed interventions."""
        rows: Any = slice(None)
        if (table.which < 0).any():
            rows = np.flatnonzero(table.which >= 0)
        which, out = table.which[rows], self.out
        for k, j in enumerate(table.features):
            sizes = table.sizes[which, k]
            out.n_reachable[rows, columns[j]] = sizes
            share = hits[rows, k] / np.maximum(sizes, 1)
            out.values[rows, columns[j]] = share
            if self.unknown is not None:
                out.lower[rows, columns[j]] = out.upper[rows, columns[j]] = share
                out.exact[rows, columns[j]] = True
            self._mark_done(rows, columns[j])

    def _score_unlisted(
        self, on_parts: list[tuple[FeasibleChanges, IndexArray]]
    ) -> None:
        """Score interventions that are not listed: along lines, else by drawing."""
        settings, rows = self.settings, self.rows
        waiting = []
        for feasible, columns in on_parts:
            for some, draw in draws(feasible, settings):
                for j in feasible.part.actionable:
                    settings.deadline.check()
                    has_line = self._score_lines(feasible, j, columns[j], some)
                    to_draw = np.flatnonzero(~has_line)
                    waiting.append((feasible, columns, some, to_draw, draw, j))
        # Exact scores come first, because drawing may take all the time.
        for feasible, columns, some, to_draw, draw, j in waiting:
            for chunk in self._chunks(to_draw):
                where = some[chunk]
                drawn = draw(j, chunk, self.keys()[rows[where]])
                self._score_drawn(feasible.part, where, columns[j], drawn)

    def _chunks(self, rows: IndexArray) -> Iterator[IndexArray]:
        """Yield a few rows at a time, to bound memory and check the time."""
        most = max(MOST_DRAWS // self.settings.n_samples, 1)
        for block in self.settings.deadline.slices(len(rows)):
            some = rows[block]
            for start in range(0, len(some), most):
                yield some[start : start + most]

    def _score_lines(
        self, feasible: FeasibleChanges, j: int, position: int, some: IndexArray
    ) -> BoolArray:
        """Store the scores that are exact along a line; return which rows have one."""
        lines, pieces = exact_lines(
            self.batch,
            feasible.part,
            j,
            self.rows[some],
            feasible.values[some],
            self.settings,
        )
        has_line = lines.has_line
        share, total = pieces.shares(len(some))
        count = total if lines.is_integer else pieces.counts(len(some))
        where, out = some[has_line], self.out
        for array in (out.values, out.lower, out.upper):
            array[where, position] = share[has_line]
        most = np.iinfo(out.n_reachable.dtype).max
        out.n_reachable[where, position] = np.minimum(count[has_line], most)
        out.exact[where, position] = True
        self._mark_done(where, position)
        return has_line

    def _score_effects(
        self, on_parts: list[tuple[FeasibleChanges, IndexArray]]
    ) -> None:
        """Store scores with random effects; all of them are drawn."""
        everything = as_one_part(self.actions)
        keys, settings = self.keys(), self.settings
        for feasible, columns in on_parts:
            for j in feasible.part.actionable:
                seeds = feature_keys(keys[self.rows], feasible.part.names[j])
                for some in self._chunks(np.flatnonzero(feasible.valid)):
                    samples = [
                        draw_with_effects(
                            self.actions,
                            feasible,
                            columns,
                            int(i),
                            self.values[i],
                            j,
                            settings,
                            generator(seeds[i]),
                        )
                        for i in some
                    ]
                    stuck = [cannot_move(feasible, int(i), j, settings) for i in some]
                    draw = Draw.of(self.values[some], samples, stuck)
                    self._score_drawn(everything, some, columns[j], draw)

    def _score_drawn(
        self, part: Part, rows: IndexArray, position: int, draw: Draw
    ) -> None:
        """Evaluate draws, and store the scores of rows that the time allowed."""
        hits, counts = count_drawn(self.batch, part, self.rows[rows], draw)
        some = np.flatnonzero((counts > 0) | (draw.counts == 0))
        hits, counts, exact = hits[some], counts[some], draw.exact[some]
        exact = exact & (counts == draw.counts[some])
        share = hits / np.maximum(counts, 1)
        low, high = agresti_coull(hits, counts, self.settings.alpha)
        # Draws that are not uniform give no interval.
        uniform = draw.uniform[some]
        low, high = np.where(uniform, low, 0.0), np.where(uniform, high, 1.0)
        where, out = rows[some], self.out
        out.values[where, position] = share
        out.lower[where, position] = np.where(exact, share, low)
        out.upper[where, position] = np.where(exact, share, high)
        out.exact[where, position] = exact
        out.n_reachable[where, position] = counts
        self._mark_done(where, position)
