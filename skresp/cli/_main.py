"""Arguments in, exit code out."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from skresp import __version__

from ._says import BAD_CALL, FINE, STOPPED, BadCallError


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_CALL, f"{self.prog}: error: {message}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = _Parser(
        prog="skresp",
        description="Which single thing could a person change, and would it work?",
        epilog="Exit codes: 0 fine, 1 rows that break a rule (check), 2 a bad call.",
    )
    top.add_argument("--version", action="version", version=f"skresp {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="command")

    demo = commands.add_parser(
        "demo", help="train a model on made-up applicants and audit it"
    )
    demo.add_argument("--out", default="skresp-demo", help="folder (%(default)s)")
    demo.add_argument("--rows", type=_whole, default=600, help="people (%(default)s)")

    audit = commands.add_parser("audit", help="audit a model from a file")
    audit.add_argument(
        "--model",
        required=True,
        help="a .skops file, XGBoost's .json or .ubj, LightGBM's .txt, or with "
        "--trust-pickle a .joblib or .pkl",
    )
    audit.add_argument("--data", required=True, help="a .csv or .parquet file")
    audit.add_argument("--actions", required=True, help="a .yaml or .json file")
    audit.add_argument(
        "--target", required=True, help="the wanted label, or '>=700', '<=3'"
    )
    audit.add_argument("--out", required=True, help="folder to write to")
    audit.add_argument(
        "--threshold", type=float, help="the least probability of the target"
    )
    audit.add_argument("--groups", help="column of the data: numbers by group")
    audit.add_argument(
        "--explainers",
        nargs="*",
        choices=("shap", "lime"),
        default=[],
        help="others to compare with",
    )
    audit.add_argument(
        "--compare-rows",
        type=_whole,
        default=200,
        help="at most so many of the denied for the comparison (%(default)s)",
    )
    audit.add_argument("--sections", nargs="+", help="sections of the report")
    audit.add_argument(
        "--interventions", choices=("minimal", "joint"), default="minimal"
    )
    audit.add_argument("--examples", type=_count, default=5, help="(%(default)s)")
    audit.add_argument("--sample", type=_whole, help="audit so many rows, drawn")
    audit.add_argument(
        "--max-points",
        type=_whole,
        default=100_000,
        help="points gone through for one person, by verdicts and by sampled scores "
        "(%(default)s)",
    )
    audit.add_argument("--time-limit", type=float, help="seconds for the verdicts")
    audit.add_argument("--n-jobs", type=int, help="threads")
    audit.add_argument(
        "--trust", nargs="+", default=[], metavar="TYPE", help="types in a .skops file"
    )
    audit.add_argument(
        "--trust-pickle",
        action="store_true",
        help="load a pickle, which runs the code that is in it",
    )

    check = commands.add_parser("check", help="which rows break what")
    check.add_argument("--data", required=True, help="a .csv or .parquet file")
    check.add_argument("--actions", required=True, help="a .yaml or .json file")

    actions = commands.add_parser(
        "actions", help="write an action set inferred from data, to be edited"
    )
    actions.add_argument("--data", required=True, help="a .csv or .parquet file")
    actions.add_argument(
        "--out", default="actions.yaml", help=".yaml or .json (%(default)s)"
    )
    actions.add_argument(
        "--immutable", nargs="+", default=[], help="columns nobody can change"
    )
    actions.add_argument(
        "--ignore", nargs="+", default=[], help="columns to leave out: the label, ids"
    )
    actions.add_argument("--force", action="store_true", help="replace the file")

    for command in (demo, audit, check, actions):
        command.add_argument("--json", action="store_true", help="result as JSON")
        command.add_argument(
            "--traceback", action="store_true", help="show where an error comes from"
        )
    for command in (demo, audit):
        command.add_argument("--seed", type=int, default=0, help="(%(default)s)")
    return top


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must not be negative, got {text}")
    return value


def _whole(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        given = parser().parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or FINE)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _one_line
            return _run(given)
    except KeyboardInterrupt:
        sys.stderr.write("\nskresp: stopped.\n")
        return STOPPED
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except Exception as error:
        if given.traceback:
            raise
        _complain(given.command, error)
        return BAD_CALL


def _run(given: argparse.Namespace) -> int:
    if given.command == "demo":
        from ._demo import demo as command
    elif given.command == "audit":
        from ._audit import audit as command
    elif given.command == "check":
        from ._check import check as command
    else:
        from ._actions import actions as command
    return command(given)


def _complain(command: str, error: Exception) -> None:
    text = " ".join(str(error).split()) or type(error).__name__
    if not isinstance(error, (BadCallError, ValueError, TypeError, ImportError)):
        if isinstance(error, OSError) and error.strerror:
            text = f"{error.filename or ''}: {error.strerror}".lstrip(": ")
        else:
            text = f"{type(error).__name__}: {text} (see --traceback)"
    sys.stderr.write(f"skresp {command}: error: {text}\n")


def _one_line(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    """A warning without the place in the code; those for developers are left out."""
    if issubclass(category, UserWarning):
        sys.stderr.write(f"skresp: warning: {' '.join(str(message).split())}\n")
