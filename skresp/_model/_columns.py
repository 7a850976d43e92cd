"""The columns of a model's input, and the codes of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from skresp._typing import BoolArray, FloatArray

#: The code of a label that the model does not accept.
UNKNOWN = -1.0


class Column(NamedTuple):
    """A column of the model's input.

    The code of a number is the number itself, the code of a label its position in
    `labels`, and the code of a missing value NaN.

    Attributes
    ----------
    name : str
        The name of its feature.
    labels : tuple or None
        The labels that the model accepts; None for a column of numbers.
    lower, upper : float
        The range of numbers in which the scores are known.
    """

    name: str
    labels: tuple[Any, ...] | None = None
    lower: float = -np.inf
    upper: float = np.inf

    @property
    def n_labels(self) -> int:
        """The number of labels; 0 for a column of numbers."""
        return 0 if self.labels is None else len(self.labels)

    def knows(self, codes: FloatArray) -> BoolArray:
        """Return for which codes the scores are known."""
        if self.labels is not None:
            inside = (codes >= 0) & (codes < len(self.labels))
        else:
            inside = (codes >= self.lower) & (codes <= self.upper)
        return np.isnan(codes) | inside


def known_ranges(columns: Sequence[Column]) -> FloatArray:
    """Return the least and the largest known code of columns, of shape (2, n)."""
    ends = [
        (each.lower, each.upper) if each.labels is None else (0.0, each.n_labels - 1.0)
        for each in columns
    ]
    return np.reshape(ends, (len(ends), 2)).T
