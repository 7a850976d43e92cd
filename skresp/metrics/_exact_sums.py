"""Sums of scores that do not depend on the order of the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray

# The sums are in units of 2**-60. Float sums differ in their last digits between orders
# and divisions of the rows; sums of whole numbers do not.
_HALF = 30


def exact_sums(scores: FloatArray) -> NDArray[np.object_]:
    """Return the sum of each column as a Python integer, in units of 2**-60.

    Parameters
    ----------
    scores : array of shape (n_rows, n_features)
        Numbers from 0 to 1; NaN counts as 0.

    Returns
    -------
    array of int of shape (n_features,)
    """
    scaled = np.nan_to_num(scores) * 2.0**_HALF
    high = np.floor(scaled)
    low = np.floor((scaled - high) * 2.0**_HALF)
    sums = [part.astype(np.int64).sum(axis=0).astype(object) for part in (high, low)]
    total: NDArray[np.object_] = sums[0] * 2**_HALF + sums[1]
    return total


def mean_of(total: int, n_rows: int) -> float:
    """Return the mean of scores, given their exact sum; 0 for no rows."""
    return int(total) / (n_rows << 2 * _HALF) if n_rows else 0.0
