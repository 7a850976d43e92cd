"""The work limit of compiled searches."""

from __future__ import annotations

import numpy as np
import pytest

from skresp._recourse.engines import _run_until
from skresp._recourse.engines._run_until import run_until
from skresp.reach import _deadline
from skresp.reach._deadline import NEVER, Deadline


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests set; both modules read it."""
    now = [0.0]
    monkeypatch.setattr(_deadline, "monotonic", lambda: now[0])
    monkeypatch.setattr(_run_until, "monotonic", lambda: now[0])
    return now


class Kernel:
    """Does `work` units at 1e9 units per second, or stops at its limit."""

    def __init__(self, work, clock):
        self.work, self.clock = work, clock
        self.limits = []

    def __call__(self, meter):
        self.limits.append(int(meter[1]))
        done = min(self.work, int(meter[1]) + 1)
        meter[0] += done
        self.clock[0] += done / 1e9
        return self.work <= meter[1]


def test_without_a_deadline_a_kernel_runs_once_without_a_limit(clock):
    kernel = Kernel(10**12, clock)
    assert run_until(NEVER, False, kernel)
    assert kernel.limits == [np.iinfo(np.int64).max]


def test_limits_grow_until_the_kernel_finishes(clock):
    kernel = Kernel(10**8, clock)
    assert run_until(Deadline.after(60), False, kernel)
    assert len(kernel.limits) > 1
    assert (np.diff(kernel.limits) > 0).all()
    assert kernel.limits[-2] < kernel.work <= kernel.limits[-1]


@pytest.mark.parametrize("seconds", [0.001, 0.1, 1.0, 10.0])
def test_a_kernel_that_cannot_finish_ends_at_the_deadline(clock, seconds):
    kernel = Kernel(10**15, clock)
    assert not run_until(Deadline.after(seconds), False, kernel)
    first_call = kernel.limits[0] / 1e9
    assert clock[0] <= max(seconds, first_call) + 1e-6
