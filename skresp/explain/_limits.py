"""Checks of the limits that users give."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_max_points(max_points: Any) -> None:
    """Raise for a number of points that makes no sense."""
    whole = isinstance(max_points, (int, np.integer))
    if not whole or isinstance(max_points, bool) or max_points < 0:
        raise ValueError(
            f"max_points must be a whole number of at least 0, got {max_points!r}."
        )


def check_time_limit(time_limit: Any) -> None:
    """Raise for what is no number of seconds."""
    if time_limit is None:
        return
    number = isinstance(time_limit, (int, float, np.number))
    if not number or isinstance(time_limit, bool) or not time_limit >= 0:
        raise ValueError(
            f"time_limit must be a number of seconds or None, got {time_limit!r}."
        )
