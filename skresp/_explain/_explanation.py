"""The result of an explainer: a score for each row and feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._actions._encoding import column_codes
from skresp._actions._feature import Feature
from skresp._dataframe import as_table, column, frame_like
from skresp._html._render import render
from skresp._optional import import_optional
from skresp._results import SHOWN_ROWS, RowResults
from skresp._text import plural, quote
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp._validation import check_finite, check_integer

from ._describe import describe
from ._variants import Variants
from .attribution import _describe as contributions


@dataclass(frozen=True, repr=False)
class Answers:
    """Points a person can reach by a feature, and whether they reach the target.

    Attributes
    ----------
    points : frame or array
        One row per point.
    reached : array of bool
        Whether the model gives each point the target.
    complete : bool
        Whether these are all points, or a sample of them.
    uniform : bool
        Whether a sample was drawn with equal probabilities. If not, the points are
        some of the possible ones, and their share says nothing about the others.
    tried : int
        The number of proposals that a sample took; 0 if the points are complete.
    """

    points: Any
    reached: BoolArray
    complete: bool
    uniform: bool = True
    tried: int = 0

    def __len__(self) -> int:
        return len(self.reached)

    def __repr__(self) -> str:
        whole = "complete" if self.complete else "a sample"
        hits = int(self.reached.sum())
        points = plural(len(self), "point")
        return f"Answers({points}, {hits:,} of them reach the target, {whole})"


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Explanation(Variants, RowResults):
    """Scores for each row (person) and each feature.

    An unpickled explanation has its numbers, `top`, `to_frame`, `to_shap` and bar
    plots. What requires the model (`describe`, `reachable`, `intervals` and the
    variants of the score) raises an error: a pickle does not hold the model.

    Attributes
    ----------
    values : array of shape (n_rows, n_features)
        The scores. For SHAP and LIME a positive one pushes towards the target.
    lower, upper : arrays of the same shape
        Confidence interval of a sampled score. Equal to the value if the score is
        exact, and for SHAP and LIME, which have no interval. 0 and 1 if the share of
        changes that work is not known.
    exact : array of bool
        Whether a score was computed from all interventions rather than a sample. For
        SHAP whether contributions were computed rather than estimated. Always False
        for LIME.
    n_reachable : array of int, or None
        The number of interventions that a score was computed from; for an exact score
        of a real feature the number of pieces of its range. 0 if the person cannot
        move the feature or, where the score is not exact, if no feasible change was
        found. None for SHAP and LIME, which have no interventions.
    feature_names : list of str
    data : frame or array
        The rows, as they were given.
    predictions : array of shape (n_rows,)
        The model's predictions for the rows.
    at_target : array of bool
        Rows that the model already gives the target.
    target : object
        The class label, or AtLeast / AtMost; None if a predicted number is explained.
    threshold : float or None
    method : {"responsiveness", "shap", "lime"}
    base_values : array of shape (n_rows,), or None
        What SHAP values are added to; the intercept for LIME; None for
        responsiveness.
    """

    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    exact: BoolArray
    n_reachable: Any
    feature_names: list[str]
    data: Any
    at_target: BoolArray
    target: Any
    threshold: float | None = None
    method: str = "responsiveness"
    base_values: FloatArray | None = None
    # Each feature, and the position of its column in the data.
    _features: Mapping[str, Feature]
    _columns: Sequence[int]
    # What contributions add up to, in words.
    _unit: str = ""
    # ExplanationContext; ResponsivenessContext for responsiveness.
    _context: Any

    _made_by = "explain"
    _pickled_property = "predictions"

    def __post_init__(self) -> None:
        # Exact scores and their bounds are one array, so none may be written to.
        arrays = [self.values, self.lower, self.upper, self.exact, self.n_reachable]
        for array in [*arrays, self.at_target, self.base_values]:
            if array is not None:
                array.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def predictions(self) -> NDArray[Any]:
        """The model's predictions for the rows."""
        return self._attached("predictions").fitted_model.predict(self.data)

    # -- the reasons to show ----------------------------------------------------------

    def top_features(
        self, k: int = 4, min_score: float = 0.0, where: Any = None
    ) -> list[list[int]]:
        """Return for each row the positions of its `k` largest scores, largest first.

        Parameters
        ----------
        k : int, default=4
        min_score : float, default=0.0
            Scores of at most this size are left out; scores of 0 always are. The size
            is the absolute value; equal ones are in column order.
        where : array of bool, optional
            An array of the shape of `values`; only scores that it marks are taken.
        """
        check_integer("k", k, 1)
        check_finite("min_score", min_score)
        size, order = self._ranked(where)
        return [
            [int(j) for j in row if size[i, j] > max(min_score, 0.0)]
            for i, row in enumerate(order[:, :k])
        ]

    def _ranked(self, where: Any = None) -> tuple[FloatArray, IndexArray]:
        """Return the sizes of the scores, and the features by size, largest first."""
        size = np.abs(np.nan_to_num(self.values))
        if where is not None:
            if np.shape(where) != self.values.shape:
                raise ValueError(
                    f"where must be an array of the shape of the scores, "
                    f"{self.values.shape}, got {np.shape(where)}."
                )
            size = np.where(where, size, 0.0)
        return size, np.argsort(-size, axis=1, kind="stable")

    def top(self, k: int = 4, min_score: float = 0.0, where: Any = None) -> Any:
        """Return the reasons to show as a frame, one line each.

        The columns are `row`, `rank`, `feature`, `score`, `lower` and `upper`. A row
        without a reason has no line: it is at the target, or no single change is known
        to work.

        Parameters
        ----------
        k : int, default=4
            The maximum number of reasons per row.
        min_score : float, default=0.0
            Scores of at most this size are left out.
        where : array of bool, optional
            Marks the scores that may be shown, such as those that `monotone` or
            `intuitive` mark.
        """
        labels = self._labels()
        lines: dict[str, list[Any]] = {
            key: [] for key in ("row", "rank", "feature", "score", "lower", "upper")
        }
        for i, positions in enumerate(self.top_features(k, min_score, where)):
            for rank, j in enumerate(positions, start=1):
                lines["row"].append(labels[i])
                lines["rank"].append(rank)
                lines["feature"].append(self.feature_names[j])
                lines["score"].append(float(self.values[i, j]))
                lines["lower"].append(float(self.lower[i, j]))
                lines["upper"].append(float(self.upper[i, j]))
        return frame_like(as_table(self.data), lines)

    def to_frame(self) -> Any:
        """Return the scores as a frame with one column per feature.

        A score whose `exact` is False, `lower` 0 and `upper` 1 is not known; a 0 then
        means that no change was found that works.
        """
        return self._frame(
            {name: self.values[:, j] for j, name in enumerate(self.feature_names)}
        )

    def to_shap(self) -> Any:
        """Return the scores as a `shap.Explanation`, for the plots of shap.

        Its `data` are numbers: a label is its position among the categories of the
        feature, and NaN if the action set lists none. For SHAP and LIME it is the
        position among the sorted labels of these rows. Labels are in `display_data`.
        """
        shap = import_optional("shap", used_by="to_shap", install="skresp[shap]")
        base = np.zeros(len(self)) if self.base_values is None else self.base_values
        return shap.Explanation(
            values=self.values.copy(),
            base_values=base.copy(),
            data=self._numbers(),
            display_data=self._given_values(),
            feature_names=list(self.feature_names),
        )

    # -- one person -------------------------------------------------------------------

    # Each method takes the position of a row, or with label= its index label.

    def reachable(
        self, row: int | None = None, feature: str = "", *, label: Any = None
    ) -> Answers:
        """Return the points a person can reach by a feature, with the model's answers.

        Sampled points are drawn again, with the same random numbers.
        """
        context = self._with_points("reachable")
        return context.answers(self._row(row, label), feature)

    def intervals(
        self, row: int | None = None, feature: str = "", *, label: Any = None
    ) -> list[tuple[float, float]]:
        """Return the values of a feature at which the person reaches the target.

        The intervals are closed and in ascending order. The person can reach both
        ends, and the model's own `predict` accepts them. The next float beyond an end,
        or the next value of an integer, is refused or out of reach; where a score is
        not a step, a few thousand floats beyond may work, too. A single value that
        works (a debt of exactly 0) is a pair of equal numbers; it has no weight in the
        score of a real feature.

        They are known if the model is piecewise constant or linear along the feature,
        or if all changes of the feature are listed.
        """
        context = self._with_points("intervals")
        position = self._position(row, label)
        found = context.intervals(self._row(position), feature)
        j = self.feature_names.index(feature)
        if found is None or not self.exact[position, j]:
            raise ValueError(
                f"The values of {quote(feature)} that reach the target are not known "
                f"as intervals for this person and model: the score was sampled, or "
                f"the feature has labels. Call reachable(row, feature) for points with "
                f"answers."
            )
        return found

    def describe(self, row: int | None = None, *, label: Any = None) -> str:
        """Return what this person could change, and to what, in plain words.

        For SHAP and LIME: which features count for this person, and in which direction.

        Examples
        --------
        See `ResponsivenessExplainer`.
        """
        self._attached("describe")
        position = self._position(row, label)
        if self.method != "responsiveness":
            return contributions.describe(self, position)
        return describe(self, position)

    @property
    def _has_random_effects(self) -> bool:
        """Whether a change leads to a random point."""
        return self._with_points("random_effects").has_random_effects

    # -- the data in feature order ----------------------------------------------------

    def _given_values(self, row: int | None = None) -> NDArray[Any]:
        """Return the values as given, of all rows or of one, in feature order."""
        table = as_table(self.data if row is None else self._row(row))
        out = np.empty((len(table), len(self.feature_names)), dtype=object)
        for j, position in enumerate(self._columns):
            out[:, j] = column(table, position).to_numpy(dtype=object)
        return out

    def _numbers(self) -> FloatArray:
        """Return the data as numbers, in feature order; labels as their positions."""
        table = as_table(self.data)
        out = np.empty((len(table), len(self.feature_names)))
        for j, position in enumerate(self._columns):
            feature = self._features[self.feature_names[j]]
            values = column(table, position)
            if feature.kind != "categorical" or feature.categories:
                out[:, j] = column_codes(feature, values)[0]
            elif self.method == "responsiveness":
                out[:, j] = np.nan
            else:
                ranks = pd.factorize(values.astype(str), sort=True)[0].astype(float)
                out[:, j] = np.where(values.isna(), np.nan, ranks)
        return out

    # -- showing it -------------------------------------------------------------------

    def plot(self, row: int | None = None, ax: Any = None, *, label: Any = None) -> Any:
        """Draw one row, or all people who are not at the target.

        Returns
        -------
        ResponsivenessDisplay or PersonDisplay
            From `skresp.plots`, with `ax_` and `figure_`. One row of SHAP or LIME
            values is drawn by `PersonDisplay`.
        """
        from skresp.plots import PersonDisplay, ResponsivenessDisplay

        one = row is not None or label is not None
        if one and self.method != "responsiveness":
            name = contributions.SHORT[self.method]
            shown = PersonDisplay.from_explanations({name: self}, row, label=label)
            return shown.plot(ax)
        display = ResponsivenessDisplay.from_explanation(self, row, label=label)
        return display.plot(ax)

    def _title(self) -> str:
        if self.method != "responsiveness":
            return contributions.title(self)
        unscored = np.isnan(self.lower).any(axis=1)
        late = int((np.isnan(self.values) & ~np.isnan(self.lower)).sum())
        need = ~self.at_target & ~unscored
        helped = (np.nan_to_num(self.values) > 0).any(axis=1) & need
        text = (
            f"Explanation of {len(self)} rows x {len(self.feature_names)} features, "
            f"{self._target_text()}: {int(self.at_target.sum())} at the target, "
            f"{int(need.sum())} not; of those {int(helped.sum())} have a feature that "
            f"works."
        )
        if unscored.any():
            text += f" {int(unscored.sum())} broke a constraint and were not scored."
        if late:
            text += f" {late} scores were not computed within the time limit."
        return text

    def _repr_html_(self) -> str:
        labels = self._labels()
        features = self._used_columns()
        shown = min(len(self), SHOWN_ROWS)
        return render(
            "reprs/explanation.html",
            title=self._title(),
            heads=[self.feature_names[j] for j in features],
            rows=[
                (labels[i], [self._shown_score(i, j) for j in features])
                for i in range(shown)
            ],
            shaded=self.method == "responsiveness",
            more=len(self) - shown,
        )

    def _shown_score(self, row: int, j: int) -> float | None:
        """Return a score to show; None if no possible change was found."""
        score = float(self.values[row, j])
        if self.n_reachable is None or np.isnan(score) or self.n_reachable[row, j]:
            return score
        return None

    def _used_columns(self) -> Sequence[int]:
        """Return the features that somebody can move, or that count for somebody."""
        if self.n_reachable is None:
            return np.flatnonzero((self.values != 0).any(axis=0)).tolist()
        return np.flatnonzero((self.n_reachable > 0).any(axis=0)).tolist()
