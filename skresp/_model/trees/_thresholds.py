"""Thresholds as the largest float64 that goes left."""

from __future__ import annotations

import numpy as np

from skresp._typing import FloatArray

from ._arrays import Arithmetic


def last_to_the_left(threshold: FloatArray, arithmetic: Arithmetic) -> FloatArray:
    """Return the largest float64 that each node sends left.

    Then `x <= t` in float64 sends the same values left as the library does. One that
    compares in float32 rounds `x` to the nearest float32 first, in the middle to the
    even one.
    """
    if not arithmetic.compares_float32:
        exact = np.asarray(threshold, dtype=float)
        return np.nextafter(exact, -np.inf) if arithmetic.is_strict else exact
    near = np.asarray(threshold).astype(np.float32)
    down = np.float32(-np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        if arithmetic.is_strict:
            last = np.nextafter(near, down)
        else:
            last = np.where(near > threshold, np.nextafter(near, down), near)
        following = np.nextafter(last, np.float32(np.inf))
        middle = (last.astype(float) + following.astype(float)) / 2
        stays = middle.astype(np.float32) <= last
    return np.where(stays, middle, np.nextafter(middle, -np.inf))
