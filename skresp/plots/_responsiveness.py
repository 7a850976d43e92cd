"""Scores of one person as bars, or of many as shares."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import as_table, row_labels
from skresp.explain import Explanation, working_changes

from ._axes import (
    BLACK,
    BLUE,
    add_note,
    brief,
    label_rows,
    open_axes,
    percents,
    rows_height,
)

Numbers = NDArray[np.float64]

# How scores are grouped for a population, and their shades from light to dark.
_BANDS = ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0))
_SHADES = ("#C6DBEF", "#6BAED6", "#2171B5", "#08306B")


@dataclass(eq=False, repr=False)
class ResponsivenessDisplay:
    """Responsiveness of the features, for one person or for many.

    One person is drawn as bars with their intervals; features that nobody can act on
    are told apart from those that this person cannot move and from those that can be
    moved but do not help. Many people are drawn as shares: for how many a feature
    cannot be moved, does not help, or helps so much. People at the target are left out.

    Parameters
    ----------
    values, lower, upper : arrays of shape (n_rows, n_features)
    n_reachable : array of int of the same shape
        0 where the person cannot move the feature.
    feature_names : list of str
    actionable : list of bool
        Features that people can act on.
    title : str
    single : bool
        Whether to draw the one row as one person.
    isolated : collection of int, default=()
        Features with a score of 0 that work for this person at isolated values.

    Attributes
    ----------
    ax_, figure_ : matplotlib's, after `plot`

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

    values: Numbers
    lower: Numbers
    upper: Numbers
    n_reachable: NDArray[Any]
    feature_names: list[str]
    actionable: list[bool]
    title: str
    single: bool
    isolated: Collection[int] = ()

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, row: int | None = None, *, label: Any = None
    ) -> ResponsivenessDisplay:
        """Return the display of one row, or of all rows that are not at the target.

        `row` is the position of a row; `label` is its index label instead.
        """
        if explanation.n_reachable is None:
            raise ValueError(
                "ResponsivenessDisplay draws responsiveness, and this explanation "
                "holds contributions. Draw one person with explanation.plot(row), all "
                "with shap.plots.bar(explanation.to_shap())."
            )
        scored = np.array(~np.isnan(explanation.values).any(axis=1), ndmin=1)
        single = row is not None or label is not None
        if not single:
            rows = np.flatnonzero(scored & ~explanation.at_target)
            title = (
                f"{len(rows)} people not at the target {brief(explanation.target, 30)}"
            )
        else:
            place = explanation._position(row, label)
            shown = brief(row_labels(as_table(explanation.data))[place], 30)
            if not scored[place]:
                raise ValueError(
                    f"Row {shown} breaks a constraint as it stands and was not scored; "
                    f"see ActionSet.check(X)."
                )
            rows = np.array([place])
            title = f"Row {shown}: share of changes that reach {explanation.target}"
            if explanation.at_target[place]:
                title = f"Row {shown}: at the target {explanation.target} already"
        works = working_changes(explanation, int(rows[0])) if single else []
        features = explanation.source.actions.features
        return cls(
            explanation.values[rows],
            explanation.lower[rows],
            explanation.upper[rows],
            explanation.n_reachable[rows],
            list(explanation.feature_names),
            [features[name].actionable for name in explanation.feature_names],
            title,
            single,
            [j for j in works if explanation.values[rows[0], j] == 0],
        )

    @classmethod
    def from_estimator(
        cls, explainer: Any, X: Any, row: int | None = None, *, label: Any = None
    ) -> ResponsivenessDisplay:
        """Return the display of what a fitted explainer says of rows."""
        return cls.from_explanation(explainer.explain(X), row, label=label)

    def plot(self, ax: Any = None, max_features: int = 20) -> ResponsivenessDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones unless given.
        max_features : int, default=20
            Of more features the most responsive are drawn.
        """
        order = self._order()
        shown = order[:max_features]
        names = [self.feature_names[j] for j in shown]
        width = 7.5 if self.single else 9.5
        self.figure_, self.ax_ = open_axes(ax, width, 1.2 + rows_height(names))
        label_rows(self.ax_, names)
        self.ax_.set_title(self.title, loc="left", fontsize="medium", parse_math=False)
        percents(self.ax_)
        if self.single:
            self.ax_.set_xlim(0, 1.1)  # room for the numbers
            self._bars(shown)
        else:
            self.ax_.set_xlim(0, 1.003)  # the last edge is drawn too
            self._shares(shown)
        self.ax_.set_xticks([0, 0.25, 0.5, 0.75, 1])
        if len(order) > len(shown):
            add_note(self.ax_, f"and {len(order) - len(shown)} more features")
        return self

    def _order(self) -> list[int]:
        """The most responsive first; last those that nobody can act on."""
        mean = self.values.mean(axis=0) if len(self.values) else self.values.sum(axis=0)
        moved = (self.n_reachable > 0).sum(axis=0)
        can = np.array(self.actionable, dtype=int)
        return [int(j) for j in np.lexsort((-can, -moved, -mean))]

    def _bars(self, shown: list[int]) -> None:
        ax = self.ax_
        values = self.values[0, shown]
        ends = np.array([values - self.lower[0, shown], self.upper[0, shown] - values])
        places = np.arange(len(shown))
        ax.barh(places, values, color=BLUE, height=0.66, zorder=2)
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
            self._remark(y, j)
        ax.set_xlabel("share of the feature's changes that work")
        ax.xaxis.grid(True, color="#DDDDDD", zorder=0)

    def _remark(self, y: int, j: int) -> None:
        """What there is to say of a feature beside its bar."""
        ax = self.ax_
        if not self.actionable[j]:
            ax.barh(y, 1, color="#F2F2F2", hatch="///", edgecolor="#CFCFCF", zorder=1)
            words, style = "nobody can change this", "italic"
        elif self.n_reachable[0, j] == 0:
            words, style = "this person cannot move it", "italic"
            if self.upper[0, j] > 0:
                words = "no feasible change found"
        elif j in self.isolated:
            words, style = "works at isolated values", "normal"
        elif self.values[0, j] == 0:
            ax.plot(0.005, y, "o", mfc="white", mec=BLACK, clip_on=False, zorder=4)
            words, style = "no change works", "normal"
            if self.upper[0, j] > 0:
                words = "no change found that works"
        else:
            words, style = f"{self.values[0, j]:.0%}", "normal"
            if 0 < self.values[0, j] < 0.005:
                words = "under 1%"
        self.ax_.annotate(
            words,
            (self.upper[0, j], y),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
            style=style,
            color="#333333",
            zorder=5,
        )

    def _shares(self, shown: list[int]) -> None:
        ax = self.ax_
        n = max(len(self.values), 1)
        places = np.arange(len(shown))
        moved = self.n_reachable[:, shown] > 0
        values = self.values[:, shown]
        left = np.zeros(len(shown))
        parts: list[tuple[str, dict[str, Any]]] = [
            (f"works for {_band(low, high)} of changes", {"color": shade})
            for (low, high), shade in zip(_BANDS, _SHADES, strict=True)
        ]
        counts = [
            ((values > low) & (values <= high)).sum(axis=0) for low, high in _BANDS
        ]
        counts += [(moved & (values == 0)).sum(axis=0), (~moved).sum(axis=0)]
        edge = {"edgecolor": "#8C8C8C", "linewidth": 0.6}
        parts += [
            ("can be moved, 0% of changes work", {"color": "#FFFFFF", **edge}),
            ("cannot be moved", {"color": "#F2F2F2", "hatch": "///", **edge}),
        ]
        # Strongest at the left, where bars start together.
        for k in (3, 2, 1, 0, 4, 5):
            name, look = parts[k]
            width = counts[k] / n
            ax.barh(places, width, left=left, height=0.72, label=name, **look)
            left += width
        ax.set_xlabel("share of these people")
        ax.legend(
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            frameon=False,
            fontsize="small",
        )


def _band(low: float, high: float) -> str:
    return f"{low:.0%} to {high:.0%}" if low else f"up to {high:.0%}"
