"""Splits of trees by the labels of a column, as a step before the trees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skresp._dataframe import column, real_numbers
from skresp._model._unreadable import UnreadableError
from skresp._typing import FloatArray, IndexArray

#: The code of each label of a column.
LabelCodes = Mapping[Any, int] | Callable[[Any], int]

_SPLITS_NUMBERS = (
    "The trees split a column of numbers as if they were labels; give the column the "
    "dtype category before fit."
)


class _Split(NamedTuple):
    """A split of a column of labels; `left` are the codes that go left."""

    column: int
    left: frozenset[int]
    missing_left: bool


@dataclass(eq=False)
class CategorySplits:
    """A step that makes a column of 0 (left) and 1 (right) for each split by labels.

    The columns of the table come first. Of those with labels, the ones that are split
    by labels are 0 there, and the others are the codes of their labels. Splits are
    added by `add_split` while the trees are read, and not afterwards.

    Attributes
    ----------
    n_columns : int
    labels : dict of int to dict or callable, or sequence of them
        The code of each label, by column. A sequence is for the columns of dtype
        category, in their order, if the model does not say which columns these are.
    rejects_unknown : bool
        Whether the model raises for a label that it does not know. Otherwise it takes
        it for a missing value.
    """

    n_columns: int
    labels: Mapping[int, LabelCodes] | Sequence[LabelCodes]
    rejects_unknown: bool = False
    _splits: dict[_Split, int] = field(default_factory=dict)

    def add_split(self, column: int, left: Collection[int], missing: bool) -> int:
        """Add a split unless it is known, and return the position of its column."""
        if isinstance(self.labels, Mapping) and column not in self.labels:
            raise UnreadableError(_SPLITS_NUMBERS)
        split = _Split(column, frozenset(left), bool(missing))
        return self._splits.setdefault(split, self.n_columns + len(self._splits))

    def transform(self, table: Any) -> FloatArray:
        """Return the columns of a table, and one column for each split."""
        columns = [column(table, i) for i in range(self.n_columns)]
        labels = self._labels_of(columns)
        out = np.zeros((table.shape[0], self.n_columns + len(self._splits)))
        is_split = {split.column for split in self._splits}
        codes = {}
        for i, values in enumerate(columns):
            if i not in labels:
                out[:, i] = real_numbers(values)
                continue
            codes[i] = self._codes(labels[i], values)
            if i not in is_split:
                out[:, i] = codes[i]
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

    def _labels_of(self, columns: Sequence[pd.Series]) -> Mapping[int, LabelCodes]:
        """Return the code of each label, by column of a table."""
        if isinstance(self.labels, Mapping):
            return self.labels
        at = [
            i
            for i, values in enumerate(columns)
            if isinstance(values.dtype, pd.CategoricalDtype)
        ]
        if not {split.column for split in self._splits} <= set(at):
            raise UnreadableError(_SPLITS_NUMBERS)
        return dict(zip(at, self.labels, strict=True))

    def _codes(self, known: LabelCodes, values: pd.Series) -> FloatArray:
        """Return the codes of labels; NaN where one is missing or not known."""
        objects = values.astype(object)
        codes = objects.map(known, na_action="ignore").to_numpy(dtype=float)
        if self.rejects_unknown and (np.isnan(codes) & objects.notna()).any():
            raise ValueError("A label is not known to the model.")
        return np.asarray(codes)
