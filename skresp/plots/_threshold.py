"""What a threshold costs: accuracy, people denied, people without recourse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skresp.recourse import Verdicts
from skresp.scores import AtLeast, AtMost

from ._axes import LOOKS, bare, open_axes, percents


@dataclass(eq=False, repr=False)
class ThresholdDisplay:
    """People denied and people without recourse against the threshold.

    Parameters
    ----------
    thresholds, denied, no_recourse : arrays of one length
        Shares of all rows, as `Verdicts.curve` gives them.
    accuracy : array, optional
    chosen : float, optional
        The threshold to mark.

    Attributes
    ----------
    ax_, figure_ : matplotlib's, after `plot`

    Examples
    --------
    >>> from skresp.plots import ThresholdDisplay
    >>> display = ThresholdDisplay([0.3, 0.5], [0.2, 0.4], [0.0, 0.1], chosen=0.5)
    >>> [line.get_label() for line in display.plot().ax_.lines[:2]]
    ['denied', 'denied without recourse']
    """

    thresholds: ArrayLike
    denied: ArrayLike
    no_recourse: ArrayLike
    accuracy: ArrayLike | None = None
    chosen: float | None = None

    @classmethod
    def from_verdicts(
        cls, verdicts: Verdicts, y: Any = None, thresholds: Any = None
    ) -> ThresholdDisplay:
        """The display of `verdicts.curve(thresholds)`; with labels `y`, the accuracy.

        Accuracy is the share of rows for which being at the target is what `y` says.
        """
        curve = verdicts.curve(thresholds)
        accuracy = None
        if y is not None:
            target = verdicts.target
            truth = np.asarray(y)
            number = isinstance(target, (AtLeast, AtMost))
            wanted = target.met(truth) if number else truth == target
            score, cuts = verdicts.score, curve["threshold"].to_numpy()
            down = isinstance(target, AtMost)
            at = [score <= cut if down else score >= cut for cut in cuts]
            accuracy = np.array([(hit == wanted).mean() for hit in at])
        return cls(
            curve["threshold"].to_numpy(),
            curve["denied"].to_numpy(),
            curve["no_recourse"].to_numpy(),
            accuracy,
            verdicts.threshold,
        )

    def plot(self, ax: Any = None) -> ThresholdDisplay:
        """Draw it, on new axes unless some are given."""
        self.figure_, self.ax_ = open_axes(ax, 6.5, 4.0)
        ax = self.ax_
        lines = [("denied", self.denied), ("denied without recourse", self.no_recourse)]
        if self.accuracy is not None:
            lines.append(("accuracy", self.accuracy))
        x = np.asarray(self.thresholds, dtype=float)
        for (name, y), (colour, mark, dash) in zip(lines, LOOKS, strict=False):
            ax.plot(
                x,
                np.asarray(y, dtype=float),
                color=colour,
                marker=mark,
                linestyle=dash,
                markevery=max(len(x) // 10, 1),
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
        percents(ax, "y")
        ax.set_xlabel("threshold on the model's score")
        ax.set_ylabel("share of all people")
        ax.grid(True, color="#E5E5E5")
        bare(ax)
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=3,
            frameon=False,
            fontsize="small",
        )
        return self
