"""Tables of users: pandas and polars frames, arrays and single rows."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._text import quote
from ._typing import BoolArray, FloatArray, IndexArray
from ._validation import is_integer


def is_polars(X: Any) -> bool:
    """Return whether X is a polars frame, without importing polars."""
    return type(X).__module__.split(".")[0] == "polars" and hasattr(X, "get_column")


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas or polars frame."""
    return isinstance(X, pd.DataFrame) or is_polars(X)


def _is_other_frame(X: Any) -> bool:
    """Return whether X is a frame of another library: pyarrow, modin, cuDF, ..."""
    # Arrays first: narwhals takes ten microseconds to say no.
    return not isinstance(X, np.ndarray) and nw.dependencies.is_into_dataframe(X)


def as_table(X: Any) -> Any:
    """Return X as a pandas or polars frame or as a 2D array.

    A frame of another library becomes a pandas frame, so that its columns are matched
    by name.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.shape[1]:
        return X
    if is_frame(X):
        _check_width(X)
        return X
    if hasattr(X, "toarray"):  # a scipy sparse matrix or array
        raise TypeError("X must be dense, got a sparse matrix. Pass X.toarray().")
    if type(X).__module__.split(".")[0] == "polars":
        raise TypeError(
            f"X must be a polars DataFrame, got {type(X).__name__}. Call .collect() on "
            f"a LazyFrame, .to_frame() on a Series."
        )
    if _is_other_frame(X):
        return as_table(nw.from_native(X, eager_only=True).to_pandas())
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(
            "X must be a plain array, got a masked array. Pass X.filled(np.nan), or "
            "another value for what is masked."
        )
    array = _array_of(X)
    if array.ndim == 0:
        raise ValueError(
            f"X must be a frame or a 2D array with one row per person, got {quote(X)}."
        )
    if array.ndim != 2:
        raise ValueError(
            f"X must be a frame or a 2D array with one row per person, got an array of "
            f"shape {array.shape}. Reshape your data: X.reshape(1, -1) for one person."
        )
    _check_width(array)
    return array


def _check_width(table: Any) -> None:
    if not table.shape[1]:
        raise ValueError(
            f"X must have a column for each feature, got 0 feature(s) "
            f"(shape={table.shape}) while a minimum of 1 is required."
        )


def _array_of(X: Any) -> NDArray[Any]:
    """Return an array; in lists of numbers and strings the numbers stay numbers."""
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(
            f"X must have rows of one length, got {quote(X)}. ({error})"
        ) from None
    if array.dtype.kind == "U" and not isinstance(X, np.ndarray):
        return np.array(X, dtype=object)
    return array


def as_row(x: Any) -> Any:
    """Return a table of one row from a Series, a mapping, a sequence or a table."""
    if isinstance(x, pd.Series):
        # A Series of mixed types has objects; infer_objects restores the types.
        table: Any = x.to_frame().T.infer_objects()
    elif isinstance(x, Mapping):
        table = pd.DataFrame([dict(x)])
    elif is_frame(x) or _is_other_frame(x):
        table = as_table(x)
    else:
        array = _array_of(x)
        table = as_table(array.reshape(1, -1) if array.ndim == 1 else array)
    if len(table) != 1:
        raise ValueError(f"x must be one person, got {len(table)} rows.")
    return table


def snapshot(table: Any) -> Any:
    """Return a copy that later changes of the table do not affect."""
    if isinstance(table, pd.DataFrame):
        copy_on_write = int(pd.__version__.split(".")[0]) >= 3
        return table.copy(deep=not copy_on_write)
    return table if is_polars(table) else table.copy()


def row_labels(table: Any) -> NDArray[Any]:
    """Return the index of a pandas frame, otherwise 0, 1, ..."""
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
                f"row={quote(row)} and label={quote(label)}."
            )
        index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(n)
        try:
            matches = np.atleast_1d(np.arange(n)[index.get_loc(label)])
        except (KeyError, TypeError, pd.errors.InvalidIndexError):
            matches = np.zeros(0, dtype=np.intp)
        if len(matches) != 1:
            count = "no row has" if not len(matches) else f"{len(matches)} rows have"
            raise KeyError(
                f"label must be the index label of one row, but {count} the label "
                f"{quote(label)}. Pass row=, the position of the row."
            )
        return int(matches[0])
    if row is None:
        raise TypeError("Pass row= (a position) or label= (an index label).")
    if not is_integer(row):
        raise IndexError(
            f"row must be a position from 0 to {n - 1}, got {quote(row)}. To use an "
            f"index label, pass label=."
        )
    if not -n <= row < n:
        raise IndexError(f"row must be a position from 0 to {n - 1}, got {quote(row)}.")
    return int(row) % n


def column(table: Any, position: int) -> pd.Series:
    """Return one column as a pandas Series with the index 0, 1, ..."""
    if isinstance(table, pd.DataFrame):
        values = table.iloc[:, position].reset_index(drop=True)
        if isinstance(values.dtype, pd.SparseDtype):
            return values.sparse.to_dense()
        return values
    if is_polars(table):
        series = table.to_series(position)
        kind = series.dtype.base_type().__name__
        if kind in ("Int128", "UInt128"):
            raise TypeError(
                f"Column {quote(series.name)} has dtype {kind}, which numpy does not "
                f"have. Cast it to Int64 or Float64."
            )
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
    """Return whether a column of this dtype can contain real numbers.

    Dates, durations, periods, intervals and complex numbers cannot, though pandas
    converts some of them. Columns of objects and categories may contain numbers.
    """
    if isinstance(dtype, (pd.PeriodDtype, pd.IntervalDtype)):
        return False
    return getattr(dtype, "kind", "O") in "buifO"


def real_numbers(values: pd.Series) -> FloatArray:
    """Return a column as floats; a value that is missing or no real number is NaN.

    Strings, dates, durations, Decimals and complex numbers are no real numbers,
    because a reached value, a float, must fit into the column.
    """
    if getattr(values.dtype, "kind", "O") not in "buif":
        plain = [_real_number(v) for v in values]
        values = pd.Series(plain, dtype=object)
    numbers = pd.to_numeric(values, errors="coerce")
    return numbers.to_numpy(dtype=float, na_value=np.nan)


def _real_number(value: Any) -> Any:
    # numpy counts its durations among the integers.
    if not isinstance(value, Real) or isinstance(value, np.timedelta64):
        return np.nan
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return np.inf if value > 0 else -np.inf
    return value


def number_dtype(table: Any) -> np.dtype[Any] | None:
    """Return the dtype of all columns if they are numbers of one dtype, else None."""
    if isinstance(table, pd.DataFrame):
        dtypes = set(table.dtypes)
        dtype = dtypes.pop() if len(dtypes) == 1 else None
    else:
        dtype = table.dtype if isinstance(table, np.ndarray) else None
    return dtype if isinstance(dtype, np.dtype) and dtype.kind in "buif" else None


def number_matrix(table: Any) -> NDArray[Any] | None:
    """Return all columns as one array if they are numbers of one dtype, else None.

    The array is a view if possible.
    """
    if number_dtype(table) is None:
        return None
    return table.to_numpy() if isinstance(table, pd.DataFrame) else table


def number_columns(table: Any) -> dict[int, NDArray[Any]]:
    """Return the columns of a frame or array that are numbers of numpy, by position.

    Taking columns of one dtype together is far faster than one by one.
    """
    if isinstance(table, np.ndarray):
        numbers = table.dtype.kind in "buif"
        return dict(enumerate(table.T)) if numbers else {}
    if not isinstance(table, pd.DataFrame):
        return {}
    by_dtype: dict[Any, list[int]] = {}
    for i, dtype in enumerate(table.dtypes):
        if isinstance(dtype, np.dtype) and dtype.kind in "buif":
            by_dtype.setdefault(dtype, []).append(i)
    return {
        i: column
        for positions in by_dtype.values()
        for i, column in zip(
            positions, table.iloc[:, positions].to_numpy().T, strict=True
        )
    }


def take_rows(table: Any, rows: IndexArray) -> Any:
    """Return the rows at these positions; a position may occur more than once."""
    if isinstance(table, pd.DataFrame):
        return table.iloc[rows].reset_index(drop=True)
    return table[rows]


def with_values(
    table: Any, changes: Mapping[int, tuple[BoolArray, Sequence[Any]]]
) -> Any:
    """Return a table with some values replaced, in the same container.

    A column keeps its dtype if it can represent the new values; an integer column
    that gets a fraction or a new category cannot.

    Parameters
    ----------
    table : frame or array
    changes : mapping of column position to (mask, values)
        The rows of the column that change, and their new values in order.
    """
    if is_polars(table):
        return _polars_with_values(table, changes)
    if isinstance(table, pd.DataFrame):
        columns = {}
        for i, name in enumerate(table.columns):
            old = table.iloc[:, i]
            columns[name] = _replace(old, *changes[i]) if i in changes else old
        return pd.DataFrame(columns, index=table.index)
    out = table.copy()
    for i, (mask, values) in changes.items():
        new = _as_array(values)
        if not _can_hold(out.dtype, new):
            out = out.astype(_wider_dtype(out.dtype, new))
        out[mask, i] = new
    return out


def _as_array(values: Sequence[Any]) -> NDArray[Any]:
    """Return an array of numbers if all values are numbers, otherwise of objects."""
    array = np.asarray(values)
    return array if array.dtype.kind in "buif" else np.array(values, dtype=object)


def _can_hold(dtype: np.dtype[Any], new: NDArray[Any]) -> bool:
    """Return whether a numpy dtype can represent the values; floats may be rounded."""
    if dtype.kind == "O" or (dtype.kind == "f" and new.dtype.kind in "buif"):
        return True
    if dtype.kind not in "bui" or new.dtype.kind not in "buif":
        return False
    if dtype.kind == "b":
        return bool(np.isin(new, (0, 1)).all())
    limits = np.iinfo(dtype)
    whole = np.array_equal(new, np.rint(new))
    return whole and bool((new >= limits.min).all() and (new <= limits.max).all())


def _wider_dtype(dtype: np.dtype[Any], new: NDArray[Any]) -> Any:
    """Return a dtype for values that a numpy dtype cannot represent."""
    if dtype.kind not in "bui" or new.dtype.kind not in "buif":
        return object
    return np.int64 if np.array_equal(new, np.rint(new)) else np.float64


def _replace(old: pd.Series, mask: BoolArray, values: Sequence[Any]) -> pd.Series:
    if isinstance(old.dtype, pd.SparseDtype):
        old = old.sparse.to_dense()
    dtype = old.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        extra = [v for v in dict.fromkeys(values) if v not in dtype.categories]
        new = old.cat.add_categories(extra)
        new[mask] = values
        return new
    array = _as_array(values)
    numpy_dtype = getattr(dtype, "numpy_dtype", dtype)  # of a nullable: Int8 -> int8
    if isinstance(numpy_dtype, np.dtype):
        if _can_hold(numpy_dtype, array):
            array = array.astype(numpy_dtype)
        else:
            wider = np.dtype(_wider_dtype(numpy_dtype, array))
            nullable = wider.kind in "if" and not isinstance(dtype, np.dtype)
            old = old.astype(wider.name.capitalize() if nullable else wider)
    new = old.copy()
    if new.dtype == object:
        # Assigning to the series makes arrow strings first, which hold no half pairs.
        objects = new.to_numpy(copy=True)
        objects[mask] = array
        return pd.Series(objects, index=old.index, name=old.name, dtype=object)
    new[mask] = array
    return new


def _polars_with_values(
    table: Any, changes: Mapping[int, tuple[BoolArray, Sequence[Any]]]
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
            if not _can_hold(np.dtype(str(dtype).lower()), array):
                wider = _wider_dtype(np.dtype(np.int8), array)
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
    """Return a frame of these columns in the library of the table, or pandas."""
    if is_polars(table):
        import polars as pl

        return pl.DataFrame({k: list(v) for k, v in columns.items()}, strict=False)
    return pd.DataFrame(dict(columns))


def polars_frame(columns: Mapping[str, Any], dtypes: Sequence[Any]) -> Any:
    """Return a polars frame of numpy and pandas arrays, with one dtype per column.

    Columns of numbers keep their own dtype. Missing values become null, but NaN in a
    float column stays NaN.
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
            is_float = dtype.is_float()  # then NaN is a value, different from null
            plain = [
                None if v is pd.NA or (v != v and not is_float) else v for v in values
            ]
            series.append(pl.Series(name, plain, dtype=dtype, strict=False))
    return pl.DataFrame(series)
