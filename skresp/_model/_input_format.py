"""The input that a fitted model takes: container, columns, order, dtypes, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from skresp._actions._action_set import ActionSet
from skresp._actions._feature import Feature
from skresp._column_names import check_not_numbered, column_names
from skresp._dataframe import as_table, is_frame, is_polars, number_matrix, real_numbers
from skresp._dataframe import column as column_of
from skresp._text import quote, quote_names
from skresp._validation import did_you_mean

from ._class_names import package_of
from ._wrappers import first_estimator

# The largest number of labels of a column that are kept.
MAX_LABELS = 100
# Libraries whose models keep the names of the columns that they were fitted on.
_KEEP_NAMES = ("sklearn", "xgboost", "lightgbm", "catboost")
# The dtypes of which XGBoost takes a matrix as it is.
_MATRIX_DTYPES = {np.dtype(t) for t in ("int32", "int64", "float32", "float64")}


def fitted_names(model: Any) -> list[str] | None:
    """Return the names of the columns a model was fitted on; None for an array.

    LightGBM up to 4.6 numbers the columns of an array as Column_0, Column_1, ...
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    names = [str(name) for name in names]
    numbered = [f"Column_{i}" for i in range(len(names))]
    return None if names == numbered else names


@dataclass(frozen=True)
class ColumnSummary:
    """The values of a column at fit: a range of numbers, or labels.

    Attributes
    ----------
    low, high : float
        The smallest and largest number; 0 where there was none.
    is_whole : bool
        Whether all numbers were whole.
    labels : tuple or None
        Distinct labels, at most `MAX_LABELS`; None for a column of numbers.
    has_missing : bool
        Whether some value was missing.
    """

    low: float = 0.0
    high: float = 0.0
    is_whole: bool = False
    labels: tuple[Any, ...] | None = None
    has_missing: bool = False

    @classmethod
    def of(cls, values: pd.Series) -> ColumnSummary:
        """Summarise a column."""
        known = values.dropna()
        has_missing = len(known) < len(values)
        if isinstance(values.dtype, pd.CategoricalDtype):
            labels = tuple(values.dtype.categories[:MAX_LABELS].tolist())
            return cls(labels=labels or ("",), has_missing=has_missing)
        numbers = real_numbers(known)
        if np.isnan(numbers).any() or not len(known):
            labels = tuple(known.unique()[:MAX_LABELS].tolist())
            return cls(labels=labels or ("",), has_missing=has_missing)
        finite = numbers[np.isfinite(numbers)]
        if not len(finite):
            return cls(has_missing=has_missing)
        whole = bool((finite == np.rint(finite)).all())
        low, high = float(finite.min()), float(finite.max())
        return cls(low, high, whole, None, has_missing)


@dataclass(frozen=True)
class InputFormat:
    """The form in which a fitted model takes its input.

    Attributes
    ----------
    container : {"pandas", "polars", "array"}
    names : tuple of str
        The columns in the model's order.
    dtypes : tuple
        Their dtypes at fit, for pandas and polars; one dtype for an array.
    has_names : bool
        Whether the names come from the data, or only number the columns.
    summaries : tuple of ColumnSummary
        The values of each column at fit.
    """

    container: str
    names: tuple[str, ...]
    dtypes: tuple[Any, ...]
    has_names: bool = False
    summaries: tuple[ColumnSummary, ...] = ()

    @classmethod
    def of(cls, model: Any, X: Any, *, trained: bool = False) -> InputFormat:
        """Return the input format of a model, given a table that it takes.

        With `trained` the model was fitted on this very table.
        """
        table = as_table(X)
        given = column_names(table)
        known = fitted_names(model)
        if known is not None:
            names = tuple(map(str, known))
            check_not_numbered(table, names, "the model")
            _check_names(names, given, table.shape[1])
        else:
            names = tuple(given or (f"x{i}" for i in range(table.shape[1])))
        matrix = number_matrix(table)
        summaries = _summaries(table, matrix, given, names)
        as_array = known is None and not trained and _was_fitted_on_arrays(model)
        if is_frame(table) and not (as_array or _is_matrix_to(model, matrix)):
            dtypes = list(table.dtypes)
            if given is not None:
                dtypes = [dtypes[given.index(name)] for name in names]
            container = "polars" if is_polars(table) else "pandas"
            return cls(container, names, tuple(dtypes), given is not None, summaries)
        if is_frame(table):
            dtype: Any = np.dtype(float) if matrix is None else matrix.dtype
            if matrix is None and not all(_is_plain(t) for t in table.dtypes):
                dtype = np.dtype(object)
            return cls("array", names, (dtype,), given is not None, summaries)
        if known is not None:
            # The model knows names, which an array cannot carry, so it gets a frame.
            dtype = table.dtype if table.dtype != object else None
            return cls("pandas", names, (dtype,) * len(names), True, summaries)
        return cls("array", names, (table.dtype,), summaries=summaries)

    def dtype_of(self, column: int) -> Any:
        """Return the dtype of a column at fit."""
        return self.dtypes[0 if self.container == "array" else column]

    def positions(self, actions: ActionSet) -> Mapping[str, int]:
        """Return the position of each feature among the model's columns."""
        if actions not in self._positions:
            self._positions[actions] = self._find(actions)
        return self._positions[actions]

    @cached_property
    def column_index(self) -> pd.Index:
        """The names as the columns of a frame; made once, since that takes long."""
        return pd.Index(list(self.names) if self.has_names else range(len(self.names)))

    @cached_property
    def _positions(self) -> dict[ActionSet, Mapping[str, int]]:
        """Results of `positions`."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        kept = {f.name for f in fields(self)}
        return {k: v for k, v in self.__dict__.items() if k in kept}

    def _find(self, actions: ActionSet) -> dict[str, int]:
        """Return the position of each feature; raise if there is none."""
        position = {name: i for i, name in enumerate(self.names)}
        if position.keys() == actions.features.keys():
            return position
        if not self.has_names and len(self.names) == len(actions.names):
            return {name: i for i, name in enumerate(actions.names)}
        missing = [n for n in self.names if n not in actions.features]
        extra = [n for n in actions.names if n not in position]
        raise ValueError(
            f"The action set does not match the model's columns: "
            f"{_listed('it lacks', missing)}{'; ' if missing and extra else ''}"
            f"{_listed('the model does not have', extra)}. Pass an action set with one "
            f"feature for each column, for instance ActionSet.infer(X)."
        )

    def features(self, actions: ActionSet) -> list[Feature]:
        """Return the feature of each column, in the model's order."""
        name = {i: name for name, i in self.positions(actions).items()}
        return [actions.features[name[i]] for i in range(len(name))]

    def named(self, table: Any) -> Any:
        """Return an array as a frame with the model's column names, if it has any."""
        if is_frame(table) or not self.has_names or table.shape[1] != len(self.names):
            return table
        return pd.DataFrame(table, columns=list(self.names), dtype=table.dtype)


def is_coarse(dtype: Any) -> bool:
    """Return whether a dtype of floats is coarser than float64."""
    if isinstance(dtype, np.dtype):  # the text of a dtype takes long
        return dtype.kind == "f" and dtype.itemsize < 8
    return str(dtype).lower() in ("float16", "float32")


def _summaries(
    table: Any,
    matrix: NDArray[Any] | None,
    given: list[str] | None,
    names: tuple[str, ...],
) -> tuple[ColumnSummary, ...]:
    """Return a summary of each column of a model, in its order.

    `matrix` is the `number_matrix` of the table.
    """
    order = range(len(names)) if given is None else [given.index(n) for n in names]
    if matrix is None or matrix.dtype.kind not in "iuf" or not len(matrix):
        return tuple(ColumnSummary.of(column_of(table, i)) for i in order)
    if matrix.dtype.kind in "iu":
        low, high = matrix.min(axis=0), matrix.max(axis=0)
        whole, missing = np.ones(len(low), dtype=bool), np.zeros(len(low), dtype=bool)
    else:
        finite = np.where(np.isfinite(matrix), matrix, np.nan)
        low, high = np.fmin.reduce(finite, axis=0), np.fmax.reduce(finite, axis=0)
        whole = ((finite == np.rint(finite)) | np.isnan(finite)).all(axis=0)
        missing = np.isnan(matrix).any(axis=0)
        low, high = np.nan_to_num(low), np.nan_to_num(high)
    return tuple(
        ColumnSummary(
            float(low[i]), float(high[i]), bool(whole[i]), None, bool(missing[i])
        )
        for i in order
    )


def _is_plain(dtype: Any) -> bool:
    """Return whether a dtype is one of plain numbers or booleans."""
    if hasattr(dtype, "is_numeric"):  # polars
        return bool(dtype.is_numeric() or str(dtype) == "Boolean")
    return isinstance(dtype, np.dtype) and dtype.kind in "buif"


def _check_names(names: tuple[str, ...], given: list[str] | None, width: int) -> None:
    """Raise if a table lacks columns that the model was fitted on."""
    if given is None:
        if width != len(names):
            raise ValueError(
                f"X has {width} columns, but the model was fitted on {len(names)}: "
                f"{quote_names(names)}."
            )
        return
    missing = [name for name in names if name not in given]
    if missing:
        raise ValueError(
            f"X has no column {quote(missing[0])}, which the model was fitted on. "
            f"{did_you_mean(missing[0], given)}The columns of X are "
            f"{quote_names(given)}."
        )


def _was_fitted_on_arrays(model: Any) -> bool:
    """Return whether a model was fitted on an array, as far as it can be known.

    That is known where the library keeps names. Such a model would warn about names,
    or raise. Another model may keep no names and still need a frame.
    """
    first = first_estimator(model)
    keeps_names = package_of(type(first)) in _KEEP_NAMES
    return keeps_names and getattr(first, "n_features_in_", None) is not None


def _is_matrix_to(model: Any, matrix: NDArray[Any] | None) -> bool:
    """Return whether a model takes a matrix for a frame: XGBoost, if dtypes are equal.

    It looks at the names of a frame only to compare them, and takes ten times as long
    to read a frame of some hundred rows.
    """
    inner = model.estimator if isinstance(model, FrozenEstimator) else model
    kind = type(inner)
    if package_of(kind) != "xgboost" or "predict" in vars(inner):
        return False
    if getattr(inner, "booster", "gblinear") not in (None, "gbtree", "dart"):
        return False  # it would compare the names
    return matrix is not None and matrix.dtype in _MATRIX_DTYPES


def _listed(what: str, names: list[str]) -> str:
    return f"{what} {quote_names(names, 5)}" if names else ""
