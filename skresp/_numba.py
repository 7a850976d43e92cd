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
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

# What is being compiled now, by kernel and types of its arguments.
_compiling: dict[tuple[Any, Any], threading.Thread] = {}
_lock = threading.Lock()


def compiled(function: F) -> F:
    """Compile a function with numba, cached on disk where that is possible."""
    return _compiled(function)


def compiled_part(function: F) -> F:
    """Compile a function that only other compiled functions call.

    It compiles faster, since Python cannot call it.
    """
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def copied_part(function: F) -> F:
    """Compile a function into each of its callers.

    For small steps of a loop that take tuples of arrays: a call would copy the tuples,
    which takes a quarter of a microsecond.
    """
    return _compiled(function, inline="always")


def _compiled(function: F, **options: Any) -> F:
    fast: Any
    try:
        fast = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # nowhere to write, as in a read-only install
        fast = numba.njit(nogil=True, **options)(function)
    index: Any = getattr(getattr(fast, "_cache", None), "_cache_file", None)
    if hasattr(index, "_version"):
        # numba compares the file of a kernel only. A kernel also depends on the files
        # of the functions that it calls, and of the types of its arguments.
        index._version = f"{index._version}, {_source_stamp()}"
    kernel: F = fast
    return kernel


@cache
def _source_stamp() -> str:
    """Return a text that changes with every file in a folder that has kernels."""
    root = Path(__file__).parent
    kernels = (p for p in root.rglob("*.py") if b"_numba import" in p.read_bytes())
    files = {
        path for folder in {p.parent for p in kernels} for path in folder.iterdir()
    }
    found = [
        (str(path.relative_to(root)), path.stat().st_mtime_ns, path.stat().st_size)
        for path in sorted(files)
        if path.suffix == ".py"
    ]
    return sha256(repr(found).encode()).hexdigest()


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
