"""Loops over arrays, compiled where numba is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

try:
    import numba

    COMPILED = True

    def compiled(function: F) -> F:
        """Compiled by numba; kept for the next process where that can be written."""
        fast: Any
        try:
            fast = numba.njit(cache=True, nogil=True)(function)
        except RuntimeError:  # nowhere to write, as in a read-only install
            fast = numba.njit(nogil=True)(function)
        return fast

except ImportError:  # pragma: no cover - the suite has numba
    COMPILED = False

    def compiled(function: F) -> F:
        """As it is."""
        return function
