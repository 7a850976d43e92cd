"""Tables in and out of a batch: pandas, polars and pyarrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd

from skresp._column_names import check_levels
from skresp._dataframe import is_polars
from skresp._optional import import_optional
from skresp._text import quote, quote_names
from skresp._validation import did_you_mean


def import_pyarrow(module: str = "pyarrow") -> Any:
    """Import and return pyarrow, or one of its modules."""
    return import_optional(module, used_by="skresp.batch", install="skresp[batch]")


def check_table(table: Any) -> None:
    """Raise for anything that is no pandas, polars or pyarrow table."""
    if is_arrow(table) or isinstance(table, pd.DataFrame) or is_polars(table):
        return
    raise TypeError(
        f"A batch must be a pandas, polars or pyarrow table, got "
        f"{type(table).__name__}. Give an array column names with pandas.DataFrame(X, "
        f"columns=...); pass the batches of a dataset or reader one by one, or use "
        f"score_files."
    )


def is_arrow(table: Any) -> bool:
    """Return whether this is a table or batch of pyarrow, without importing pyarrow."""
    is_pyarrow = type(table).__module__.split(".")[0] == "pyarrow"
    return is_pyarrow and hasattr(table, "schema") and hasattr(table, "to_pandas")


def names_of(table: Any) -> list[str]:
    """Return the column names."""
    return list(table.schema.names if is_arrow(table) else table.columns)


def check_names(table: Any, names: Sequence[str]) -> None:
    """Raise if a table lacks columns, or has one of them twice."""
    if isinstance(table, pd.DataFrame):
        check_levels(table)
    known = names_of(table)
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(
            f"The table has no column {quote_names(missing)}. "
            f"{did_you_mean(missing[0], known)}The columns are {quote_names(known)}."
        )
    counts = Counter(known)
    for name in names:
        if counts[name] > 1:
            raise ValueError(
                f"Column names must be distinct, but {quote(name)} occurs twice. "
                f"Rename one of them."
            )


def model_rows(table: Any, names: Sequence[str]) -> Any:
    """Return some columns as a pandas or polars frame, decimal numbers as floats."""
    if is_arrow(table):
        return _without_decimals(table.select(list(names))).to_pandas()
    if is_polars(table):
        import polars as pl
        import polars.selectors as cs

        return table.select(list(names)).with_columns(cs.decimal().cast(pl.Float64))
    rows = table[list(names)].reset_index(drop=True)
    odd = [name for name in names if _may_have_decimals(rows[name])]
    return rows.assign(**{name: _decimals_as_floats(rows[name]) for name in odd})


def _without_decimals(table: Any) -> Any:
    """Return an arrow table with its decimal numbers as floats."""
    pa = import_pyarrow()
    if not any(map(pa.types.is_decimal, table.schema.types)):
        return table
    fields = [
        field.with_type(pa.float64()) if pa.types.is_decimal(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _may_have_decimals(column: pd.Series) -> bool:
    """Return whether a column may contain decimal numbers."""
    if isinstance(column.dtype, pd.ArrowDtype):
        return bool(import_pyarrow().types.is_decimal(column.dtype.pyarrow_dtype))
    is_object = column.dtype == object
    return is_object and pd.api.types.infer_dtype(column) in ("decimal", "mixed")


def _decimals_as_floats(column: pd.Series) -> pd.Series:
    """Return a column with decimal numbers as floats."""
    if column.dtype != object:
        return column.astype("float64")
    return column.map(lambda v: float(v) if isinstance(v, Decimal) else v)


def like(table: Any, result: Any) -> Any:
    """Return an arrow table in the library of a table; pandas keeps the index."""
    pa = import_pyarrow()
    if isinstance(table, pa.RecordBatch):
        whole = result.combine_chunks()
        arrays = [column.combine_chunks() for column in whole.columns]
        return pa.RecordBatch.from_arrays(arrays, schema=result.schema)
    if is_arrow(table):
        return result
    if is_polars(table):
        import polars as pl

        return pl.from_arrow(result)
    frame = result.to_pandas(types_mapper=_pandas_dtypes(result.schema).get)
    frame.index = table.index
    return frame


def _pandas_dtypes(schema: Any) -> Mapping[Any, Any]:
    """Return pandas dtypes that do not depend on the values of a column."""
    pa = import_pyarrow()
    dtypes: dict[Any, Any] = {pa.bool_(): pd.BooleanDtype()}
    for kind in schema.types:
        if pa.types.is_floating(kind):
            continue
        if kind not in dtypes:
            dtypes[kind] = pd.ArrowDtype(kind)
    return dtypes
