"""Reading and rebuilding tables: pandas and polars frames, arrays, single rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def is_polars(X: Any) -> bool:
    """Whether it is a polars frame; polars itself is never imported for the test."""
    return type(X).__module__.split(".")[0] == "polars" and hasattr(X, "get_column")


def is_frame(X: Any) -> bool:
    """Whether it has named columns."""
    return isinstance(X, pd.DataFrame) or is_polars(X)


def as_table(X: Any) -> Any:
    """A frame, or a two-dimensional array, for any table a user may hand over."""
    if is_frame(X):
        return X
    if hasattr(X, "toarray"):  # a scipy sparse matrix or array
        raise TypeError(
            "Sparse data is not supported: a reached point is dense. Pass X.toarray()."
        )
    if type(X).__module__.split(".")[0] == "polars":
        raise TypeError(
            f"Expected a polars DataFrame, got {type(X).__name__}; call .collect() on "
            f"a LazyFrame, .to_frame() on a Series."
        )
    array = _listed_array(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected a frame or a 2D array with one row a person, got an array of "
            f"shape {array.shape}. Reshape your data: X.reshape(1, -1) for one person."
        )
    return array


def _listed_array(X: Any) -> NDArray[Any]:
    """An array from lists too, in which numbers beside texts stay numbers."""
    array = np.asarray(X)
    if array.dtype.kind == "U" and not isinstance(X, np.ndarray):
        return np.array(X, dtype=object)
    return array


def as_row(x: Any) -> Any:
    """One person, given as a Series, a mapping, a sequence or a table, as a table."""
    if isinstance(x, pd.Series):
        # A Series of mixed types holds objects; infer_objects gives each its own back.
        table: Any = x.to_frame().T.infer_objects()
    elif isinstance(x, Mapping):
        table = pd.DataFrame([dict(x)])
    elif is_frame(x):
        table = x
    else:
        array = _listed_array(x)
        table = as_table(array.reshape(1, -1) if array.ndim == 1 else array)
    if len(table) != 1:
        raise ValueError(f"Expected one person, got {len(table)} rows.")
    return table


def column_names(table: Any) -> list[str] | None:
    """The names of the columns; None where there are none (arrays, numbered frames)."""
    if not is_frame(table):
        return None
    names = list(table.columns)
    if not any(isinstance(name, str) for name in names):
        return None
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"Column names must all be strings, got {name!r}. Convert them with "
                f"X.columns = X.columns.astype(str)."
            )
        if names.count(name) > 1:
            raise ValueError(f"The column {name!r} occurs twice; rename one of them.")
    return names


def kept(table: Any) -> Any:
    """The table as it is now, whatever its owner does to it later."""
    if isinstance(table, pd.DataFrame):
        lazily = int(pd.__version__.split(".")[0]) >= 3  # copied when written to
        return table.copy(deep=not lazily)
    return table if is_polars(table) else table.copy()


def row_labels(table: Any) -> NDArray[Any]:
    """What names a row: the index of a pandas frame, else 0, 1, ..."""
    if isinstance(table, pd.DataFrame):
        return table.index.to_numpy()
    return np.arange(len(table))


def row_position(table: Any, row: Any, label: Any = None) -> int:
    """Return the position of a row, given by position or by the label of its index."""
    n = len(table)
    if label is not None:
        if row is not None:
            raise ValueError(
                f"Pass row= (a position) or label= (an index label), not both; got "
                f"row={row!r} and label={label!r}."
            )
        index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(n)
        try:
            where = np.atleast_1d(np.arange(n)[index.get_loc(label)])
        except (KeyError, TypeError, pd.errors.InvalidIndexError):
            where = np.zeros(0, dtype=np.intp)
        if len(where) != 1:
            what = "no row has" if not len(where) else f"{len(where)} rows have"
            raise KeyError(
                f"label must be the index label of one row, and {what} the label "
                f"{label!r}. Pass row=, the position of the row."
            )
        return int(where[0])
    if row is None:
        raise TypeError("Pass row= (a position) or label= (an index label).")
    if isinstance(row, (bool, np.bool_)) or not isinstance(row, (int, np.integer)):
        raise IndexError(
            f"row must be a position from 0 to {n - 1}, got {row!r}. Pass label= for "
            f"the label of a row in the index."
        )
    if not -n <= row < n:
        raise IndexError(f"row must be a position from 0 to {n - 1}, got {row!r}.")
    return int(row) % n


def column(table: Any, position: int) -> pd.Series:
    """One column, as a pandas Series with a plain index."""
    if isinstance(table, pd.DataFrame):
        values = table.iloc[:, position].reset_index(drop=True)
        if isinstance(values.dtype, pd.SparseDtype):
            return values.sparse.to_dense()
        return values
    if is_polars(table):
        series = table.to_series(position)
        kind = series.dtype.base_type().__name__
        if (series.dtype.is_numeric() and kind != "Decimal") or kind == "Boolean":
            if series.null_count() and kind == "Boolean":
                return pd.Series(series.to_list(), dtype="boolean")
            return pd.Series(series.to_numpy())
        labels = series.to_list()
        if kind == "Enum":
            order = series.dtype.categories.to_list()
            return pd.Series(pd.Categorical(labels, categories=order))
        return pd.Series(labels, dtype=object)
    return pd.Series(table[:, position], dtype=table.dtype)


def can_hold_numbers(dtype: Any) -> bool:
    """Return whether a column of this dtype can hold real numbers.

    Dates, durations, periods, intervals and complex numbers cannot, though pandas
    converts some of them. Objects and categories are looked at value by value.
    """
    if isinstance(dtype, (pd.PeriodDtype, pd.IntervalDtype)):
        return False
    return getattr(dtype, "kind", "O") in "buifO"


def real_numbers(values: pd.Series) -> NDArray[np.float64]:
    """Return a column as floats; NaN stands for what is missing or not a real number.

    A text is not a number, nor are a date, a duration, a Decimal or a complex number:
    a reached value that is written back must fit the column.
    """
    if getattr(values.dtype, "kind", "O") not in "buif":
        plain = [v if _is_real(v) else np.nan for v in values]
        values = pd.Series(plain, dtype=object)
    numbers = pd.to_numeric(values, errors="coerce")
    return numbers.to_numpy(dtype=float, na_value=np.nan)


def _is_real(value: Any) -> bool:
    # numpy counts its durations among the integers
    return isinstance(value, Real) and not isinstance(value, np.timedelta64)


def number_matrix(table: Any) -> NDArray[Any] | None:
    """All columns in one array, where they are plain numbers of one dtype; else None.

    A view where that is possible.
    """
    if isinstance(table, pd.DataFrame):
        dtypes = set(table.dtypes)
        if len(dtypes) != 1 or not isinstance(next(iter(dtypes)), np.dtype):
            return None
        table = table.to_numpy()
    if isinstance(table, np.ndarray) and table.dtype.kind in "buif":
        return table
    return None


def spread(table: Any, rows: NDArray[np.intp]) -> Any:
    """The rows at these positions, as often as they are named."""
    if isinstance(table, pd.DataFrame):
        return table.iloc[rows].reset_index(drop=True)
    return table[rows]


def with_values(
    table: Any, changes: Mapping[int, tuple[NDArray[np.bool_], Sequence[Any]]]
) -> Any:
    """The table with some values replaced, its container and dtypes kept.

    `changes` maps a column's position to the rows that change (a mask) and to their
    new values in order. A dtype gives way only where it cannot hold a new value:
    an integer column that takes a fraction, a category that was not in the dtype.
    """
    if is_polars(table):
        return _polars_with_values(table, changes)
    if isinstance(table, pd.DataFrame):
        columns = {}
        for i, name in enumerate(table.columns):
            old = table.iloc[:, i]
            columns[name] = _replaced(old, *changes[i]) if i in changes else old
        return pd.DataFrame(columns, index=table.index)
    out = table.copy()
    for i, (mask, values) in changes.items():
        new = _as_array(values)
        if not _holds(out.dtype, new):
            out = out.astype(_wider(out.dtype, new))
        out[mask, i] = new
    return out


def _as_array(values: Sequence[Any]) -> NDArray[Any]:
    """Values as an array: of numbers where all are numbers, else of objects."""
    array = np.asarray(values)
    return array if array.dtype.kind in "buif" else np.array(values, dtype=object)


def _holds(dtype: np.dtype[Any], new: NDArray[Any]) -> bool:
    """Whether a plain dtype can hold the values, fractions of a float rounded."""
    if dtype.kind == "O" or (dtype.kind == "f" and new.dtype.kind in "buif"):
        return True
    if dtype.kind not in "bui" or new.dtype.kind not in "buif":
        return False
    if dtype.kind == "b":
        return bool(np.isin(new, (0, 1)).all())
    limits = np.iinfo(dtype)
    whole = np.array_equal(new, np.rint(new))
    return whole and bool((new >= limits.min).all() and (new <= limits.max).all())


def _wider(dtype: np.dtype[Any], new: NDArray[Any]) -> Any:
    """A dtype for what a plain dtype cannot hold."""
    if dtype.kind not in "bui" or new.dtype.kind not in "buif":
        return object
    return np.int64 if np.array_equal(new, np.rint(new)) else np.float64


def _replaced(
    old: pd.Series, mask: NDArray[np.bool_], values: Sequence[Any]
) -> pd.Series:
    if isinstance(old.dtype, pd.SparseDtype):
        old = old.sparse.to_dense()
    dtype = old.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        extra = [v for v in dict.fromkeys(values) if v not in dtype.categories]
        new = old.cat.add_categories(extra)
        new[mask] = values
        return new
    array = _as_array(values)
    plain = getattr(dtype, "numpy_dtype", dtype)  # that of a nullable one: Int8 -> int8
    if isinstance(plain, np.dtype):
        if _holds(plain, array):
            array = array.astype(plain)
        else:
            wider = np.dtype(_wider(plain, array))
            nullable = wider.kind in "if" and not isinstance(dtype, np.dtype)
            old = old.astype(wider.name.capitalize() if nullable else wider)
    new = old.copy()
    new[mask] = array
    return new


def _polars_with_values(
    table: Any, changes: Mapping[int, tuple[NDArray[np.bool_], Sequence[Any]]]
) -> Any:
    import polars as pl

    columns = []
    for i, (mask, values) in changes.items():
        old = table.to_series(i)
        new = np.array(old.to_list(), dtype=object)
        new[mask] = list(values)
        dtype = old.dtype
        if dtype == pl.Boolean:
            new = np.array([None if v is None else bool(v) for v in new], dtype=object)
        elif dtype.is_integer():
            array = _as_array(values)
            if not _holds(np.dtype(str(dtype).lower()), array):
                wider = _wider(np.dtype(np.int8), array)
                dtype = pl.Int64() if wider is np.int64 else pl.Float64()
                dtype = pl.String() if wider is object else dtype
        elif isinstance(dtype, pl.Enum):
            known = dtype.categories.to_list()
            dtype = pl.Enum(
                known + [v for v in dict.fromkeys(values) if v not in known]
            )
        columns.append(pl.Series(old.name, list(new), dtype=dtype, strict=False))
    return table.with_columns(columns)


def frame_like(table: Any, columns: Mapping[str, Any]) -> Any:
    """A new frame of the library the table is from; pandas for an array."""
    if is_polars(table):
        import polars as pl

        return pl.DataFrame({k: list(v) for k, v in columns.items()}, strict=False)
    return pd.DataFrame(dict(columns))


def polars_frame(columns: Mapping[str, Any], dtypes: Sequence[Any]) -> Any:
    """Return a polars frame of numpy and pandas arrays, one dtype per column.

    Columns of numbers keep their own dtype; a missing value becomes a null, but a NaN
    of a float column stays one.
    """
    import polars as pl

    series = []
    for (name, values), dtype in zip(columns.items(), dtypes, strict=True):
        kind = values.dtype.kind if isinstance(values, np.ndarray) else "O"
        if kind in "buif":
            series.append(pl.Series(name, np.ascontiguousarray(values)))
        elif kind in "mM":
            series.append(pl.Series(name, values).cast(dtype))
        else:
            is_float = dtype.is_float()  # where a NaN is a value beside nulls
            plain = [
                None if v is pd.NA or (v != v and not is_float) else v for v in values
            ]
            series.append(pl.Series(name, plain, dtype=dtype, strict=False))
    return pl.DataFrame(series)
