"""Types of the columns that a scorer copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from skresp._text import quote
from skresp._validation import check_choice

from ._tables import import_pyarrow

# The names of column types that people use; pyarrow knows a few more.
_TYPES = (
    *("string", "bool", "int64", "int32", "int16", "int8", "uint64", "uint32"),
    *("uint16", "uint8", "float64", "float32", "date32", "timestamp[us]"),
)


def list_of_names(name: str, values: Any) -> tuple[str, ...]:
    """Return the value of a parameter as distinct names."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of names, got {quote(values)}.")
    return tuple(dict.fromkeys(values))


def typed_columns(name: str, columns: Any) -> dict[str, Any]:
    """Return columns with their types.

    Parameters
    ----------
    name : str
        The parameter, as error messages name it.
    columns : sequence of str, or mapping from name to type
        Without types the columns are text.
    """
    if not isinstance(columns, Mapping):
        columns = dict.fromkeys(list_of_names(name, columns), "string")
    for column in columns:
        if not isinstance(column, str):
            raise TypeError(f"{name} must be names of columns, got {quote(column)}.")
    return {column: _arrow_type(name, column, kind) for column, kind in columns.items()}


def _arrow_type(parameter: str, name: Any, kind: Any) -> Any:
    """Return the type of a column, given pyarrow's type or its name."""
    pa = import_pyarrow()
    if isinstance(kind, pa.DataType):
        return kind
    label = f"{parameter}: the type of {quote(name)}"
    if not isinstance(kind, str):
        raise TypeError(
            f"{label} must be a type of pyarrow or its name, got {quote(kind)}."
        )
    try:
        return pa.type_for_alias(kind)
    except ValueError:
        check_choice(label, kind, _TYPES)
        raise
