"""Scores from samples, for people whose interventions cannot be listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skresp._model._listed_answers import runs_of_points
from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allow
from skresp.reach._cache import Reach
from skresp.reach._errors import TooLargeError
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._minimal_list import list_minimal
from skresp.reach._own_changes import own_ranges
from skresp.reach._part import Part
from skresp.reach._sampling import Sample, sample_interventions
from skresp.reach._solver_search import cannot_move, list_by_solver

from ._changed_points import changed_points
from ._row_rng import Keys, feature_keys, generator, uniforms
from ._settings import ScoreSettings

# Draws that are evaluated even after the time has ended.
_LAST_DRAWS = 500


@dataclass(frozen=True)
class Draw:
    """Interventions of several rows on one feature, ordered by row.

    Attributes
    ----------
    counts : array of shape (n_rows,)
        The number of interventions of each row.
    before, changes : array of shape (n_interventions, n_features)
        Current values and total changes on the part.
    exact : array of bool of shape (n_rows,)
        Where these are all interventions; elsewhere they were drawn.
    uniform : array of bool of shape (n_rows,)
        Where all interventions have the same chance to be drawn.
    tried : array of shape (n_rows,)
        The number of proposals.
    """

    counts: IndexArray
    before: FloatArray
    changes: FloatArray
    exact: BoolArray
    uniform: BoolArray
    tried: IndexArray

    @classmethod
    def of(
        cls, values: FloatArray, samples: Sequence[Sample], exact: bool | list[bool]
    ) -> Draw:
        """Join samples, one for each row."""
        changes = [sample.changes for sample in samples]
        counts = np.array([len(each) for each in changes], dtype=np.intp)
        return cls(
            counts,
            np.repeat(values, counts, axis=0),
            np.concatenate([np.zeros((0, values.shape[1])), *changes]),
            np.broadcast_to(exact, len(values)),
            np.array([sample.uniform for sample in samples], dtype=bool),
            np.array([sample.tried for sample in samples], dtype=np.intp),
        )


def draw(
    feasible: FeasibleChanges,
    rows: IndexArray,
    j: int,
    keys: Keys,
    settings: ScoreSettings,
) -> Draw:
    """Draw interventions of some rows on feature `j`.

    Parameters
    ----------
    feasible : FeasibleChanges
    rows : array of shape (n_rows,)
        Rows of one group of `unlisted_rows`.
    j : int
    keys : array of shape (n_rows,)
        The random keys of these rows.
    settings : ScoreSettings
    """
    part, values, which = feasible.part, feasible.values[rows], feasible.which[rows]
    keys = feature_keys(keys, part.names[j])
    if (which < 0).any():
        return _draw_from_range(part, values, keys, settings.n_samples)
    reaches = [feasible.reaches[w] for w in which]
    if feasible.refused[which].any():
        return _draw_unlisted(part, values, reaches, j, keys, settings)
    return _draw_from_lists(values, reaches, j, keys, settings)


def _draw_from_range(part: Part, values: FloatArray, keys: Keys, n: int) -> Draw:
    """Draw uniform changes of a feature that stands alone, `n` for each row."""
    feature = part.features[0]
    low, high = own_ranges(feature, values[:, 0])
    u = uniforms(keys, n)
    if feature.kind == "real":
        change = low[:, None] + (high - low)[:, None] * u
    else:
        within = (low <= 0) & (high >= 0)  # 0 is no change and is left out
        positions = np.floor(u * (high - low + 1 - within)[:, None]) + low[:, None]
        positions += within[:, None] & (positions >= 0)
        change = positions * (feature.step or 1)
    every = np.full(len(values), n, dtype=np.intp)
    return Draw(
        every,
        np.repeat(values, n, axis=0),
        change.reshape(-1, 1),
        np.zeros(len(values), dtype=bool),
        np.ones(len(values), dtype=bool),
        every,
    )


def _draw_from_lists(
    values: FloatArray,
    reaches: Sequence[Reach],
    j: int,
    keys: Keys,
    settings: ScoreSettings,
) -> Draw:
    """Draw interventions from complete lists."""
    u = uniforms(keys, settings.n_samples)
    samples = []
    for i, reach in enumerate(reaches):
        pool = reach.interventions(j, settings.interventions)
        picks = (u[i] * len(pool)).astype(np.intp) if len(pool) else []
        samples.append(Sample(reach.changes[pool[picks]], len(picks)))
    return Draw.of(values, samples, False)


def _draw_unlisted(
    part: Part,
    values: FloatArray,
    reaches: Sequence[Reach],
    j: int,
    keys: Keys,
    settings: ScoreSettings,
) -> Draw:
    """List or draw interventions in parts that the grid cannot list, row by row.

    They are listed where they are few, which may take half of the points of the score,
    and drawn otherwise. If the time ends, the draws of the first row still count.
    """
    interventions, n = settings.interventions, settings.n_samples
    samples: list[Sample] = []
    exact: list[bool] = []
    for x, reach, key in zip(values, reaches, keys, strict=True):
        settings.deadline.check()
        with allow(settings.deadline, settings.points_per_score // 2) as given:
            changes = _list_interventions(part, x, reach, interventions, j)
        is_exact = changes is not None
        if changes is not None:
            drawn = Sample(changes, 0)
        else:
            with allow(settings.deadline, settings.points_per_score - given.spent):
                drawn = sample_interventions(
                    part, x, j, n, generator(key), interventions
                )
                is_exact = not len(drawn.changes) and cannot_move(part, x, j)
            if not len(drawn.changes) and not is_exact:
                settings.deadline.check()  # without a draw in time the score is unknown
        exact.append(is_exact)
        samples.append(drawn)
    if len(values) > 1:
        settings.deadline.check()
    return Draw.of(values, samples, exact)


def _list_interventions(
    part: Part, x: FloatArray, reach: Reach, interventions: str, j: int
) -> FloatArray | None:
    """Return all interventions of one row on a feature; None if they are too many."""
    if part.stays(x, j):
        return np.zeros((0, len(x)))
    if interventions == "minimal" and not part.links_into[j]:
        return list_minimal(part, x, j)
    if isinstance(reach.refused, TooLargeError):
        return list_by_solver(part, x, j, interventions)
    return None


def count_drawn(
    batch: RowBatch, part: Part, rows: IndexArray, drawn: Draw
) -> tuple[IndexArray, IndexArray]:
    """Count how many draws of each row reach the target, and how many were evaluated.

    With a time limit some draws may be left out. The first ones are always evaluated,
    because drawing them took the time.
    """
    hits = np.zeros(len(rows), dtype=np.intp)
    evaluated = np.zeros(len(rows), dtype=np.intp)
    ends = np.cumsum(drawn.counts)
    for chunk in runs_of_points(drawn.counts, batch.batch_size):
        counts = drawn.counts[chunk]
        first = ends[chunk.start] - drawn.counts[chunk.start]
        total = int(counts.sum())
        if batch.deadline.is_over:
            if chunk.start:
                break
            total = min(total, _LAST_DRAWS)
        points = slice(int(first), int(first) + total)
        segment = changed_points(
            batch, part, drawn.before[points], drawn.changes[points]
        )
        owner = np.repeat(np.arange(chunk.start, chunk.stop), counts)[:total]
        reached, answered = batch.first_answers(
            rows[owner], [segment], final=total <= _LAST_DRAWS
        )
        owner = owner[:answered]
        hits += np.bincount(owner, reached[:answered], len(rows)).astype(np.intp)
        evaluated += np.bincount(owner, minlength=len(rows))
    return hits, evaluated
