"""Display of one person with the values of several explainers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._dataframe import as_table, row_labels
from skresp._explain._explanation import Explanation
from skresp._explain._working_values import isolated_changes
from skresp._text import plural, quote, state
from skresp._typing import BoolArray, FloatArray

from ._axes import (
    BLACK,
    BLUE,
    VERMILION,
    add_note,
    format_percent,
    label_rows,
    open_axes,
    rows_height,
    score_remark,
    shorten_text,
)

_IMMUTABLE = {
    "facecolor": "#F2F2F2",
    "hatch": "///",
    "edgecolor": "#CFCFCF",
    "zorder": 0,
}
_REMARK = {"fontsize": "small", "va": "center", "color": "#333333", "zorder": 5}


@dataclass(frozen=True, kw_only=True)
class Panel:
    """The values of one explainer for one person.

    Attributes
    ----------
    name : str
        The name of the explainer.
    axis : str
        The label of the axis.
    signed : bool
        True for contributions of either sign, False for scores from 0 to 1.
    values, lower, upper : arrays of shape (n_features,)
    movable : array of bool, or None
        Features that this person can move; None if the explainer does not know.
    isolated : array of bool
        Features with a score of 0 that work at isolated values.
    """

    name: str
    axis: str
    signed: bool
    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    movable: BoolArray | None
    isolated: BoolArray


@dataclass(eq=False, repr=False)
class PersonDisplay:
    """The values of several explainers for one person, side by side.

    Each explainer has its own axis, since contributions (SHAP, LIME) and
    responsiveness are on different scales. Features that nobody can change are
    hatched in all panels.

    Parameters
    ----------
    panels : list of Panel
        One per explainer, with values in the order of `feature_names`.
    feature_names : list of str
    shown : list of str
        The person's values, as text.
    actionable : list of bool, or None
        Features that people can act on; None if no explainer knows.
    title : str

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        One per explainer.
    ax_ : matplotlib Axes
        The axes given to `plot`, by default the first of `axes_`.
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, ResponsivenessExplainer
    >>> from skresp.plots import PersonDisplay
    >>> X = [[0, 1], [0, 3], [1, 2], [1, 5]]
    >>> explainer = ResponsivenessExplainer(LogisticRegression(), ActionSet.infer(X))
    >>> explanation = explainer.fit(X, [0, 0, 0, 1]).explain(X)
    >>> display = PersonDisplay.from_explanations({"RESP": explanation}, 1).plot()
    >>> display.axes_[0].get_title(loc="left")
    'RESP'
    """

    panels: list[Panel]
    feature_names: list[str]
    shown: list[str]
    actionable: list[bool] | None
    title: str

    @classmethod
    def from_explanations(
        cls,
        explanations: Mapping[str, Explanation],
        row: int | None = None,
        *,
        label: Any = None,
    ) -> PersonDisplay:
        """Return the display of one row of explanations of the same rows.

        Parameters
        ----------
        explanations : mapping from name to Explanation
        row : int
            The position of the row.
        label : optional
            The index label of the row, instead of `row`.
        """
        first = _check_explanations(explanations)
        position = first._position(row, label)
        names = list(first.feature_names)
        features = next(
            (
                e._features
                for e in explanations.values()
                if e.method == "responsiveness"
            ),
            None,
        )
        values = first._given_values(position)[0]
        kinds = ["" if features is None else features[n].kind for n in names]
        who = shorten_text(first._labels()[position], 30)
        return cls(
            [_panel(name, e, position, names) for name, e in explanations.items()],
            names,
            [_value_text(v, kind) for v, kind in zip(values, kinds, strict=True)],
            None if features is None else [features[n].actionable for n in names],
            f"Row {who}: {_outcome(first, position)}",
        )

    @classmethod
    def from_estimator(
        cls,
        explainers: Mapping[str, Any],
        X: Any,
        row: int | None = None,
        *,
        label: Any = None,
    ) -> PersonDisplay:
        """Return the display of one row of X.

        Parameters
        ----------
        explainers : mapping from name to fitted explainer
        X : frame or array
        row, label
            See `from_explanations`.
        """
        explanations = {name: e.explain(X) for name, e in explainers.items()}
        return cls.from_explanations(explanations, row, label=label)

    def plot(self, ax: Any = None, max_features: int = 12) -> PersonDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Divided into one panel per explainer; by default new axes.
        max_features : int, default=12
            Maximum number of features drawn, those with the largest values.
        """
        order = self._order()
        shown = order[:max_features]
        names = [f"{self.feature_names[j]} = {self.shown[j]}" for j in shown]
        n = len(self.panels)
        self.figure_, self.ax_ = open_axes(ax, 3.2 + 3.6 * n, 1.5 + rows_height(names))
        self.axes_ = [self.ax_] if n == 1 else _split_axes(self.ax_, n)
        for panel, axes in zip(self.panels, self.axes_, strict=True):
            label_rows(axes, names)
            if axes is not self.axes_[0]:
                axes.tick_params(axis="y", labelleft=False)
            axes.set_title(
                shorten_text(panel.name, 30),
                loc="left",
                fontsize="medium",
                parse_math=False,
            )
            self._hatch_immutable(axes, shown)
            if panel.signed:
                self._draw_contributions(axes, panel, shown)
            else:
                self._draw_scores(axes, panel, shown)
            axes.set_xlabel(panel.axis, parse_math=False)
            axes.xaxis.grid(True, color="#DDDDDD", zorder=0)
            axes.set_axisbelow(True)
        if ax is None:
            self.figure_.suptitle(
                self.title, x=0.01, ha="left", fontsize="medium", parse_math=False
            )
        if len(order) > len(shown):
            more = plural(len(order) - len(shown), "more feature")
            add_note(self.axes_[-1], f"and {more}")
        return self

    def _order(self) -> list[int]:
        """Return the features by size, relative to the largest value of a panel."""
        size = np.zeros(len(self.feature_names))
        for panel in self.panels:
            values = np.abs(np.nan_to_num(panel.values))
            size = np.maximum(size, values / max(values.max(initial=0.0), 1e-300))
        return [int(j) for j in np.argsort(-size, kind="stable")]

    def _hatch_immutable(self, axes: Any, shown: list[int]) -> None:
        """Hatch the rows of features that nobody can change."""
        for y, j in enumerate(shown):
            if self.actionable is not None and not self.actionable[j]:
                axes.axhspan(y - 0.5, y + 0.5, **_IMMUTABLE)

    def _draw_contributions(self, axes: Any, panel: Panel, shown: list[int]) -> None:
        """Draw bars from 0; the sign is shown by side and colour."""
        values = panel.values[shown]
        axes.barh(
            range(len(shown)),
            values,
            color=[BLUE if v > 0 else VERMILION for v in values],
            height=0.6,
            zorder=2,
        )
        axes.axvline(0, color=BLACK, lw=0.8, zorder=3)
        axes.locator_params(axis="x", nbins=5, prune="both")  # clear of the next panel
        far = max(float(np.abs(values).max(initial=0.0)), 1e-12)
        low, high = (
            min(float(values.min(initial=0)), 0),
            max(float(values.max(initial=0)), 0),
        )
        axes.set_xlim(low - (0.42 if low < 0 else 0.06) * far, high + 0.42 * far)
        for y, value in enumerate(values):
            side = 1 if value >= 0 else -1
            axes.annotate(
                _contribution_text(float(value)),
                (value, y),
                xytext=(5 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                **_REMARK,
            )

    def _draw_scores(self, axes: Any, panel: Panel, shown: list[int]) -> None:
        """Draw scores from 0 to 1, with a remark beside each bar."""
        axes.set_xlim(0, 1.2)  # room for the numbers
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
        format_percent(axes)
        for y, j in enumerate(shown):
            value, low, high = panel.values[j], panel.lower[j], panel.upper[j]
            axes.barh(y, value, color=BLUE, height=0.6, zorder=2)
            if high > low:
                axes.errorbar(
                    value,
                    y,
                    xerr=[[max(value - low, 0)], [max(high - value, 0)]],
                    fmt="none",
                    ecolor=BLACK,
                    capsize=3,
                    zorder=3,
                )
            axes.annotate(
                self._remark(panel, j),
                (high, y),
                xytext=(6, 0),
                textcoords="offset points",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                **_REMARK,
            )

    def _remark(self, panel: Panel, j: int) -> str:
        lower, upper = float(panel.lower[j]), float(panel.upper[j])
        return score_remark(
            float(panel.values[j]),
            lower,
            upper,
            actionable=self.actionable is None or self.actionable[j],
            movable=panel.movable is None or bool(panel.movable[j]),
            isolated=bool(panel.isolated[j]),
            share_known=(lower, upper) != (0, 1),
        )


def _split_axes(ax: Any, n: int) -> list[Any]:
    """Return n axes side by side in the place of one."""
    ax.set_axis_off()
    position = ax.get_subplotspec()
    if position is None:
        return [ax.inset_axes((i / n, 0, 0.9 / n, 1)) for i in range(n)]
    grid = position.subgridspec(1, n)
    return [ax.figure.add_subplot(grid[0, i]) for i in range(n)]


def _check_explanations(explanations: Mapping[str, Explanation]) -> Explanation:
    """Return the first explanation; raise if the others have other rows."""
    if not isinstance(explanations, Mapping) or not explanations:
        raise TypeError(
            f"explanations must be a mapping from name to Explanation with at least "
            f"one entry, got {quote(explanations)}."
        )
    first = next(iter(explanations.values()))
    for name, e in explanations.items():
        if not isinstance(e, Explanation):
            raise TypeError(
                f"explanations[{quote(name)}] must be an Explanation, got "
                f"{type(e).__name__}. Pass explainer.explain(X)."
            )
        same_rows = len(e) == len(first) and np.array_equal(
            row_labels(as_table(e.data)), row_labels(as_table(first.data))
        )
        if not same_rows or set(e.feature_names) != set(first.feature_names):
            raise ValueError(
                f"explanations must have the same rows and features, but the first has "
                f"{len(first)} rows x {len(first.feature_names)} features and "
                f"{quote(name)} has {len(e)} x {len(e.feature_names)}, or other "
                f"labels. Explain the same X with each explainer."
            )
    return first


def _panel(name: str, e: Explanation, row: int, names: list[str]) -> Panel:
    columns = [e.feature_names.index(n) for n in names]
    values = e.values[row, columns]
    if np.isnan(values).any():
        raise ValueError(
            f"Row {e._labels()[row]} breaks a constraint before any "
            f"change and has no scores. ActionSet.check(X) lists such rows."
        )
    signed = e.method != "responsiveness"
    if not signed:
        axis = "share of the feature's changes that work"
    elif e.target is None:
        axis = f"contribution to {e._unit}"
    else:
        axis = "← away from the target | towards it →"
    isolated = [] if signed else isolated_changes(e, row)
    return Panel(
        name=str(name),
        axis=axis,
        signed=signed,
        values=values,
        lower=e.lower[row, columns],
        upper=e.upper[row, columns],
        movable=None if e.n_reachable is None else e.n_reachable[row, columns] > 0,
        isolated=np.array([j in isolated for j in columns], dtype=bool),
    )


def _outcome(e: Explanation, row: int) -> str:
    if e.target is None:
        return "contributions to the prediction"
    if e.at_target[row]:
        return f"already at the target {shorten_text(e.target, 30)}"
    return f"denied (the target is {shorten_text(e.target, 30)})"


def _contribution_text(value: float) -> str:
    """Return a contribution with its sign and two digits or more."""
    if abs(value) >= 10 or value == 0:
        return f"{value:+,.0f}" if value else "0"
    return f"{value:+#.2g}"


def _value_text(value: Any, kind: str) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:,.4g}"
    return shorten_text(state(value, kind), 24)
