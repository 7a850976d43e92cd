"""The scores of a linear model, row by row.

A matrix product rounds a row differently among other rows. Sums of our own do not, so
that what is computed of one row never depends on the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._ensemble import Floats

# Numbers multiplied at once.
_MOST_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Weights:
    """Coefficients, of shape (n_scores, n_columns), and intercepts."""

    coef: Floats
    intercept: Floats

    @classmethod
    def of(cls, model: Any) -> Weights | None:
        """Return the weights of a fitted linear model; None where it tells none."""
        coef, intercept = (getattr(model, n, None) for n in ("coef_", "intercept_"))
        if coef is None or intercept is None or hasattr(coef, "tocoo"):
            return None
        coef = np.atleast_2d(np.asarray(coef, dtype=float))
        intercept = np.broadcast_to(np.asarray(intercept, dtype=float), len(coef))
        return cls(np.ascontiguousarray(coef), intercept)

    def scores(self, Z: Any) -> Floats:
        """Return the scores of rows, an array or a sparse matrix, one column each."""
        if hasattr(Z, "tocsr"):  # sums row by row as it is
            return np.asarray(Z.tocsr() @ self.coef.T) + self.intercept
        rows = np.ascontiguousarray(Z, dtype=float)
        out = np.empty((len(rows), len(self.coef)))
        size = max(_MOST_NUMBERS // max(rows.shape[1], 1), 1)
        for start in range(0, len(rows), size):
            some = slice(start, start + size)
            for k, weights in enumerate(self.coef):
                out[some, k] = (rows[some] * weights).sum(axis=1)
        return out + self.intercept

    def sizes(self, Z: Any) -> Floats:
        """Return the sums of the sizes of all terms of the scores of rows."""
        own = Weights(np.abs(self.coef), np.abs(self.intercept))
        return own.scores(abs(Z))

    def changes(self, before: Any, after: Any) -> tuple[Floats, Floats]:
        """Return by how much scores change from rows to rows, and the sizes of that.

        Columns that do not change have no part in it, however large they are.
        """
        with np.errstate(invalid="ignore"):
            step = after - before
        if hasattr(step, "tocsr"):
            step = step.tocsr()
            step.data[np.isnan(step.data)] = 0.0
        else:
            same = (after == before) | (np.isnan(after) & np.isnan(before))
            step[same] = 0.0  # what is missing or infinite stays so
        none = np.zeros(len(self.coef))
        return (
            Weights(self.coef, none).scores(step),
            Weights(np.abs(self.coef), none).scores(abs(step)),
        )
