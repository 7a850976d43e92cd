"""Inference of features from data: kinds, bounds and categories."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from skresp._column_names import column_names
from skresp._dataframe import as_table, column, real_numbers
from skresp._text import quote, quote_names
from skresp._validation import did_you_mean, is_integer

from ._encoding import check_dtype
from ._feature import MAX_INTEGER, Feature


def infer_features(
    X: Any, given: Mapping[str, Feature], immutable: Iterable[str]
) -> dict[str, Feature]:
    """Return a feature for each column, the given ones completed from the data."""
    table = as_table(X)
    if not len(table):
        raise ValueError(
            "X must have at least one row to infer kinds and bounds from, got none: it "
            "has no rows."
        )
    names = column_names(table) or [f"x{i}" for i in range(table.shape[1])]
    if isinstance(immutable, str):
        raise TypeError(
            f"immutable must be a list of column names, got the string "
            f"{quote(immutable)}."
        )
    if not isinstance(immutable, Iterable):
        raise TypeError(
            f"immutable must be a list of column names, got {quote(immutable)}."
        )
    fixed = set(immutable)
    for what, known in (("features", given), ("immutable", fixed)):
        unknown = [name for name in known if name not in names]
        if unknown:
            raise ValueError(
                f"{what} names {quote(unknown[0])}, but X has no such column. "
                f"{did_you_mean(unknown[0], names)}The columns are "
                f"{quote_names(names)}."
            )
    both = [name for name in given if name in fixed and given[name].can_change]
    if both:
        raise ValueError(
            f"{quote(both[0])} is listed as immutable, but features says that it can "
            f"change. Leave it out of one of the two."
        )
    return {
        name: _infer_feature(name, column(table, i), given.get(name), name in fixed)
        for i, name in enumerate(names)
    }


def _infer_feature(
    name: str, values: pd.Series, given: Feature | None, immutable: bool
) -> Feature:
    """Return the feature of a column; bounds and categories not given are inferred."""
    kind = given.kind if given else _infer_kind(values)
    if kind is None:
        if immutable:
            return Feature("categorical", actionable=False)
        raise ValueError(
            f"Column {quote(name)} has dtype {values.dtype}, for which no kind can be "
            f"inferred. List it in immutable, or convert it."
        )
    feature = given or Feature(kind, actionable=not immutable)
    present = values.dropna()
    stated = feature.categories or (feature.lower, feature.upper).count(None) == 0
    if not len(present) and feature.can_change and kind != "binary" and not stated:
        raise ValueError(
            f"Column {quote(name)} has no values to infer bounds or categories from. "
            f"List it in immutable, or give them in features."
        )
    if kind == "categorical":
        if feature.categories is None and len(present):
            feature = _with_categories(name, feature, present)
    elif kind in ("integer", "real"):
        if feature.can_change:
            check_dtype(name, feature, values)
        numbers = real_numbers(present)
        numbers = numbers[np.isfinite(numbers)]
        if not len(numbers) and feature.can_change and not stated:
            raise ValueError(
                f"Column {quote(name)} has no finite numbers to infer bounds from. "
                f"List it in immutable, or give them in features."
            )
        if len(numbers):
            low, high = float(numbers.min()), float(numbers.max())
            if kind == "integer":
                low, high = np.ceil(low), np.floor(high)
            bounds = {}
            if feature.lower is None:
                bounds["lower"] = min(
                    low, high if feature.upper is None else feature.upper
                )
            if feature.upper is None:
                bounds["upper"] = max(
                    high, low if feature.lower is None else feature.lower
                )
            feature = _with_bounds(name, feature, bounds)
    return feature


def _with_bounds(name: str, feature: Feature, bounds: dict[str, Any]) -> Feature:
    try:
        return dataclasses.replace(feature, **bounds)
    except ValueError as error:
        raise ValueError(f"Column {quote(name)}: {error}") from None


def _with_categories(name: str, feature: Feature, present: pd.Series) -> Feature:
    try:
        return dataclasses.replace(feature, categories=_categories(present))
    except (TypeError, ValueError) as error:
        # Dates, lists and intervals are not labels, which only matters for a change.
        if not feature.can_change:
            return feature
        raise type(error)(
            f"Column {quote(name)} has values that are not labels: {error} List it in "
            f"immutable, or convert it."
        ) from None


def _infer_kind(values: pd.Series) -> str | None:
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "categorical"
    if pd.api.types.is_bool_dtype(dtype):
        return "binary"
    if dtype.kind in "uif":
        numbers = values.dropna().to_numpy(dtype=float)
        if len(numbers) and np.isin(numbers, (0, 1)).all():
            return "binary"
        whole = len(numbers) and np.array_equal(numbers, np.rint(numbers))
        return "integer" if whole and np.isfinite(numbers).all() else "real"
    if _has_huge_integers(values):
        return "integer"
    if isinstance(dtype, pd.StringDtype) or dtype.kind in "OU":
        return "categorical"
    return None


def _has_huge_integers(values: pd.Series) -> bool:
    """Return whether a column is one of objects because its integers are too large."""
    if values.dtype != object:
        return False
    present = values.dropna()
    return all(map(is_integer, present)) and any(abs(v) > MAX_INTEGER for v in present)


def _categories(present: pd.Series) -> tuple[Any, ...]:
    """Return the labels, in the order of a category dtype, otherwise sorted."""
    if isinstance(present.dtype, pd.CategoricalDtype):
        return tuple(present.cat.categories)
    for label in present:
        if not isinstance(label, Hashable):
            raise TypeError(f"{quote(label)} is a {type(label).__name__}.")
    labels = present.unique().tolist()
    try:
        return tuple(sorted(labels))
    except TypeError:  # labels of several types cannot be compared
        return tuple(sorted(labels, key=lambda label: (type(label).__name__, label)))
