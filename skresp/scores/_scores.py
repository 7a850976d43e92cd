"""Arrays of scores: one for each row and feature, with its interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray, IndexArray

_ARRAYS = ("values", "lower", "upper", "exact", "n_reachable", "at_target", "valid")


@dataclass(frozen=True)
class Scores:
    """Scores of rows.

    Attributes
    ----------
    values, lower, upper : array of shape (n_rows, n_features)
        The scores and their intervals. One array where all scores are exact.
    exact : array of bool of shape (n_rows, n_features)
    n_reachable : array of shape (n_rows, n_features)
        The number of interventions: all where the score is exact, else those drawn.
    at_target : array of bool of shape (n_rows,)
        Rows that reach the target unchanged.
    valid : array of bool of shape (n_rows,)
        Rows that satisfy the constraints; the others score NaN.
    """

    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    exact: BoolArray
    n_reachable: NDArray[np.int32]
    at_target: BoolArray
    valid: BoolArray

    @classmethod
    def blank(cls, rows: int, features: int) -> Scores:
        """Return exact scores of 0, as for features that cannot move."""
        shape = rows, features
        values = np.zeros(shape)
        return cls(
            values,
            values,
            values,
            np.ones(shape, dtype=bool),
            np.zeros(shape, dtype=np.int32),
            np.zeros(rows, dtype=bool),
            np.ones(rows, dtype=bool),
        )

    def with_intervals(self) -> Scores:
        """Return the same with separate arrays for intervals."""
        return replace(self, lower=self.values.copy(), upper=self.values.copy())

    def mark_unknown(self, which: BoolArray) -> None:
        """Mark scores as unknown that were not computed in time."""
        self.values[which] = np.nan
        self.lower[which] = 0.0
        self.upper[which] = 1.0
        self.exact[which] = False
        self.n_reachable[which] = 0

    def mask_invalid(self, rows: BoolArray) -> None:
        """Set the scores of invalid rows to NaN."""
        for array in (self.values, self.lower, self.upper):
            array[rows] = np.nan
        self.n_reachable[rows] = 0
        self.at_target[rows] = False

    def arranged(self, rows: IndexArray, columns: list[int]) -> Scores:
        """Return the scores of rows and features at these positions."""
        as_is = columns == list(range(self.values.shape[1]))
        done: dict[int, NDArray[Any]] = {}  # names that share an array still do
        for name in _ARRAYS:
            array = getattr(self, name)
            if id(array) not in done:
                new = array if as_is or array.ndim == 1 else array[:, columns]
                same = len(rows) == len(array)
                done[id(array)] = new if same else new.take(rows, axis=0)
        arrays: dict[str, Any] = {n: done[id(getattr(self, n))] for n in _ARRAYS}
        return Scores(**arrays)

    def with_run(self, run: slice, part: Scores) -> Scores:
        """Return the scores with those of a run of rows, which are copied."""
        shared = part.lower is part.values
        out = self if shared or self.lower is not self.values else self.with_intervals()
        for name in _ARRAYS:
            if name not in ("lower", "upper") or out.lower is not out.values:
                getattr(out, name)[run] = getattr(part, name)
        return out

    @classmethod
    def stacked(cls, parts: list[Scores]) -> Scores:
        """Return the scores of several runs of rows as one."""
        shared = all(part.lower is part.values for part in parts)
        joined = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in _ARRAYS
            if not (shared and name in ("lower", "upper"))
        }
        shares = {"lower": joined["values"], "upper": joined["values"]}
        return cls(**{**shares, **joined})


def join_run(scores: Scores | None, run: slice, some: Scores, n_rows: int) -> Scores:
    """Return the scores of all rows with those of one more run.

    Runs are copied one by one: together they would take the memory twice.
    """
    if run == slice(0, n_rows):
        return some
    if scores is None:
        scores = Scores.blank(n_rows, some.values.shape[1])
    return scores.with_run(run, some)
