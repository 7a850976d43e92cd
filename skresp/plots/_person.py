"""One person as several explainers see them, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import as_table, row_labels
from skresp.explain import Explanation, state, working_changes

from ._axes import (
    BLACK,
    BLUE,
    VERMILION,
    add_note,
    brief,
    label_rows,
    open_axes,
    percents,
    rows_height,
)

Numbers = NDArray[np.float64]

_HELD = {"facecolor": "#F2F2F2", "hatch": "///", "edgecolor": "#CFCFCF", "zorder": 0}
_WORDS = {"fontsize": "small", "va": "center", "color": "#333333", "zorder": 5}


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What one explainer says of one person.

    Attributes
    ----------
    name : str
    axis : str
        What the values are.
    signed : bool
        Contributions of either sign, or scores from 0 to 1.
    values, lower, upper : arrays of shape (n_features,)
    movable : array of bool, or None
        Features that this person can move, where the explainer knows.
    isolated : array of bool
        Features with a score of 0 that work at isolated values.
    """

    name: str
    axis: str
    signed: bool
    values: Numbers
    lower: Numbers
    upper: Numbers
    movable: NDArray[np.bool_] | None
    isolated: NDArray[np.bool_]


@dataclass(eq=False, repr=False)
class PersonDisplay:
    """One person: the values of several explainers side by side.

    Each explainer has an axis of its own, since contributions (SHAP, LIME) and
    responsiveness are not on one scale; the features are shared. Features that nobody
    can change are hatched in all panels.

    Parameters
    ----------
    panels : list of Panel
        One for each explainer, with values in the order of `feature_names`.
    feature_names : list of str
    shown : list of str
        The person's values, as text.
    actionable : list of bool, or None
        Features that people can act on; None where no explainer knows.
    title : str

    Attributes
    ----------
    axes_ : list of matplotlib axes, one for each explainer
    ax_ : the axes given to `plot`, else the first of `axes_`
    figure_ : matplotlib figure

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
        first = _checked(explanations)
        place = first._position(row, label)
        names = list(first.feature_names)
        features = next(
            (
                e.source.actions.features
                for e in explanations.values()
                if e.method == "responsiveness"
            ),
            None,
        )
        values = first.source.as_numbers(first._row(place), names)[1][0]
        kinds = ["" if features is None else features[n].kind for n in names]
        who = brief(row_labels(as_table(first.data))[place], 30)
        return cls(
            [_panel(name, e, place, names) for name, e in explanations.items()],
            names,
            [_value(v, kind) for v, kind in zip(values, kinds, strict=True)],
            None if features is None else [features[n].actionable for n in names],
            f"Row {who}: {_standing(first, place)}",
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
        """Return the same from fitted explainers and rows."""
        explanations = {name: e.explain(X) for name, e in explainers.items()}
        return cls.from_explanations(explanations, row, label=label)

    def plot(self, ax: Any = None, max_features: int = 12) -> PersonDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Divided among the explainers, where there are several; new ones unless
            given.
        max_features : int, default=12
            Of more features those with the largest values are drawn.
        """
        order = self._order()
        shown = order[:max_features]
        names = [f"{self.feature_names[j]} = {self.shown[j]}" for j in shown]
        n = len(self.panels)
        self.figure_, self.ax_ = open_axes(ax, 3.2 + 3.6 * n, 1.5 + rows_height(names))
        self.axes_ = [self.ax_] if n == 1 else _divided(self.ax_, n)
        for panel, axes in zip(self.panels, self.axes_, strict=True):
            label_rows(axes, names)
            if axes is not self.axes_[0]:
                axes.tick_params(axis="y", labelleft=False)
            axes.set_title(
                brief(panel.name, 30), loc="left", fontsize="medium", parse_math=False
            )
            self._held(axes, shown)
            (self._signed if panel.signed else self._scores)(axes, panel, shown)
            axes.set_xlabel(panel.axis, parse_math=False)
            axes.xaxis.grid(True, color="#DDDDDD", zorder=0)
            axes.set_axisbelow(True)
        if ax is None:
            self.figure_.suptitle(
                self.title, x=0.01, ha="left", fontsize="medium", parse_math=False
            )
        if len(order) > len(shown):
            more = len(order) - len(shown)
            many = "feature" if more == 1 else "features"
            add_note(self.axes_[-1], f"and {more} more {many}")
        return self

    def _order(self) -> list[int]:
        """Return the features by their largest value, as a share of the explainer's."""
        size = np.zeros(len(self.feature_names))
        for panel in self.panels:
            mine = np.abs(np.nan_to_num(panel.values))
            size = np.maximum(size, mine / max(mine.max(initial=0.0), 1e-300))
        return [int(j) for j in np.argsort(-size, kind="stable")]

    def _held(self, axes: Any, shown: list[int]) -> None:
        """Hatch the rows of features that nobody can change."""
        for y, j in enumerate(shown):
            if self.actionable is not None and not self.actionable[j]:
                axes.axhspan(y - 0.5, y + 0.5, **_HELD)

    def _signed(self, axes: Any, panel: Panel, shown: list[int]) -> None:
        """Draw contributions from 0, told apart by side and colour."""
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
                f"{value:+.2g}" if value else "0",
                (value, y),
                xytext=(5 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                **_WORDS,
            )

    def _scores(self, axes: Any, panel: Panel, shown: list[int]) -> None:
        """Draw scores from 0 to 1, with what there is to say of those that are 0."""
        axes.set_xlim(0, 1.2)  # room for the numbers
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
        percents(axes)
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
                **_WORDS,
            )

    def _remark(self, panel: Panel, j: int) -> str:
        value = panel.values[j]
        if self.actionable is not None and not self.actionable[j]:
            return "nobody can change this"
        if panel.movable is not None and not panel.movable[j]:
            if panel.upper[j] > 0:
                return "no feasible change found"
            return "this person cannot move it"
        if panel.isolated[j]:
            return "works at isolated values"
        if value == 0:
            found = panel.upper[j] > 0
            return "no change found that works" if found else "no change works"
        return "under 1%" if value < 0.005 else f"{value:.0%}"


def _divided(ax: Any, n: int) -> list[Any]:
    """Return axes side by side in the place of one."""
    ax.set_axis_off()
    place = ax.get_subplotspec()
    if place is None:
        return [ax.inset_axes((i / n, 0, 0.9 / n, 1)) for i in range(n)]
    grid = place.subgridspec(1, n)
    return [ax.figure.add_subplot(grid[0, i]) for i in range(n)]


def _checked(explanations: Mapping[str, Explanation]) -> Explanation:
    """Return the first explanation; raise where they are not of the same rows."""
    if not isinstance(explanations, Mapping) or not explanations:
        raise TypeError(
            f"explanations must be a mapping from name to Explanation with at least "
            f"one entry, got {explanations!r}."
        )
    first = next(iter(explanations.values()))
    for name, e in explanations.items():
        if not isinstance(e, Explanation):
            raise TypeError(
                f"explanations[{name!r}] must be an Explanation, got "
                f"{type(e).__name__}. Pass explainer.explain(X)."
            )
        rows = len(e) == len(first) and np.array_equal(
            row_labels(as_table(e.data)), row_labels(as_table(first.data))
        )
        if not rows or set(e.feature_names) != set(first.feature_names):
            raise ValueError(
                f"explanations must be of the same rows and features, and {name!r} is "
                f"of {len(e)} rows x {len(e.feature_names)} features, not of the "
                f"{len(first)} x {len(first.feature_names)} of the first. Explain the "
                f"same X with each explainer."
            )
    return first


def _panel(name: str, e: Explanation, row: int, names: list[str]) -> Panel:
    columns = [e.feature_names.index(n) for n in names]
    values = e.values[row, columns]
    if np.isnan(values).any():
        raise ValueError(
            f"Row {row_labels(as_table(e.data))[row]} breaks a constraint as it stands "
            f"and was not scored; see ActionSet.check(X)."
        )
    signed = e.method != "responsiveness"
    if not signed:
        axis = "share of the feature's changes that work"
    elif e.target is None:
        axis = f"contribution to {e.source.unit}"
    else:
        axis = "← away from the target | towards it →"
    works = [] if signed else working_changes(e, row)
    return Panel(
        name=str(name),
        axis=axis,
        signed=signed,
        values=values,
        lower=e.lower[row, columns],
        upper=e.upper[row, columns],
        movable=None if e.n_reachable is None else e.n_reachable[row, columns] > 0,
        isolated=np.array([j in works for j in columns]) & (values == 0),
    )


def _standing(e: Explanation, row: int) -> str:
    if e.target is None:
        return "what counts for the prediction"
    if e.at_target[row]:
        return f"at the target {brief(e.target, 30)} already"
    return f"not at the target {brief(e.target, 30)}"


def _value(value: Any, kind: str) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:,.4g}"
    return brief(state(value, kind), 24)
