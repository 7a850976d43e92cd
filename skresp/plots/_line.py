"""Display of the values of one feature that reach the target for one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._explain._explanation import Explanation
from skresp._text import decimals, number, shortened
from skresp._validation import check_type

from ._axes import BLACK, GREEN, hide_spines, limit_ticks, open_axes, shorten_text

# Lines for the labels of ends, and the width of a letter as a share of the axes.
_LABEL_LINES, _LETTER = 2, 0.0105
_MAX_TICKS = 9
# The least width of an interval, as a share of the axes.
_MIN_WIDTH = 0.008


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
        check_type(
            "explanation", explanation, Explanation, "Pass explainer.explain(X)."
        )
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
            # A thin interval is drawn wider, since it could not be seen.
            wider = max(0.0, _MIN_WIDTH * span - (end - start)) / 2
            ax.fill_between(
                [start - wider, end + wider],
                -0.16,
                0.16,
                facecolor=GREEN,
                edgecolor=BLACK,
                lw=0.8,
                zorder=3 if wider else 2,
                label="" if k else "reaches the target",
            )
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
        self._format_ticks()
        hide_spines(ax, "left")
        return self

    def _format_ticks(self) -> None:
        """Write ticks like the labels, and only whole numbers where all values are."""
        from matplotlib.ticker import FuncFormatter

        values = [self.value, *self.reach, *np.ravel(self.intervals)]
        whole = all(float(v).is_integer() for v in values)
        limit_ticks(self.ax_, _MAX_TICKS, whole)
        self.ax_.xaxis.set_major_formatter(
            FuncFormatter(lambda tick, _: number(round(tick, 12)))
        )

    def _label_ends(self, span: float) -> None:
        """Write the ends of the intervals, those of the longest first.

        Labels that are close to others are written in a second line, or left out.
        """
        placed: list[list[tuple[float, float]]] = [[] for _ in range(_LABEL_LINES)]
        short = [shortened(low, high, span) for low, high in self.intervals]
        ends = [
            end for pair in sorted(short, key=lambda p: p[0] - p[1]) for end in pair
        ]
        for end in dict.fromkeys(ends):
            half = _LETTER * span * (len(number(end)) + 1) / 2
            for line, taken in enumerate(placed):
                if all(abs(end - other) > half + wide for other, wide in taken):
                    taken.append((end, half))
                    self._write_end(end, line)
                    break

    def _write_end(self, end: float, line: int) -> None:
        self.ax_.annotate(
            number(end),
            (end, -0.16),
            xytext=(0, -4 - 10 * line),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize="small",
        )
