"""Output of the commands: results on stdout, progress and errors on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skresp._text import printable
from skresp._write import named_in_errors

# Exit codes that scripts can rely on.
FINE, FINDINGS, BAD_CALL = 0, 1, 2
# What errors call it.
STDOUT = "standard output"


class BadCallError(Exception):
    """An error in the call; the message is one line for the user."""


def say(text: str = "") -> None:
    """Print a line of the result."""
    # Windows writes to files and pipes in an encoding that lacks most characters.
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    shown = printable(text).encode(encoding, "backslashreplace").decode(encoding)
    with named_in_errors(STDOUT):
        sys.stdout.write(f"{shown}\n")


def say_json(value: Any) -> None:
    """Print the result as JSON."""
    say(json.dumps(value, indent=2, default=str))


def note(text: str) -> None:
    """Print a line of progress to a terminal; nothing in a pipe."""
    if verbosity():
        sys.stderr.write(f"{printable(text)}\n")
        sys.stderr.flush()


def verbosity() -> int:
    """Return the `verbose=` of explainers: 1 in a terminal, 0 in a pipe."""
    return int(sys.stderr.isatty())


def existing_file(path: str, option: str) -> Path:
    """Return the path of a file that exists."""
    file = Path(path)
    if not file.exists():
        raise BadCallError(f"{option}: there is no file {path}.")
    if not file.is_file():
        raise BadCallError(f"{option}: {path} is not a file.")
    return file


def output_folder(
    path: str, names: Sequence[str] = (), inputs: Sequence[str] = ()
) -> Path:
    """Return a folder to write to, created if it does not exist.

    Raise if a file that will be written there is one of the inputs.
    """
    if not path:
        raise BadCallError("--out: name a folder to write to, got ''.")
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadCallError(
            f"--out: the folder {path} cannot be created ({error.strerror})."
        ) from None
    if not os.access(folder, os.W_OK):
        raise BadCallError(f"--out: the folder {path} is not writable.")
    for name in names:
        if (folder / name).resolve() in [Path(file).resolve() for file in inputs]:
            raise BadCallError(
                f"--out: {folder / name} is an input, and would be replaced by a "
                f"result. Choose another folder."
            )
    return folder
