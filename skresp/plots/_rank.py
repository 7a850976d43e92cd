"""Display of how often the feature at each rank is responsive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skresp._explain._explanation import Explanation
from skresp._validation import check_mapping
from skresp.metrics import responsiveness_by_rank
from skresp.metrics._comparison import responsiveness_explainer

from ._axes import LINE_STYLES, format_percent, hide_spines, limit_ticks, open_axes

_MAX_TICKS = 16


@dataclass(eq=False, repr=False)
class RankDisplay:
    """How often the feature that explainers put at each rank is responsive.

    Parameters
    ----------
    frame : pandas DataFrame
        Shares of people: one row per rank, one column per explainer.
    reference : str, optional
        The explainer that decides which features are responsive. Its shares are 100%
        by definition, which the legend says.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from skresp.plots import RankDisplay
    >>> frame = pd.DataFrame({"RESP": [0.6, 0.4], "SHAP": [0.1, 0.2]}, index=[1, 2])
    >>> RankDisplay(frame).plot().ax_.get_xlabel()
    'rank in the list'
    """

    frame: pd.DataFrame
    reference: str | None = None

    @classmethod
    def from_estimator(
        cls, explainers: Mapping[str, Any], X: Any, max_rank: int | None = None
    ) -> RankDisplay:
        """Return the display of fitted explainers.

        Parameters
        ----------
        explainers : mapping from name to fitted explainer
            The first `ResponsivenessExplainer` decides which features are responsive.
        X : frame or array
        max_rank : int, optional
            The last rank; by default the number of features.
        """
        reference = responsiveness_explainer(explainers)
        scores = reference.explain(X)
        explanations = {
            name: scores if explainer is reference else explainer.explain(X)
            for name, explainer in explainers.items()
        }
        return cls.from_explanations(explanations, scores, max_rank)

    @classmethod
    def from_explanations(
        cls,
        explanations: Mapping[str, Explanation],
        responsiveness: Explanation,
        max_rank: int | None = None,
    ) -> RankDisplay:
        """Return the display of explanations of the same rows.

        Parameters
        ----------
        explanations : mapping from name to Explanation
        responsiveness : Explanation
            Of a `ResponsivenessExplainer`; decides which features are responsive.
        max_rank : int, optional
            The last rank; by default the number of features.
        """
        check_mapping("explanations", explanations, "from name to Explanation")
        columns = {
            name: responsiveness_by_rank(e, responsiveness, max_rank)["share"]
            for name, e in explanations.items()
        }
        same = [name for name, e in explanations.items() if e is responsiveness]
        return cls(pd.DataFrame(columns), same[0] if same else None)

    def plot(self, ax: Any = None) -> RankDisplay:
        """Draw the display on the given axes, by default on new ones."""
        self.figure_, self.ax_ = open_axes(ax, 6.5, 4.0)
        ax = self.ax_
        ranks = np.arange(1, len(self.frame) + 1)
        for k, name in enumerate(self.frame.columns):
            colour, mark, dash = LINE_STYLES[k % len(LINE_STYLES)]
            ax.plot(
                ranks,
                self.frame[name].to_numpy(dtype=float),
                color=colour,
                marker=mark,
                linestyle=dash,
                clip_on=False,
                zorder=3,
                label=f"{name} (by definition)" if name == self.reference else name,
            )
        ax.set_ylim(0, 1)
        format_percent(ax, "y")
        ax.set_xlim(0.5, max(len(ranks), 1) + 0.5)
        if len(ranks) <= _MAX_TICKS:
            ax.set_xticks(ranks)
        else:
            limit_ticks(ax, _MAX_TICKS, whole=True)
        ax.set_xlabel("rank in the list")
        ax.set_ylabel("share of people whose feature is responsive")
        ax.grid(True, color="#E5E5E5")
        hide_spines(ax)
        ax.legend(
            frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0)
        )
        return self
