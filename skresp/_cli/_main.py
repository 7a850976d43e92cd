"""The `skresp` command: arguments in, exit code out.

All else is imported inside of `main`, so that Ctrl-C is quiet while it is.
"""

from __future__ import annotations

import signal
import sys

TYPE_CHECKING = False  # the name that type checkers know, without importing typing
if TYPE_CHECKING:
    from collections.abc import Sequence

STOPPED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        from ._run import run

        code = run(argv)
    except KeyboardInterrupt:
        code = STOPPED
        # A stop inside code in a string, such as that of a dataclass, makes Python end
        # by the signal instead of the exit code, until another such code has run.
        exec("")
    if argv is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # The process ends now; another Ctrl-C ends it at once.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if code == STOPPED:
        sys.stderr.write("\nskresp: stopped.\n")
    return code
