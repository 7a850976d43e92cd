"""Display of responsiveness: bars for one person, shares for many."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._explain._explanation import Explanation
from skresp._explain._working_values import isolated_changes, share_known
from skresp._text import plural
from skresp._typing import BoolArray, FloatArray
from skresp._validation import check_integer, check_type
from skresp.metrics._feature_order import feature_order
from skresp.metrics._score_bands import SCORE_BANDS, band_counts

from ._axes import (
    BLACK,
    BLUE,
    add_note,
    format_percent,
    label_rows,
    open_axes,
    rows_height,
    score_remark,
    shorten_text,
)

# The colours of the score bands, from low to high.
_SHADES = ("#C6DBEF", "#6BAED6", "#2171B5", "#08306B")


@dataclass(eq=False, repr=False)
class ResponsivenessDisplay:
    """Responsiveness of the features, for one person or for many.

    For one person scores are drawn as bars with their intervals. A remark says
    whether nobody can change a feature, this person cannot, or no change works. For
    many people the bars are shares: for how many a feature cannot change, does not
    work, or works in which band of scores. People at the target are left out.

    Parameters
    ----------
    values, lower, upper : arrays of shape (n_rows, n_features)
    n_reachable : array of int of the same shape
        0 if the person cannot move the feature, or if no feasible change was found.
    feature_names : list of str
    actionable : list of bool
        Features that people can act on.
    title : str
    single : bool
        Whether to draw the only row as one person.
    isolated : collection of int, default=()
        Features with a score of 0 that work for this person at isolated values.
    share_known : array of bool of the scores' shape, optional
        Where the share of changes that work is known; by default everywhere.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, ResponsivenessExplainer
    >>> from skresp.plots import ResponsivenessDisplay
    >>> X = [[0, 1], [0, 3], [1, 2], [1, 5]]
    >>> explainer = ResponsivenessExplainer(
    ...     LogisticRegression(), ActionSet.infer(X), target=1
    ... )
    >>> explanation = explainer.fit(X, [0, 0, 0, 1]).explain(X)
    >>> display = ResponsivenessDisplay.from_explanation(explanation, row=1).plot()
    >>> [float(bar.get_width()) for bar in display.ax_.patches]
    [0.25, 0.0]
    """

    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    n_reachable: NDArray[Any]
    feature_names: list[str]
    actionable: list[bool]
    title: str
    single: bool
    isolated: Collection[int] = ()
    share_known: BoolArray | None = None

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, row: int | None = None, *, label: Any = None
    ) -> ResponsivenessDisplay:
        """Return the display of one row, or of all rows that are not at the target.

        Parameters
        ----------
        explanation : Explanation
            Of a ResponsivenessExplainer.
        row : int, optional
            The position of the row.
        label : optional
            The index label of the row, instead of `row`.
        """
        check_type(
            "explanation", explanation, Explanation, "Pass explainer.explain(X)."
        )
        if explanation.n_reachable is None:
            raise ValueError(
                "ResponsivenessDisplay needs an explanation of a "
                "ResponsivenessExplainer, got contributions. Draw one person with "
                "explanation.plot(row), all with "
                "shap.plots.bar(explanation.to_shap())."
            )
        scored = np.array(~np.isnan(explanation.values).any(axis=1), ndmin=1)
        single = row is not None or label is not None
        if not single:
            rows = np.flatnonzero(scored & ~explanation.at_target)
            title = f"{len(rows)} people denied: does changing one thing work?"
        else:
            position = explanation._position(row, label)
            shown = shorten_text(explanation._labels()[position], 30)
            if not scored[position]:
                raise ValueError(
                    f"Row {shown} breaks a constraint before any change and has no "
                    f"scores. ActionSet.check(X) lists such rows."
                )
            rows = np.array([position])
            title = f"Row {shown}: share of changes that reach {explanation.target}"
            if explanation.at_target[position]:
                title = f"Row {shown}: already at the target {explanation.target}"
        features = explanation._features
        return cls(
            explanation.values[rows],
            explanation.lower[rows],
            explanation.upper[rows],
            explanation.n_reachable[rows],
            list(explanation.feature_names),
            [features[name].actionable for name in explanation.feature_names],
            title,
            single,
            isolated_changes(explanation, int(rows[0])) if single else [],
            share_known(explanation)[rows],
        )

    @classmethod
    def from_estimator(
        cls, explainer: Any, X: Any, row: int | None = None, *, label: Any = None
    ) -> ResponsivenessDisplay:
        """Return the display of X; see `from_explanation` for `row` and `label`."""
        return cls.from_explanation(explainer.explain(X), row, label=label)

    def plot(self, ax: Any = None, max_features: int = 20) -> ResponsivenessDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default new axes.
        max_features : int, default=20
            Maximum number of features drawn, the most responsive ones.
        """
        check_integer("max_features", max_features, 1)
        order = self._order()
        shown = order[:max_features]
        names = [self.feature_names[j] for j in shown]
        width = 7.5 if self.single else 9.5
        self.figure_, self.ax_ = open_axes(ax, width, 1.2 + rows_height(names))
        label_rows(self.ax_, names)
        self.ax_.set_title(self.title, loc="left", fontsize="medium", parse_math=False)
        format_percent(self.ax_)
        if self.single:
            self.ax_.set_xlim(0, 1.1)  # room for the numbers
            self._draw_person(shown)
        else:
            self.ax_.set_xlim(0, 1.003)  # with room for the last edge
            self._draw_people(shown)
        self.ax_.set_xticks([0, 0.25, 0.5, 0.75, 1])
        if len(order) > len(shown):
            more = plural(len(order) - len(shown), "more feature")
            add_note(self.ax_, f"and {more}")
        return self

    def _order(self) -> list[int]:
        """Return the features, most responsive first, those nobody can change last."""
        return feature_order(self.values, self.n_reachable, self.actionable).tolist()

    def _draw_person(self, shown: list[int]) -> None:
        ax = self.ax_
        values = self.values[0, shown]
        ends = np.array([values - self.lower[0, shown], self.upper[0, shown] - values])
        positions = np.arange(len(shown))
        ax.barh(positions, values, color=BLUE, height=0.66, zorder=2)
        for y, j in enumerate(shown):
            if ends[:, y].sum() > 0 and self.n_reachable[0, j]:
                ax.errorbar(
                    values[y],
                    y,
                    xerr=np.maximum(ends[:, [y]], 0),
                    fmt="none",
                    ecolor=BLACK,
                    capsize=3,
                    zorder=3,
                )
            self._draw_remark(y, j)
        ax.set_xlabel("share of the feature's changes that work")
        ax.xaxis.grid(True, color="#DDDDDD", zorder=0)

    def _draw_remark(self, y: int, j: int) -> None:
        """Write the score of a feature beside its bar, or why it is 0."""
        score, upper = float(self.values[0, j]), float(self.upper[0, j])
        actionable, movable = self.actionable[j], bool(self.n_reachable[0, j])
        words = score_remark(
            score,
            float(self.lower[0, j]),
            upper,
            actionable=actionable,
            movable=movable,
            isolated=j in self.isolated,
            share_known=self.share_known is None or bool(self.share_known[0, j]),
        )
        if not actionable:
            self.ax_.barh(
                y, 1, color="#F2F2F2", hatch="///", edgecolor="#CFCFCF", zorder=1
            )
        elif movable and score == 0 and j not in self.isolated:
            self.ax_.plot(
                0.005, y, "o", mfc="white", mec=BLACK, clip_on=False, zorder=4
            )
        self.ax_.annotate(
            words,
            (upper, y),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
            style="normal" if movable and actionable else "italic",
            color="#333333",
            zorder=5,
        )

    def _draw_people(self, shown: list[int]) -> None:
        ax = self.ax_
        n = max(len(self.values), 1)
        positions = np.arange(len(shown))
        moved = self.n_reachable[:, shown] > 0
        values = self.values[:, shown]
        left = np.zeros(len(shown))
        parts: list[tuple[str, dict[str, Any]]] = [
            (_band_label(low, high), {"color": shade})
            for (low, high), shade in zip(SCORE_BANDS, _SHADES, strict=True)
        ]
        counts = list(band_counts(values))
        unknown = np.zeros_like(moved)
        if self.share_known is not None:
            unknown = ~self.share_known[:, shown] & (values == 0)
        counts += [
            (moved & (values == 0) & ~unknown).sum(axis=0),
            (~moved & ~unknown).sum(axis=0),
            unknown.sum(axis=0),
        ]
        edge = {"edgecolor": "#8C8C8C", "linewidth": 0.6}
        parts += [
            ("0% of changes work", {"color": "#FFFFFF", **edge}),
            ("cannot be changed", {"color": "#F2F2F2", "hatch": "///", **edge}),
            ("not known", {"color": "#D9D9D9", "hatch": "...", **edge}),
        ]
        # The highest band is at the left, where the bars start together.
        for k in (3, 2, 1, 0, 4, 5, 6) if unknown.any() else (3, 2, 1, 0, 4, 5):
            name, style = parts[k]
            width = counts[k] / n
            ax.barh(positions, width, left=left, height=0.72, label=name, **style)
            left += width
        ax.set_xlabel("share of the denied")
        ax.legend(
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            frameon=False,
            fontsize="small",
        )


def _band_label(low: float, high: float) -> str:
    share = f"{low:.0%} to {high:.0%}" if low else f"up to {high:.0%}"
    return f"{share} of changes work"
