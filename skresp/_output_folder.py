"""Folders that one run at a time writes to, and sets of files that appear together."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ._write import is_unfinished, sync

_UNFINISHED = ".unfinished-"


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Let no other process write to a folder; the lock ends with the process."""
    try:
        import fcntl
    except ImportError:  # Windows has no locks on folders
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"out: another run is writing to {folder}. Wait until it ends, or "
                f"choose another folder."
            ) from None
        yield
    finally:
        os.close(handle)


@contextmanager
def unfinished_folder(folder: Path) -> Iterator[Path]:
    """Remove what earlier runs did not complete; yield a hidden folder for this run.

    Files are written there. A worker that has outlived its killed run cannot write any
    longer, because the folder of that run is gone: no file is written twice.
    """
    for path in folder.iterdir():
        if path.name.startswith(_UNFINISHED):
            shutil.rmtree(path)
        elif is_unfinished(path):
            path.unlink(missing_ok=True)
    hidden = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=folder))
    try:
        yield hidden
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


@contextmanager
def whole_set(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Yield a hidden folder to write files to, which replace an older set at the end.

    A run that is killed leaves the older set as it was, or no file under the last
    name; Ctrl-C leaves the older set or the new one. Files of two runs are never side
    by side.

    Parameters
    ----------
    folder : Path
    names : sequence of str
        All files that a set may have. The last one must always be written: where it
        is, the set is complete.
    """
    with locked_folder(folder), unfinished_folder(folder) as hidden:
        try:
            yield hidden
        except OSError as error:
            # Name the file as the user knows it.
            name = Path(os.fsdecode(error.filename or "")).name
            why = error.strerror or str(error)
            raise OSError(error.errno or 0, why, str(folder / name)) from error
        ready = [name for name in names if (hidden / name).exists()]
        try:
            _replace_set(hidden, folder, names, ready)
        except KeyboardInterrupt:  # the older set is no longer whole: go on
            _replace_set(hidden, folder, names, ready)
            raise
        finally:
            sync(folder)


def _replace_set(
    hidden: Path, folder: Path, names: Sequence[str], ready: Sequence[str]
) -> None:
    """Remove the older set, then move the files that are ready; may be called again."""
    for name in reversed(names):
        if name not in ready or (hidden / name).exists():
            (folder / name).unlink(missing_ok=True)
    for name in ready:
        if (hidden / name).exists():
            os.replace(hidden / name, folder / name)
