"""Column names of tables: strings, or none where the columns are numbered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ._dataframe import is_frame
from ._text import quote, quote_names
from ._validation import is_integer


def column_names(table: Any) -> list[str] | None:
    """Return the column names; None for arrays and frames with numbered columns."""
    if not is_frame(table):
        return None
    if isinstance(table, pd.DataFrame):
        check_levels(table)
        if isinstance(table.columns, pd.RangeIndex):
            return None
    names = list(table.columns)
    if all(map(is_integer, names)):
        return None
    distinct = len(set(names)) == len(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"Column names must all be strings, got {quote(name)}. Convert them "
                f"with X.columns = X.columns.astype(str)."
            )
        if not distinct and names.count(name) > 1:
            raise ValueError(
                f"Column names must be distinct, but {quote(name)} occurs twice. "
                f"Rename one of them."
            )
    return names


def check_levels(frame: pd.DataFrame) -> None:
    """Raise if the columns of a frame are a MultiIndex."""
    if isinstance(frame.columns, pd.MultiIndex):
        raise TypeError(
            f"Column names must be strings, got a MultiIndex with "
            f"{quote(frame.columns[0])} in it. Join its levels: X.columns = "
            f"['_'.join(c) for c in X.columns]."
        )


def check_not_numbered(table: Any, names: Sequence[str], owner: str) -> None:
    """Raise if a frame numbers its columns in an order that these names do not have.

    Columns from 0 on, in this order, are those of an array without names, and are
    matched by position. So are all numbered columns where the names are x0, x1, ...,
    which stand for numbered columns.

    Parameters
    ----------
    table : frame or array
    names : sequence of str
    owner : str
        What has the names, as the error message says it.
    """
    if not is_frame(table) or column_names(table) is not None:
        return
    in_order = list(table.columns) == list(range(table.shape[1]))
    if not in_order and list(names) != [f"x{i}" for i in range(len(names))]:
        raise ValueError(
            f"X must have the column names that {owner} has ({quote_names(names)}), "
            f"got a frame with the numbers {quote_names(table.columns)} as names. "
            f"Name its columns, or pass X.to_numpy() if they are in this order."
        )
