"""Read Gaussian naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._model.steps._transform import as_numbers, transform_rows
from skresp._typing import FloatArray, IndexArray

from ._reading import ReadGroup, Reading
from ._unreadable import UnreadableError


def read_naive_bayes(model: Any, steps: tuple[Any, ...]) -> Reading:
    """Read a GaussianNB of two classes: the log odds add a parabola for each column."""
    if len(model.classes_) != 2:
        raise UnreadableError("GaussianNB is read for two classes only.")
    parabolas = Parabolas.of(model.theta_, model.var_)
    prior = np.log(model.class_prior_)
    spread = np.sum(np.log(2.0 * np.pi * model.var_), axis=1)
    base = (prior[1] - prior[0]) - (spread[1] - spread[0]) / 2
    coef = np.ones((1, len(parabolas.get_support())))

    def own_scores(rows: Any) -> FloatArray:
        likely = model.predict_joint_log_proba(transform_rows(steps, rows))
        return np.asarray(likely[:, [1]] - likely[:, [0]])

    group = ReadGroup((*steps, parabolas), coef=coef, base=np.array([base]))
    return Reading((group,), own_scores, "logit", "additive")


@dataclass(frozen=True, eq=False)
class Parabolas:
    """A step that makes a falling and a rising branch of a parabola of each column.

    The parabola is curve * (z - center)**2 + slope * (z - center) + value. One branch
    is constant after the turn, the other one before it; they add up to the parabola.

    Attributes
    ----------
    center, curve, slope, value, turn : array of shape (n_columns,)
    """

    center: FloatArray
    curve: FloatArray
    slope: FloatArray
    value: FloatArray
    turn: FloatArray

    @classmethod
    def of(cls, theta: FloatArray, var: FloatArray) -> Parabolas:
        """Return the difference of two log densities, given means and variances."""
        # Around the mean of the narrower density nothing large cancels.
        narrow = np.argmin(var, axis=0)
        center = theta[narrow, np.arange(theta.shape[1])]
        far = center - theta
        curve, slope, value = (
            (part[0] / var[0] - part[1] / var[1]) / 2
            for part in (np.ones_like(far), 2 * far, far**2)
        )
        with np.errstate(all="ignore"):
            turn = center - slope / (2 * curve)
        turn = np.where(np.isfinite(turn), turn, np.inf)
        return cls(center, curve, slope, value, turn)

    def transform(self, table: Any) -> FloatArray:
        """Return both branches of each column, of shape (n_rows, 2 * n_columns)."""
        if hasattr(table, "toarray"):
            table = table.toarray()
        z = as_numbers(table)
        if z is None:
            raise UnreadableError("GaussianNB gets columns that are not numbers.")
        z = np.where(np.isinf(z), np.nan, z)  # after a step that overflows
        out = np.empty((len(z), 2 * len(self.turn)))
        ends = self._at(self.turn)
        # The branch on the side of the means has the value at the turn.
        after = self.turn <= self.center
        out[:, ::2] = self._at(np.minimum(z, self.turn)) - np.where(after, ends, 0.0)
        out[:, 1::2] = self._at(np.maximum(z, self.turn)) - np.where(after, 0.0, ends)
        return out

    def get_support(self) -> IndexArray:
        """Return the column that each branch comes from."""
        return np.repeat(np.arange(len(self.turn)), 2)

    def _at(self, z: FloatArray) -> FloatArray:
        """Return the parabolas at numbers; 0 at an infinite turn."""
        far = np.where(np.isinf(z), 0.0, z - self.center)
        out = (self.curve * far + self.slope) * far + self.value
        return np.asarray(np.where(np.isinf(z), 0.0, out))
