"""Apply the fitted steps before a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from skresp._dataframe import column, is_polars
from skresp._model._predictions import model_scores
from skresp._typing import FloatArray

# What pandas calls columns of numbers that have the dtype object.
_NUMERIC = {"boolean", "integer", "floating", "mixed-integer-float"}


def transform_rows(steps: Iterable[Any], rows: Any) -> Any:
    """Return rows in the form that the final estimator gets."""
    for step in steps:
        rows = step.transform(rows)
    return rows


def scores_of_rows(
    model: Any, method: str, steps: tuple[Any, ...]
) -> Callable[[Any], FloatArray]:
    """Return a function from rows to what a method of the model behind steps returns.

    Its result has the shape (n_rows, n_outputs).
    """
    return lambda rows: model_scores(model, method, transform_rows(steps, rows))


def as_numbers(table: Any) -> FloatArray | None:
    """Return a table as an array of numbers; None where it is not numeric."""
    if is_polars(table):
        columns = [column(table, i) for i in range(table.shape[1])]
        table = pd.concat(columns, axis=1)
    kinds = getattr(table, "dtypes", None)
    if kinds is not None and not all(getattr(k, "kind", "O") in "buif" for k in kinds):
        return None
    if isinstance(table, pd.DataFrame):
        return table.to_numpy(dtype=float, na_value=np.nan)
    array = np.asarray(table)
    is_numeric = array.dtype.kind in "buif"
    if array.dtype.kind == "O" and array.ndim == 2:
        # Columns of different dtypes side by side, such as bool and float64.
        is_numeric = not len(array) or all(
            pd.api.types.infer_dtype(each, skipna=False) in _NUMERIC for each in array.T
        )
    return array.astype(float) if is_numeric else None
