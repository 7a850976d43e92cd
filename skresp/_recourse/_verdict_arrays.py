"""Verdicts of rows, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray

from ._status import Proof, Status


@dataclass(frozen=True, kw_only=True)
class VerdictArrays:
    """Verdicts of rows, one entry or line per row.

    Attributes
    ----------
    status, proof : arrays of shape (n_rows,)
        Values of `Status` and `Proof`.
    used : array of shape (n_rows,)
        Number of points or partial choices evaluated.
    has_witness : array of shape (n_rows,)
    change : array of shape (n_rows, n_features)
        The total change to the witness, 0 where there is none.
    best_known : array of shape (n_rows,)
    best : array of shape (n_rows, n_features)
        The total change to the point with the best score, where `best_known`.
    """

    status: NDArray[np.int8]
    proof: NDArray[np.int8]
    used: IntArray
    has_witness: BoolArray
    change: FloatArray
    best_known: BoolArray
    best: FloatArray

    @classmethod
    def unknown(cls, rows: int, features: int) -> VerdictArrays:
        """Return verdicts of rows that were not examined."""
        return cls(
            status=np.full(rows, Status.UNKNOWN, dtype=np.int8),
            proof=np.full(rows, Proof.OUT_OF_BUDGET, dtype=np.int8),
            used=np.zeros(rows, dtype=np.int64),
            has_witness=np.zeros(rows, dtype=bool),
            change=np.zeros((rows, features)),
            best_known=np.zeros(rows, dtype=bool),
            best=np.zeros((rows, features)),
        )

    def taken(self, rows: IndexArray) -> VerdictArrays:
        """Return the verdicts at these positions."""
        arrays = {name: _taken(values, rows) for name, values in vars(self).items()}
        return replace(self, **arrays)

    def put(self, rows: IndexArray, verdicts: VerdictArrays) -> None:
        """Set the verdicts at these positions."""
        for name, values in vars(verdicts).items():
            own = getattr(self, name)
            # Zeros that nobody has written take no memory and no time.
            if name in ("status", "proof") or values.any() or own[rows].any():
                own[rows] = values

    def put_run(self, run: slice, verdicts: VerdictArrays) -> None:
        """Set the verdicts of a run of rows that were `unknown`.

        Arrays without a value are left as they are, see `_taken`.
        """
        for name, values in vars(verdicts).items():
            if name in ("status", "proof") or values.any():
                getattr(self, name)[run] = values


def _taken(values: NDArray[Any], rows: IndexArray) -> NDArray[Any]:
    """Return the rows of an array at these positions.

    Where few of them have a value, the others are not written: zeros that nobody has
    written take no memory.
    """
    if values.ndim > 1:
        has_value: BoolArray = np.any(values, axis=1)
        some = np.flatnonzero(has_value[rows])
        if len(some) < len(rows) // 2:
            out = np.zeros((len(rows), *values.shape[1:]), values.dtype)
            out[some] = values[rows[some]]
            return out
    return values.take(rows, axis=0)
