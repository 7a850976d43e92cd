"""What explainers tell people who are denied, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skresp.metrics import compare_explainers

from ._axes import BLUE, SKY, VERMILION, label_rows, open_axes, percents

_ROWS = ("presented", "all_unresponsive", "some_responsive", "all_responsive")


@dataclass(eq=False, repr=False)
class ComparisonDisplay:
    """Of the people denied: who is shown reasons, and whether those can help them.

    Parameters
    ----------
    frame : pandas DataFrame
        As `skresp.metrics.compare_explainers` makes it: one column an explainer, with
        the rows presented, all_unresponsive, some_responsive and all_responsive.

    Attributes
    ----------
    ax_, figure_ : matplotlib's, after `plot`

    Examples
    --------
    >>> import pandas as pd
    >>> from skresp.plots import ComparisonDisplay
    >>> frame = pd.DataFrame(
    ...     {"RESP": [0.6, 0.0, 1.0, 1.0], "SHAP": [1.0, 0.7, 0.3, 0.1]},
    ...     index=["presented", "all_unresponsive", "some_responsive",
    ...            "all_responsive"],
    ... )
    >>> display = ComparisonDisplay(frame).plot()
    >>> display.shares().round(2)
                        RESP  SHAP
    all reasons work     0.6   0.1
    some do              0.0   0.2
    none does            0.0   0.7
    no reasons shown     0.4   0.0
    """

    frame: pd.DataFrame

    def __post_init__(self) -> None:
        lacking = [row for row in _ROWS if row not in self.frame.index]
        if lacking:
            raise ValueError(
                f"frame must have the rows {', '.join(_ROWS)}, and has no "
                f"{lacking[0]!r}. Make it with skresp.metrics.compare_explainers."
            )

    @classmethod
    def from_estimator(
        cls, explainers: Mapping[str, Any], X: Any, top_k: int = 4
    ) -> ComparisonDisplay:
        """The display of fitted explainers, by name, over the people they deny."""
        return cls(compare_explainers(explainers, X, top_k=top_k))

    def shares(self) -> pd.DataFrame:
        """What is drawn: shares of the people denied, one column an explainer."""
        f = self.frame.loc[list(_ROWS)].astype(float)
        presented, none, some, every = (f.loc[row].fillna(0.0) for row in _ROWS)
        return pd.DataFrame(
            {
                "all reasons work": presented * every,
                "some do": presented * (some - every),
                "none does": presented * none,
                "no reasons shown": 1 - presented,
            }
        ).T

    def plot(self, ax: Any = None) -> ComparisonDisplay:
        """Draw it, on new axes unless some are given."""
        shares = self.shares()
        names = [str(name) for name in shares.columns]
        self.figure_, self.ax_ = open_axes(ax, 7.5, 1.6 + 0.5 * len(names))
        label_rows(self.ax_, names)
        looks = (
            {"color": BLUE},
            {"color": SKY, "hatch": ".."},
            {"color": VERMILION, "hatch": "xx"},
            {"color": "white"},
        )
        left = np.zeros(len(names))
        for (name, row), look in zip(shares.iterrows(), looks, strict=True):
            width = row.to_numpy(dtype=float)
            self.ax_.barh(
                range(len(names)),
                width,
                left=left,
                height=0.7,
                label=name,
                edgecolor="#444444",
                linewidth=0.6,
                **look,
            )
            for y in np.flatnonzero(width >= 0.08):
                self.ax_.text(
                    left[y] + width[y] / 2,
                    y,
                    f"{width[y]:.0%}",
                    ha="center",
                    va="center",
                    fontsize="small",
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2},
                )
            left += width
        self.ax_.set_xlim(0, 1.003)  # the last edge is drawn too
        percents(self.ax_)
        self.ax_.set_xlabel("share of the people denied")
        self.ax_.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=4,
            frameon=False,
            fontsize="small",
            borderaxespad=0.2,
        )
        return self
