"""From sums of trees and terms to the gap between a point and the target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model._links import IDENTITY, SIGMOID, STEP
from skresp._numba import compiled_part
from skresp._typing import BoolArray, FloatArray


class Channels(NamedTuple):
    """Gaps as sums over channels of coefficient * link(sign * sum) + offset.

    A channel is the sum of trees and terms that goes through one link. Its sign is
    such that no gap falls where the sum rises. The target is reached where all gaps
    are positive.

    Attributes
    ----------
    kind : array of shape (n_channels,), int8
        See `Link`.
    slope, intercept, sign : array of shape (n_channels,)
    of_probability : array of shape (n_channels,), bool
        Which links turn their sum into a probability first.
    x, y : array of shape (n_points,)
        The points of all links that are piecewise linear.
    start : array of shape (n_channels + 1,), int64
        Where the points of each channel begin.
    coefficient : array of shape (n_gaps, n_channels)
    offset : array of shape (n_gaps,)
    error : array of shape (n_channels,)
        How far rounding may move a sum, relative to the sum of sizes.
    tolerance : float
        Gaps this close to 0 are in doubt.
    """

    kind: NDArray[np.int8]
    slope: FloatArray
    intercept: FloatArray
    sign: FloatArray
    of_probability: BoolArray
    x: FloatArray
    y: FloatArray
    start: NDArray[np.int64]
    coefficient: FloatArray
    offset: FloatArray
    error: FloatArray
    tolerance: float


class Slopes(NamedTuple):
    """Linear terms: variable `k` adds slope * (value - center) to a channel.

    Attributes
    ----------
    slope, center : array of shape (n_variables, n_channels)
    moves : array of shape (n_variables,), bool
        Which variables have a slope.
    """

    slope: FloatArray
    center: FloatArray
    moves: BoolArray


@compiled_part
def link(channels: Channels, c: int, total: float) -> float:
    """Return the link of a channel at the sum of that channel."""
    s = channels.sign[c] * total
    if channels.of_probability[c]:
        s = 1.0 / (1.0 + np.exp(-s))
    kind = channels.kind[c]
    if kind == IDENTITY:
        return s
    if kind == SIGMOID:
        return 1.0 / (1.0 + np.exp(-(channels.slope[c] * s + channels.intercept[c])))
    if kind == STEP:
        return 1.0 if s > channels.intercept[c] else 0.0
    first, last = channels.start[c], channels.start[c + 1] - 1
    if s <= channels.x[first]:
        return channels.y[first]
    if s >= channels.x[last]:
        return channels.y[last]
    while last - first > 1:
        middle = (first + last) // 2
        if channels.x[middle] <= s:
            first = middle
        else:
            last = middle
    share = (s - channels.x[first]) / (channels.x[last] - channels.x[first])
    # Never beyond the next point, whatever the rounding.
    low, high = channels.y[first], channels.y[last]
    value = low + share * (high - low)
    return min(max(value, min(low, high)), max(low, high))


@compiled_part
def least_gap(channels: Channels, sums: FloatArray, size: FloatArray) -> float:
    """Return the smallest gap at sums of channels, each widened by its rounding.

    With upper bounds of the sums, it is an upper bound of the smallest gap. `size` has
    the sum of sizes of each channel; 0 for no widening.
    """
    out = np.inf
    for r in range(len(channels.offset)):
        gap = channels.offset[r]
        for c in range(len(channels.kind)):
            weight = channels.coefficient[r, c]
            if weight != 0.0:
                gap += weight * link(channels, c, sums[c] + channels.error[c] * size[c])
        out = min(out, gap)
    return out


@compiled_part
def add_slopes(
    slopes: Slopes, lower: FloatArray, upper: FloatArray, sums: FloatArray
) -> None:
    """Add the largest values of linear terms over intervals to the sums of channels."""
    for k in range(len(slopes.moves)):
        if slopes.moves[k]:
            add_slope(slopes, k, lower[k], upper[k], 1.0, sums)


@compiled_part
def add_slope(
    slopes: Slopes, k: int, lower: float, upper: float, sign: float, sums: FloatArray
) -> None:
    """Add, or subtract, the largest value of one variable's terms over an interval."""
    for c in range(slopes.slope.shape[1]):
        slope = slopes.slope[k, c]
        if slope > 0:
            sums[c] += sign * slope * (upper - slopes.center[k, c])
        elif slope < 0:
            sums[c] += sign * slope * (lower - slopes.center[k, c])
