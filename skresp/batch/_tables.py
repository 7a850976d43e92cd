"""Tables in and out of a batch: pandas, polars and pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from skresp._dataframe import is_polars
from skresp._optional import import_optional
from skresp._text import quote, quote_names


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
    """Raise if a table lacks columns."""
    known = names_of(table)
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(
            f"The table has no column {quote_names(missing)}; its columns are "
            f"{quote_names(known)}."
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
        values = _arrow_values(table, name, kind)
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        return values.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(
            f"The column {quote(name)} does not fit its type {kind}: {error}. Choose "
            f"another type for it, such as {{{quote(name)}: 'string'}}."
        ) from None


def _arrow_values(table: Any, name: str, kind: Any) -> Any:
    """Return a column as an arrow array of its own type."""
    if is_arrow(table):
        return table.column(name)
    if is_polars(table):
        return table.get_column(name).to_arrow()
    return _arrow_of_series(table[name], kind)


def _arrow_of_series(series: pd.Series, kind: Any) -> Any:
    """Return a pandas column as arrow; mixed objects become text for a text type."""
    pa = import_pyarrow()
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        if not pa.types.is_string(kind):
            raise
        return pa.array([None if pd.isna(v) else str(v) for v in series])


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
