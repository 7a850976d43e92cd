"""Links: from the sum of a group to its share of the score, and to predictions."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit

from skresp._typing import FloatArray

#: How the predictions of a model follow from its scores. "identity": they are equal.
#: "logit": the score is the log odds of the second class. "clipped": its probability is
#: (score + 1) / 2, cut off at 0 and 1. "margin": the class with the largest score, or
#: the sign of a single one. "probability": the scores are probabilities. "monotone":
#: see `Reading.to_prediction`.
PredictionLink = Literal[
    "identity", "logit", "clipped", "margin", "probability", "monotone"
]

IDENTITY, SIGMOID, PIECEWISE, STEP = range(4)

_NONE = np.zeros(0)


class Link(NamedTuple):
    """A monotone function of one number.

    Attributes
    ----------
    kind : {IDENTITY, SIGMOID, PIECEWISE, STEP}
    slope, intercept : float
        SIGMOID is 1 / (1 + exp(-(slope * s + intercept))). STEP is 1 where s is greater
        than the intercept, else 0.
    x, y : array of shape (n_points,)
        PIECEWISE goes straight from point to point, and is constant outside.
    of_probability : bool
        Whether the sum is turned into a probability first, 1 / (1 + exp(-s)).
    """

    kind: int = IDENTITY
    slope: float = 1.0
    intercept: float = 0.0
    x: FloatArray = _NONE
    y: FloatArray = _NONE
    of_probability: bool = False

    @property
    def is_identity(self) -> bool:
        """Whether the value is the sum itself."""
        return self.kind == IDENTITY and not self.of_probability

    @property
    def steepness(self) -> float:
        """The largest slope; infinite for STEP."""
        before = 0.25 if self.of_probability else 1.0
        if self.kind == IDENTITY:
            return before
        if self.kind == SIGMOID:
            return before * abs(self.slope) / 4
        if self.kind == PIECEWISE:
            slopes = np.abs(np.diff(self.y)) / np.diff(self.x)
            return before * float(slopes.max(initial=0.0))
        return np.inf

    def __call__(self, sums: FloatArray) -> FloatArray:
        """Return the values for sums of any shape."""
        if self.of_probability:
            sums = np.asarray(expit(sums))
        if self.kind == IDENTITY:
            return sums
        if self.kind == SIGMOID:
            return np.asarray(expit(self.slope * sums + self.intercept))
        if self.kind == PIECEWISE:
            return np.interp(sums, self.x, self.y)
        return np.where(sums > self.intercept, 1.0, 0.0)

    def bounds(
        self, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest values between two sums."""
        a, b = self(lower), self(upper)
        return np.minimum(a, b), np.maximum(a, b)
