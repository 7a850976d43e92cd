"""Thresholds as the largest float64 that goes left."""

from __future__ import annotations

import numpy as np

from skresp._typing import FloatArray

from ._arrays import DOUBLE, XGBOOST


def last_to_the_left(threshold: FloatArray, rule: int) -> FloatArray:
    """Return the largest float64 that each node sends left.

    Then `x <= t` in float64 is the rule of every library. Those that compare in float32
    round `x` to the nearest float32 first, in the middle to the even one.
    """
    if rule == DOUBLE:
        return np.asarray(threshold, dtype=float)
    near = np.asarray(threshold).astype(np.float32)
    down = np.float32(-np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        if rule == XGBOOST:
            last = np.nextafter(near, down)
        else:
            last = np.where(near > threshold, np.nextafter(near, down), near)
        following = np.nextafter(last, np.float32(np.inf))
        middle = (last.astype(float) + following.astype(float)) / 2
        stays = middle.astype(np.float32) <= last
    return np.where(stays, middle, np.nextafter(middle, -np.inf))
