"""Rows in the model's input format, built from codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skresp._actions._action_set import ActionSet
from skresp._typing import FloatArray

from ._columns import Column
from ._input_format import InputFormat, is_coarse
from ._point_builder import PointBuilder


@dataclass(frozen=True)
class RawRows:
    """Builds rows in a model's input format from codes.

    Attributes
    ----------
    input_format : InputFormat
    features : ActionSet
    columns : tuple of Column
    """

    input_format: InputFormat
    features: ActionSet
    columns: tuple[Column, ...]

    def __call__(self, codes: FloatArray) -> Any:
        """Return rows of shape (n_rows, n_columns) for the model."""
        table: Any = codes
        if any(c.labels for c in self.columns):
            table = self._table(codes)
            if self.input_format.has_names:
                table = table.set_axis(list(self.input_format.names), axis=1)
            else:
                table = table.to_numpy()
        return PointBuilder(self.input_format, self.features, table).all_rows()

    def received(self, codes: FloatArray) -> FloatArray:
        """Return the codes that a model receives: some of its columns are float32."""
        out = codes.copy()
        for i, column in enumerate(self.columns):
            if column.labels is None and self.is_coarse(i):
                out[:, i] = codes[:, i].astype(np.float32)
        return out

    def is_coarse(self, column: int) -> bool:
        """Return whether a column has a dtype coarser than float64."""
        return is_coarse(self.input_format.dtype_of(column))

    def middle(self) -> FloatArray:
        """Return one row of codes, with ordinary values."""
        out = np.zeros(len(self.columns))
        for i, (column, summary) in enumerate(
            zip(self.columns, self.input_format.summaries, strict=True)
        ):
            if column.labels is None:
                middle = (summary.low + summary.high) / 2
                out[i] = np.rint(middle) if summary.is_whole else middle
        return out

    def _table(self, codes: FloatArray) -> pd.DataFrame:
        """Return codes as a frame of numbers and labels."""
        values: dict[int, Any] = {}
        for i, column in enumerate(self.columns):
            values[i] = codes[:, i]
            if column.labels is not None:
                known = np.empty(len(column.labels) + 1, dtype=object)
                known[:-1] = column.labels  # the last one is None
                at = np.where(np.isnan(codes[:, i]), len(column.labels), codes[:, i])
                values[i] = known[at.astype(np.intp)]
        return pd.DataFrame(values)
