"""Kernels that count their work, so that a search can be ended by the clock."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from skresp.reach import Deadline

Answer = TypeVar("Answer")

# Work allowed at first: a few milliseconds.
_FIRST = 2_000_000
_GROWTH = 4


def metered(deadline: Deadline, call: Callable[[Any], Answer]) -> Answer:
    """Call a kernel, with more and more work allowed, until it ends or the time does.

    A kernel keeps no state between calls, so it starts over each time. Without a
    limit there is one call that may do all it needs.
    """
    allowed = _FIRST if deadline.is_limited else np.iinfo(np.int64).max
    while True:
        meter = np.array([0, allowed], dtype=np.int64)
        began = monotonic()
        answer = call(meter)
        if meter[0] <= allowed or deadline.is_over:
            return answer
        speed = allowed / max(monotonic() - began, 1e-6)
        more = min(_GROWTH * allowed, int(speed * deadline.left))
        if more <= allowed:
            return answer  # what is left would not get any further
        allowed = more
