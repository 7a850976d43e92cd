"""Display of how often the features that explainers list are responsive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skresp._text import quote
from skresp.metrics import compare_explainers
from skresp.metrics._comparison import responsiveness_explainer

from ._axes import (
    BLUE,
    SKY,
    VERMILION,
    format_percent,
    label_rows,
    legend_above,
    open_axes,
)

_ROWS = ("presented", "all_unresponsive", "some_responsive", "all_responsive")
# Why people get no list, where verdicts are known.
_JOINT, _NO_RECOURSE = "joint", "no_recourse"

# Sums of shares differ from 1 by less than this.
_ROUNDING = 1e-9
_LEGEND_COLUMNS = 3

_STYLES: dict[str, dict[str, str]] = {
    "all listed features work": {"color": BLUE},
    "only some work": {"color": SKY, "hatch": ".."},
    "none works": {"color": VERMILION, "hatch": "xx"},
    "no list: several changes needed": {"color": "#E8E8E8"},
    "no list: no change works": {"color": "#A9A9A9", "hatch": "//"},
    "no list": {"color": "white"},
}


@dataclass(eq=False, repr=False)
class ComparisonDisplay:
    """Shares of the denied by whether the reasons they are shown are responsive.

    Parameters
    ----------
    frame : pandas DataFrame
        One column per explainer, with the rows presented, all_unresponsive,
        some_responsive and all_responsive, as `skresp.metrics.compare_explainers`
        returns it. It may also have the rows joint and no_recourse, as
        `skresp.metrics.recourse_summary` names them: the shares of the denied who get
        no list since they need several changes, or since no change works.
    reference : str, optional
        The explainer that decides which features are responsive. By definition it
        shows only reasons that work, which its label says.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

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
    all listed features work   0.6   0.1
    only some work             0.0   0.2
    none works                 0.0   0.7
    no list                    0.4   0.0
    """

    frame: pd.DataFrame
    reference: str | None = None

    def __post_init__(self) -> None:
        missing = [row for row in _ROWS if row not in self.frame.index]
        if missing:
            raise ValueError(
                f"frame must have the rows {', '.join(_ROWS)}, but {quote(missing[0])} "
                f"is missing. Make it with skresp.metrics.compare_explainers."
            )

    @classmethod
    def from_estimator(
        cls, explainers: Mapping[str, Any], X: Any, top_k: int = 4
    ) -> ComparisonDisplay:
        """Return the display of fitted explainers.

        Parameters
        ----------
        explainers : mapping from name to fitted explainer
        X : frame or array
        top_k : int, default=4
            See `skresp.metrics.compare_explainers`.
        """
        reference = responsiveness_explainer(explainers)
        name = next(name for name, e in explainers.items() if e is reference)
        return cls(compare_explainers(explainers, X, top_k=top_k), name)

    def shares(self) -> pd.DataFrame:
        """Return the shares that are drawn: of the denied, one column per explainer."""
        rows = self.frame.loc[list(_ROWS)].astype(float).fillna(0.0)
        presented, none, some, every = (rows.loc[row] for row in _ROWS)
        joint, fixed = (self._known(row) for row in (_JOINT, _NO_RECOURSE))
        parts = [
            presented * every,
            presented * (some - every),
            presented * none,
            joint,
            fixed,
            (1 - presented - joint - fixed).clip(lower=0.0),
        ]
        shares = pd.DataFrame(dict(zip(_STYLES, parts, strict=True))).T
        known = [
            not name.startswith("no list") or bool((row > _ROUNDING).any())
            for name, row in shares.iterrows()
        ]
        return shares[known]

    def _known(self, row: str) -> pd.Series:
        """Return the shares in a row that a frame may lack; 0 where it has none."""
        if row not in self.frame.index:
            return pd.Series(0.0, index=self.frame.columns)
        return self.frame.loc[row].astype(float).fillna(0.0)

    def plot(self, ax: Any = None) -> ComparisonDisplay:
        """Draw the display on the given axes, by default on new ones."""
        shares = self.shares()
        names = [
            f"{name} (by definition)" if name == self.reference else str(name)
            for name in shares.columns
        ]
        legend_rows = -(-len(shares) // _LEGEND_COLUMNS)
        height = 1.4 + 0.2 * legend_rows + 0.5 * len(names)
        self.figure_, self.ax_ = open_axes(ax, 7.5, height)
        label_rows(self.ax_, names)
        left = np.zeros(len(names))
        for name, row in shares.iterrows():
            width = row.to_numpy(dtype=float)
            self.ax_.barh(
                range(len(names)),
                width,
                left=left,
                height=0.7,
                label=name,
                edgecolor="#444444",
                linewidth=0.6,
                **_STYLES[name],
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
        self.ax_.set_xlim(0, 1.003)  # with room for the last edge
        format_percent(self.ax_)
        self.ax_.set_xlabel("share of the denied")
        legend_above(self.ax_, min(len(shares), _LEGEND_COLUMNS))
        return self
