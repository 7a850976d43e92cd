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
    polars_frame,
    real_numbers,
    values_of,
)
from skresp.actions import column as column_of

from ._needs import Need, needs_of

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Dress:
    """The form in which a fitted model takes its input.

    Attributes
    ----------
    container : {"pandas", "polars", "array"}
    names : the columns as the model knows them, in its order
    has_names : whether these names mean something, or merely number the columns
    dtypes : their dtypes at fit, for pandas and polars; one dtype for an array
    """

    container: str
    names: tuple[str, ...]
    dtypes: tuple[Any, ...]
    has_names: bool = False

    @classmethod
    def of(cls, model: Any, X: Any, *, trained: bool = False) -> Dress:
        """The form of the table that a model was fitted on, or is explained with.

        `trained` tells that the model was fitted on this very table.
        """
        table = as_table(X)
        given = column_names(table)
        known = getattr(model, "feature_names_in_", None)
        if known is not None:
            names = tuple(map(str, known))
            _check_names(names, given, table.shape[1])
        else:
            names = tuple(given or (f"x{i}" for i in range(table.shape[1])))
        as_array = known is None and not trained and _was_fitted_on_arrays(model)
        if is_frame(table) and not as_array:
            dtypes = list(table.dtypes)
            if given is not None:
                dtypes = [dtypes[given.index(name)] for name in names]
            container = "polars" if is_polars(table) else "pandas"
            return cls(container, names, tuple(dtypes), given is not None)
        if is_frame(table):
            matrix = number_matrix(table)
            dtype: Any = np.dtype(float) if matrix is None else matrix.dtype
            if not all(_is_plain(t) for t in table.dtypes):
                dtype = np.dtype(object)
            return cls("array", names, (dtype,), given is not None)
        if known is not None:
            # The model knows names that an array cannot carry: dress it in them.
            dtype = table.dtype if table.dtype != object else None
            return cls("pandas", names, (dtype,) * len(names), True)
        return cls("array", names, (table.dtype,))

    def places(self, actions: ActionSet) -> dict[str, int]:
        """Where each feature of the action set stands among the model's columns."""
        place = {name: i for i, name in enumerate(self.names)}
        if place.keys() == actions.features.keys():
            return place
        if not self.has_names and len(self.names) == len(actions.names):
            return {name: i for i, name in enumerate(actions.names)}
        missing = [n for n in self.names if n not in actions.features]
        extra = [n for n in actions.names if n not in place]
        raise ValueError(
            f"The action set does not fit the model's columns: "
            f"{_named('it lacks', missing)}{'; ' if missing and extra else ''}"
            f"{_named('it has, and the model has not,', extra)}. Make one action set "
            f"feature for each column, for instance with ActionSet.infer(X)."
        )

    def named(self, table: Any) -> Any:
        """An array under the names that its columns have for the model, if any."""
        if is_frame(table) or not self.has_names or table.shape[1] != len(self.names):
            return table
        return pd.DataFrame(table, columns=list(self.names), dtype=table.dtype)


def _is_plain(dtype: Any) -> bool:
    if hasattr(dtype, "is_numeric"):  # polars
        return bool(dtype.is_numeric() or str(dtype) == "Boolean")
    return isinstance(dtype, np.dtype) and dtype.kind in "buif"


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
    """A fitted model of a library that keeps names, and has kept none.

    It would warn at names, or raise. A model of the user's own may keep no names and
    still want its frame.
    """
    while type(model).__name__ in ("FrozenEstimator", "Pipeline"):
        if type(model).__name__ == "FrozenEstimator":
            model = model.estimator
        else:
            steps = [s for _, s in model.steps if s is not None and s != "passthrough"]
            model = steps[0]
    library = type(model).__module__.split(".")[0]
    keeps_names = library in ("sklearn", "xgboost", "lightgbm", "catboost")
    return keeps_names and getattr(model, "n_features_in_", None) is not None


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
        self.place = dress.places(actions)
        self.others: dict[int, Any] = {}
        features = {self.place[name]: f for name, f in actions.features.items()}
        needs = {self.place[name]: n for name, n in needs_of(actions).items()}
        matrix = number_matrix(table)
        if matrix is not None and self._fits(matrix[:, order], needs):
            self.blocks = [(matrix[:, order], list(range(len(dress.names))))]
            self.in_block = {i: (0, i) for i in range(len(dress.names))}
            return
        columns = [
            _in_dtype(dress, i, table, int(position), features[i], needs.get(i))
            for i, position in enumerate(np.arange(table.shape[1])[order])
        ]
        # Plain numbers of one dtype stand in one matrix, whose rows are fast to take.
        groups: dict[Any, list[int]] = {}
        for i, values in enumerate(columns):
            labels = features[i].kind == "categorical" and features[i].can_change
            plain = isinstance(values, np.ndarray) and values.dtype.kind in "buif"
            if plain and not labels:
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

    def _fits(self, matrix: NDArray[Any], needs: dict[int, Need]) -> bool:
        """Whether one matrix has the dtype that every column wants, and room enough."""
        if self.dress.container == "polars" or set(self.dress.dtypes) != {matrix.dtype}:
            return False
        if matrix.dtype.kind == "f":
            return not any(need.labels for need in needs.values())
        return all(need.met_by(matrix[:, i]) for i, need in needs.items())

    @property
    def row_bytes(self) -> int:
        """About what one dressed point takes."""
        numbers = sum(block.itemsize * block.shape[1] for block, _ in self.blocks)
        return numbers + 64 * len(self.others) + 64

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

    def mixed(self) -> Any:
        """The rows, and as many more whose columns come from different rows."""
        rng = np.random.default_rng(0)
        rows = np.arange(self.rows)
        blocks = [block.copy() for block, _ in self.blocks]
        for block in blocks:
            for k in range(block.shape[1]):
                block[:, k] = block[rng.permutation(self.rows), k]
        blocks = [
            np.concatenate([own, other])
            for (own, _), other in zip(self.blocks, blocks, strict=True)
        ]
        others = {
            i: v.take(np.r_[rows, rng.permutation(self.rows)])
            for i, v in self.others.items()
        }
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
            labels: Any = list(names) if self.dress.has_names else range(len(names))
            return pd.DataFrame(blocks[0], columns=labels, copy=False)
        columns: dict[Any, Any] = {}
        for i, given in enumerate(names):
            name = given if self.dress.has_names else i
            if i in self.in_block:
                b, k = self.in_block[i]
                columns[name] = blocks[b][:, k]
            else:
                columns[name] = others[i]
        if self.dress.container == "pandas":
            return pd.DataFrame(
                {
                    name: pd.Series(values, dtype=values.dtype, copy=False)
                    for name, values in columns.items()
                }
            )
        return polars_frame(columns, self.dress.dtypes)

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
            return out.astype(column.dtype)
        if isinstance(column, pd.Categorical):
            return pd.Categorical(values, dtype=column.dtype)
        return pd.array(values, dtype=column.dtype)

    def values(self, name: str, rows: NDArray[np.intp]) -> Any:
        """Return what the column of a feature holds in rows at these positions."""
        i = self.place[name]
        if i in self.in_block:
            b, k = self.in_block[i]
            return self.blocks[b][0][rows, k]
        return np.asarray(self.others[i].take(rows), dtype=object)

    def is_number(self, name: str) -> bool:
        """Whether the column is one of plain numbers."""
        return self.place[name] in self.in_block


def _named(what: str, names: list[str]) -> str:
    return f"{what} {', '.join(map(repr, names[:5]))}" if names else ""


def _in_dtype(
    dress: Dress, i: int, table: Any, position: int, feature: Feature, need: Need | None
) -> Any:
    """One column as a numpy array or a pandas extension array, as at fit."""
    values = column_of(table, position)
    if dress.container == "polars":
        series = table.to_series(position) if is_polars(table) else None
        if series is not None and series.null_count():
            # To a model a null is not a NaN; as objects they stay apart.
            out = np.empty(len(series), dtype=object)
            out[:] = series.to_list()
            return out
        return _roomy(values, need)
    dtype = dress.dtypes[0] if dress.container == "array" else dress.dtypes[i]
    if isinstance(dtype, pd.CategoricalDtype):
        return _as_category(values, dtype, need)
    if dtype is not None and values.dtype != dtype:
        if _can_be(values, dtype):
            values = values.astype(dtype)
        elif values.dtype == object and getattr(dtype, "kind", "O") in "iub":
            # A missing value among integers: numbers all the same.
            if _can_be(values, np.dtype(float)):
                values = values.astype(float)
    return _roomy(values, need)


def _as_category(
    values: pd.Series, dtype: pd.CategoricalDtype, need: Need | None
) -> pd.Categorical:
    """A column under the categories of the fit; unknown labels come after them.

    So the codes of the known ones are those that the model has learnt, whoever else is
    in the table.
    """
    known = dtype.categories
    wanted = [*values.dropna().unique(), *(need.labels if need else ())]
    extra = [label for label in dict.fromkeys(wanted) if label not in known]
    categories = known.append(pd.Index(extra, dtype=object)) if extra else known
    return pd.Categorical(values, categories=categories, ordered=dtype.ordered)


def _roomy(values: pd.Series, need: Need | None) -> Any:
    """A column in which there is room for all that it may become."""
    if need is None:
        plain = isinstance(values.dtype, np.dtype)
        return values.to_numpy() if plain else values.array
    if isinstance(values.dtype, np.dtype):
        array = values.to_numpy()
        if array.dtype.kind not in "buif" or need.met_by(array):
            return array
        if need.labels:
            numbers = all(
                isinstance(v, (int, float)) and not isinstance(v, bool)
                for v in need.labels
            )
            return array if numbers else array.astype(object)
        return array.astype(float if need.fractions else np.int64)
    if pd.api.types.is_integer_dtype(values.dtype):
        return values.astype("Float64" if need.fractions else "Int64").array
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _as_category(values, values.dtype, need)
    return values.array


def _can_be(values: pd.Series, dtype: Any) -> bool:
    """Whether a column can take the dtype of the fit without losing anything."""
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
