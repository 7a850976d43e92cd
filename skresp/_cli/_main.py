"""The `skresp` command: arguments in, exit code out.

All else is imported inside of `main`, so that Ctrl-C is quiet while it is.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # the name that type checkers know, without importing typing
if TYPE_CHECKING:
    from collections.abc import Sequence

STOPPED = 130


class CtrlC:
    """A handler of Ctrl-C that raises KeyboardInterrupt and remembers it.

    Some libraries turn that into an ImportError while they are imported.
    """

    def __init__(self) -> None:
        self.pressed = False

    def __call__(self, *_: object) -> None:
        self.pressed = True
        _be_quiet()
        raise KeyboardInterrupt


def _be_quiet() -> None:
    """Print no errors of threads that wait for workers, and none of finalizers."""
    import threading
    import warnings

    sys.unraisablehook = threading.excepthook = _print_nothing
    warnings.showwarning = _print_nothing  # type: ignore[assignment]


def _print_nothing(*_: object) -> None: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    _open_streams()
    default, ctrl_c = signal.default_int_handler, CtrlC()
    is_default = signal.getsignal(signal.SIGINT) is default
    try:
        if is_default and _is_main_thread():
            signal.signal(signal.SIGINT, ctrl_c)
        from ._run import run

        code = run(argv, ctrl_c)
    except BaseException as error:
        if not (ctrl_c.pressed or isinstance(error, KeyboardInterrupt)):
            raise
        code = STOPPED
        _be_quiet()
        # A stop inside code in a string, such as that of a dataclass, makes Python end
        # by the signal instead of the exit code, until another such code has run.
        exec("")
    if signal.getsignal(signal.SIGINT) is ctrl_c:
        # If the process ends now, another Ctrl-C ends it at once.
        signal.signal(signal.SIGINT, signal.SIG_DFL if argv is None else default)
    if code == STOPPED:
        sys.stderr.write("\nskresp: stopped.\n")
    return code


def _open_streams() -> None:
    """Replace streams that are closed, so that no file takes their place."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _is_main_thread() -> bool:
    threading = sys.modules.get("threading")
    return threading is None or threading.current_thread() is threading.main_thread()
