"""Run a compiled search under a time limit.

A kernel cannot read the clock: it counts its work, and is called again with a larger
limit. Searches over boxes are paused and resumed instead (`boxes/_solve.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from skresp.reach._deadline import Deadline, OutOfTimeError

# Units of work that a kernel may do at first: a few milliseconds.
_FIRST_WORK = 2_000_000
_GROWTH = 4

Answer = TypeVar("Answer")


def run_until(
    deadline: Deadline, unfinished: Answer, kernel: Callable[..., Answer], *given: Any
) -> Answer:
    """Call a kernel with a growing work limit until it finishes or time runs out.

    The kernel gets `given` and an array `meter`: it adds its work to `meter[0]` and
    stops above `meter[1]`. It keeps no state between calls, so it starts over each
    time. Without a deadline there is one call without a limit. The answer is
    `unfinished` if there is no time to compile the kernel.
    """
    allowed = _FIRST_WORK if deadline.is_limited else np.iinfo(np.int64).max
    while True:
        meter = np.array([0, allowed], dtype=np.int64)
        began = monotonic()
        try:
            answer = deadline.call(kernel, *given, meter)
        except OutOfTimeError:
            return unfinished
        if meter[0] <= allowed or deadline.is_over:
            return answer
        speed = allowed / max(monotonic() - began, 1e-6)
        more = min(_GROWTH * allowed, int(speed * deadline.left))
        if more <= allowed:
            return answer  # the time left would not get the kernel any further
        allowed = more
