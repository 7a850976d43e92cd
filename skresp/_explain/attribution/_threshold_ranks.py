"""Values as ranks among the thresholds of trees, which rounding does not change.

Shap rounds thresholds to single precision when it compares people with a background, so
a value near a threshold may take another branch than in the model. Whole numbers are
not rounded: a value becomes the number of thresholds below it, a threshold its rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._typing import FloatArray


class ThresholdRanks:
    """Replace thresholds and background of a `shap.TreeExplainer` by ranks.

    A value goes left if it is at most the threshold, before and after.
    """

    def __init__(self, explainer: Any) -> None:
        trees = explainer.model
        self._dtype = trees.input_dtype
        inner = trees.children_left >= 0
        self._cuts: dict[int, FloatArray] = {}
        ranked = trees.thresholds.copy()
        for feature in np.unique(trees.features[inner]):
            mine = inner & (trees.features == feature)
            cuts = np.unique(trees.thresholds[mine])
            ranked[mine] = np.searchsorted(cuts, trees.thresholds[mine])
            self._cuts[int(feature)] = cuts
        trees.thresholds = ranked
        explainer.data = self(explainer.data)

    def __call__(self, values: FloatArray) -> FloatArray:
        """Return values as ranks; missing values stay missing."""
        seen = np.asarray(values).astype(self._dtype).astype(float)
        out = seen.copy()
        for feature, cuts in self._cuts.items():
            column = seen[:, feature]
            known = ~np.isnan(column)
            out[known, feature] = np.searchsorted(cuts, column[known], side="left")
        return out
