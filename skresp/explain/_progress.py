"""A progress bar for long work, on a terminal or in a log."""

from __future__ import annotations

import sys
import time


class Progress:
    """Counts rows done and says so on stderr, at most a few times a second.

    Silent unless `verbose`.
    """

    def __init__(self, total: int, what: str, verbose: int) -> None:
        self.total, self.what, self.verbose = total, what, verbose
        self.done = 0
        self.began = self.shown = time.monotonic()

    def __call__(self, steps: int) -> None:
        self.done += steps
        now = time.monotonic()
        finished = self.done >= self.total
        if not self.verbose or not (finished or now - self.shown > 0.2):
            return
        self.shown = now
        share = self.done / max(self.total, 1)
        bar = "#" * int(30 * share)
        end = "\n" if finished or not sys.stderr.isatty() else ""
        sys.stderr.write(
            f"\r{self.what} [{bar:<30}] {self.done}/{self.total} "
            f"{now - self.began:.1f} s{end}"
        )
        sys.stderr.flush()
