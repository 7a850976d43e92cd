"""Unusual values, to review before rows are explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skresp._dataframe import as_table, column
from skresp._text import number
from skresp._typing import BoolArray, FloatArray

from ._encoding import column_codes, column_positions
from ._feature import Feature

if TYPE_CHECKING:
    from ._action_set import ActionSet

_NOT_OF_KIND = {
    "binary": "not 0 or 1",
    "integer": "not a whole number",
    "real": "not a finite number",
}


@dataclass(frozen=True)
class Unusual:
    """The rows in which one column has unusual values of one type.

    Attributes
    ----------
    column : str
        The name of the feature.
    what : str
        What is unusual about the values.
    rows : array of bool of shape (n_rows,)
    example : object
        The first such value.
    """

    column: str
    what: str
    rows: BoolArray
    example: Any

    @property
    def count(self) -> int:
        """Return the number of rows."""
        return int(self.rows.sum())


def unusual_values(actions: ActionSet, X: Any) -> list[Unusual]:
    """Return the unusual values of each column, whether or not they are errors.

    Unusual are values that are not of the feature's kind, missing values, labels
    outside the listed categories and numbers outside the bounds.
    """
    table = as_table(X)
    found = []
    positions = column_positions(actions, table)
    for name, position in zip(actions.names, positions, strict=True):
        values = column(table, position)
        codes, wrong = column_codes(actions.features[name], values)
        for what, rows in _unusual(actions.features[name], codes, wrong):
            if rows.any():
                example = values[rows].iloc[0]
                found.append(Unusual(name, what, rows, example))
    return found


def _unusual(
    feature: Feature, codes: FloatArray, wrong: BoolArray
) -> Iterator[tuple[str, BoolArray]]:
    yield "missing", np.isnan(codes) & ~wrong
    if feature.kind == "categorical":
        if feature.categories:
            yield "not among the listed categories", codes < 0
        return
    yield _NOT_OF_KIND[feature.kind], wrong
    if feature.kind != "binary":
        low, high = feature.bounds
        bounds = " to ".join(
            "any" if np.isinf(end) else number(end) for end in (low, high)
        )
        yield f"outside the bounds {bounds}", ((codes < low) | (codes > high)) & ~wrong
