"""Libraries that draw from numpy's global stream, kept from leaving a trace there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """The global stream starts at a seed within, and goes on as before after.

    Shap's permutations are shuffled by the global stream, which it seeds itself: that
    cannot be avoided, only undone. Threads wait for each other.
    """
    with _ONE_AT_A_TIME:
        before = np.random.get_state()  # noqa: NPY002
        try:
            np.random.seed(seed)  # noqa: NPY002
            yield
        finally:
            np.random.set_state(before)  # noqa: NPY002
