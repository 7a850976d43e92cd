"""Display of the values of one feature that reach the target for one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._explain._explanation import Explanation
from skresp._text import decimals, number, shortened

from ._axes import BLACK, GREEN, hide_spines, open_axes, shorten_text


@dataclass(eq=False, repr=False)
class LineDisplay:
    """The current value of a feature, and the values that reach the target.

    Parameters
    ----------
    value : float
        The current value.
    reach : pair of floats
        The smallest and the largest value that the person can reach.
    intervals : list of pairs of floats
        The values that reach the target.
    name : str
        The feature.
    title : str, default=""

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

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

        Parameters
        ----------
        explanation : Explanation
            Of a ResponsivenessExplainer.
        row : int, optional
            The position of the row.
        feature : str
            See `Explanation.intervals` for the features that can be drawn.
        label : optional
            The index label of the row, instead of `row`.
        """
        position = explanation._position(row, label)
        intervals = explanation.intervals(position, feature)
        j = explanation.feature_names.index(feature)
        value = float(explanation._given_values(position)[0, j])
        low, high = explanation._features[feature].own_limits(value)
        shown = shorten_text(explanation._labels()[position], 30)
        score = explanation.values[position, j]
        title = f"Row {shown}: score {score:.2f}"
        reach = (value + min(low, 0.0), value + max(high, 0.0))
        return cls(value, reach, intervals, feature, title)

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
        """Return the display of one feature of one row of X.

        Parameters
        ----------
        explainer : fitted ResponsivenessExplainer
        X : frame or array
        row, feature, label
            See `from_explanation`.
        """
        return cls.from_explanation(explainer.explain(X), row, feature, label=label)

    def plot(self, ax: Any = None) -> LineDisplay:
        """Draw the display on the given axes, by default on new ones."""
        self.figure_, self.ax_ = open_axes(ax, 7.5, 1.9)
        ax = self.ax_
        low, high = self.reach
        span = max(high - low, 1e-12)
        ax.plot([low, high], [0, 0], color="#8C8C8C", lw=5, solid_capstyle="butt")
        for k, (start, end) in enumerate(self.intervals):
            ax.fill_between(
                [start, end],
                -0.16,
                0.16,
                facecolor=GREEN,
                edgecolor=BLACK,
                lw=0.8,
                label="" if k else "reaches the target",
            )
            if end - start < 0.006 * span:  # too thin to be seen
                ax.plot((start + end) / 2, 0, "|", color=BLACK, ms=26, mew=2)
        ax.plot(self.value, 0, "D", color=BLACK, mec="white", ms=10, zorder=5)
        ax.annotate(
            f"now {number(round(self.value, decimals(span)))}",
            (self.value, 0),
            xytext=(0, 17),
            textcoords="offset points",
            ha="center",
        )
        self._label_ends(span)
        title = self.title
        if self.intervals:
            ax.legend(
                loc="lower right",
                bbox_to_anchor=(1, 1.0),
                frameon=False,
                fontsize="small",
                borderaxespad=0.2,
            )
        else:
            title = f"{title}; no value works" if title else "no value works"
        ax.set_title(title, loc="left", fontsize="medium", parse_math=False)
        ax.set_xlabel(shorten_text(self.name, 80), parse_math=False)
        ax.set_ylim(-0.6, 0.75)
        ax.set_xlim(low - 0.04 * span, high + 0.04 * span)
        ax.set_yticks([])
        hide_spines(ax, "left")
        return self

    def _label_ends(self, span: float) -> None:
        """Write the ends of the intervals where there is room."""
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
