"""Split a fitted model into its wrappers, transformers and final estimator."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skresp._dataframe import column, is_polars
from skresp._typing import FloatArray

from ._decision import ThresholdRule
from ._predictions import predicts_differently
from ._wrappers import THRESHOLD_CLASSIFIERS, inner_model, steps_before

# The roundings, each of half a unit in the last place, between a value and its border.
ROUNDINGS = 16


class Unwrapped(NamedTuple):
    """The pieces of a fitted model.

    Attributes
    ----------
    steps : tuple
        The transformers before the final estimator.
    final : estimator
        The estimator that computes the scores.
    threshold_rule : ThresholdRule or None
        The rule of the outermost threshold classifier.
    """

    steps: tuple[Any, ...]
    final: Any
    threshold_rule: ThresholdRule | None


def split_model(model: Any) -> Unwrapped | None:
    """Split a model into its pieces; return None if one is of an unknown kind."""
    steps: list[Any] = []
    threshold_rule = None
    while True:
        name = type(model).__name__
        if predicts_differently(model):
            return None
        if name in THRESHOLD_CLASSIFIERS:
            threshold_rule = threshold_rule or ThresholdRule.of(model)
        steps += steps_before(model)
        inner = inner_model(model)
        if inner is None:
            break
        model = inner
    return Unwrapped(tuple(steps), model, threshold_rule)


def transform_rows(steps: Any, rows: Any) -> Any:
    """Return rows in the form that the final estimator gets."""
    for step in steps:
        rows = step.transform(rows)
    return rows


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
    return array.astype(float) if array.dtype.kind in "buif" else None
