"""Display of predictive score against recourse for the candidates of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skresp._text import quote
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

# Candidates that are named, and the length of a name.
_MAX_NAMES, _MAX_NAME = 6, 90


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
        if not hasattr(search, "cv_results_"):
            raise TypeError(
                f"search must be a fitted search such as GridSearchCV, which has "
                f"cv_results_, got {quote(search)}."
            )
        refit = getattr(search, "refit", None)
        if rule is None and isinstance(refit, BestRecourse):
            rule = refit
        frame = trade_off(search.cv_results_, rule)
        names = _candidate_names(list(frame["params"]))
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
        """Number the front and the chosen candidate; list their names below the axes.

        Of a long front, some candidates between its ends have no number.
        """
        assert self.names is not None
        places = np.linspace(0, len(order) - 1, min(len(order), _MAX_NAMES))
        named = {int(order[place]) for place in places.round().astype(int)}
        if self.chosen is not None:
            named.add(int(self.chosen))
        lines = []
        for place, k in enumerate(sorted(named, key=lambda k: (s[k], -r[k])), start=1):
            # The front falls from left to right: there is room above, to the right.
            self.ax_.annotate(
                str(place),
                (s[k], r[k]),
                xytext=(8, 6),
                textcoords="offset points",
                fontsize="small",
            )
            lines.append(f"{place}  {shorten_text(self.names[k], _MAX_NAME)}")
        self.ax_.annotate(
            "\n".join(lines),
            (0, 0),
            xycoords="axes fraction",
            xytext=(0, -38),
            textcoords="offset points",
            va="top",
            fontsize="small",
            parse_math=False,
        )


def _candidate_names(params: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the parameters in which candidates differ, as text."""
    keys = list(dict.fromkeys(key for p in params for key in p))
    differ = [key for key in keys if len({repr(p.get(key)) for p in params}) > 1]
    return [
        ", ".join(
            f"{key.split('__')[-1]}={p[key]}" for key in differ or keys if key in p
        )
        for p in params
    ]
