"""Own changes: what one feature can do from one value."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from skresp.actions import Feature


def own_count(feature: Feature, value: float) -> float:
    """How many own changes there are from a value, 0 included; inf for a range."""
    if feature.kind == "categorical":
        return len(own_changes(feature, value))
    low, high = feature.own_limits(value)
    if low > high:
        return 1
    if feature.kind == "real":
        if low < high:
            return math.inf
        return 1 if low == 0 else 2
    step = feature.step or 1
    first, last = math.ceil(low / step), math.floor(high / step)
    return max(last - first + 1, 0) + (not first <= 0 <= last)


def own_changes(feature: Feature, value: float) -> NDArray[np.float64]:
    """The own changes from a value, 0 first. Not for a range of reals."""
    if feature.kind == "categorical":
        if math.isnan(value) or not feature.can_change:
            return np.zeros(1)
        moves = np.arange(len(feature.categories or ())) - value
        moves = moves[feature.allows(value, moves) & (moves != 0)]
        return np.concatenate([[0.0], moves])
    low, high = feature.own_limits(value)
    if low > high:
        return np.zeros(1)
    if feature.kind == "real":
        if low < high:
            raise ValueError("A range of reals cannot be listed.")
        return np.array([0.0]) if low == 0 else np.array([0.0, low])
    step = feature.step or 1
    moves = step * np.arange(math.ceil(low / step), math.floor(high / step) + 1.0)
    return np.concatenate([[0.0], moves[moves != 0]])
