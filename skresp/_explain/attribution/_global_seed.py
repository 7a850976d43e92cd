"""A temporary seed of numpy's global random state."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

_LOCK = threading.Lock()


@contextmanager
def global_seed(seed: int) -> Iterator[None]:
    """Set numpy's global random state to a seed, and restore it afterwards.

    Shap shuffles permutations with the global random state and seeds it itself. That
    cannot be avoided, only undone. One thread at a time may do this.
    """
    with _LOCK:
        before = np.random.get_state()  # noqa: NPY002
        try:
            np.random.seed(seed)  # noqa: NPY002
            yield
        finally:
            np.random.set_state(before)  # noqa: NPY002
