"""Run one command: errors are one line, warnings too."""

from __future__ import annotations

import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from skresp._text import one_line
from skresp._write import named_in_errors

from ._arguments import parser
from ._console import BAD_CALL, FINE, STDOUT, BadCallError
from ._main import CtrlC


def run(argv: Sequence[str] | None, ctrl_c: CtrlC) -> int:
    """Run a command and return its exit code."""
    args = Namespace(command=None, traceback=False)
    try:
        try:
            parser().parse_args(argv, args)
            code = _run_quietly(args)
        except SystemExit as stop:  # of the parser
            code = int(stop.code or FINE)
        with named_in_errors(STDOUT):
            sys.stdout.flush()  # here, where a closed pipe is no error
        return code
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        _discard_output()
        return FINE
    except Exception as error:
        if args.traceback or ctrl_c.pressed:
            raise
        _print_error(args.command, error)
        if isinstance(error, OSError) and error.filename == STDOUT:
            _discard_output()
        return BAD_CALL


def _discard_output() -> None:
    """Let Python not fail again when it writes the rest of the output at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run_quietly(args: Namespace) -> int:
    with warnings.catch_warnings():
        warnings.showwarning = _print_warning
        return _run(args)


def _run(args: Namespace) -> int:
    # Imported late, so that --help and errors in the arguments are fast.
    if args.command == "demo":
        from ._demo import demo as command
    elif args.command == "audit" and args.scored is not None:
        from ._audit_scored import audit_scored as command
    elif args.command == "audit":
        from ._audit import audit as command
    elif args.command == "score":
        from ._score import score as command
    elif args.command == "check":
        from ._check import check as command
    else:
        from ._actions import actions as command
    return command(args)


def _print_error(command: str | None, error: Exception) -> None:
    text = one_line(" ".join(str(error).split())) or type(error).__name__
    if isinstance(error, OSError):
        if error.strerror:  # otherwise the message is ours
            text = f"{one_line(error.filename or '')}: {error.strerror}".lstrip(": ")
    elif not isinstance(error, (BadCallError, ValueError, TypeError, ImportError)):
        text = f"{type(error).__name__}: {text} (see --traceback)"
    name = f"skresp {command}" if command else "skresp"
    sys.stderr.write(f"{name}: error: {text}\n")


def _print_warning(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    """Print a warning on one line; leave out warnings for developers."""
    if issubclass(category, UserWarning):
        sys.stderr.write(
            f"skresp: warning: {one_line(' '.join(str(message).split()))}\n"
        )
