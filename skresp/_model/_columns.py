"""The columns of a model's input, and the codes of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray

#: The code of a label that the model does not accept.
UNKNOWN = -1.0
#: The largest number whose score is known: many models convert numbers to float32.
MAX_NUMBER = float(np.finfo(np.float32).max)
# The largest integer up to which float64 has every integer.
_MAX_INTEGER = 2**53


class Column(NamedTuple):
    """A column of the model's input.

    The code of a number is the number itself, the code of a label its position in
    `labels`, and the code of a missing value NaN. The code of an integer that float64
    does not have is infinity.

    Attributes
    ----------
    name : str
        The name of its feature.
    labels : tuple or None
        The labels that the model accepts; None for a column of numbers.
    lower, upper : float
        The range of numbers in which the scores are known, as far as they are at most
        `MAX_NUMBER` in size.
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
            inside &= np.abs(codes) <= MAX_NUMBER
        return np.isnan(codes) | inside


def known_ranges(columns: Sequence[Column]) -> FloatArray:
    """Return the least and the largest known code of columns, of shape (2, n)."""
    ends = [
        (each.lower, each.upper) if each.labels is None else (0.0, each.n_labels - 1.0)
        for each in columns
    ]
    return np.clip(np.reshape(ends, (len(ends), 2)).T, -MAX_NUMBER, MAX_NUMBER)


def rows_in_range(codes: FloatArray) -> BoolArray:
    """Return which rows of codes have no number larger than `MAX_NUMBER`."""
    if _all_within(codes, MAX_NUMBER):
        return np.ones(len(codes), dtype=bool)
    return np.asarray(~(np.abs(codes) > MAX_NUMBER).any(axis=1))


def number_codes(numbers: NDArray[Any]) -> FloatArray:
    """Return the codes of numbers."""
    codes = numbers.astype(float, order="C", copy=False)
    return integer_codes(codes) if numbers.dtype.kind in "iu" else codes


def integer_codes(codes: FloatArray) -> FloatArray:
    """Return the codes of integers that were converted to float64."""
    if _all_within(codes, np.nextafter(_MAX_INTEGER, 0)):
        return codes
    return np.where(np.abs(codes) >= _MAX_INTEGER, np.inf, codes)


def _all_within(codes: FloatArray, limit: float) -> bool:
    """Return whether all codes are known numbers no larger than a limit."""
    return bool(codes.max(initial=0.0) <= limit and codes.min(initial=0.0) >= -limit)
