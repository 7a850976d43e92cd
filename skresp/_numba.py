"""Compilation of loops over arrays.

Importing numba takes a third of a second, so modules with kernels are imported inside
the functions that run them. A kernel is compiled at its first call; with the
environment variable NUMBA_DISABLE_JIT=1 it runs as Python, for a debugger.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function with numba, cached on disk where that is possible."""
    fast: Any
    try:
        fast = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # nowhere to write, as in a read-only install
        fast = numba.njit(nogil=True)(function)
    return fast


def compiled_part(function: F) -> F:
    """Compile a function that only other compiled functions call.

    It compiles faster, since Python cannot call it.
    """
    fast: Any
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    try:
        fast = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:
        fast = numba.njit(nogil=True, **options)(function)
    return fast
