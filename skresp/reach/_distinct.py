"""The distinct rows of a table of numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._part import Numbers

# Below this a product of two cardinalities cannot overflow.
_LARGE = 2**31


def distinct_rows(values: Numbers) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first position of each distinct row, and for each row which one it is.

    Hashing column by column; `np.unique(axis=0)` sorts whole rows and takes ten times
    as long. A missing value equals itself, -0.0 equals 0.0. The order is that of
    first appearance.
    """
    key = np.zeros(len(values), dtype=np.int64)
    most = 1
    for column in np.asarray(values).T:
        codes, labels = pd.factorize(column + 0.0, use_na_sentinel=False)
        if most * len(labels) >= _LARGE:
            key, kept = pd.factorize(key)
            most = len(kept)
        key = key * len(labels) + codes
        most *= len(labels)
    which, kept = pd.factorize(key)
    first = np.full(len(kept), len(values), dtype=np.intp)
    np.minimum.at(first, which, np.arange(len(values)))
    return first, which.astype(np.intp)
