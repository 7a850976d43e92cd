"""The scores of a linear model from its coefficients, row by row.

A matrix product may round a row differently when other rows come with it. These sums
do not, so a row's score never depends on the other rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._typing import FloatArray

# Numbers multiplied at once.
_MOST_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Weights:
    """The coefficients of a linear model.

    Attributes
    ----------
    coef : array of shape (n_scores, n_columns)
    intercept : array of shape (n_scores,)
    """

    coef: FloatArray
    intercept: FloatArray

    @classmethod
    def of(cls, model: Any) -> Weights | None:
        """Return the weights of a fitted linear model; None if it has no dense ones."""
        coef, intercept = (getattr(model, n, None) for n in ("coef_", "intercept_"))
        if coef is None or intercept is None or hasattr(coef, "tocoo"):
            return None
        coef = np.atleast_2d(np.asarray(coef, dtype=float))
        intercept = np.broadcast_to(np.asarray(intercept, dtype=float), len(coef))
        return cls(np.ascontiguousarray(coef), intercept)

    def scores(self, Z: Any) -> FloatArray:
        """Return the scores of rows, of shape (n_rows, n_scores).

        `Z` is an array or a sparse matrix of shape (n_rows, n_columns).
        """
        if hasattr(Z, "tocsr"):  # a sparse product sums row by row
            return np.asarray(Z.tocsr() @ self.coef.T) + self.intercept
        rows = np.ascontiguousarray(Z, dtype=float)
        out = np.empty((len(rows), len(self.coef)))
        size = max(_MOST_NUMBERS // max(rows.shape[1], 1), 1)
        for start in range(0, len(rows), size):
            some = slice(start, start + size)
            for k, weights in enumerate(self.coef):
                out[some, k] = (rows[some] * weights).sum(axis=1)
        return out + self.intercept

    def sizes(self, Z: Any) -> FloatArray:
        """Return for each score the sum of the absolute values of its terms."""
        absolute = Weights(np.abs(self.coef), np.abs(self.intercept))
        return absolute.scores(abs(Z))

    def changes(self, before: Any, after: Any) -> tuple[FloatArray, FloatArray]:
        """Return by how much scores change, and the absolute sum of the terms of that.

        Columns that do not change are left out, however large they are.
        """
        with np.errstate(invalid="ignore"):
            step = after - before
        if hasattr(step, "tocsr"):
            step = step.tocsr()
            step.data[np.isnan(step.data)] = 0.0
        else:
            same = (after == before) | (np.isnan(after) & np.isnan(before))
            step[same] = 0.0  # a missing or infinite value stays as it is
        none = np.zeros(len(self.coef))
        return (
            Weights(self.coef, none).scores(step),
            Weights(np.abs(self.coef), none).scores(abs(step)),
        )
