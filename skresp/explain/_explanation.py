"""What an explainer returns: a score for each person and feature, and its grounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp.actions import (
    as_table,
    frame_like,
    is_frame,
    row_labels,
    row_position,
)

from . import _contributions as contributions
from ._variants import Variants
from ._words import describe

_SHOWN_ROWS = 10


@dataclass(frozen=True)
class Answers:
    """Points a person can reach by a feature, and whether the model gives the target.

    Attributes
    ----------
    points : frame or array, one row a point
    reached : array of bool
    complete : whether these are all such points, or a sample of them
    """

    points: Any
    reached: NDArray[np.bool_]
    complete: bool

    def __len__(self) -> int:
        return len(self.reached)


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(Variants):
    """Scores for each row (person) and each feature.

    Attributes
    ----------
    values : array of shape (n_rows, n_features)
        The scores; for SHAP and LIME a positive one pushes towards the target.
    lower, upper : arrays of the same shape
        Confidence interval of a sampled score; equal to the value where exact, and
        for SHAP and LIME, which give none.
    exact : array of bool
        Whether a score was computed from all interventions rather than a sample. For
        SHAP whether contributions were computed rather than estimated; never for LIME.
    n_reachable : array of int, or None
        How many interventions it was computed from, for an exact score of a real
        feature into how many pieces its range was cut; 0 where the person cannot move
        the feature. None for SHAP and LIME, which know no interventions.
    feature_names : list of str
    data : the rows, as they were given
    at_target : array of bool
        Rows that the model already gives the target.
    target : the class label, or AtLeast / AtMost; None where a number is explained
    threshold : float or None
    method : {"responsiveness", "shap", "lime"}
    base_values : array of shape (n_rows,), or None
        What contributions are added to; the intercept for LIME, None for
        responsiveness.
    """

    values: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    exact: NDArray[np.bool_]
    n_reachable: Any
    feature_names: list[str]
    data: Any
    at_target: NDArray[np.bool_]
    target: Any
    threshold: float | None
    # What can still be asked, and what has been answered.
    source: Any
    book: Any = ()
    method: str = "responsiveness"
    base_values: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        # What was found stays as it was: exact scores and their bounds are one array.
        arrays = [self.values, self.lower, self.upper, self.exact, self.n_reachable]
        for array in [*arrays, self.at_target, self.base_values]:
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def predictions(self) -> NDArray[Any]:
        """What the model predicts for the rows."""
        return self.source.predict(self.data)

    # -- the reasons to show ----------------------------------------------------------

    def top_features(
        self, k: int = 4, min_score: float = 0.0, where: Any = None
    ) -> list[list[int]]:
        """For each row the positions of its `k` largest scores, largest first.

        By absolute value, those at or below `min_score` left out (so zeros always),
        ties in column order. `where` is an array of bool of the scores' shape: only
        those it marks are taken.
        """
        if not isinstance(k, (int, np.integer)) or k < 1:
            raise ValueError(f"k must be a whole number of at least 1, got {k!r}.")
        size = np.abs(np.nan_to_num(self.values))
        if where is not None:
            if np.shape(where) != self.values.shape:
                raise ValueError(
                    f"where must be an array of the scores' shape {self.values.shape}, "
                    f"got {np.shape(where)}."
                )
            size = np.where(where, size, 0.0)
        order = np.argsort(-size, axis=1, kind="stable")[:, :k]
        return [
            [int(j) for j in row if size[i, j] > max(min_score, 0.0)]
            for i, row in enumerate(order)
        ]

    def top(self, k: int = 4, min_score: float = 0.0, where: Any = None) -> Any:
        """The reasons to show, one line each: row, rank, feature, score.

        `where` marks the scores that may be shown, for instance those that `monotone`
        or `intuitive` hold of. People without a reason have no line; `at_target` and
        `values` tell whether they need none or no single change helps.
        """
        labels = row_labels(as_table(self.data))
        lines: dict[str, list[Any]] = {
            key: [] for key in ("row", "rank", "feature", "score", "lower", "upper")
        }
        for i, places in enumerate(self.top_features(k, min_score, where)):
            for rank, j in enumerate(places, start=1):
                lines["row"].append(labels[i])
                lines["rank"].append(rank)
                lines["feature"].append(self.feature_names[j])
                lines["score"].append(float(self.values[i, j]))
                lines["lower"].append(float(self.lower[i, j]))
                lines["upper"].append(float(self.upper[i, j]))
        return frame_like(as_table(self.data), lines)

    def to_frame(self) -> Any:
        """The scores as a frame: the rows as they were given, one column a feature."""
        table = as_table(self.data)
        columns = {name: self.values[:, j] for j, name in enumerate(self.feature_names)}
        if is_frame(table) and not isinstance(table, pd.DataFrame):
            return frame_like(table, columns)
        index = table.index if isinstance(table, pd.DataFrame) else None
        return pd.DataFrame(columns, index=index)

    def to_shap(self) -> Any:
        """A `shap.Explanation`, for the plots of shap."""
        try:
            import shap
        except ImportError:
            raise ImportError(
                "to_shap needs shap, which is not installed. Install it with "
                "pip install 'skresp[shap]'."
            ) from None
        codes, shown = self.source.as_numbers(self.data, self.feature_names)
        return shap.Explanation(
            values=self.values.copy(),
            base_values=np.zeros(len(self))
            if self.base_values is None
            else self.base_values.copy(),
            data=codes,
            display_data=shown,
            feature_names=list(self.feature_names),
        )

    # -- one person -------------------------------------------------------------------

    # Each method takes the position of a row, or with label= its index label.

    def reachable(
        self, row: int | None = None, feature: str = "", *, label: Any = None
    ) -> Answers:
        """Return the points a person can reach by a feature, with the model's answers.

        Sampled points are not kept: they are drawn again from the same stream.
        """
        self._needs_points("reachable")
        return self.source.answers(self._row(row, label), feature)

    def intervals(
        self, row: int | None = None, feature: str = "", *, label: Any = None
    ) -> list[tuple[float, float]]:
        """Return the values of a feature at which the person reaches the target.

        Closed intervals in ascending order. The person can reach both ends, and the
        model's own `predict` accepts them; the next float beyond an end, or the next
        value of an integer, is refused or out of reach. A value that works by itself
        (a debt of exactly 0) is a pair of equal numbers; it has no weight in the score
        of a real feature.

        Known where the model is piecewise constant or linear along the feature, and
        where all changes of the feature are listed.
        """
        self._needs_points("intervals")
        place = self._position(row, label)
        found = self.source.intervals(self._row(place), feature)
        j = self.feature_names.index(feature)
        if found is None or not self.exact[place, j]:
            raise ValueError(
                f"The values of {feature!r} that reach the target are not known as "
                f"intervals for this person and model: its score was sampled, or it "
                f"has labels. See reachable(row, feature) for points with answers."
            )
        return found

    def describe(self, row: int | None = None, *, label: Any = None) -> str:
        """Return in plain words what this person could change, and to what.

        For SHAP and LIME: what counts for this person, and which way.

        Examples
        --------
        See `ResponsivenessExplainer`.
        """
        place = self._position(row, label)
        if self.method != "responsiveness":
            return contributions.describe(self, place)
        return describe(self, place)

    def _position(self, row: Any, label: Any = None) -> int:
        return row_position(as_table(self.data), row, label)

    def _row(self, row: Any, label: Any = None) -> Any:
        i = self._position(row, label)
        table = as_table(self.data)
        if isinstance(table, pd.DataFrame):
            return table.iloc[[i]]
        return table[i : i + 1]

    # -- showing it -------------------------------------------------------------------

    def plot(self, row: int | None = None, ax: Any = None, *, label: Any = None) -> Any:
        """Draw one row, or all people who are not at the target.

        Returns
        -------
        ResponsivenessDisplay
            For SHAP and LIME a `PersonDisplay`, which draws one row. Both are in
            `skresp.plots` and have `ax_` and `figure_`.
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
        goal = f"target {self.target}"
        if self.threshold is not None:
            goal += f" with probability at least {self.threshold:g}"
        text = (
            f"Explanation of {len(self)} rows x {len(self.feature_names)} features, "
            f"{goal}: {int(self.at_target.sum())} at the target, {int(need.sum())} "
            f"not; of those {int(helped.sum())} have a feature that works."
        )
        if unscored.any():
            text += f" {int(unscored.sum())} broke a constraint and were not scored."
        if late:
            text += f" {late} scores were not computed within the time limit."
        return text

    def __repr__(self) -> str:
        return self._title()

    def _repr_html_(self) -> str:
        labels = row_labels(as_table(self.data))
        shown = self._used_columns()
        head = "".join(f"<th>{escape(self.feature_names[j])}</th>" for j in shown)
        body = "".join(
            f"<tr><th>{escape(str(labels[i]))}</th>"
            f"{''.join(f'<td>{self.values[i, j]:.2f}</td>' for j in shown)}</tr>"
            for i in range(min(len(self), _SHOWN_ROWS))
        )
        more = len(self) - _SHOWN_ROWS
        rest = f"<p>... and {more} more rows</p>" if more > 0 else ""
        return (
            f"<div><p>{escape(self._title())}</p><table><thead><tr><th></th>{head}</tr>"
            f"</thead><tbody>{body}</tbody></table>{rest}</div>"
        )

    def _used_columns(self) -> Sequence[int]:
        """Features that somebody can move, or that count for somebody."""
        if self.n_reachable is None:
            return np.flatnonzero((self.values != 0).any(axis=0)).tolist()
        return np.flatnonzero((self.n_reachable > 0).any(axis=0)).tolist()
