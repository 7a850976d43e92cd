"""Values that deserve a look before people are explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._codes import column_codes, column_positions
from ._columns import as_table, column
from ._feature import Feature, format_number

if TYPE_CHECKING:
    from ._action_set import ActionSet

_NOT_OF_KIND = {
    "binary": "not 0 or 1",
    "integer": "not a whole number",
    "real": "not a finite number",
}


@dataclass(frozen=True)
class Unusual:
    """Rows in which one column holds something unusual.

    Attributes
    ----------
    column : name of the feature
    what : what is unusual about the values
    rows : mask of shape (n_rows,)
    example : the first such value
    """

    column: str
    what: str
    rows: NDArray[np.bool_]
    example: Any

    @property
    def count(self) -> int:
        """How many rows there are."""
        return int(self.rows.sum())


def unusual_values(actions: ActionSet, X: Any) -> list[Unusual]:
    """Return what is unusual in each column, whether or not it breaks a rule.

    That is: values that are not of the feature's kind, missing values, labels outside
    the listed categories, numbers outside the bounds.
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
    feature: Feature, codes: NDArray[np.float64], wrong: NDArray[np.bool_]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    yield "missing", np.isnan(codes) & ~wrong
    if feature.kind == "categorical":
        if feature.categories:
            yield "not among the listed categories", codes < 0
        return
    yield _NOT_OF_KIND[feature.kind], wrong
    if feature.kind != "binary":
        low, high = feature.bounds
        bounds = " to ".join(
            "any" if np.isinf(end) else format_number(end) for end in (low, high)
        )
        yield f"outside the bounds {bounds}", ((codes < low) | (codes > high)) & ~wrong
