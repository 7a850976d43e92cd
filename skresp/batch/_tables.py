"""Tables in and out of a batch: pandas, polars and pyarrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import pandas as pd

from skresp._column_names import check_levels
from skresp._dataframe import is_polars
from skresp._optional import import_optional
from skresp._text import one_line, quote, quote_names
from skresp._validation import did_you_mean, is_integer


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
        f"columns=...)."
    )


def is_arrow(table: Any) -> bool:
    """Return whether a table is pyarrow's, without importing pyarrow."""
    kind = type(table)
    return kind.__module__.split(".")[0] == "pyarrow" and hasattr(table, "schema")


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
    """Return some columns as a pandas or polars frame."""
    if is_arrow(table):
        return table.select(list(names)).to_pandas()
    if is_polars(table):
        return table.select(list(names))
    return table[list(names)].reset_index(drop=True)


def arrow_column(table: Any, name: str, kind: Any) -> Any:
    """Return a column as an arrow array of some type."""
    pa = import_pyarrow()
    try:
        values = _arrow_values(table, name, pa.types.is_string(kind))
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        return values.cast(kind)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        why = one_line(error).rstrip(".")
        remedy = (
            "Convert its values to texts or numbers."
            if pa.types.is_string(kind)
            else f"Choose another type for it, such as {{{quote(name)}: 'string'}}."
        )
        raise ValueError(
            f"The column {quote(name)} does not fit its type {kind}: {why}. {remedy}"
        ) from None


def _arrow_values(table: Any, name: str, is_text: bool) -> Any:
    """Return a column as an arrow array of its own type."""
    if is_arrow(table):
        return table.column(name)
    if is_polars(table):
        return table.get_column(name).to_arrow()
    pa = import_pyarrow()
    if is_text and table[name].dtype == object:
        return pa.array(map(_as_text, table[name]), type=pa.string())
    return pa.array(table[name], from_pandas=True)


def _as_text(value: Any) -> Any:
    """Return a value of any type as text; it does not depend on other values."""
    if value is None or isinstance(value, str):
        return value
    if is_integer(value) or isinstance(value, UUID):
        return str(value)
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    pa = import_pyarrow()
    return pa.scalar(value).cast(pa.string()).as_py()


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
