"""How a model wants its input: container, columns, order, dtypes, category labels.

A table is taken apart once into columns of the right dtypes. Points are then built
from it by the million: rows repeated, some values replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp.actions import (
    ActionSet,
    Feature,
    as_table,
    column_names,
    is_frame,
    is_polars,
    number_matrix,
    values_of,
)
from skresp.actions import column as column_of

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Dress:
    """The form in which a fitted model takes its input.

    Attributes
    ----------
    container : {"pandas", "polars", "array"}
    names : the columns as the model knows them, in its order
    dtypes : their dtypes at fit, for pandas and polars; one dtype for an array
    """

    container: str
    names: tuple[str, ...]
    dtypes: tuple[Any, ...]

    @classmethod
    def of(cls, model: Any, X: Any) -> Dress:
        """The form of the table that a model was fitted on, or is explained with."""
        table = as_table(X)
        given = column_names(table)
        known = getattr(model, "feature_names_in_", None)
        if known is not None:
            names = tuple(map(str, known))
            _check_names(names, given, table.shape[1])
        else:
            names = tuple(given or (f"x{i}" for i in range(table.shape[1])))
        if is_polars(table):
            return cls("polars", names, tuple(table.schema[name] for name in names))
        if is_frame(table) and not (known is None and _was_fitted_on_arrays(model)):
            return cls("pandas", names, tuple(table[list(names)].dtypes))
        if known is not None:
            # The model knows names that an array cannot carry: dress it in them.
            dtype = table.dtype if table.dtype != object else None
            return cls("pandas", names, (dtype,) * len(names))
        array = np.asarray(table)
        return cls("array", names, (array.dtype,))


def _check_names(names: tuple[str, ...], given: list[str] | None, width: int) -> None:
    if given is None:
        if width != len(names):
            raise ValueError(
                f"X has {width} columns, but the model was fitted on {len(names)}: "
                f"{', '.join(names)}."
            )
        return
    missing = [name for name in names if name not in given]
    if missing:
        raise ValueError(
            f"X has no column {missing[0]!r}, which the model was fitted on; X has "
            f"{', '.join(given)}."
        )


def _was_fitted_on_arrays(model: Any) -> bool:
    """A fitted scikit-learn model without names warns when it is given some."""
    return getattr(model, "n_features_in_", None) is not None


class Wardrobe:
    """A table taken apart, ready to be dressed again with rows and values exchanged.

    Parameters
    ----------
    dress : Dress
    actions : ActionSet
    X : the table, matched to the dress by name (an array by position)
    """

    def __init__(self, dress: Dress, actions: ActionSet, X: Any) -> None:
        table = as_table(X)
        given = column_names(table)
        order: Any = slice(None)
        if given is not None and given != list(dress.names):
            places = {name: i for i, name in enumerate(given)}
            order = [places[name] for name in dress.names]
        self.dress = dress
        self.rows = len(table)
        self.place = _places(dress, actions)
        self.others: dict[int, Any] = {}
        matrix = number_matrix(table)
        if matrix is not None and self._fits(matrix, actions):
            self.blocks = [(matrix[:, order], list(range(len(dress.names))))]
            self.in_block = {i: (0, i) for i in range(len(dress.names))}
            return
        features = {self.place[name]: f for name, f in actions.features.items()}
        columns = [
            _in_dtype(dress, i, column_of(table, int(position)), features.get(i))
            for i, position in enumerate(np.arange(table.shape[1])[order])
        ]
        # Plain numbers of one dtype stand in one matrix, whose rows are fast to take.
        groups: dict[Any, list[int]] = {}
        for i, values in enumerate(columns):
            if isinstance(values, np.ndarray) and values.dtype.kind in "buif":
                groups.setdefault(values.dtype, []).append(i)
        self.blocks = [
            (np.column_stack([columns[i] for i in places]), places)
            for places in groups.values()
        ]
        self.in_block = {
            i: (b, k)
            for b, (_, places) in enumerate(self.blocks)
            for k, i in enumerate(places)
        }
        self.others = {
            i: values for i, values in enumerate(columns) if i not in self.in_block
        }

    def _fits(self, matrix: NDArray[Any], actions: ActionSet) -> bool:
        """Whether a matrix has the dtype that every column wants."""
        if self.dress.container == "polars" or set(self.dress.dtypes) != {matrix.dtype}:
            return False
        fractions = any(
            f.kind == "real" and f.can_change for f in actions.features.values()
        )
        return matrix.dtype.kind == "f" or not fractions

    @property
    def row_bytes(self) -> int:
        """About what one dressed point takes."""
        numbers = sum(block.itemsize * block.shape[1] for block, _ in self.blocks)
        return numbers + 64 * len(self.others) + 64

    def columns(self) -> Iterable[Any]:
        """The columns one by one, in the model's order."""
        for i in range(len(self.dress.names)):
            if i in self.in_block:
                b, k = self.in_block[i]
                yield self.blocks[b][0][:, k]
            else:
                yield self.others[i]

    def take(self, rows: NDArray[np.intp], changes: Iterable[tuple[slice, Any]]) -> Any:
        """The rows at these positions, dressed, with some values exchanged.

        Each change is a slice of the taken rows and a mapping from column position
        to new values (numbers for a column of numbers, else values and where they
        go).
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
        names = self.dress.names
        if self.dress.container == "array":
            if not others and len(blocks) == 1:
                return blocks[0]
            rows = len(blocks[0]) if blocks else len(next(iter(others.values())))
            out = np.empty((rows, len(names)), dtype=object if others else float)
            for block, (_, places) in zip(blocks, self.blocks, strict=True):
                out[:, places] = block
            for i, values in others.items():
                out[:, i] = values
            return out
        if self.dress.container == "pandas" and not others and len(blocks) == 1:
            return pd.DataFrame(blocks[0], columns=list(names), copy=False)
        columns = {}
        for i, name in enumerate(names):
            if i in self.in_block:
                b, k = self.in_block[i]
                columns[name] = blocks[b][:, k]
            else:
                columns[name] = others[i]
        if self.dress.container == "pandas":
            return pd.DataFrame(columns)
        import polars as pl

        return pl.DataFrame(
            [
                pl.Series(name, _listed_or_numbers(values), dtype=dtype, strict=False)
                for (name, values), dtype in zip(
                    columns.items(), self.dress.dtypes, strict=True
                )
            ]
        )

    def new_values(self, name: str, feature: Feature, codes: Numbers) -> Any:
        """What a column holds where its feature has these numbers."""
        i = self.place[name]
        if i in self.in_block:
            b, _ = self.in_block[i]
            return codes.astype(self.blocks[b][0].dtype)
        values = values_of(feature, codes)
        column = self.others[i]
        if isinstance(column, np.ndarray):
            out = np.empty(len(values), dtype=object)
            out[:] = values
            return out
        return pd.array(values, dtype=column.dtype)

    def is_number(self, name: str) -> bool:
        """Whether the column is one of plain numbers."""
        return self.place[name] in self.in_block


def _places(dress: Dress, actions: ActionSet) -> dict[str, int]:
    """Where each feature of the action set stands among the model's columns."""
    place = {name: i for i, name in enumerate(dress.names)}
    if place.keys() == actions.features.keys():
        return place
    if dress.container == "array" and len(dress.names) == len(actions.names):
        return {name: i for i, name in enumerate(actions.names)}
    missing = [n for n in dress.names if n not in actions.features]
    extra = [n for n in actions.names if n not in dress.names]
    raise ValueError(
        f"The action set does not fit the model's columns: "
        f"{_named('it lacks', missing)}{'; ' if missing and extra else ''}"
        f"{_named('it has, and the model has not,', extra)}. Make one action set "
        f"feature for each column, for instance with ActionSet.infer(X)."
    )


def _named(what: str, names: list[str]) -> str:
    return f"{what} {', '.join(map(repr, names[:5]))}" if names else ""


def _in_dtype(dress: Dress, i: int, values: pd.Series, feature: Feature | None) -> Any:
    """One column as a numpy array or a pandas extension array, as at fit."""
    if dress.container == "polars":
        return _plain(values, feature)
    dtype = dress.dtypes[0] if dress.container == "array" else dress.dtypes[i]
    if dtype is not None and values.dtype != dtype and _can_be(values, dtype):
        values = values.astype(dtype)
    return _plain(values, feature)


def _plain(values: pd.Series, feature: Feature | None) -> Any:
    moves_by_fractions = (
        feature is not None and feature.kind == "real" and feature.can_change
    )
    if isinstance(values.dtype, np.dtype):
        array = values.to_numpy()
        if moves_by_fractions and array.dtype.kind in "iub":
            return array.astype(float)
        return array
    if moves_by_fractions and pd.api.types.is_integer_dtype(values.dtype):
        return values.astype("Float64").array
    return values.array


def _can_be(values: pd.Series, dtype: Any) -> bool:
    """Whether a column can take the dtype of the fit without losing anything."""
    if isinstance(dtype, pd.CategoricalDtype):
        return bool(values.dropna().isin(dtype.categories).all())
    kind = getattr(dtype, "kind", "O")
    if kind in "iub":
        numbers = pd.to_numeric(values, errors="coerce")
        return bool((numbers.notna() & (numbers == np.rint(numbers))).all())
    if kind == "f":
        return bool(
            pd.to_numeric(values, errors="coerce").notna().eq(values.notna()).all()
        )
    return kind == "O"


def _listed_or_numbers(values: Any) -> Any:
    if isinstance(values, np.ndarray) and values.dtype.kind in "buif":
        return np.ascontiguousarray(values)
    return [None if v is None or v is pd.NA or v != v else v for v in values]
