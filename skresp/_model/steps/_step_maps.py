"""The columns into which the steps before a model transform the columns of its input.

The fitted steps are called with synthetic rows. Each transformed column comes from one
column of the input, so all columns of the input are varied in the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from skresp._model._raw_rows import RawRows
from skresp._model._unreadable import UnreadableError
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allowance
from skresp.reach._deadline import LimitError

from ._column_origin import column_origins, unknown_steps
from ._step_inputs import StepInput, step_inputs
from ._transform import as_numbers, transform_rows

# Numbers that the steps make in one call, to bound memory.
_MAX_NUMBERS = 4_000_000


@dataclass(frozen=True)
class StepMaps:
    """What the steps before a model make of each column of its input.

    Attributes
    ----------
    steps : tuple of fitted transformers
    raw_rows : RawRows
    zero_is_missing : bool
        Whether the model takes a value that a sparse matrix does not store for
        missing, as XGBoost does.
    """

    steps: tuple[Any, ...]
    raw_rows: RawRows
    zero_is_missing: bool = False

    @cached_property
    def origins(self) -> IndexArray:
        """The column of the input that each transformed column comes from."""
        origins = column_origins(list(self.steps), len(self.raw_rows.columns))
        if origins is None:
            everything = np.arange(len(self.raw_rows.columns))
            raise UnreadableError(unknown_steps(self.steps, everything))
        return origins

    @property
    def is_sparse(self) -> bool:
        """Whether the steps make a sparse matrix."""
        row = self.raw_rows(self.raw_rows.middle()[None])
        return hasattr(transform_rows(self.steps, row), "tocoo")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {k: v for k, v in self.__dict__.items() if k != "origins"}

    def transform(self, codes: FloatArray) -> FloatArray:
        """Return the transformed columns of rows, of shape (n_rows, n_transformed)."""
        return self._in_pieces(codes, self._numbers)

    def step_inputs(self, codes: FloatArray) -> FloatArray:
        """Return the inputs of step functions and splines, one column each."""
        width = len(self.raw_rows.columns)

        def inputs(rows: Any) -> FloatArray:
            found = step_inputs(self.steps, rows, width)
            return np.column_stack([each.values for each in found])

        return self._in_pieces(codes, inputs)

    def number_inputs(self) -> dict[int, StepInput]:
        """Return the inputs of steps that come from columns of numbers.

        The key is the position among all inputs; the values are those of one row.
        """
        columns = self.raw_rows.columns
        row = self.raw_rows(self.raw_rows.middle()[None])
        found = enumerate(step_inputs(self.steps, row, len(columns)))
        return {i: each for i, each in found if columns[each.origin].labels is None}

    def _numbers(self, rows: Any) -> FloatArray:
        """Return the transformed columns of rows in the model's input format."""
        table = transform_rows(self.steps, rows)
        if hasattr(table, "tocoo"):
            entries = table.tocoo()
            out = np.full(table.shape, np.nan if self.zero_is_missing else 0.0)
            out[entries.row, entries.col] = entries.data
            return out
        numbers = as_numbers(table)
        if numbers is None:
            raise UnreadableError(
                "The final estimator gets columns that are not numbers; encode labels "
                "before it."
            )
        return numbers

    def transform_column(self, column: int, codes: FloatArray) -> FloatArray:
        """Return the transformed columns for codes of one column.

        The other columns have ordinary values.
        """
        rows = np.tile(self.raw_rows.middle(), (len(codes), 1))
        rows[:, column] = codes
        return self.transform(rows)

    def transform_columns(
        self, columns: Mapping[int, FloatArray]
    ) -> dict[int, tuple[FloatArray, BoolArray]]:
        """Return the transformed columns for codes of columns, and which are valid.

        Codes that the steps raise for are not valid.
        """
        try:
            return self._transform_together(columns)
        except (UnreadableError, LimitError, MemoryError):
            raise
        except Exception:  # of some step, which may raise anything
            return {c: self._transform_apart(c, codes) for c, codes in columns.items()}

    def _transform_together(
        self, columns: Mapping[int, FloatArray]
    ) -> dict[int, tuple[FloatArray, BoolArray]]:
        """Return the transformed columns, all columns varied in the same rows."""
        longest = max((len(codes) for codes in columns.values()), default=0)
        rows = np.tile(self.raw_rows.middle(), (longest, 1))
        for c, codes in columns.items():
            rows[: len(codes), c] = codes
        transformed = self.transform(rows)
        return {
            c: (transformed[: len(codes)], np.ones(len(codes), dtype=bool))
            for c, codes in columns.items()
        }

    def _transform_apart(
        self, column: int, codes: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return the transformed columns of one column, in halves while steps raise."""
        try:
            return self.transform_column(column, codes), np.ones(len(codes), dtype=bool)
        except (UnreadableError, LimitError, MemoryError):
            raise
        except Exception:
            if len(codes) == 1:
                return np.full((1, len(self.origins)), np.nan), np.zeros(1, dtype=bool)
        half = len(codes) // 2
        first = self._transform_apart(column, codes[:half])
        last = self._transform_apart(column, codes[half:])
        return np.concatenate([first[0], last[0]]), np.concatenate([first[1], last[1]])

    def with_columns(self, columns: Sequence[Any]) -> StepMaps:
        """Return the same maps for columns with other labels."""
        return replace(self, raw_rows=replace(self.raw_rows, columns=tuple(columns)))

    def _in_pieces(self, codes: FloatArray, transform: Any) -> FloatArray:
        """Return what the steps make of rows, in pieces of bounded size."""
        width = max(len(self.origins), codes.shape[1], 1)
        size = max(_MAX_NUMBERS // width, 1)
        out = []
        for start in range(0, max(len(codes), 1), size):
            allowance().deadline.check()
            # Far numbers overflow in some steps, as expected.
            with np.errstate(all="ignore"):
                out.append(transform(self.raw_rows(codes[start : start + size])))
        return out[0] if len(out) == 1 else np.concatenate(out)
