"""Rows as plain numbers for a library that knows no labels, and numbers as rows again.

The model never sees the numbers: what it gets is its own container, with the columns,
dtypes and labels it was fitted on.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp.actions import (
    ActionSet,
    Feature,
    as_table,
    column,
    column_names,
    is_frame,
    is_polars,
    real_numbers,
)
from skresp.scores import Dress, Wardrobe

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


def places_in(dress: Dress, table: Any) -> list[int]:
    """Where each column of the model stands in a table."""
    given = column_names(table)
    if given is None or not dress.has_names:
        if table.shape[1] != len(dress.names):
            raise ValueError(
                f"X has {table.shape[1]} features, but the model takes "
                f"{len(dress.names)} features: {', '.join(dress.names)}."
            )
        return list(range(table.shape[1]))
    for these, those, what in (
        (dress.names, given, "has no column {}, which the model was fitted on"),
        (given, dress.names, "has the column {}, which the model does not know"),
    ):
        odd = [name for name in these if name not in those]
        if odd:
            raise ValueError(
                f"X {what.format(repr(odd[0]))}; the model takes "
                f"{', '.join(dress.names)}."
            )
    return [given.index(name) for name in dress.names]


def label_columns(dress: Dress, table: Any) -> tuple[int, ...]:
    """The columns of the model that hold labels: texts, categories, truth values."""
    return tuple(
        i
        for i, place in enumerate(places_in(dress, table))
        if not _is_number(column(table, place))
    )


def _is_number(values: pd.Series) -> bool:
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


def plain_columns(dress: Dress, labels: tuple[int, ...] = ()) -> ActionSet:
    """The columns of a model as features that nobody moves, to dress rows by."""
    return ActionSet(
        {
            name: Feature("categorical" if i in labels else "real", actionable=False)
            for i, name in enumerate(dress.names)
        }
    )


@dataclass(frozen=True)
class Plain:
    """A table as plain arrays, which every format of files can store.

    Columns stand in the model's order.
    """

    names: tuple[str, ...] | None
    columns: tuple[NDArray[Any], ...]
    dtypes: tuple[str, ...]

    @classmethod
    def of(cls, dress: Dress, table: Any) -> Plain:
        """A table that has the columns of the model."""
        columns, dtypes = [], []
        given = column_names(table) if dress.has_names else None
        places = (
            places_in(dress, table)
            if given is None
            else [given.index(name) for name in dress.names]
        )
        for place in places:
            values = column(table, place)
            plain = isinstance(values.dtype, np.dtype) and values.dtype.kind in "buif"
            columns.append(
                values.to_numpy() if plain else values.to_numpy(dtype=object)
            )
            nullable = not plain and hasattr(values.dtype, "numpy_dtype")
            dtypes.append(str(values.dtype) if nullable else "")
        names = dress.names if dress.has_names else None
        return cls(names, tuple(columns), tuple(dtypes))

    def frame(self) -> pd.DataFrame:
        """The table as a frame."""
        names = range(len(self.columns)) if self.names is None else self.names
        return pd.DataFrame(
            {
                name: pd.array(values, dtype=dtype) if dtype else values
                for name, values, dtype in zip(
                    names, self.columns, self.dtypes, strict=True
                )
            }
        )


class Coded:
    """Two tables, what is compared with and the people, as numbers.

    A number stands for itself. A label stands for its place among the sorted labels
    of the first table; those that only the second has come after them.

    Parameters
    ----------
    dress : Dress
    first, people : tables with the columns of the model, in any order
    labels : positions of the columns that hold labels
    fractions : whether whole numbers may become fractions

    Attributes
    ----------
    first, people : arrays of numbers, columns in the model's order
    names : for each column of labels its labels in the order of their numbers
    """

    def __init__(
        self,
        dress: Dress,
        first: Any,
        people: Any,
        labels: tuple[int, ...],
        *,
        fractions: bool = False,
    ) -> None:
        first, people = as_table(first), as_table(people)
        table = _stacked(dress, first, people)
        columns = [column(table, i) for i in range(table.shape[1])]
        codes = np.empty((len(table), len(columns)))
        self.names: dict[int, list[Any]] = {}
        self._examples: dict[int, Places] = {}
        features: dict[str, Feature] = {}
        for i, (name, values) in enumerate(zip(dress.names, columns, strict=True)):
            if i in labels:
                codes[:, i], self._examples[i] = _label_codes(values, len(first))
                self.names[i] = list(values.iloc[self._examples[i]])
                features[name] = Feature("categorical", actionable=False)
            else:
                codes[:, i] = _numbers(name, values)
                features[name] = _room(values, codes[:, i], fractions)
        self.first, self.people = codes[: len(first)], codes[len(first) :]
        self._wardrobe = Wardrobe(dress, ActionSet(features), table)
        self._features = features
        self._values = {i: columns[i] for i in labels}

    def rows(self, codes: Numbers) -> Any:
        """Numbers as rows, dressed for the model."""
        wardrobe = self._wardrobe
        everything = np.ones(len(codes), dtype=bool)
        new: dict[int, Any] = {}
        for i, (name, feature) in enumerate(self._features.items()):
            if i in self._examples:
                examples = self._examples[i][codes[:, i].astype(np.intp)]
                if wardrobe.is_number(name):
                    new[i] = self._values[i].to_numpy()[examples]
                else:
                    new[i] = wardrobe.others[i].take(examples), everything
            elif wardrobe.is_number(name):
                new[i] = codes[:, i]
            else:
                values = wardrobe.new_values(name, feature, codes[:, i])
                if wardrobe.dress.container == "polars":
                    # Such a column has nulls, and a number for null is NaN.
                    values[np.isnan(codes[:, i])] = None
                new[i] = values, everything
        rows = np.zeros(len(codes), dtype=np.intp)
        return wardrobe.take(rows, [(slice(None), new)])


def _stacked(dress: Dress, first: Any, people: Any) -> Any:
    """Both tables one under the other, columns in the model's order."""
    tables = [t for t in (first, people) if len(t)] or [first]
    places = [places_in(dress, table) for table in tables]
    if all(isinstance(table, np.ndarray) for table in tables):
        return np.concatenate(tables)
    if all(is_polars(table) for table in tables):
        import polars as pl

        return pl.concat(
            [t[:, where] for t, where in zip(tables, places, strict=True)],
            how="vertical_relaxed",
        )
    named = any(is_frame(t) and column_names(t) is not None for t in tables)
    return pd.DataFrame(
        {
            name if named else i: pd.concat(
                [column(t, at[i]) for t, at in zip(tables, places, strict=True)],
                ignore_index=True,
            )
            for i, name in enumerate(dress.names)
        }
    )


def _label_codes(values: pd.Series, first: int) -> tuple[Numbers, Places]:
    """Each label's number, and for each number a row that has the label."""
    which, labels = pd.factorize(values, use_na_sentinel=False)
    seen = np.zeros(len(labels), dtype=bool)
    seen[which[:first]] = True
    order = sorted(
        range(len(labels)),
        key=lambda k: (not seen[k], pd.isna(labels[k]), str(labels[k])),
    )
    rank = np.empty(len(labels), dtype=np.intp)
    rank[order] = np.arange(len(labels))
    examples = np.empty(len(labels), dtype=np.intp)
    examples[rank[which[::-1]]] = np.arange(len(which))[::-1]
    return rank[which].astype(float), examples


def _numbers(name: str, values: pd.Series) -> Numbers:
    numbers = real_numbers(values)
    wrong = np.isnan(numbers) & values.notna().to_numpy()
    if wrong.any():
        raise ValueError(
            f"Column {name!r} held numbers at fit, but now {values[wrong].iloc[0]!r} "
            f"stands in it. Correct the data, or fit on rows with such labels."
        )
    return numbers


def _room(values: pd.Series, numbers: Numbers, fractions: bool) -> Feature:
    """A feature for which a column has room for every number of both tables."""
    whole = pd.api.types.is_integer_dtype(values.dtype) and not np.isnan(numbers).any()
    if whole and not fractions and len(numbers):
        return Feature("integer", int(numbers.min()), int(numbers.max()))
    return Feature("real", 0, 1)
