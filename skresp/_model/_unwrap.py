"""Split a fitted model into its wrappers, transformers and final estimator."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skresp._dataframe import column, is_polars
from skresp._typing import FloatArray

from ._decision import ThresholdRule
from ._predictions import predicts_differently
from ._wrappers import THRESHOLD_CLASSIFIERS, inner_model, steps_before

# Steps of a pipeline that map a line to a line: they scale or select numbers, or pass
# them on. Encoders do too if no moving column reaches them. All of these work column by
# column: the result for one does not depend on another.
_STRAIGHT = {
    "StandardScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "RobustScaler",
    "SimpleImputer",
    "VarianceThreshold",
    "SelectKBest",
    "SelectFromModel",
}
_ENCODERS = {
    "OneHotEncoder",
    "OrdinalEncoder",
    "TargetEncoder",
    "KBinsDiscretizer",
    "Binarizer",
    "PowerTransformer",
    "QuantileTransformer",
}
# The roundings, each of half a unit in the last place, between a value and its border.
ROUNDINGS = 16


class Unwrapped(NamedTuple):
    """The pieces of a fitted model.

    Attributes
    ----------
    steps : tuple
        The transformers before the final estimator; all work column by column.
    final : estimator
        The estimator that computes the scores.
    scored : estimator
        The outermost model that reports these scores for the model's own input.
    threshold_rule : ThresholdRule or None
        The rule of the outermost threshold classifier.
    """

    steps: tuple[Any, ...]
    final: Any
    scored: Any
    threshold_rule: ThresholdRule | None


def unwrap(model: Any) -> Unwrapped | None:
    """Unwrap a model whose steps all work column by column; None for another."""
    unwrapped = split_model(model)
    known = unwrapped is not None and maps_lines(unwrapped.steps, ())
    return unwrapped if known else None


def split_model(model: Any) -> Unwrapped | None:
    """Split a model into its pieces; return None if one is of an unknown kind."""
    steps: list[Any] = []
    threshold_rule = None
    scored = model
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
        if name in THRESHOLD_CLASSIFIERS and not steps:
            scored = model
    return Unwrapped(tuple(steps), model, scored, threshold_rule)


def maps_lines(steps: Sequence[Any], moving: Collection[str]) -> bool:
    """Return whether steps map lines to lines where these columns move.

    Without moving columns: whether all steps work column by column.
    """
    # Only the first step gets the columns under their own names.
    return all(_is_straight(step, moving, named=not i) for i, step in enumerate(steps))


def _is_straight(step: Any, moving: Collection[str], named: bool = False) -> bool:
    """Return whether a step maps lines to lines.

    `moving` are the moving columns that it gets. With `named` it gets the columns
    under their own names.
    """
    if step is None or isinstance(step, str):
        return step in (None, "passthrough", "drop")
    if type(step).__module__.split(".")[0] != "sklearn":
        return False  # another class of the same name
    name = type(step).__name__
    if name == "ColumnTransformer":
        return all(
            _is_straight(inner, _among(step, columns, moving) if named else moving)
            for _, inner, columns in step.transformers_
        )
    if name == "Pipeline":
        return all(_is_straight(inner, moving) for _, inner in step.steps)
    if name == "FunctionTransformer":
        return step.func is None
    if name in _ENCODERS:
        return not moving  # they jump where a number moves
    if name == "SimpleImputer" and not pd.isna(step.missing_values):
        return False  # a number marks missing values
    return name in _STRAIGHT and not getattr(step, "clip", False)


def _among(step: Any, columns: Any, moving: Collection[str]) -> Collection[str]:
    """Return the moving ones of a ColumnTransformer's columns; all where unclear."""
    known = getattr(step, "feature_names_in_", None)
    if isinstance(columns, str):
        columns = [columns]
    if known is None or isinstance(columns, slice) or callable(columns):
        return moving
    array = np.asarray(columns)
    if not len(array):
        return []
    names = array if array.dtype.kind in "OUT" else np.asarray(known)[array]
    return [name for name in names if name in moving]


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


def coarsest(*tables: Any) -> float:
    """Return the largest relative spacing among the float dtypes of tables."""
    eps = float(np.finfo(float).eps)
    for table in tables:
        kinds = getattr(table, "dtypes", None)
        for kind in [table.dtype] if kinds is None else kinds:
            name = str(kind).lower()
            if name in ("float16", "float32"):
                eps = max(eps, float(np.finfo(name).eps))
    return eps
