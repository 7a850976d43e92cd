"""Display of predictive score against recourse for the candidates of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skresp.model_selection import BestRecourse, trade_off

from ._axes import (
    BLUE,
    VERMILION,
    format_percent,
    hide_spines,
    legend_above,
    open_axes,
    shorten_text,
)


@dataclass(eq=False, repr=False)
class TradeOffDisplay:
    """Predictive score against recourse rate of the candidates of a search.

    Parameters
    ----------
    score, recourse : array-like of shape (n_candidates,)
    chosen : int, optional
        The position of the candidate to mark.
    names : list of str, optional
        Names of the candidates. The chosen one and both ends of the front are named.
    score_name, recourse_name : str
        Labels of the axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skresp.plots import TradeOffDisplay
    >>> display = TradeOffDisplay([0.80, 0.82, 0.79], [0.9, 0.7, 0.8], chosen=0)
    >>> display.front().tolist()
    [True, True, False]
    """

    score: ArrayLike
    recourse: ArrayLike
    chosen: int | None = None
    names: Sequence[str] | None = None
    score_name: str = "ROC AUC"
    recourse_name: str = "recourse rate"

    def __post_init__(self) -> None:
        if np.shape(self.score) != np.shape(self.recourse) or np.ndim(self.score) != 1:
            raise ValueError(
                f"score and recourse must be 1D with one number per candidate, got "
                f"shapes {np.shape(self.score)} and {np.shape(self.recourse)}."
            )

    @classmethod
    def from_search(cls, search: Any, rule: Any = None) -> TradeOffDisplay:
        """Return the display of a fitted search that also scores recourse.

        Parameters
        ----------
        search : fitted search, such as GridSearchCV
        rule : BestRecourse, optional
            The rule `best_recourse_within(...)` that chooses a candidate; by default
            the `refit` of the search.
        """
        refit = getattr(search, "refit", None)
        if rule is None and isinstance(refit, BestRecourse):
            rule = refit
        frame = trade_off(search.cv_results_, rule)
        names = [
            ", ".join(f"{key.split('__')[-1]}={value}" for key, value in p.items())
            for p in frame["params"]
        ]
        chosen = int(np.flatnonzero(frame["chosen"])[0])
        return cls(
            frame["score"].to_numpy(),
            frame["recourse"].to_numpy(),
            chosen,
            names,
            "predictive score" if rule is None else rule.score,
        )

    def front(self) -> Any:
        """Return a mask of the candidates that no other one beats (Pareto front)."""
        s = np.asarray(self.score, dtype=float)
        r = np.asarray(self.recourse, dtype=float)
        better = (s[None] >= s[:, None]) & (r[None] >= r[:, None])
        better &= (s[None] > s[:, None]) | (r[None] > r[:, None])
        return ~better.any(axis=1) & ~np.isnan(s) & ~np.isnan(r)

    def plot(self, ax: Any = None) -> TradeOffDisplay:
        """Draw the display on the given axes, by default on new ones."""
        self.figure_, self.ax_ = open_axes(ax, 6.5, 4.5)
        ax = self.ax_
        s = np.asarray(self.score, dtype=float)
        r = np.asarray(self.recourse, dtype=float)
        front = self.front()
        ax.scatter(
            s[~front], r[~front], s=36, facecolor="white", edgecolor="#777777", lw=1.2
        )
        order = np.flatnonzero(front)[np.argsort(s[front], kind="stable")]
        ax.plot(
            s[order], r[order], "o-", color=BLUE, label="no other is better in both"
        )
        if self.chosen is not None:
            k = self.chosen
            ax.scatter(
                s[k],
                r[k],
                s=230,
                facecolor="none",
                edgecolor=VERMILION,
                lw=2.2,
                label="chosen",
            )
        ax.margins(0.12)
        if self.names is not None:
            self._write_names(order, s, r)
        ax.set_xlabel(self.score_name)
        ax.set_ylabel(self.recourse_name)
        format_percent(ax, "y")
        ax.grid(True, color="#E5E5E5", zorder=0)
        ax.set_axisbelow(True)
        hide_spines(ax)
        legend_above(ax, 2)
        return self

    def _write_names(self, order: Any, s: Any, r: Any) -> None:
        """Write the names of the chosen candidate and of both ends of the front."""
        assert self.names is not None
        named = {int(k) for k in (*order[:1], *order[-1:])}
        if self.chosen is not None:
            named.add(int(self.chosen))
        for k in sorted(named):
            left = s[k] > (np.nanmin(s) + np.nanmax(s)) / 2
            # The front falls from left to right: its last point has room below.
            below = len(order) > 1 and k == order[-1]
            self.ax_.annotate(
                shorten_text(self.names[k], 40),
                (s[k], r[k]),
                xytext=(-13 if left else 13, -8 if below else 6),
                textcoords="offset points",
                ha="right" if left else "left",
                va="top" if below else "bottom",
                fontsize="small",
                parse_math=False,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )
