"""Display of accuracy, denials and missing recourse by the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from skresp._recourse._verdicts import Verdicts
from skresp._validation import check_type
from skresp.model_selection import threshold_curve

from ._axes import LINE_STYLES, format_percent, hide_spines, legend_above, open_axes


@dataclass(eq=False, repr=False)
class ThresholdDisplay:
    """Shares of people denied and of people without recourse by the threshold.

    Parameters
    ----------
    frame : pandas DataFrame
        With the columns threshold, denied and no_recourse (shares of all rows) and
        optionally accuracy, as `Verdicts.curve` and
        `skresp.model_selection.threshold_curve` return it.
    chosen : float, optional
        The threshold to mark.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from skresp.plots import ThresholdDisplay
    >>> frame = pd.DataFrame(
    ...     {"threshold": [0.3, 0.5], "denied": [0.2, 0.4], "no_recourse": [0.0, 0.1]}
    ... )
    >>> display = ThresholdDisplay(frame, chosen=0.5).plot()
    >>> [line.get_label() for line in display.ax_.lines[:2]]
    ['denied', 'denied without recourse']
    """

    frame: pd.DataFrame
    chosen: float | None = None

    @classmethod
    def from_verdicts(cls, verdicts: Any, thresholds: Any = None) -> ThresholdDisplay:
        """Return the display of `verdicts.curve(thresholds)`."""
        check_type("verdicts", verdicts, Verdicts, "Pass explainer.verify(X).")
        return cls(verdicts.curve(thresholds), verdicts.threshold)

    @classmethod
    def from_estimator(
        cls, explainer: Any, X: Any, y: Any, thresholds: Any = None
    ) -> ThresholdDisplay:
        """Return the display of a fitted ResponsivenessExplainer, with accuracy.

        Parameters
        ----------
        explainer : fitted ResponsivenessExplainer
        X : frame or array
        y : array-like
            The true labels.
        thresholds : array-like, optional
            See `skresp.model_selection.threshold_curve`.
        """
        return cls(threshold_curve(explainer, X, y, thresholds), explainer.threshold)

    def plot(self, ax: Any = None) -> ThresholdDisplay:
        """Draw the display on the given axes, by default on new ones."""
        self.figure_, self.ax_ = open_axes(ax, 6.5, 4.0)
        ax = self.ax_
        names = {
            "denied": "denied",
            "no_recourse": "denied without recourse",
            "accuracy": "predicted correctly (accuracy)",
        }
        x = self.frame["threshold"].to_numpy(dtype=float)
        lines = [(key, name) for key, name in names.items() if key in self.frame]
        for (key, name), (colour, mark, dash) in zip(lines, LINE_STYLES, strict=False):
            ax.plot(
                x,
                self.frame[key].to_numpy(dtype=float),
                color=colour,
                marker=mark,
                linestyle=dash,
                markevery=max(len(x) // 10, 1),
                clip_on=False,
                zorder=3,
                label=name,
            )
        if self.chosen is not None:
            ax.axvline(self.chosen, color="#444444", lw=1)
            ax.annotate(
                f"in use: {self.chosen:g}",
                (self.chosen, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(4, -4),
                textcoords="offset points",
                va="top",
                fontsize="small",
            )
        ax.set_ylim(0, 1)
        format_percent(ax, "y")
        ax.set_xlabel("threshold on the model's score")
        ax.set_ylabel("share of all people")
        ax.grid(True, color="#E5E5E5")
        hide_spines(ax)
        legend_above(ax, 3)
        return self
