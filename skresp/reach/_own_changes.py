"""Own changes of one feature from its current value."""

from __future__ import annotations

import math

import numpy as np

from skresp._actions._feature import Feature, slack
from skresp._typing import FloatArray


def own_count(feature: Feature, value: float) -> float:
    """Return the number of own changes from a value, 0 included; inf for a range."""
    if feature.kind == "categorical":
        return len(own_changes(feature, value))
    if feature.kind == "real":
        low, high = feature.own_limits(value)
        if low < high:
            return math.inf
        return 1 if low > high or low == 0 else 2
    first, last = own_steps(feature, value)
    return max(last - first + 1, 0) + (not first <= 0 <= last)


def own_changes(feature: Feature, value: float) -> FloatArray:
    """Return the own changes from a value, 0 first. Not for a range of reals."""
    if feature.kind == "categorical":
        if math.isnan(value) or not feature.can_change:
            return np.zeros(1)
        moves = np.arange(len(feature.categories or ())) - value
        moves = moves[feature.allows(value, moves) & (moves != 0)]
        return np.concatenate([[0.0], moves])
    if feature.kind == "real":
        low, high = feature.own_limits(value)
        if low < high:
            raise ValueError("A range of reals cannot be listed.")
        return np.array([0.0]) if low > high or low == 0 else np.array([0.0, low])
    first, last = own_steps(feature, value)
    moves = (feature.step or 1) * np.arange(first, last + 1.0)
    return np.concatenate([[0.0], moves[moves != 0]])


def draw_own(
    feature: Feature, value: float, n: int, rng: np.random.Generator, *, zero: bool
) -> FloatArray:
    """Draw own changes from a value uniformly; with `zero` 0 is among them.

    Return an empty array where there is no other change and `zero` is False.
    """
    count = own_count(feature, value)
    if math.isinf(count):
        return rng.uniform(*feature.own_limits(value), size=n)
    if count <= 1 and not zero:
        return np.zeros(0)
    if feature.kind != "integer":
        moves = own_changes(feature, value)
        return rng.choice(moves if zero else moves[1:], size=n)
    if count <= 1:
        return np.zeros(n)
    step = feature.step or 1
    first, last = own_steps(feature, value)
    within = first <= 0 <= last
    if zero and not within:  # 0 is outside the range: one more value
        positions = rng.integers(first - 1, last + 1, size=n)
        return step * np.where(positions < first, 0.0, positions)
    if zero:
        return step * rng.integers(first, last + 1, size=n).astype(float)
    positions = rng.integers(first, last + (0 if within else 1), size=n)
    moves = np.where(within & (positions >= 0), positions + 1, positions)
    return step * moves.astype(float)


def own_steps(feature: Feature, value: float) -> tuple[int, int]:
    """Return the smallest and largest own change of a binary or integer, in steps.

    The range is empty (first above last) where the value cannot change.
    """
    low, high = feature.own_limits(value)
    if low > high:
        return 1, 0
    step = feature.step or 1
    return math.ceil(low / step), math.floor(high / step)


def most_steps(feature: Feature) -> int:
    """Return the largest number of own changes in the range of an integer, 0 included.

    That is over all current values; a value has at most one more change, if 0 is
    outside its range.
    """
    low, high = feature.bounds
    up = high - low if feature.max_increase is None else feature.max_increase
    down = high - low if feature.max_decrease is None else feature.max_decrease
    if feature.direction is not None:
        up, down = (up, 0) if feature.direction == "increase" else (0, down)
    return int(min(high - low, up + down) // (feature.step or 1)) + 1


def own_ranges(feature: Feature, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and largest own change for each value, integers in steps.

    The vectorised form of `own_steps` and, for reals, of `Feature.own_limits`. The
    range is (1, 0) where a value cannot change.
    """
    if not feature.can_change:
        return np.ones_like(values), np.zeros_like(values)
    low, high = feature.bounds[0] - values, feature.bounds[1] - values
    if feature.direction == "increase":
        low = np.maximum(low, 0.0)
    elif feature.direction == "decrease":
        high = np.minimum(high, 0.0)
    if feature.max_increase is not None:
        high = np.minimum(high, feature.max_increase)
    if feature.max_decrease is not None:
        low = np.maximum(low, -feature.max_decrease)
    if feature.kind == "integer":
        step = feature.step or 1
        low, high = np.ceil(low / step), np.floor(high / step)
    else:  # the largest change may end at a bound up to rounding
        nearer = np.where(np.abs(high) <= np.abs(low), high, low)
        meet = (low > high) & (low * high > 0)
        meet &= low - high <= slack(values, values + nearer)
        low, high = np.where(meet, nearer, low), np.where(meet, nearer, high)
    nothing = ~(low <= high)  # a missing value compares false
    return np.where(nothing, 1.0, low), np.where(nothing, 0.0, high)
