"""Build points for a model: rows repeated, some of their values replaced.

A table is split into columns of the right dtypes only once, because points are made
from it by the million.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._actions._action_set import ActionSet
from skresp._actions._encoding import values_of
from skresp._actions._feature import Feature
from skresp._column_names import column_names
from skresp._dataframe import (
    as_table,
    is_polars,
    number_columns,
    number_matrix,
    polars_frame,
    real_numbers,
)
from skresp._dataframe import column as column_of
from skresp._typing import FloatArray, IndexArray

from ._column_needs import ColumnNeed, column_needs, needs_labels
from ._input_format import InputFormat, is_coarse


class PointBuilder:
    """Columns of a table, from which points in the model's input format are built.

    Parameters
    ----------
    input_format : InputFormat
    actions : ActionSet
    X : table
        Its columns are matched to the model's by name, those of an array by position.

    Attributes
    ----------
    n_rows : int
    position : mapping of str to int
        The model's column of each feature.
    blocks : list of (array of shape (n_rows, n_columns), list of int)
        Columns of numbers that share a dtype, and their positions.
    in_block : dict of int to (int, int)
        The block and the column in it of each column of numbers.
    others : dict of int to array of shape (n_rows,)
        All other columns.
    """

    def __init__(self, input_format: InputFormat, actions: ActionSet, X: Any) -> None:
        table = as_table(X)
        given = column_names(table)
        order: Any = slice(None)
        if given is not None and given != list(input_format.names):
            positions = {name: i for i, name in enumerate(given)}
            order = [positions[name] for name in input_format.names]
        self.input_format = input_format
        self.n_rows = len(table)
        self.position = input_format.positions(actions)
        self.others: dict[int, Any] = {}
        matrix = number_matrix(table)
        if matrix is not None and self._fits(matrix[:, order], actions):
            everything = range(len(input_format.names))
            self.blocks = [(matrix[:, order], list(everything))]
            self.in_block = {i: (0, i) for i in everything}
            return
        needs = {self.position[name]: n for name, n in column_needs(actions).items()}
        numbers = {} if input_format.container == "polars" else number_columns(table)
        columns = []
        for i, position in enumerate(np.arange(table.shape[1])[order].tolist()):
            dtype, need = input_format.dtype_of(i), needs.get(i)
            if position in numbers and (dtype is None or isinstance(dtype, np.dtype)):
                columns.append(_number_in_dtype(numbers[position], dtype, need))
            else:
                columns.append(_in_dtype(input_format, i, table, position, need))
        self._set_blocks(columns, input_format.features(actions))

    def _set_blocks(self, columns: list[Any], features: list[Feature]) -> None:
        """Divide columns into blocks of numbers and others.

        Numbers of one dtype share a matrix, because its rows are fast to take.
        """
        groups: dict[Any, list[int]] = {}
        for i, values in enumerate(columns):
            labels = features[i].kind == "categorical" and features[i].can_change
            plain = isinstance(values, np.ndarray) and values.dtype.kind in "buif"
            if plain and not labels:
                groups.setdefault(values.dtype, []).append(i)
        self.blocks = [
            (np.column_stack([columns[i] for i in positions]), positions)
            for positions in groups.values()
        ]
        self.in_block = {
            i: (b, k)
            for b, (_, positions) in enumerate(self.blocks)
            for k, i in enumerate(positions)
        }
        self.others = {
            i: values for i, values in enumerate(columns) if i not in self.in_block
        }

    def _fits(self, matrix: NDArray[Any], actions: ActionSet) -> bool:
        """Return whether a matrix has the dtype that every column needs."""
        if self.input_format.container == "polars" or set(self.input_format.dtypes) != {
            matrix.dtype
        }:
            return False
        if matrix.dtype.kind == "f":
            return not needs_labels(actions)
        needs = column_needs(actions)
        return all(n.is_met_by(matrix[:, self.position[k]]) for k, n in needs.items())

    @property
    def block_types(self) -> tuple[Any, ...]:
        """The dtypes of the blocks of numbers, and the positions of their columns."""
        return tuple((block.dtype, tuple(at)) for block, at in self.blocks)

    @property
    def row_bytes(self) -> int:
        """Approximate size of one point in bytes."""
        numbers = sum(block.itemsize * block.shape[1] for block, _ in self.blocks)
        return numbers + 64 * len(self.others) + 64

    @property
    def spacing(self) -> float:
        """The largest relative spacing of the numbers."""
        eps = float(np.finfo(float).eps)
        kinds = [block.dtype for block, _ in self.blocks]
        for kind in [*kinds, *(values.dtype for values in self.others.values())]:
            if is_coarse(kind):
                eps = max(eps, float(np.finfo(str(kind).lower()).eps))
        return eps

    def all_rows(self) -> Any:
        """Return the rows themselves in the model's input format."""
        return self.take(np.arange(self.n_rows), [])

    def take(self, rows: IndexArray, changes: Iterable[tuple[slice, Any]]) -> Any:
        """Return rows in the model's input format, with some values replaced.

        Each change is a slice of the taken rows and a mapping from column position to
        new values: an array for a column of numbers, otherwise the values and the mask
        of the rows that get them.
        """
        blocks = [block[rows] for block, _ in self.blocks]
        others = {i: values.take(rows) for i, values in self.others.items()}
        for where, values in changes:
            for i, new in values.items():
                if i in self.in_block:
                    b, k = self.in_block[i]
                    blocks[b][where, k] = new
                else:
                    labels, moved = new
                    part = others[i][where].copy()
                    part[moved] = labels
                    others[i][where] = part
        return self._assembled(blocks, others)

    def _assembled(self, blocks: list[Any], others: Mapping[int, Any]) -> Any:
        """Return columns as one table in the model's input format."""
        names = self.input_format.names
        if self.input_format.container == "array":
            if not others and len(blocks) == 1:
                return blocks[0]
            rows = len(blocks[0]) if blocks else len(next(iter(others.values())))
            out = np.empty((rows, len(names)), dtype=object if others else float)
            for block, (_, positions) in zip(blocks, self.blocks, strict=True):
                out[:, positions] = block
            for i, values in others.items():
                out[:, i] = values
            return out
        if self.input_format.container == "pandas" and not others and len(blocks) == 1:
            # A view, in case that the model names the index.
            labels = self.input_format.column_index.view()
            return pd.DataFrame(blocks[0], columns=labels, copy=False)
        columns: dict[Any, Any] = {}
        for i, given in enumerate(names):
            name = given if self.input_format.has_names else i
            if i in self.in_block:
                b, k = self.in_block[i]
                columns[name] = blocks[b][:, k]
            else:
                columns[name] = others[i]
        if self.input_format.container == "pandas":
            return pd.DataFrame(
                {
                    name: pd.Series(values, dtype=values.dtype, copy=False)
                    for name, values in columns.items()
                }
            )
        return polars_frame(columns, self.input_format.dtypes)

    def new_values(self, name: str, feature: Feature, codes: FloatArray) -> Any:
        """Return the values of a column where its feature has these codes."""
        i = self.position[name]
        if i in self.in_block:
            b, _ = self.in_block[i]
            return codes.astype(self.blocks[b][0].dtype)
        values = values_of(feature, codes)
        column = self.others[i]
        if isinstance(column, np.ndarray):
            out = np.empty(len(values), dtype=object)
            out[:] = values
            return out.astype(column.dtype)
        if isinstance(column, pd.Categorical):
            return pd.Categorical(values, dtype=column.dtype)
        return pd.array(values, dtype=column.dtype)

    def values(self, name: str, rows: IndexArray) -> Any:
        """Return the values of a feature's column in some rows, labels as objects."""
        i = self.position[name]
        values = self.column_values(i, rows)
        return values if i in self.in_block else np.asarray(values, dtype=object)

    def column_values(self, i: int, rows: IndexArray) -> Any:
        """Return the values of a column of the model in some rows."""
        if i in self.in_block:
            b, k = self.in_block[i]
            return self.blocks[b][0][rows, k]
        return self.others[i].take(rows)

    def is_number(self, name: str) -> bool:
        """Return whether the column of a feature is in a block of numbers."""
        return self.position[name] in self.in_block


def _number_in_dtype(
    values: NDArray[Any], dtype: np.dtype[Any] | None, need: ColumnNeed | None
) -> NDArray[Any]:
    """Return a column of numbers in its dtype at fit, if it fits without loss."""
    if dtype is not None and values.dtype != dtype and _fits(values, dtype):
        values = values.astype(dtype)
    return values if need is None else _wide_enough(values, need)


def _fits(values: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Return whether a column of numbers fits a dtype without loss."""
    if dtype.kind not in "iub":
        return dtype.kind in "fO"
    if values.dtype.kind == "f" and not (values == np.rint(values)).all():
        return False
    if dtype.kind == "b" or not len(values) or values.dtype.kind == "b":
        return True
    limits = np.iinfo(dtype)
    return bool(values.min() >= limits.min and values.max() <= limits.max)


def _in_dtype(
    input_format: InputFormat,
    i: int,
    table: Any,
    position: int,
    need: ColumnNeed | None,
) -> Any:
    """Return a column in its dtype at fit, as a numpy or pandas extension array."""
    values = column_of(table, position)
    if input_format.container == "polars":
        series = table.to_series(position) if is_polars(table) else None
        if series is not None and series.null_count():
            # A model may treat null and NaN differently; objects keep them apart.
            out = np.empty(len(series), dtype=object)
            out[:] = series.to_list()
            return out
        return _widened(values, need)
    dtype = input_format.dtype_of(i)
    if isinstance(dtype, pd.CategoricalDtype):
        return _as_category(values, dtype, need)
    if dtype is not None and values.dtype != dtype:
        if _can_be(values, dtype):
            values = values.astype(dtype)
        elif values.dtype == object and getattr(dtype, "kind", "O") in "iub":
            # Integers with a missing value are floats.
            if _can_be(values, np.dtype(float)):
                values = values.astype(float)
    return _widened(values, need)


def _as_category(
    values: pd.Series, dtype: pd.CategoricalDtype, need: ColumnNeed | None
) -> pd.Categorical:
    """Return a column with the categories of the fit, followed by unknown labels.

    The codes of known labels are then those that the model has learnt, whichever other
    rows the table has.
    """
    known = dtype.categories
    wanted = [*values.dropna().unique(), *(need.labels if need else ())]
    extra = [label for label in dict.fromkeys(wanted) if label not in known]
    categories = known.append(pd.Index(extra, dtype=object)) if extra else known
    return pd.Categorical(values, categories=categories, ordered=dtype.ordered)


def _widened(values: pd.Series, need: ColumnNeed | None) -> Any:
    """Return a column in a dtype that can hold every value it may reach."""
    if need is None:
        plain = isinstance(values.dtype, np.dtype)
        return values.to_numpy() if plain else values.array
    if isinstance(values.dtype, np.dtype):
        return _wide_enough(values.to_numpy(), need)
    if pd.api.types.is_integer_dtype(values.dtype):
        return values.astype("Float64" if need.fractions else "Int64").array
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _as_category(values, values.dtype, need)
    return values.array


def _wide_enough(array: NDArray[Any], need: ColumnNeed) -> NDArray[Any]:
    """Return an array in a dtype that can hold every value it may reach."""
    if array.dtype.kind not in "buif" or need.is_met_by(array):
        return array
    if need.labels:
        numbers = all(
            isinstance(v, (int, float)) and not isinstance(v, bool) for v in need.labels
        )
        return array if numbers else array.astype(object)
    return array.astype(float if need.fractions else np.int64)


def _can_be(values: pd.Series, dtype: Any) -> bool:
    """Return whether a column fits the dtype of the fit without loss."""
    kind = getattr(dtype, "kind", "O")
    if kind in "iub" and isinstance(dtype, np.dtype):
        numbers = real_numbers(values)
        whole = bool((numbers == np.rint(numbers)).all())
        if kind == "b" or not whole or not len(numbers):
            return whole
        limits = np.iinfo(dtype)
        return bool(numbers.min() >= limits.min and numbers.max() <= limits.max)
    if kind == "f":
        return bool((~np.isnan(real_numbers(values)) == values.notna()).all())
    return kind == "O"
