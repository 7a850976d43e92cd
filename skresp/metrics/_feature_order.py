"""The order in which plots and reports show features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray, IndexArray


def feature_order(
    scores: FloatArray, n_reachable: NDArray[np.integer], actionable: Sequence[bool]
) -> IndexArray:
    """Return the positions of the features, those that work for most people first.

    Equal ones are ordered by mean score, then by how many people can move them.
    Features that nobody can act on come last.

    Parameters
    ----------
    scores, n_reachable : array of shape (n_rows, n_features)
    actionable : sequence of bool of length n_features
    """
    works, moved = (scores > 0).sum(axis=0), (n_reachable > 0).sum(axis=0)
    can = np.asarray(actionable, dtype=int)
    return np.lexsort((-can, -moved, -scores.sum(axis=0), -works))
