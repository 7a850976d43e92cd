"""Splits of trees by the labels of a column, as a step before the trees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skresp._dataframe import column, real_numbers
from skresp._model._unreadable import UnreadableError
from skresp._typing import FloatArray, IndexArray


class _Split(NamedTuple):
    """A split of a column of labels; `left` are the codes that go left."""

    column: int
    left: frozenset[int]
    missing_left: bool


@dataclass(eq=False)
class CategorySplits:
    """A step that makes a column of 0 (left) and 1 (right) for each split by labels.

    The columns of the table come first; those of labels are 0 there. Splits are added
    by `add_split` while the trees are read, and not afterwards.

    Attributes
    ----------
    n_columns : int
    labels : dict of int to dict or callable
        The columns of labels, with the code of each label.
    rejects_unknown : bool
        Whether the model raises for a label that it does not know. Otherwise it takes
        it for a missing value.
    """

    n_columns: int
    labels: Mapping[int, Mapping[Any, int] | Callable[[Any], int]]
    rejects_unknown: bool = False
    _splits: dict[_Split, int] = field(default_factory=dict)

    def add_split(self, column: int, left: Collection[int], missing: bool) -> int:
        """Add a split unless it is known, and return the position of its column."""
        if column not in self.labels:
            raise UnreadableError(
                "The trees split a column of numbers as if they were labels; give the "
                "column the dtype category before fit."
            )
        split = _Split(column, frozenset(left), bool(missing))
        return self._splits.setdefault(split, self.n_columns + len(self._splits))

    def transform(self, table: Any) -> FloatArray:
        """Return the columns of a table, and one column for each split."""
        n_rows = table.shape[0]
        out = np.zeros((n_rows, self.n_columns + len(self._splits)))
        codes = {}
        for i in range(self.n_columns):
            values = column(table, i)
            if i in self.labels:
                codes[i] = self._codes(i, values)
            else:
                out[:, i] = real_numbers(values)
        for split, at in self._splits.items():
            code = codes[split.column]
            left = np.isin(code, list(split.left))
            left = np.where(np.isnan(code), split.missing_left, left)
            out[:, at] = np.where(left, 0.0, 1.0)
        return out

    def get_support(self) -> IndexArray:
        """Return the column of the table that each transformed column comes from."""
        split = [split.column for split in self._splits]
        return np.array([*range(self.n_columns), *split], dtype=np.intp)

    def _codes(self, i: int, values: pd.Series) -> FloatArray:
        """Return the codes of labels; NaN where one is missing or not known."""
        objects = values.astype(object)
        codes = objects.map(self.labels[i], na_action="ignore").to_numpy(dtype=float)
        if self.rejects_unknown and (np.isnan(codes) & objects.notna()).any():
            raise ValueError("A label is not known to the model.")
        return np.asarray(codes)
