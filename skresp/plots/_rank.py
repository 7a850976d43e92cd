"""How responsive the first, the second, ... of the listed features are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ._axes import LOOKS, bare, open_axes, percents


@dataclass(eq=False, repr=False)
class RankDisplay:
    """Responsiveness of the features that explainers list, by their rank.

    Parameters
    ----------
    frame : pandas DataFrame
        One row a rank from the first, one column an explainer.

    Attributes
    ----------
    ax_, figure_ : matplotlib's, after `plot`

    Examples
    --------
    >>> import pandas as pd
    >>> from skresp.plots import RankDisplay
    >>> frame = pd.DataFrame({"RESP": [0.6, 0.4], "SHAP": [0.1, 0.2]}, index=[1, 2])
    >>> RankDisplay(frame).plot().ax_.get_xlabel()
    'rank in the list'
    """

    frame: pd.DataFrame

    def plot(self, ax: Any = None) -> RankDisplay:
        """Draw it, on new axes unless some are given."""
        self.figure_, self.ax_ = open_axes(ax, 6.5, 4.0)
        ax = self.ax_
        ranks = np.arange(1, len(self.frame) + 1)
        for k, name in enumerate(self.frame.columns):
            colour, mark, dash = LOOKS[k % len(LOOKS)]
            ax.plot(
                ranks,
                self.frame[name].to_numpy(dtype=float),
                color=colour,
                marker=mark,
                linestyle=dash,
                label=str(name),
            )
        ax.set_ylim(0, 1)
        percents(ax, "y")
        ax.set_xticks(ranks)
        ax.set_xlabel("rank in the list")
        ax.set_ylabel("mean responsiveness")
        ax.grid(True, color="#E5E5E5")
        bare(ax)
        ax.legend(
            frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0)
        )
        return self
