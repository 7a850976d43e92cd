"""Trace the columns that a final estimator sees back to the columns of the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from skresp._model._wrappers import passes
from skresp._typing import IndexArray

# Steps that turn each column into one column of its own.
_ONE_TO_ONE = {
    "StandardScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "RobustScaler",
    "PowerTransformer",
    "QuantileTransformer",
    "OrdinalEncoder",
    "Binarizer",
    # of category_encoders
    "CatBoostEncoder",
    "JamesSteinEncoder",
    "LeaveOneOutEncoder",
    "MEstimateEncoder",
    "WOEEncoder",
}


def column_origins(steps: list[Any], width: int) -> IndexArray | None:
    """Return for each column after the steps the one column it comes from.

    The fitted steps are read rather than the names, which can be ambiguous. Return
    None where a step mixes columns, or where its kind is not known.
    """
    origins: IndexArray | None = np.arange(width)
    for step in steps:
        if origins is None:
            return None
        origins = after_step(step, origins)
    return origins


def after_step(step: Any, own: IndexArray) -> IndexArray | None:
    """Return the origins after one step, from those before it."""
    if passes(step):
        return own
    name = type(step).__name__
    if name == "FrozenEstimator":
        return after_step(step.estimator, own)
    if getattr(step, "n_features_in_", len(own)) != len(own):
        return None
    if name == "Pipeline":
        for _, inner in step.steps:
            after = after_step(inner, own)
            if after is None:
                return None
            own = after
        return own
    if name == "ColumnTransformer":
        return _after_columns(step, own)
    if name == "FeatureUnion":
        inner = [after_step(each, own) for _, each in step.transformer_list]
        return None if any(i is None for i in inner) else np.concatenate(inner)
    if name in _ONE_TO_ONE:
        return own
    if name == "FunctionTransformer":
        return own if _is_elementwise(step) else None
    if name == "KBinsDiscretizer":
        return own if step.encode == "ordinal" else np.repeat(own, step.n_bins_)
    if name == "SplineTransformer":
        return np.repeat(own, step.n_features_out_ // max(len(own), 1))
    if name == "OneHotEncoder":
        return np.repeat(own, [_n_dummies(step, i) for i in range(len(own))])
    if name == "TargetEncoder":
        per = len(step.classes_) if step.target_type_ == "multiclass" else 1
        return np.repeat(own, per)
    if name == "SimpleImputer":
        keep = np.ones(len(own), dtype=bool)
        if not step.keep_empty_features:
            keep = ~pd.isna(step.statistics_)
        flags = [] if step.indicator_ is None else own[step.indicator_.features_]
        return np.concatenate([own[keep], flags]).astype(np.intp)
    if hasattr(step, "get_support"):
        return own[step.get_support()]
    return None


def unknown_steps(steps: Sequence[Any], own: IndexArray) -> str:
    """Return why the origins after some steps are not known, in one sentence."""
    for step in steps:
        after = after_step(step, own)
        if after is None:
            return unknown_step(step, own)
        own = after
    return "The steps before the model are not read."


def unknown_step(step: Any, own: IndexArray) -> str:
    """Return why the origins after a step are not known, in one sentence."""
    name = type(step).__name__
    if name == "FrozenEstimator":
        return unknown_step(step.estimator, own)
    if name == "Pipeline":
        return unknown_steps([inner for _, inner in step.steps], own)
    if name == "FeatureUnion":
        parts = [(inner, own) for _, inner in step.transformer_list]
    elif name == "ColumnTransformer":
        found = [
            (inner, column_positions(step, columns, len(own)))
            for _, inner, columns in step.transformers_
            if not isinstance(inner, str)
        ]
        parts = [(inner, own[at]) for inner, at in found if at is not None]
    else:
        parts = []
    for inner, its in parts:
        if after_step(inner, its) is None:
            return unknown_step(inner, its)
    if name == "FunctionTransformer":
        return (
            "FunctionTransformer calls a function that may mix columns; use one of "
            "numpy that works value by value, such as FunctionTransformer(np.log1p)."
        )
    return (
        f"{name} mixes columns, or is not among the transformers that are read; use "
        f"steps that transform each column by itself."
    )


def _is_elementwise(step: Any) -> bool:
    """Return whether a FunctionTransformer works value by value, as numpy's own do."""
    func = step.func
    if step.kw_args or (isinstance(func, np.ufunc) and (func.nin, func.nout) != (1, 1)):
        return False
    return func is None or isinstance(func, np.ufunc)


def _n_dummies(encoder: Any, i: int) -> int:
    """Return how many columns a one-hot encoder makes of its i-th column."""
    count = len(encoder.categories_[i])
    if encoder.min_frequency is not None or encoder.max_categories is not None:
        rare = encoder.infrequent_categories_[i]
        count -= 0 if rare is None else len(rare) - 1
    dropped = encoder.drop_idx_ is not None and encoder.drop_idx_[i] is not None
    return count - dropped


def _after_columns(step: Any, own: IndexArray) -> IndexArray | None:
    """Return the origins after a ColumnTransformer, from those before it."""
    width = max((s.stop for s in step.output_indices_.values()), default=0)
    out = np.full(width, -1, dtype=np.intp)
    for name, inner, columns in step.transformers_:
        where = step.output_indices_[name]
        if where.stop == where.start or (isinstance(inner, str) and inner == "drop"):
            continue
        positions = column_positions(step, columns, len(own))
        after = None if positions is None else after_step(inner, own[positions])
        if after is None or len(after) != where.stop - where.start:
            return None
        out[where] = after
    return None if (out < 0).any() else out


def column_positions(step: Any, columns: Any, width: int) -> IndexArray | None:
    """Return columns of a ColumnTransformer as positions; None where unclear."""
    names = [str(n) for n in getattr(step, "feature_names_in_", ())]
    if isinstance(columns, str):
        columns = [columns]
    if isinstance(columns, slice):
        if isinstance(columns.start, str) or isinstance(columns.stop, str):
            return None
        return np.arange(width)[columns]
    if callable(columns):
        return None
    array = np.atleast_1d(np.asarray(columns))
    if array.dtype.kind == "b":
        return np.flatnonzero(array)
    if array.dtype.kind in "iu":
        return np.arange(width)[array]
    if not all(str(n) in names for n in array):
        return None
    return np.array([names.index(str(n)) for n in array], dtype=np.intp)
