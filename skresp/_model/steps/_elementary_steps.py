"""Walk through the steps before a model, down to the transformers that do the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skresp._dataframe import is_polars
from skresp._model._class_names import package_of
from skresp._model._unreadable import UnreadableError
from skresp._model._wrappers import passes
from skresp._text import quote
from skresp._typing import IndexArray

from ._column_origin import after_step, column_positions, unknown_step

# The packages of known transformers.
_PACKAGES = ("sklearn", "imblearn", "category_encoders", "skresp")
# Transformers that treat each value of a column as a label.
ENCODERS = {"OneHotEncoder", "OrdinalEncoder", "TargetEncoder"}


def elementary_steps(
    steps: Sequence[Any], rows: Any, width: int
) -> Iterator[tuple[Any, IndexArray, Any]]:
    """Yield each transformer with the origins of its input, and the input itself.

    `rows` has `width` columns. Raise UnreadableError where columns are mixed.
    """
    yield from _walk_all(steps, rows, np.arange(width))


def _walk(step: Any, table: Any, own: Any) -> Iterator[tuple[Any, IndexArray, Any]]:
    if passes(step) or (isinstance(step, str) and step == "drop"):
        return
    if package_of(type(step)) not in _PACKAGES:
        raise UnreadableError(unknown_step(step, own))
    name = type(step).__name__
    if name == "FrozenEstimator":
        yield from _walk(step.estimator, table, own)
    elif name == "Pipeline":
        inner = [each for _, each in step.steps if not passes(each)]
        yield from _walk_all(inner, table, own)
    elif name == "FeatureUnion":
        for _, each in step.transformer_list:
            yield from _walk(each, table, own)
    elif name == "ColumnTransformer":
        for _, each, columns in step.transformers_:
            at = column_positions(step, columns, len(own))
            if at is None:
                raise UnreadableError(
                    "A ColumnTransformer chooses columns in a way that is not read; "
                    "list them by name."
                )
            if len(at):
                yield from _walk(each, take_columns(table, at), own[at])
    elif name == "SimpleImputer" and not pd.isna(step.missing_values):
        raise UnreadableError(
            f"SimpleImputer takes {quote(step.missing_values)} for a missing value; "
            f"mark missing values with NaN."
        )
    else:
        yield step, own, table


def _walk_all(
    steps: Sequence[Any], table: Any, own: Any
) -> Iterator[tuple[Any, IndexArray, Any]]:
    """Yield the transformers of several steps in a row."""
    for i, step in enumerate(steps):
        yield from _walk(step, table, own)
        after = after_step(step, own)
        if after is None:
            raise UnreadableError(unknown_step(step, own))
        own = after
        if i + 1 < len(steps):
            table = step.transform(table)


def take_columns(table: Any, positions: IndexArray) -> Any:
    """Return some columns of a table, by position."""
    if isinstance(table, pd.DataFrame):
        return table.iloc[:, positions]
    if is_polars(table):
        return table[:, positions.tolist()]
    return table[:, positions]
