"""How often the first, the second, ... of the listed features is responsive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skresp.explain import Explanation, ResponsivenessExplainer
from skresp.metrics import responsiveness_by_rank

from ._axes import LOOKS, bare, open_axes, percents


@dataclass(eq=False, repr=False)
class RankDisplay:
    """How often the feature that explainers put at each rank is responsive.

    Parameters
    ----------
    frame : pandas DataFrame
        One row a rank from the first, one column an explainer: shares of people.

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

    @classmethod
    def from_estimator(
        cls, explainers: Mapping[str, Any], X: Any, max_rank: int | None = None
    ) -> RankDisplay:
        """The display of fitted explainers, by name; one is a responsiveness one."""
        judge = next(
            (e for e in explainers.values() if isinstance(e, ResponsivenessExplainer)),
            None,
        )
        if judge is None:
            raise ValueError(
                f"None of the explainers ({', '.join(map(str, explainers))}) is a "
                f"ResponsivenessExplainer, which tells which features are responsive."
            )
        truth = judge.explain(X)
        return cls.from_explanations(
            {n: truth if e is judge else e.explain(X) for n, e in explainers.items()},
            truth,
            max_rank,
        )

    @classmethod
    def from_explanations(
        cls,
        explanations: Mapping[str, Explanation],
        responsiveness: Explanation,
        max_rank: int | None = None,
    ) -> RankDisplay:
        """The display of explanations of the same rows."""
        columns = {
            name: responsiveness_by_rank(e, responsiveness, max_rank)["share"]
            for name, e in explanations.items()
        }
        return cls(pd.DataFrame(columns))

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
        ax.set_ylabel("share for whom it is responsive")
        ax.grid(True, color="#E5E5E5")
        bare(ax)
        ax.legend(
            frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0)
        )
        return self
