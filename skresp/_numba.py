"""Compilation of loops over arrays.

Importing numba takes a third of a second, so modules with kernels are imported inside
the functions that run them. A kernel is compiled at its first call; with the
environment variable NUMBA_DISABLE_JIT=1 it runs as Python, for a debugger.

Without a cache on disk, the largest kernels take half a minute to compile. A call with
a time limit does not wait for that: `is_compiled_in` compiles in a thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

# What is being compiled now, by kernel and types of its arguments.
_compiling: dict[tuple[Any, Any], threading.Thread] = {}
_lock = threading.Lock()


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


def is_compiled_in(seconds: float, kernel: Any, *given: Any) -> bool:
    """Return whether a kernel can be called without compilation after some seconds.

    If the kernel has to be compiled for these arguments, a thread does it. The thread
    goes on after `seconds`, so a later call finds the kernel compiled. It is no daemon:
    LLVM may crash if the interpreter ends while it works.
    """
    if not hasattr(kernel, "overloads"):  # not compiled at all, for a debugger
        return True
    types = tuple(kernel.typeof_pyval(each) for each in given)
    if types in kernel.overloads:
        return True
    key = kernel, types
    with _lock:
        thread = _compiling.get(key)
        if thread is None:
            thread = threading.Thread(target=_compile, args=key, name="skresp-compile")
            _compiling[key] = thread
            thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def _compile(kernel: Any, types: tuple[Any, ...]) -> None:
    """Compile a kernel for types of arguments."""
    try:
        kernel.compile(types)
    finally:
        with _lock:
            del _compiling[kernel, types]
