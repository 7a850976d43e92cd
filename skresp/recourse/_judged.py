"""Verdicts of rows, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class Judged:
    """Verdicts of rows, in arrays of their number.

    `change` and `best` are total changes, a column for each feature: of the witness
    where there is one (`has_witness`), and to the point with the best score where that
    is known (`best_known`).
    """

    status: NDArray[np.int8]
    proof: NDArray[np.int8]
    used: NDArray[np.int64]
    has_witness: Truth
    change: Numbers
    best_known: Truth
    best: Numbers

    def taken(self, rows: Places) -> Judged:
        """The verdicts at these positions."""
        arrays = {name: value[rows] for name, value in vars(self).items()}
        return replace(self, **arrays)

    @classmethod
    def stacked(cls, runs: Sequence[Judged]) -> Judged:
        """Verdicts of several runs, one after the other."""
        names = cls.__dataclass_fields__
        return cls(*(np.concatenate([getattr(run, n) for run in runs]) for n in names))
