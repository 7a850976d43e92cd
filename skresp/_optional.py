"""Imports of optional dependencies, and versions of what is installed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


def import_optional(module: str, *, used_by: str, install: str) -> Any:
    """Import and return a module of an optional dependency.

    Parameters
    ----------
    module : str
        The full name of the module, such as "matplotlib.pyplot".
    used_by : str
        What needs it, the first words of the error message.
    install : str
        What to pass to pip, such as "skresp[plots]".

    Raises
    ------
    ImportError
        If the module cannot be imported.

    Examples
    --------
    >>> from skresp._optional import import_optional
    >>> import_optional("no_such_library", used_by="This plot", install="skresp[plots]")
    Traceback (most recent call last):
    ...
    ImportError: This plot requires no_such_library, which cannot be imported (No \
module named 'no_such_library'). Install it with pip install 'skresp[plots]'.
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise ImportError(
            f"{used_by} requires {library}, which cannot be imported ({error}). "
            f"Install it with pip install '{install}'."
        ) from error


@cache
def installed_version(package: str) -> str | None:
    """Return the version of an installed package, without importing it; None if none.

    >>> from skresp._optional import installed_version
    >>> installed_version("no-such-library")
    """
    from importlib.metadata import PackageNotFoundError, version  # takes 20 ms

    try:
        return version(package)
    except PackageNotFoundError:
        return None
