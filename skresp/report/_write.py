"""Files that appear under their name only when they are complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file to write, which is renamed to `path` at the end.

    It is a hidden file in the same folder, with the same ending. If writing fails, it
    is removed, and a file that existed before stays as it was.
    """
    final = Path(path)
    handle, name = tempfile.mkstemp(
        prefix=f".{final.stem}.", suffix=f".part{final.suffix}", dir=final.parent
    )
    os.close(handle)
    part = Path(name)
    try:
        yield part
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        os.replace(part, final)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file that appears only when it is complete."""
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
