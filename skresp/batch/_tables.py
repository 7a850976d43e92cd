"""Tables in and out of a batch: pandas, polars and pyarrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from skresp._dataframe import check_levels, is_polars
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
