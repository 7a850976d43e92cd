"""Synthetic rows, from the values that the columns of a model had at fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skresp._actions._action_set import ActionSet
from skresp._actions._feature import Feature

from ._input_format import ColumnSummary, InputFormat

N_ROWS = 128
# The share of missing values in columns that had some at fit.
_MISSING = 0.1


def synthetic_rows(input_format: InputFormat, features: ActionSet) -> Any:
    """Return a table of rows whose columns vary independently.

    Numbers are uniform between the smallest and the largest value at fit, widened to
    the bounds of the feature. Labels are drawn from those at fit and those listed.
    """
    rng = np.random.default_rng(0)
    names = input_format.names
    position = input_format.positions(features)
    feature_at = {position[name]: f for name, f in features.features.items()}
    columns: dict[int, Any] = {}
    for i, summary in enumerate(input_format.summaries):
        values = _column(summary, feature_at[i], rng)
        dtype = input_format.dtypes[min(i, len(input_format.dtypes) - 1)]
        nullable = hasattr(dtype, "numpy_dtype") and summary.labels is None
        columns[i] = pd.array(values, dtype=dtype) if nullable else values
    table = pd.DataFrame(columns)
    if input_format.has_names:
        return table.set_axis(list(names), axis=1)
    return table.to_numpy()


def _column(summary: ColumnSummary, feature: Feature, rng: np.random.Generator) -> Any:
    """Return the values of one column."""
    if summary.labels is not None:
        labels = [*summary.labels, *(feature.categories or ())]
        labels = list(dict.fromkeys(labels))
        values = np.empty(N_ROWS, dtype=object)
        values[:] = [labels[i] for i in rng.integers(len(labels), size=N_ROWS)]
        missing: Any = None
    else:
        low, high = summary.low, summary.high
        if feature.lower is not None:
            low = min(low, float(feature.lower))
        if feature.upper is not None:
            high = max(high, float(feature.upper))
        values = rng.uniform(low, high, size=N_ROWS)
        if summary.is_whole:
            values = np.rint(values)
        missing = np.nan
    if summary.has_missing:
        values[rng.uniform(size=N_ROWS) < _MISSING] = missing
    return values
