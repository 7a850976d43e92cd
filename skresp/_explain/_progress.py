"""Progress bars for long calls."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Seconds between two updates: a log keeps every one of them.
_ON_A_TERMINAL, _IN_A_LOG = 0.1, 10.0


@contextmanager
def progress_bar(
    total: int, phase: str, verbose: int, done: int = 0
) -> Iterator[Callable[[int], Any] | None]:
    """Show rows done, rate and time left of one phase on stderr.

    Parameters
    ----------
    total : int
        The number of rows.
    phase : str
        What is shown before the bar.
    verbose : int
        0 shows nothing.
    done : int, default=0
        The number of rows that were done before, which do not count for the rate.

    Yields
    ------
    callable or None
        Takes the number of rows that were done since the last call; None if nothing is
        shown.
    """
    if not verbose:  # a disabled bar of tqdm would still start a thread
        yield None
        return
    from tqdm.auto import tqdm

    interval = _ON_A_TERMINAL if sys.stderr.isatty() else _IN_A_LOG
    with tqdm(
        total=total, desc=phase, unit=" rows", mininterval=interval, initial=done
    ) as bar:
        yield bar.update
