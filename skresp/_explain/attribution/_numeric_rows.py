"""Rows as numbers for shap and lime, which know no labels, and numbers as rows again.

The model does not receive these numbers but its own container, with the columns, dtypes
and labels that it was fitted on.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._actions._action_set import ActionSet
from skresp._actions._feature import Feature
from skresp._column_names import check_not_numbered, column_names
from skresp._dataframe import as_table, column, is_frame, is_polars, real_numbers
from skresp._model._input_format import InputFormat
from skresp._model._output import Output
from skresp._model._point_builder import PointBuilder
from skresp._text import quote, quote_names
from skresp._typing import FloatArray, IndexArray


def model_column_positions(input_format: InputFormat, table: Any) -> list[int]:
    """Return the position in a table of each column of the model."""
    given = column_names(table)
    if given is None or not input_format.has_names:
        if input_format.has_names:
            check_not_numbered(table, input_format.names, "the model")
        if table.shape[1] != len(input_format.names):
            raise ValueError(
                f"X has {table.shape[1]} features, but the model was fitted on "
                f"{len(input_format.names)} features: "
                f"{quote_names(input_format.names)}."
            )
        return list(range(table.shape[1]))
    missing = [name for name in input_format.names if name not in given]
    extra = [name for name in given if name not in input_format.names]
    if missing or extra:
        problem = (
            f"has no column {quote(missing[0])}, which the model was fitted on"
            if missing
            else f"has the column {quote(extra[0])}, which the model does not know"
        )
        raise ValueError(
            f"X {problem}. Pass the columns {quote_names(input_format.names)}."
        )
    return [given.index(name) for name in input_format.names]


def label_columns(input_format: InputFormat, table: Any) -> tuple[int, ...]:
    """Return the positions of the model's columns of strings, categories or bools."""
    return tuple(
        i
        for i, position in enumerate(model_column_positions(input_format, table))
        if not _is_number(column(table, position))
    )


def _is_number(values: pd.Series) -> bool:
    """Return whether a column holds numbers rather than labels."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return False
    if pd.api.types.is_bool_dtype(values.dtype):
        return False
    if pd.api.types.is_numeric_dtype(values.dtype):
        return True
    known = values.dropna()
    return len(known) > 0 and all(
        isinstance(v, Real) and not isinstance(v, (bool, np.bool_)) for v in known
    )


def immutable_features(
    input_format: InputFormat, labels: tuple[int, ...] = ()
) -> ActionSet:
    """Return the columns of a model as features that nobody can change."""
    return ActionSet(
        {
            name: Feature("categorical" if i in labels else "real", actionable=False)
            for i, name in enumerate(input_format.names)
        }
    )


@dataclass(frozen=True)
class ArrayTable:
    """A table as numpy arrays, which skops and other file formats can store.

    Attributes
    ----------
    names : tuple of str, or None
    columns : tuple of arrays
        In the order of the model.
    dtypes : tuple of str
        The nullable pandas dtype of each column; "" for a numpy dtype.
    """

    names: tuple[str, ...] | None
    columns: tuple[NDArray[Any], ...]
    dtypes: tuple[str, ...]

    @classmethod
    def of(cls, input_format: InputFormat, table: Any) -> ArrayTable:
        """Return a table with the columns of the model as arrays."""
        columns, dtypes = [], []
        given = column_names(table) if input_format.has_names else None
        positions = (
            model_column_positions(input_format, table)
            if given is None
            else [given.index(name) for name in input_format.names]
        )
        for position in positions:
            values = column(table, position)
            plain = isinstance(values.dtype, np.dtype) and values.dtype.kind in "buif"
            columns.append(
                values.to_numpy() if plain else values.to_numpy(dtype=object)
            )
            nullable = not plain and hasattr(values.dtype, "numpy_dtype")
            dtypes.append(str(values.dtype) if nullable else "")
        names = input_format.names if input_format.has_names else None
        return cls(names, tuple(columns), tuple(dtypes))

    def frame(self) -> pd.DataFrame:
        """Return the table as a frame."""
        names = range(len(self.columns)) if self.names is None else self.names
        return pd.DataFrame(
            {
                name: pd.array(values, dtype=dtype) if dtype else values
                for name, values, dtype in zip(
                    names, self.columns, self.dtypes, strict=True
                )
            }
        )


class NumericRows:
    """Background rows and people as numbers.

    A label becomes its position among the sorted labels of the background; labels that
    only people have come after them.

    Parameters
    ----------
    input_format : InputFormat
    background, people : frame or array
        Tables with the columns of the model, in any order.
    labels : tuple of int
        Positions of the columns of labels.
    fractions : bool, default=False
        Whether integers may become fractions.

    Attributes
    ----------
    background, people : arrays of float
        Columns in the order of the model.
    names : dict
        The labels of each column of labels, in the order of their numbers.
    """

    def __init__(
        self,
        input_format: InputFormat,
        background: Any,
        people: Any,
        labels: tuple[int, ...],
        *,
        fractions: bool = False,
    ) -> None:
        background, people = as_table(background), as_table(people)
        n = len(background)
        table = _stacked(input_format, background, people)
        columns = [column(table, i) for i in range(table.shape[1])]
        codes = np.empty((len(table), len(columns)))
        self.names: dict[int, list[Any]] = {}
        self._examples: dict[int, IndexArray] = {}
        features: dict[str, Feature] = {}
        for i, (name, values) in enumerate(
            zip(input_format.names, columns, strict=True)
        ):
            if i in labels:
                codes[:, i], self._examples[i] = _label_codes(values, n)
                self.names[i] = list(values.iloc[self._examples[i]])
                features[name] = Feature("categorical", actionable=False)
            else:
                codes[:, i] = _numbers(name, values)
                features[name] = _feature_of(values, codes[:, i], fractions)
        self.background, self.people = codes[:n], codes[n:]
        self._point_builder = PointBuilder(input_format, ActionSet(features), table)
        self._features = features
        self._values = {i: columns[i] for i in labels}

    def rows(self, codes: FloatArray) -> Any:
        """Return numbers as rows in the form that the model takes."""
        point_builder = self._point_builder
        everything = np.ones(len(codes), dtype=bool)
        new: dict[int, Any] = {}
        for i, (name, feature) in enumerate(self._features.items()):
            if i in self._examples:
                examples = self._examples[i][codes[:, i].astype(np.intp)]
                if point_builder.is_number(name):
                    new[i] = self._values[i].to_numpy()[examples]
                else:
                    new[i] = point_builder.others[i].take(examples), everything
            elif point_builder.is_number(name):
                new[i] = codes[:, i]
            else:
                values = point_builder.new_values(name, feature, codes[:, i])
                if point_builder.input_format.container == "polars":
                    # A null of this column is NaN among the numbers.
                    values[np.isnan(codes[:, i])] = None
                new[i] = values, everything
        rows = np.zeros(len(codes), dtype=np.intp)
        return point_builder.take(rows, [(slice(None), new)])


@dataclass(frozen=True)
class NumericModel:
    """A model as a function of the numbers of its columns.

    Attributes
    ----------
    output : Output
        The number that is explained.
    numeric_rows : NumericRows
    """

    output: Output
    numeric_rows: NumericRows

    def __call__(self, codes: FloatArray) -> FloatArray:
        """Return the output for rows as numbers."""
        return self.output(self.numeric_rows.rows(codes))


def _stacked(input_format: InputFormat, background: Any, people: Any) -> Any:
    """Return both tables as one, columns in the order of the model."""
    tables = [t for t in (background, people) if len(t)] or [background]
    positions = [model_column_positions(input_format, table) for table in tables]
    if all(isinstance(table, np.ndarray) for table in tables):
        return np.concatenate(tables)
    if all(is_polars(table) for table in tables):
        import polars as pl

        return pl.concat(
            [t[:, where] for t, where in zip(tables, positions, strict=True)],
            how="vertical_relaxed",
        )
    named = any(is_frame(t) and column_names(t) is not None for t in tables)
    return pd.DataFrame(
        {
            name if named else i: pd.concat(
                [column(t, at[i]) for t, at in zip(tables, positions, strict=True)],
                ignore_index=True,
            )
            for i, name in enumerate(input_format.names)
        }
    )


def _label_codes(values: pd.Series, n: int) -> tuple[FloatArray, IndexArray]:
    """Return the number of each label, and for each number a row that has the label.

    The labels of the first `n` rows come before all others.
    """
    which, labels = pd.factorize(values, use_na_sentinel=False)
    seen = np.zeros(len(labels), dtype=bool)
    seen[which[:n]] = True
    order = sorted(
        range(len(labels)),
        key=lambda k: (not seen[k], pd.isna(labels[k]), str(labels[k])),
    )
    rank = np.empty(len(labels), dtype=np.intp)
    rank[order] = np.arange(len(labels))
    examples = np.empty(len(labels), dtype=np.intp)
    examples[rank[which[::-1]]] = np.arange(len(which))[::-1]
    return rank[which].astype(float), examples


def _numbers(name: str, values: pd.Series) -> FloatArray:
    numbers = real_numbers(values)
    wrong = np.isnan(numbers) & values.notna().to_numpy()
    if wrong.any():
        raise ValueError(
            f"Column {quote(name)} must hold numbers, as it did at fit, got "
            f"{quote(values[wrong].iloc[0])}. Correct the data, or fit on rows with "
            f"such labels."
        )
    return numbers


def _feature_of(values: pd.Series, numbers: FloatArray, fractions: bool) -> Feature:
    """Return a feature whose column can hold every number of both tables."""
    whole = pd.api.types.is_integer_dtype(values.dtype) and not np.isnan(numbers).any()
    if whole and not fractions and len(numbers):
        return Feature("integer", int(numbers.min()), int(numbers.max()))
    return Feature("real", 0, 1)
