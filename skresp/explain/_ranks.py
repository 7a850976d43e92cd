"""Values as ranks among the cuts of trees, which survive rounding.

Shap rounds the cuts to single precision where it compares people with a background, so
that values near a cut go the other way than they do in the model. Whole numbers are
not rounded: a value becomes the number of cuts below it, a cut its place among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


class Ranks:
    """Puts ranks in place of the cuts of a `shap.TreeExplainer` and of its background.

    Goes left where a value is at most the cut, before and after.
    """

    def __init__(self, explainer: Any) -> None:
        trees = explainer.model
        self._dtype = trees.input_dtype
        inner = trees.children_left >= 0
        self._cuts: dict[int, Numbers] = {}
        ranked = trees.thresholds.copy()
        for feature in np.unique(trees.features[inner]):
            mine = inner & (trees.features == feature)
            cuts = np.unique(trees.thresholds[mine])
            ranked[mine] = np.searchsorted(cuts, trees.thresholds[mine])
            self._cuts[int(feature)] = cuts
        trees.thresholds = ranked
        explainer.data = self(explainer.data)

    def __call__(self, values: Numbers) -> Numbers:
        """Values as ranks; what is missing stays missing."""
        seen = np.asarray(values).astype(self._dtype).astype(float)
        out = seen.copy()
        for feature, cuts in self._cuts.items():
            column = seen[:, feature]
            known = ~np.isnan(column)
            out[known, feature] = np.searchsorted(cuts, column[known], side="left")
        return out
