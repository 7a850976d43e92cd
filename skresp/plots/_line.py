"""One feature of one person as a line: where they stand, and what would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp.actions import as_table, column, column_positions, row_labels
from skresp.explain import Explanation, number, shortened

from ._axes import BLACK, GREEN, bare, brief, open_axes


@dataclass(eq=False, repr=False)
class LineDisplay:
    """The values of one feature that reach the target, and where the person stands.

    Parameters
    ----------
    value : float
        Where the person stands.
    reach : pair of floats
        The least and the greatest value they can move to.
    intervals : list of pairs of floats
        The values that reach the target.
    name : str
        The feature.
    title : str, default=""

    Attributes
    ----------
    ax_, figure_ : matplotlib's, after `plot`

    Examples
    --------
    >>> from skresp.plots import LineDisplay
    >>> display = LineDisplay(3.0, (2.0, 6.0), [(4.5, 6.0)], "income").plot()
    >>> display.ax_.get_xlabel()
    'income'
    """

    value: float
    reach: tuple[float, float]
    intervals: list[tuple[float, float]]
    name: str
    title: str = ""

    @classmethod
    def from_explanation(
        cls,
        explanation: Explanation,
        row: int | None = None,
        feature: str = "",
        *,
        label: Any = None,
    ) -> LineDisplay:
        """Return the display of one feature of one row.

        `row` is its position, or `label` its index label. See `Explanation.intervals`
        for which features can be drawn.
        """
        place = explanation._position(row, label)
        found = explanation.intervals(place, feature)
        actions = explanation.source.actions
        table = as_table(explanation.data)
        where = column_positions(actions, table)[actions.names.index(feature)]
        value = float(column(table, where)[place])
        low, high = actions.features[feature].own_limits(value)
        shown = brief(row_labels(table)[place], 30)
        score = explanation.values[place, explanation.feature_names.index(feature)]
        title = f"Row {shown}: score {score:.2f}"
        reach = (value + min(low, 0.0), value + max(high, 0.0))
        return cls(value, reach, found, feature, title)

    @classmethod
    def from_estimator(
        cls,
        explainer: Any,
        X: Any,
        row: int | None = None,
        feature: str = "",
        *,
        label: Any = None,
    ) -> LineDisplay:
        """Return the same from a fitted explainer and rows."""
        return cls.from_explanation(explainer.explain(X), row, feature, label=label)

    def plot(self, ax: Any = None) -> LineDisplay:
        """Draw it, on new axes unless some are given."""
        self.figure_, self.ax_ = open_axes(ax, 7.5, 1.9)
        ax = self.ax_
        low, high = self.reach
        span = max(high - low, 1e-12)
        ax.plot([low, high], [0, 0], color="#8C8C8C", lw=5, solid_capstyle="butt")
        for start, end in self.intervals:
            ax.fill_between(
                [start, end], -0.16, 0.16, facecolor=GREEN, edgecolor=BLACK, lw=0.8
            )
            if end - start < 0.006 * span:  # too thin to be seen
                ax.plot((start + end) / 2, 0, "|", color=BLACK, ms=26, mew=2)
        ax.plot(self.value, 0, "D", color=BLACK, mec="white", ms=10, zorder=5)
        ax.annotate(
            f"now {self.value:,.6g}",
            (self.value, 0),
            xytext=(0, 17),
            textcoords="offset points",
            ha="center",
        )
        self._ends(span)
        words = "green: reaches the target" if self.intervals else "no value works"
        ax.set_title(
            f"{self.title}; {words}" if self.title else words,
            loc="left",
            fontsize="medium",
            parse_math=False,
        )
        ax.set_xlabel(brief(self.name, 80), parse_math=False)
        ax.set_ylim(-0.6, 0.75)
        ax.set_xlim(low - 0.04 * span, high + 0.04 * span)
        ax.set_yticks([])
        bare(ax, "left")
        return self

    def _ends(self, span: float) -> None:
        """The numbers at which it begins and stops to work, where there is room."""
        short = [shortened(low, high, span) for low, high in self.intervals]
        last = -np.inf
        for end in sorted({end for pair in short for end in pair}):
            if end - last < 0.09 * span:
                continue
            last = end
            self.ax_.annotate(
                number(end),
                (end, -0.16),
                xytext=(0, -4),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize="small",
            )
