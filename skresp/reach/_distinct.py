"""The distinct rows of a table of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._part import Numbers

# Below this a product of two cardinalities cannot overflow.
_LARGE = 2**31


def distinct_rows(
    values: Numbers | Sequence[pd.Series],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first position of each distinct row, and for each row which one it is.

    Takes a table of numbers or a list of columns. Hashing column by column;
    `np.unique(axis=0)` sorts whole rows and takes ten times as long. A missing value
    equals itself, -0.0 equals 0.0. The order is that of first appearance.
    """
    columns = list(values.T) if isinstance(values, np.ndarray) else values
    rows = len(values) if isinstance(values, np.ndarray) else len(columns[0])
    key = np.zeros(rows, dtype=np.int64)
    most = 1
    for column in columns:
        if column.dtype.kind == "f":
            column = column + 0.0
        codes, labels = pd.factorize(column, use_na_sentinel=False)
        if most * len(labels) >= _LARGE:
            key, kept = pd.factorize(key)
            most = len(kept)
        key = key * len(labels) + codes
        most *= len(labels)
    which, kept = pd.factorize(key)
    first = np.zeros(len(kept), dtype=np.intp)
    first[which[::-1]] = np.arange(rows)[::-1]  # the last write is the first place
    return first, which.astype(np.intp)
