"""A private switch for kernels: whether answers may be computed without the model.

Results do not depend on it. Tests compare them with kernels and without.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

#: "auto": a model is read once it was asked about enough points; "always": at the first
#: use; "never": `predict` answers for every point.
KernelUse = Literal["auto", "always", "never"]

_use: ContextVar[KernelUse] = ContextVar("skresp_kernel_use", default="auto")


def kernel_use() -> KernelUse:
    """Return when kernels are used by the calls of this thread."""
    return _use.get()


@contextmanager
def kernels(use: KernelUse) -> Iterator[None]:
    """Set when kernels are used. The threads of a call follow the one that began it."""
    token = _use.set(use)
    try:
        yield
    finally:
        _use.reset(token)
