"""Scores of rows: one number for each feature, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import Part

from ._dress import Numbers
from ._lists import Places


@dataclass(frozen=True)
class Page:
    """The answers to the listed points of a run of rows, packed, for each part."""

    run: slice
    most: int | None  # how many changes of a feature that stands alone were listed
    answers: dict[Part, NDArray[np.uint8]]
    in_time: bool = True  # False where some of it was not computed


_ARRAYS = ("values", "lower", "upper", "exact", "n_reachable", "at_target", "valid")


@dataclass(frozen=True)
class Scores:
    """One number a row and feature of the action set, in arrays of that shape.

    `n_reachable` counts the interventions: all of them where the score is `exact`,
    the ones drawn where it is not. `at_target` marks the rows that need no change,
    `valid` those that obey the constraints as they stand; the others score NaN.
    """

    values: Numbers
    lower: Numbers
    upper: Numbers
    exact: NDArray[np.bool_]
    n_reachable: NDArray[np.int32]
    at_target: NDArray[np.bool_]
    valid: NDArray[np.bool_]
    # The model's answers to listed points, a page for each run of rows.
    book: list[Page] = field(default_factory=list)

    @classmethod
    def blank(cls, rows: int, features: int) -> Scores:
        """Scores of 0 for features that nobody can move."""
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

    def with_intervals(self, apart: bool) -> Scores:
        """The same with room for intervals; exact scores share one array for all."""
        if not apart:
            return self
        return replace(self, lower=self.values.copy(), upper=self.values.copy())

    def leave_open(self, which: NDArray[np.bool_]) -> None:
        """Make these scores unknown: they were not computed in time."""
        self.values[which] = np.nan
        self.lower[which] = 0.0
        self.upper[which] = 1.0
        self.exact[which] = False
        self.n_reachable[which] = 0

    def blot(self, rows: NDArray[np.bool_]) -> None:
        """Make these rows have no score."""
        for array in (self.values, self.lower, self.upper):
            array[rows] = np.nan
        self.n_reachable[rows] = 0
        self.at_target[rows] = False

    def arranged(self, rows: Places, columns: list[int]) -> Scores:
        """The scores of rows and features at these positions."""
        as_is = columns == list(range(self.values.shape[1]))
        done: dict[int, NDArray[Any]] = {}  # arrays that were one stay one
        for name in _ARRAYS:
            array = getattr(self, name)
            if id(array) not in done:
                new = array if len(rows) == len(array) else array[rows]
                keep = as_is or array.ndim == 1
                done[id(array)] = new if keep else new[:, columns]
        arrays: dict[str, Any] = {n: done[id(getattr(self, n))] for n in _ARRAYS}
        return Scores(**arrays, book=self.book)

    @classmethod
    def stacked(cls, parts: list[Scores]) -> Scores:
        """Scores of several runs of rows, one after the other."""
        shared = all(part.lower is part.values for part in parts)
        joined = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in _ARRAYS
            if not (shared and name in ("lower", "upper"))
        }
        book = [page for part in parts for page in part.book]
        shares = {"lower": joined["values"], "upper": joined["values"]}
        return cls(**{**shares, **joined}, book=book)
