"""What an explanation was made from, kept to answer further questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import (
    ActionSet,
    as_table,
    column,
    column_codes,
    column_positions,
    decode,
    encode,
    is_polars,
    landed,
    number_matrix,
    spread,
)
from skresp.reach import NEVER, Deadline, distinct_rows, parts_of
from skresp.scores import (
    AtLeast,
    AtMost,
    Door,
    Dress,
    Goal,
    Page,
    Points,
    Question,
    Segment,
    Wardrobe,
    intervals_of,
    interventions_of,
    is_listed,
    join_values,
    model_scores,
    new_values,
    points_of,
    predicted,
    predicted_numbers,
    probabilities,
    row_keys,
    told_lines,
    whole,
)

from ._explanation import Answers


def distinct_people(X: Any) -> tuple[Any, NDArray[np.intp]]:
    """The distinct rows, and which of them each row is."""
    table = as_table(X)
    matrix = number_matrix(table)
    if matrix is None:
        columns: list[Any] = [column(table, i) for i in range(table.shape[1])]
        if is_polars(table):
            # To a model a null is not a NaN.
            gaps = [series.is_null() for series in table if series.null_count()]
            columns += [series.to_numpy() for series in gaps]
        first, which = distinct_rows(columns)
    else:
        first, which = distinct_rows(matrix)
    return (table if len(first) == len(table) else spread(table, first)), which


@dataclass(frozen=True)
class Source:
    """What an explanation was made from, kept to answer further questions."""

    actions: ActionSet
    dress: Dress
    goal: Goal
    question: Question
    seed: int
    missing: str
    along: Any = None

    def door(self, X: Any, deadline: Deadline = NEVER) -> Door:
        """The door to the model for these rows."""
        wardrobe = Wardrobe(self.dress, self.actions, X)
        return Door(self.goal, wardrobe, self.along, deadline)

    def codes(self, X: Any) -> NDArray[np.float64]:
        """The rows as numbers, one column a feature of the action set."""
        by_chance = self.question.effects is not None
        return encode(self.actions, X, missing=self.missing, everything=by_chance)

    def people(self, X: Any) -> tuple[Any, NDArray[np.intp]]:
        """The distinct rows, and which of them each row is."""
        return distinct_people(X)

    def points(self, X: Any, feature: str, book: list[Page]) -> Points:
        """All points that people can reach by a feature, with the answers."""
        self._check_feature(feature)
        if self.question.effects is not None:
            raise ValueError(
                "With random effects a change has no one point that it leads to, so "
                "this variant of the score is not defined. Leave random_effects out."
            )
        people, which = self.people(X)
        found = points_of(
            self.door(people),
            self.actions,
            self.codes(people),
            lambda: self.keys(people),
            self.question,
            book,
            feature,
        )
        return found.taken(which, len(people))

    def ask(self, X: Any, points: Points, shift: NDArray[np.float64]) -> NDArray[Any]:
        """Return the model's answers to points that are shifted in all features."""
        table = as_table(X)
        codes = encode(self.actions, table, missing="hold", everything=True)
        before = codes[points.owner]
        change = np.zeros_like(before)
        change[:, points.columns] = points.change
        change += self._shift_of(before + change, shift)
        door = self.door(table)
        new = new_values(whole(self.actions), before, change, door.wardrobe)
        return door.ask(points.owner, [Segment(0, len(before), new)])

    def _shift_of(
        self, codes: NDArray[np.float64], shift: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the shift of each row: a binary flips, whatever its value."""
        binary = [f.kind == "binary" for f in self.actions.features.values()]
        return np.where(binary, (shift != 0) * (1.0 - 2.0 * codes), shift)

    def shifted_shares(
        self, X: Any, feature: str, shift: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the shares of lines after the rows have shifted; NaN for no line."""
        table = as_table(X)
        codes = encode(self.actions, table, missing="hold", everything=True)
        after = codes + self._shift_of(codes, shift)
        part = next(p for p in parts_of(self.actions) if feature in p.names)
        columns = [self.actions.names.index(name) for name in part.names]
        found = told_lines(
            self.door(decode(self.actions, table, codes, after)),
            part,
            part.names.index(feature),
            np.arange(len(codes)),
            after[:, columns],
            self.question,
        )
        if found is None:
            return np.full(len(codes), np.nan)
        _, told, pieces = found
        return np.where(told, pieces.shares(len(codes))[0], np.nan)

    def as_numbers(
        self, X: Any, names: list[str]
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The rows as numbers and as they are, one column for each of the names."""
        table = as_table(X)
        places = dict(
            zip(self.actions.names, column_positions(self.actions, table), strict=True)
        )
        numbers = np.full((len(table), len(names)), np.nan)
        shown = np.empty((len(table), len(names)), dtype=object)
        for j, name in enumerate(names):
            values = column(table, places[name])
            feature = self.actions.features[name]
            if feature.kind != "categorical" or feature.categories:
                numbers[:, j] = column_codes(feature, values)[0]
            shown[:, j] = values.to_numpy(dtype=object)
        return numbers, shown

    def keys(self, X: Any) -> NDArray[np.uint64]:
        """The random keys of the rows."""
        table = as_table(X)
        positions = column_positions(self.actions, table)
        columns = {
            name: column(table, place)
            for name, place in zip(self.actions.names, positions, strict=True)
        }
        return row_keys(self.seed, columns, len(table))

    def probability(self, X: Any) -> NDArray[np.float64]:
        """The probability of the target, where a threshold is set on it."""
        goal: Any = self.goal
        wardrobe = Wardrobe(self.dress, self.actions, X)
        rows = wardrobe.take(np.arange(wardrobe.rows), [])
        return goal.probability(rows)

    @property
    def measure(self) -> Any:
        """What tells the model's score of rows towards the target; None for nothing."""
        goal: Any = self.goal
        has_number = isinstance(goal.target, (AtLeast, AtMost))
        named = getattr(goal.model, "classes_", None) is not None
        if has_number or (
            named
            and (
                hasattr(goal.model, "predict_proba")
                or (
                    len(goal.model.classes_) == 2
                    and hasattr(goal.model, "decision_function")
                )
            )
        ):
            return self._measure
        return None

    def _measure(self, X: Any) -> NDArray[np.float64]:
        goal: Any = self.goal
        wardrobe = Wardrobe(self.dress, self.actions, X)
        rows = wardrobe.take(np.arange(wardrobe.rows), [])
        if isinstance(goal.target, (AtLeast, AtMost)):
            return predicted_numbers(goal.model, rows)
        classes = np.asarray(goal.model.classes_)
        place = int(np.flatnonzero(classes == goal.target)[0])
        if hasattr(goal.model, "predict_proba"):
            return probabilities(goal.model, rows, len(classes))[:, place]
        scores = model_scores(goal.model, "decision_function", rows)[:, 0]
        return scores if place == 1 else -scores

    def predict(self, X: Any) -> NDArray[Any]:
        """What the model predicts for the rows."""
        wardrobe = Wardrobe(self.dress, self.actions, X)
        rows = wardrobe.take(np.arange(wardrobe.rows), [])
        return predicted(self.goal.model, rows)  # type: ignore[attr-defined]

    def _check_feature(self, feature: str) -> None:
        if feature not in self.actions.features:
            raise ValueError(
                f"There is no feature {feature!r}; there are "
                f"{', '.join(self.actions.names)}."
            )

    def line(self, X: Any, feature: str) -> list[tuple[float, float]] | None:
        """Return the closed intervals along the line of one person's feature.

        None where the feature has no line that can be told.
        """
        self._check_feature(feature)
        if not self.actions.features[feature].actionable:
            return None
        codes = encode(self.actions, X, missing=self.missing)
        part = next(p for p in parts_of(self.actions) if feature in p.names)
        columns = [self.actions.names.index(name) for name in part.names]
        values = codes[:, columns]
        if is_listed(part, values, self.question):
            return None
        return intervals_of(self.door(X), part, feature, values, self.question)

    def intervals(self, X: Any, feature: str) -> list[tuple[float, float]] | None:
        """Return the closed intervals of one person's values that reach the target.

        Along a line, and from a complete list the runs of its values; None where
        neither is known.
        """
        found = self.line(X, feature)
        kind = self.actions.features[feature].kind
        if found is not None or kind == "categorical":
            return found
        answers = self.answers(X, feature)
        if not answers.complete:
            return None
        codes = self.codes(X)
        changes, _ = interventions_of(
            self.actions, feature, codes, self.keys(X), self.question
        )
        j = self.actions.names.index(feature)
        spec = self.actions.features[feature]
        values = landed(spec, codes[:, j], changes[:, j])
        step, own = 0.0, None
        if kind != "real":
            step = float(spec.step or 1)
            current = float(codes[0, j])
            if current == current and self.door(X).ask(np.zeros(1, dtype=np.intp))[0]:
                own = current
        return join_values(values, answers.reached, step, own)

    def isolated_values(self, X: Any, feature: str) -> list[float]:
        """Return the values of one person's real feature that work by themselves.

        They have no weight in its score, which may be 0 although they work.
        """
        if self.actions.features[feature].kind != "real":
            return []
        return [low for low, high in self.line(X, feature) or () if low == high]

    def answers(self, X: Any, feature: str) -> Answers:
        """The points one person can reach by a feature, and the model's answers."""
        self._check_feature(feature)
        codes = self.codes(X)
        changes, exact = interventions_of(
            self.actions, feature, codes, self.keys(X), self.question
        )
        n = len(changes)
        before = np.repeat(codes, n, axis=0)
        points = decode(
            self.actions,
            spread(as_table(X), np.zeros(n, dtype=np.intp)),
            before,
            before + changes,
        )
        reached = self.door(points).ask(np.arange(n)) if n else np.zeros(0, dtype=bool)
        return Answers(points, reached, exact)

    def numbers(self, X: Any) -> NDArray[np.float64]:
        """All rows as numbers, whatever stands in them."""
        return encode(self.actions, X, missing="hold", everything=True)

    def as_points(self, X: Any, feature: str, answers: Answers) -> Points:
        """One person's answers as points."""
        before = np.repeat(self.numbers(X), len(answers), axis=0)
        change = self.numbers(answers.points) - before if len(answers) else before
        place = self.actions.names.index(feature)
        return Points(
            feature,
            place,
            np.zeros(len(answers), dtype=np.intp),
            before,
            change,
            np.arange(len(self.actions.names)),
            answers.reached,
            np.ones(len(answers)),
            change[:, place],
        )
