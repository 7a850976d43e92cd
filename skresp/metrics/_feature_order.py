"""The order in which plots and reports show features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray, IndexArray

from ._exact_sums import exact_sums


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
    return order_by_sums(works, exact_sums(scores), moved, actionable)


def order_by_sums(
    works: NDArray[Any],
    total: NDArray[Any],
    moved: NDArray[Any],
    actionable: Sequence[bool] | NDArray[Any],
) -> IndexArray:
    """Return the positions of features in the same order, from sums over people."""
    can = [int(a) for a in actionable]
    lines = list(zip(works, total, moved, can, strict=True))
    return np.array(
        sorted(range(len(lines)), key=lambda j: [0 - v for v in lines[j]]),
        dtype=np.intp,
    )
