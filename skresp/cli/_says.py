"""What a command says: results on stdout, progress and errors on stderr."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

# Exit codes that scripts can use.
FINE, FINDINGS, BAD_CALL, STOPPED = 0, 1, 2, 130


class BadCallError(Exception):
    """Something about the call is wrong; the message is one line for the user."""


def say(text: str = "") -> None:
    """A line of the result."""
    sys.stdout.write(f"{text}\n")


def say_json(value: Any) -> None:
    """The result for machines."""
    say(json.dumps(value, indent=2, default=str))


def note(text: str) -> None:
    """A line beside the result, for a person who watches; silent in a pipe."""
    if watched():
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def watched() -> int:
    """1 where somebody watches the progress, for `verbose=`."""
    return int(sys.stderr.isatty())


def percent(part: int, whole: int) -> str:
    """A share of people, a dash where there are none."""
    return f"{part / whole:.0%}" if whole else "-"


def existing(path: str, what: str) -> Path:
    """A file that is there."""
    file = Path(path)
    if not file.exists():
        raise BadCallError(f"{what}: there is no file {path}.")
    if not file.is_file():
        raise BadCallError(f"{what}: {path} is not a file.")
    return file


def folder(path: str) -> Path:
    """A folder to write to, made where it is not there."""
    made = Path(path)
    try:
        made.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadCallError(
            f"--out: {path} cannot be made a folder ({error.strerror})."
        ) from None
    if not os.access(made, os.W_OK):
        raise BadCallError(f"--out: {path} is a folder that cannot be written to.")
    return made
