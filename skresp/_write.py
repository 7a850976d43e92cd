"""Files that appear under their name only when they are complete."""

from __future__ import annotations

import csv
import os
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from ._text import one_line


@contextmanager
def named_in_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add the name of a file to errors that do not name any, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        why = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(error.errno or 0, why, os.fspath(path)) from error


@contextmanager
def whole_file(
    path: str | os.PathLike[str], folder: Path | None = None
) -> Iterator[Path]:
    """Yield a temporary file to write, which is renamed to `path` at the end.

    It is a hidden file in the same folder, with the same ending. If writing fails, it
    is removed, and a file that existed before stays as it was. After a power failure
    the file has its whole content or is not there.

    Parameters
    ----------
    path : path
    folder : Path, optional
        Another folder on the same disk for the temporary file.
    """
    final = Path(path)
    start, end = f".{final.stem}.", f".part{final.suffix}"
    try:
        handle, name = tempfile.mkstemp(end, start, folder or final.parent)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{final} cannot be written, because there is no folder "
            f"{folder or final.parent}."
        ) from None
    except OSError as error:  # it names the temporary file
        raise OSError(error.errno, error.strerror, os.fspath(final)) from None
    os.close(handle)
    part = Path(name)
    try:
        with named_in_errors(final):
            yield part
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        sync(part)
        os.replace(part, final)
        sync(final.parent)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == os.fspath(part):
            raise OSError(error.errno, error.strerror, os.fspath(final)) from None
        raise


def is_unfinished(path: Path) -> bool:
    """Return whether a file is one that `whole_file` did not come to rename."""
    return path.name.startswith(".") and path.suffixes[-2:-1] == [".part"]


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open folders
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_csv(path: str | os.PathLike[str], table: Any) -> None:
    """Write a pandas frame to a CSV file that appears only when it is complete.

    A text that starts with =, +, - or @ gets an apostrophe before it, because
    spreadsheet programs would run it as a formula. That includes wide forms of these
    characters, and characters before them that cannot be seen. Control characters and
    line breaks are replaced. A text that has a semicolon is in quotes, because programs
    in some languages begin a new cell there. Numbers stay numbers.
    """
    cells = table.map(_without_formula).rename(columns=_without_formula)
    with whole_file(path) as part:
        cells.to_csv(part, index=False, quoting=_quoting(cells))


def _quoting(cells: Any) -> Literal[0, 2]:
    """Return how cells are quoted: where a comma needs it, or all texts."""
    texts = [*cells.columns, *cells.select_dtypes(exclude="number").to_numpy().ravel()]
    some = any(isinstance(text, str) and ";" in text for text in texts)
    return csv.QUOTE_NONNUMERIC if some else csv.QUOTE_MINIMAL


def _without_formula(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = one_line(value)
    # Spreadsheet programs leave out what cannot be seen, and read wide forms as plain.
    for char in unicodedata.normalize("NFKC", text):
        if char in "=+-@":
            return f"'{text}"
        if not (char.isspace() or char == "\ufffd" or _is_invisible(char)):
            return text
    return text


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cf", "Cc", "Mn", "Zs")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file that appears only when it is complete."""
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
