"""Rows of a table as codes of the model's columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from skresp._typing import FloatArray, IndexArray

from ._columns import UNKNOWN, Column, integer_codes, number_codes
from ._label_extension import with_labels
from ._point_builder import PointBuilder
from ._score_function import ScoreFunction


def batch_codes(
    score_function: ScoreFunction, builder: PointBuilder
) -> tuple[ScoreFunction, FloatArray]:
    """Return the rows of a batch as codes, and a score function that knows them.

    It knows the labels of these rows too, as far as the model accepts them.
    """
    rows = np.arange(builder.n_rows)
    new = {}
    for i, column in enumerate(score_function.columns):
        if column.labels is not None:
            found = _unknown_labels(column, builder.column_values(i, rows))
            if found:
                new[i] = found
    known = with_labels(score_function, new) if new else score_function
    return known, row_codes(known, builder, rows)


def row_codes(
    score_function: ScoreFunction, builder: PointBuilder, rows: IndexArray
) -> FloatArray:
    """Return some rows of a batch as codes, of shape (n_rows, n_columns)."""
    width = len(score_function.columns)
    if len(builder.blocks) == 1 and not builder.others:
        codes = number_codes(builder.blocks[0][0][rows])
    else:
        codes = np.empty((len(rows), width))
        for block, positions in builder.blocks:
            codes[:, positions] = number_codes(block[rows])
    for i in {*score_function.labelled, *builder.others}:
        values = builder.column_values(i, rows)
        codes[:, i] = codes_of(score_function.columns[i], values)
    return codes


def changed_codes(
    score_function: ScoreFunction, codes: FloatArray, values: Mapping[int, Any]
) -> FloatArray:
    """Return codes with the new values of some columns.

    The values are an array for a column of numbers, otherwise labels and the mask of
    the rows that get them.
    """
    out = codes.copy()
    change_codes(score_function, out, values)
    return out


def change_codes(
    score_function: ScoreFunction, codes: FloatArray, values: Mapping[int, Any]
) -> None:
    """Set new values of some columns in codes; see `changed_codes`."""
    for i, new in values.items():
        codes[:, i] = changed_column(score_function.columns[i], codes[:, i], new)


def changed_column(column: Column, codes: FloatArray, new: Any) -> FloatArray:
    """Return the codes of a column with new values (see `changed_codes`)."""
    if not isinstance(new, tuple):
        return codes_of(column, new)
    labels, moved = new
    out = codes.copy()
    out[moved] = codes_of(column, labels[moved])
    return out


def codes_of(column: Column, values: Any) -> FloatArray:
    """Return the codes of values of a column."""
    if column.labels is None:
        array = np.asarray(values)
        if array.dtype.kind in "buif":
            return number_codes(array)
        numbers = pd.to_numeric(pd.Series(values), errors="coerce")
        codes = np.asarray(numbers.to_numpy(dtype=float, na_value=np.nan))
        return integer_codes(codes) if numbers.dtype.kind in "iu" else codes
    missing = np.asarray(pd.isna(values))
    found = _index(column).get_indexer(_objects(values))
    return np.where(missing, np.nan, np.where(found < 0, UNKNOWN, found))


def _unknown_labels(column: Column, values: Any) -> tuple[Any, ...]:
    """Return the distinct labels among values that a column does not know."""
    distinct = pd.unique(pd.Series(_objects(values)).dropna())
    found = _index(column).get_indexer(pd.Index(distinct, dtype=object))
    return tuple(distinct[found < 0].tolist())


def _index(column: Column) -> pd.Index:
    return pd.Index(list(column.labels or ()), dtype=object)


def _objects(values: Any) -> pd.Index:
    return pd.Index(np.asarray(values, dtype=object), dtype=object)
