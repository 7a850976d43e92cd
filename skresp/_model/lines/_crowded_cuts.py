"""Cuts of a column that are closer than rounding."""

from __future__ import annotations

import numpy as np

from skresp._model._decision import ROUNDINGS
from skresp._typing import BoolArray, FloatArray

# LightGBM puts 0 between two cuts of its own, 1e-35 on either side.
_ZERO = 1e-30


def crowded_cuts(
    cuts: FloatArray,
    first: FloatArray,
    last: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> BoolArray:
    """Return on which lines two cuts of a column are closer than rounding.

    A change from the current value is rounded, so perhaps no change leads to the few
    floats between such cuts. Two cuts that enclose nothing but 0 count as one.

    Parameters
    ----------
    cuts : array of shape (n_cuts,)
        The cuts of the column, in ascending order.
    first, last : array of shape (n_lines,)
        Its values at both ends of the lines.
    low, high : array of shape (n_lines,)
        The changes at both ends.
    """
    crowded = np.zeros(len(low), dtype=bool)
    cuts = np.unique(np.where(np.abs(cuts) < _ZERO, 0.0, cuts))
    moving = np.flatnonzero(np.abs(last - first) > 0)  # a missing value stays missing
    if not len(moving) or len(cuts) < 2:
        return crowded
    a, b = first[moving], last[moving]
    longest = np.maximum(np.abs(low), np.abs(high))[moving]
    size = longest * np.abs(b - a) / (high - low)[moving]
    size = np.maximum(size, np.maximum(np.abs(a), np.abs(b)))
    near = ROUNDINGS / 2 * float(np.finfo(float).eps) * size
    gaps = np.diff(cuts)
    for k in np.flatnonzero(gaps < near.max()):
        inside = (cuts[k + 1] > np.minimum(a, b)) & (cuts[k] < np.maximum(a, b))
        crowded[moving] |= inside & (gaps[k] < near)
    return crowded
