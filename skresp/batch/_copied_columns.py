"""Columns that a scorer copies, each value by itself."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pandas as pd

from skresp._text import one_line, quote
from skresp._validation import is_integer

from ._tables import import_pyarrow, is_arrow


class CopiedColumn(NamedTuple):
    """A column of some type.

    Attributes
    ----------
    values : arrow array
        Null where a value does not fit the type.
    misfits : mapping from position to str
        Why the values do not fit, by their position.
    """

    values: Any
    misfits: dict[int, str]


def copied_column(table: Any, name: str, kind: Any) -> CopiedColumn:
    """Return a column of a table of any library as an arrow array of some type."""
    pa = import_pyarrow()
    column = table.column(name) if is_arrow(table) else table[name]
    if isinstance(column, pd.Series):
        column = column.reset_index(drop=True)  # slices are positions then
    pieces, misfits = _fitting(column, kind, 0)
    values = pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces)
    return CopiedColumn(values, {i: f"{name}: {why}" for i, why in misfits.items()})


def _fitting(column: Any, kind: Any, start: int) -> tuple[list[Any], dict[int, str]]:
    """Return a column in pieces, and why its values from `start` do not fit.

    Values that do not fit are found by halving.
    """
    pa = import_pyarrow()
    try:
        return [_converted(column, kind)], {}
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        n = len(column)
        if n == 1:
            return [pa.nulls(1, kind)], {start: _reason(column, kind, error)}
    pieces, misfits = _fitting(column[: n // 2], kind, start)
    more, others = _fitting(column[n // 2 :], kind, start + n // 2)
    return [*pieces, *more], misfits | others


def _reason(column: Any, kind: Any, error: Exception) -> str:
    """Return why the only value of a column does not fit a type."""
    why = one_line(error).rstrip(".")
    (value,) = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return f"{quote(value)}. The value does not fit the column's type {kind}: {why}."


def _converted(column: Any, kind: Any) -> Any:
    """Return values as an arrow array of a type; raise if one does not fit."""
    pa = import_pyarrow()
    values = _arrow_values(column, pa.types.is_string(kind))
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_floating(values.type):
        if pa.types.is_string(kind):
            return _float_texts(values)
        if pa.types.is_integer(kind):
            values = _without_nan(values)
            _check_digits(values)
    return values.cast(kind)


def _arrow_values(column: Any, is_text: bool) -> Any:
    """Return a column as an arrow array of its own type."""
    if not isinstance(column, pd.Series):
        return column.to_arrow() if hasattr(column, "to_arrow") else column
    pa = import_pyarrow()
    if is_text and column.dtype == object:
        return pa.array(map(_as_text, column), type=pa.string())
    return pa.array(column, from_pandas=True)


def _as_text(value: Any) -> Any:
    """Return a value of any type as text; it does not depend on other values."""
    if value is None or isinstance(value, str):
        return value
    if is_integer(value) or isinstance(value, UUID):
        return str(value)
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    pa = import_pyarrow()
    one = pa.array([value])
    texts = _float_texts(one) if pa.types.is_floating(one.type) else one.cast("string")
    return texts[0].as_py()


def _float_texts(values: Any) -> Any:
    """Return numbers as texts: whole ones without a point or exponent."""
    pa = import_pyarrow()
    pc = import_pyarrow("pyarrow.compute")
    values = _without_nan(values)
    _check_digits(values)
    is_whole = pc.and_(pc.is_finite(values), pc.equal(values, pc.floor(values)))
    whole = pc.if_else(is_whole, values, None).cast(pa.int64()).cast(pa.string())
    return pc.if_else(is_whole, whole, values.cast(pa.string()))


def _without_nan(values: Any) -> Any:
    pc = import_pyarrow("pyarrow.compute")
    return pc.if_else(pc.is_nan(values), None, values)


def _check_digits(values: Any) -> None:
    """Raise for whole numbers so large that their type does not hold all digits.

    A column of integers becomes floating-point numbers where a value is missing.
    """
    pc = import_pyarrow("pyarrow.compute")
    limit = 2.0 ** (np.finfo(values.type.to_pandas_dtype()).nmant + 1)
    lost = pc.and_(pc.is_finite(values), pc.greater_equal(pc.abs(values), limit))
    if pc.any(lost).as_py():
        raise ValueError(
            f"a floating-point number from {limit:.0f} on has lost digits; write the "
            f"column as integers or text"
        )
