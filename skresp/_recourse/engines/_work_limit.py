"""Time limits for compiled searches, which cannot read the clock."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from skresp.reach._deadline import Deadline

Answer = TypeVar("Answer")

# Units of work allowed at first: a few milliseconds.
_FIRST = 2_000_000
_GROWTH = 4


def run_until(deadline: Deadline, kernel: Callable[[Any], Answer]) -> Answer:
    """Call a kernel with a growing work limit until it finishes or time runs out.

    The kernel gets an array `meter`: it adds its work to `meter[0]` and stops above
    `meter[1]`. It keeps no state between calls, so it starts over each time. Without
    a deadline there is one call without a limit.
    """
    allowed = _FIRST if deadline.is_limited else np.iinfo(np.int64).max
    while True:
        meter = np.array([0, allowed], dtype=np.int64)
        began = monotonic()
        answer = kernel(meter)
        if meter[0] <= allowed or deadline.is_over:
            return answer
        speed = allowed / max(monotonic() - began, 1e-6)
        more = min(_GROWTH * allowed, int(speed * deadline.left))
        if more <= allowed:
            return answer  # the time left would not get the kernel any further
        allowed = more
