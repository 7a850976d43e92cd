"""Walk through the steps before a model, down to the transformers that do the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skresp._dataframe import is_polars
from skresp._model._class_names import package_of
from skresp._model._unreadable import UnreadableError
from skresp._model._wrappers import passes
from skresp._typing import FloatArray, IndexArray

from ._column_origin import after_step, column_positions, unknown_step
from ._transform import as_numbers

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
            f"SimpleImputer takes {step.missing_values!r} for a missing value; mark "
            f"missing values with NaN."
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


class StepInput(NamedTuple):
    """What a step with edges or knots gets of one column.

    Attributes
    ----------
    step : KBinsDiscretizer, Binarizer or SplineTransformer
    position : int
        The position of the input among those of the step.
    origin : int
        The column that it comes from.
    values : array of shape (n_rows,)
    """

    step: Any
    position: int
    origin: int
    values: FloatArray

    @property
    def edges(self) -> FloatArray:
        """The largest input of each piece of a step function; none for splines."""
        name = type(self.step).__name__
        if name == "KBinsDiscretizer":
            edges = self.step.bin_edges_[self.position][1:-1].astype(float)
            return np.nextafter(edges, -np.inf)
        if name == "Binarizer":
            return np.array([float(self.step.threshold)])
        return np.zeros(0)


_WITH_INPUTS = ("KBinsDiscretizer", "Binarizer", "SplineTransformer")


def step_inputs(steps: Sequence[Any], rows: Any, width: int) -> list[StepInput]:
    """Return the inputs of all step functions and splines, for rows."""
    found = []
    for step, own, table in elementary_steps(steps, rows, width):
        if type(step).__name__ not in _WITH_INPUTS:
            continue
        numbers = as_numbers(table)
        if numbers is None:
            raise UnreadableError(
                f"{type(step).__name__} gets columns that are not numbers."
            )
        for i, origin in enumerate(own):
            found.append(StepInput(step, i, int(origin), numbers[:, i]))
    return found
