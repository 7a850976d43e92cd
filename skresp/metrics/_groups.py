"""Groups of rows, for numbers by group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._column_names import column_names
from skresp._dataframe import as_table, column
from skresp._text import quote, quote_names
from skresp._typing import BoolArray
from skresp._validation import did_you_mean


def group_labels(groups: Any, X: Any, n_rows: int) -> NDArray[Any]:
    """Return the group label of each row.

    Parameters
    ----------
    groups : str or array-like of shape (n_rows,)
        The name of a column of `X`, or the labels.
    X : frame or array
    n_rows : int

    Returns
    -------
    array of objects of shape (n_rows,)
    """
    if isinstance(groups, str):
        table = as_table(X)
        names = column_names(table)
        if names is None or groups not in names:
            columns = quote_names(names) if names else "no column names"
            raise ValueError(
                f"groups must be a column of X or one label for each row, got "
                f"{quote(groups)}. {did_you_mean(groups, names or ())}X has {columns}."
            )
        return column(table, names.index(groups)).to_numpy(dtype=object)
    if isinstance(groups, pd.Series) and isinstance(X, pd.DataFrame):
        if not groups.index.equals(X.index):
            raise ValueError(
                "groups is a Series whose index differs from that of X, so it is "
                "unclear which row has which label. Pass groups.loc[X.index], or "
                "groups.to_numpy() if the rows are in the same order."
            )
    labels = np.asarray(groups, dtype=object)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"groups must be a column of X or one label for each of the {n_rows} rows, "
            f"got an array of shape {labels.shape}."
        )
    return labels


def group_name(groups: Any) -> str:
    """Return the name of the grouping: the column, the name of a Series, or "group"."""
    if isinstance(groups, str):
        return groups
    return str(getattr(groups, "name", None) or "group")


def group_masks(labels: NDArray[Any]) -> dict[Any, BoolArray]:
    """Return a mask of the rows of each label, sorted by label, missing ones last."""
    codes, names = pd.factorize(labels, sort=False, use_na_sentinel=False)
    order = sorted(range(len(names)), key=lambda i: (pd.isna(names[i]), str(names[i])))
    return {names[i]: codes == i for i in order}
