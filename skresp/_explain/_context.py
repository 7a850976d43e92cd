"""What explanations are computed with, kept for what is computed on demand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._actions._action_set import ActionSet
from skresp._actions._encoding import column_positions, decode, encode
from skresp._actions._feature import snap_to_bounds
from skresp._dataframe import as_table, column, is_polars, number_matrix, take_rows
from skresp._model._fitted_model import FittedModel
from skresp._model._row_batch import RowBatch
from skresp._text import quote
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp._validation import check_choice
from skresp.reach._deadline import NEVER, Deadline
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._part import as_one_part, part_with
from skresp.scores._changed_points import changed_points
from skresp.scores._exact_lines import known_lines
from skresp.scores._intervention_points import (
    Points,
    interventions_of,
    is_listed,
    points_of,
)
from skresp.scores._line_shares import line_shares
from skresp.scores._row_rng import row_keys
from skresp.scores._score_task import ScoreTask, score
from skresp.scores._scores import Scores
from skresp.scores._settings import ScoreSettings
from skresp.scores._working_intervals import intervals_of, join_values

from ._explanation import Answers
from ._row_blocks import ROWS_AT_ONCE, blocks_of, rows_of


def distinct_people(X: Any) -> tuple[Any, IndexArray]:
    """Return the distinct rows, and the position among them of each row."""
    table = as_table(X)
    matrix = number_matrix(table)
    if matrix is None:
        columns: list[Any] = [column(table, i) for i in range(table.shape[1])]
        if is_polars(table):
            # To a model a null is not a NaN.
            gaps = [series.is_null() for series in table if series.null_count()]
            columns += [series.to_numpy() for series in gaps]
        try:
            first, which = distinct_rows(columns)
        except TypeError:
            _check_hashable(columns)
            raise
    else:
        first, which = distinct_rows(matrix)
    return (table if len(first) == len(table) else take_rows(table, first)), which


def _check_hashable(columns: list[Any]) -> None:
    """Raise TypeError if a column has values such as lists."""
    for i, values in enumerate(columns):
        for value in values:
            if not isinstance(value, Hashable):
                raise TypeError(
                    f"X has {quote(value)} in column {i}, a {type(value).__name__}. "
                    f"Convert the column to numbers or labels."
                )


def keys_of_rows(
    seed: int, table: Any, names: Sequence[str], positions: Sequence[int]
) -> NDArray[np.uint64]:
    """Return the random key of each row, from the columns at these positions."""
    columns = {
        name: column(table, position)
        for name, position in zip(names, positions, strict=True)
    }
    return row_keys(seed, columns, len(table))


@dataclass(frozen=True)
class ExplanationContext:
    """What every explanation is computed with."""

    fitted_model: FittedModel


@dataclass(frozen=True, kw_only=True)
class ResponsivenessContext(ExplanationContext):
    """What responsiveness scores are computed with.

    Attributes
    ----------
    settings : ScoreSettings
    seed : int
    missing : {"raise", "hold"}
    uses_lines : bool
        Whether scores may be exact along lines.
    in_time : bool
        Whether all scores were computed within the time limit.
    """

    settings: ScoreSettings
    seed: int
    missing: str
    uses_lines: bool = False
    in_time: bool = True

    @property
    def actions(self) -> ActionSet:
        """The action set."""
        return self.fitted_model.features

    def batch(self, X: Any, deadline: Deadline = NEVER) -> RowBatch:
        """Return rows as a batch that the model can evaluate."""
        return self.fitted_model.batch(X, deadline, lines=self.uses_lines)

    @property
    def has_random_effects(self) -> bool:
        """Whether a change leads to a random point."""
        return self.settings.random_effects is not None

    def codes(self, X: Any) -> FloatArray:
        """Return rows as codes, one column per feature of the action set."""
        everything = self.has_random_effects
        return encode(self.actions, X, missing=self.missing, everything=everything)

    @contextmanager
    def naming_rows(self, X: Any) -> Iterator[None]:
        """Let errors about values name rows of `X`, not of its distinct rows."""
        try:
            yield
        except ValueError:
            self.codes(X)
            raise

    def check_rows(self, rows: Any) -> None:
        """Raise for a wrong value in any block, before the first one is computed."""
        if len(rows) > ROWS_AT_ONCE:
            for block in blocks_of(len(rows)):
                self.codes(rows_of(rows, block))

    def task(self, rows: Any) -> ScoreTask:
        """Return what is needed to compute the scores of rows."""
        codes = self.codes(rows)  # raises if columns are missing
        return ScoreTask(
            self.batch(rows, self.settings.deadline),
            self.actions,
            codes,
            partial(self.keys, rows),
            self.settings,
        )

    def all_codes(self, X: Any) -> FloatArray:
        """Return rows as codes, also of features that cannot change."""
        return encode(self.actions, X, missing="hold", everything=True)

    def keys(self, X: Any) -> NDArray[np.uint64]:
        """Return the random keys of rows."""
        table = as_table(X)
        positions = column_positions(self.actions, table)
        return keys_of_rows(self.seed, table, self.actions.names, positions)

    # -- all rows ---------------------------------------------------------------------

    def points(self, X: Any, feature: str, *, nodes: bool = False) -> Points:
        """Return the points that rows can reach by a feature, with the answers.

        See `points_of` for `nodes`.
        """
        self._check_feature(feature)
        if self.has_random_effects:
            raise ValueError(
                "With random_effects a change leads to a random point, so this variant "
                "of the score is not defined. Fit an explainer without random_effects."
            )
        if not self.in_time:
            raise ValueError(
                "Some scores were not computed within time_limit, so this variant of "
                "them is unknown. Call explain with a larger time_limit, or without "
                "one."
            )
        people, which = distinct_people(X)
        found = points_of(self.task(people), feature, nodes=nodes)
        return found.taken(which, len(people))

    def reaches_target(self, X: Any, points: Points, shift: FloatArray) -> BoolArray:
        """Return the model's answers to points that are shifted in all features."""
        table = as_table(X)
        before = self.all_codes(table)[points.owner]
        change = np.zeros_like(before)
        change[:, points.columns] = points.change
        change += self._shift_of(before + change, shift)
        batch = self.batch(table)
        moved = changed_points(batch, as_one_part(self.actions), before, change)
        return batch.reaches_target(points.owner, [moved])

    def _shift_of(self, codes: FloatArray, shift: FloatArray) -> FloatArray:
        """Return the shift of each row; a binary flips, whatever its value."""
        binary = [f.kind == "binary" for f in self.actions.features.values()]
        return np.where(binary, (shift != 0) * (1.0 - 2.0 * codes), shift)

    def shifted_shares(self, X: Any, feature: str, shift: FloatArray) -> FloatArray:
        """Return exact shares of lines after a shift of the rows; NaN without one."""
        table = as_table(X)
        codes = self.all_codes(table)
        after = codes + self._shift_of(codes, shift)
        part, columns = part_with(self.actions, feature)
        batch = self.batch(decode(self.actions, table, codes, after))
        lines = known_lines(
            batch,
            part,
            part.names.index(feature),
            np.arange(len(codes)),
            after[:, columns],
            self.settings,
        )
        ((share, _, exact),) = line_shares(batch, [lines])
        return np.where(exact, share, np.nan)

    # -- one person -------------------------------------------------------------------

    def line(self, X: Any, feature: str) -> list[tuple[float, float]] | None:
        """Return the closed intervals that reach the target on one person's line.

        None if the feature has no line, or the model is not known along it.
        """
        self._check_feature(feature)
        if not self.actions.features[feature].actionable:
            return None
        part, columns = part_with(self.actions, feature)
        values = encode(self.actions, X, missing=self.missing)[:, columns]
        if is_listed(part, values, self.settings):
            return None
        return intervals_of(self.batch(X), part, feature, values, self.settings)

    def intervals(self, X: Any, feature: str) -> list[tuple[float, float]] | None:
        """Return the closed intervals of one person's values that reach the target.

        Along a line, or runs of values in a complete list; None if neither is known.
        """
        found = self.line(X, feature)
        spec = self.actions.features[feature]
        if found is not None or spec.kind == "categorical":
            return found
        answers = self.answers(X, feature)
        if not answers.complete:
            return None
        codes = self.codes(X)
        drawn, _ = interventions_of(
            self.actions, feature, codes, self.keys(X), self.settings
        )
        j = self.actions.names.index(feature)
        values = snap_to_bounds(spec, codes[:, j], drawn.changes[:, j])
        if spec.kind == "real":
            return join_values(values, answers.reached, 0.0, None)
        current: float | None = float(codes[0, j])
        if np.isnan(codes[0, j]) or not self._reached(X)[0]:
            current = None
        return join_values(values, answers.reached, float(spec.step or 1), current)

    def answers(self, X: Any, feature: str) -> Answers:
        """Return the points one person can reach by a feature, with the answers."""
        self._check_feature(feature)
        codes = self.codes(X)
        drawn, exact = interventions_of(
            self.actions, feature, codes, self.keys(X), self.settings
        )
        n = len(drawn.changes)
        before = np.repeat(codes, n, axis=0)
        points = decode(
            self.actions,
            take_rows(as_table(X), np.zeros(n, dtype=np.intp)),
            before,
            before + drawn.changes,
        )
        reached = self._reached(points) if n else np.zeros(0, dtype=bool)
        return Answers(points, reached, exact, drawn.uniform, drawn.tried)

    def as_points(self, X: Any, feature: str, answers: Answers) -> Points:
        """Return one person's answers as points."""
        before = np.repeat(self.all_codes(X), len(answers), axis=0)
        change = self.all_codes(answers.points) - before if len(answers) else before
        position = self.actions.names.index(feature)
        return Points(
            feature,
            position,
            np.zeros(len(answers), dtype=np.intp),
            before,
            change,
            np.arange(len(self.actions.names)),
            answers.reached,
            np.ones(len(answers)),
            change[:, position],
        )

    def _reached(self, X: Any) -> BoolArray:
        return self.batch(X).reaches_target(np.arange(len(X)))

    def _check_feature(self, feature: str) -> None:
        check_choice("feature", feature, self.actions.names)


def score_rows(
    context: ResponsivenessContext,
    rows: Any,
    n_jobs: int | None,
    progress: Callable[[int], object] | None,
) -> Scores:
    """Compute the scores of a block of rows."""
    return score(context.task(rows), n_jobs=n_jobs, progress=progress)
