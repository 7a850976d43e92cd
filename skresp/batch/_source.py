"""Input files: which there are, what is in them, and ranges of their rows."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from skresp._actions._action_set import ActionSet
from skresp._text import quote

from ._csv import count_csv_rows, csv_column_names, first_csv_rows
from ._tables import import_pyarrow

# Rows before a range are read in batches too; many small batches would be slow.
_MIN_BATCH = 10_000
_PARQUET, _CSV = (".parquet", ".pq"), (".csv",)


class SourceFile(NamedTuple):
    """An input file.

    Attributes
    ----------
    path : Path
    name : str
        Its name below the folder that was given, or that the pattern begins with. It
        does not change when that folder is moved.
    sha256 : str
        The hash of its content.
    n_rows : int
    stamp : tuple of int
        What a file system changes when the file is replaced or written to.
    """

    path: Path
    name: str
    sha256: str
    n_rows: int
    stamp: tuple[int, int, int]

    @property
    def is_parquet(self) -> bool:
        """Whether the file is Parquet, rather than CSV."""
        return self.path.suffix.lower() in _PARQUET

    def check_unchanged(self) -> None:
        """Raise if the file is another one than when its hash was computed."""
        if not self.path.exists() or _stamp(self.path) != self.stamp:
            raise ValueError(
                f"source: {self.path} was replaced or changed during the run, after "
                f"its sha256 had been computed ({self.sha256[:12]}). Put the file of "
                f"before back, or score the one of now to another folder."
            )


def find_files(
    source: str | os.PathLike[str], out: str | os.PathLike[str] | None = None
) -> list[SourceFile]:
    """Return the files of a source, ordered by name.

    Parameters
    ----------
    source : path
        A Parquet or CSV file, a folder with such files at any depth, or a pattern such
        as "people/2026-*.parquet". Hidden files are left out.
    out : path, optional
        A folder for results, whose Parquet files are left out.
    """
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source must be a path, got {quote(source)}.")
    text = os.fspath(source)
    path = Path(text)
    if path.is_dir():
        found = [p for p in path.rglob("*") if p.suffix.lower() in (*_PARQUET, *_CSV)]
        files = {p: p.relative_to(path).as_posix() for p in found if p.is_file()}
        files = {p: n for p, n in files.items() if not _is_hidden(n)}
    elif path.is_file():
        files = {path: path.name}
    else:
        matches = [Path(p) for p in glob.glob(text, recursive=True)]
        found = [p for p in matches if p.is_file() and not _is_hidden(p.name)]
        top = _fixed_head(path)
        files = {p: p.relative_to(top).as_posix() for p in found}
    if out is not None:
        results = [p for p in files if _is_result(p, Path(out))]
        if results and len(results) == len(files):
            raise ValueError(
                f"out: {quote(os.fspath(out))} has the files of the source in it. "
                f"Choose another folder."
            )
        files = {p: name for p, name in files.items() if p not in results}
    if not files:
        raise FileNotFoundError(
            f"source must be a Parquet or CSV file, a folder with such files or a "
            f"pattern that matches some, but nothing was found at {quote(text)}."
        )
    for file in files:
        if file.suffix.lower() not in (*_PARQUET, *_CSV):
            raise ValueError(
                f"source: {file} must end in .parquet or .csv, which sets the format."
            )
    ordered = sorted(files.items(), key=lambda item: item[1])
    return [_source_file(path, name) for path, name in ordered]


def _source_file(path: Path, name: str) -> SourceFile:
    stamp = _stamp(path)  # before the file is read
    return SourceFile(path, name, _digest(path), _count_rows(path), stamp)


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def _fixed_head(pattern: Path) -> Path:
    """Return the folder that a pattern begins with, whatever the pattern matches."""
    is_fixed = [not any(c in part for c in "*?[") for part in pattern.parts]
    return Path(*pattern.parts[: [*is_fixed, False].index(False)])


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split("/"))


def _is_result(path: Path, out: Path) -> bool:
    in_out = path.parent.resolve() == out.resolve()
    return in_out and path.suffix.lower() in _PARQUET


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _count_rows(path: Path) -> int:
    if path.suffix.lower() in _CSV:
        return count_csv_rows(path)
    parquet = import_pyarrow("pyarrow.parquet")
    try:
        return int(parquet.read_metadata(path).num_rows)
    except import_pyarrow().ArrowInvalid as error:
        raise ValueError(f"source: {path} is not a Parquet file: {error}") from None


def read_parquet_range(
    path: Path, start: int, stop: int, columns: Sequence[str]
) -> Any:
    """Return the rows of a Parquet file from `start` to before `stop`."""
    pa = import_pyarrow()
    file = import_pyarrow("pyarrow.parquet").ParquetFile(path)
    groups, first, offset = [], None, 0
    for i in range(file.num_row_groups):
        size = file.metadata.row_group(i).num_rows
        if offset < stop and offset + size > start:
            first = offset if first is None else first
            groups.append(i)
        offset += size
    position, pieces = first or 0, []
    for batch in file.iter_batches(
        batch_size=max(stop - start, _MIN_BATCH),
        row_groups=groups,
        columns=list(columns),
    ):
        low, high = max(start - position, 0), min(stop - position, len(batch))
        if low < high:
            pieces.append(batch.slice(low, high - low))
        position += len(batch)
        if position >= stop:
            break
    return pa.Table.from_batches(pieces)


def first_rows(file: SourceFile, actions: ActionSet, n_rows: int) -> Any:
    """Return the first rows of a file as a pandas frame."""
    if file.is_parquet:
        n_rows = min(n_rows, file.n_rows)
        return read_parquet_range(file.path, 0, n_rows, column_names(file)).to_pandas()
    return first_csv_rows(file.path, actions, n_rows)


def column_names(file: SourceFile) -> list[str]:
    """Return the names of the columns of a file."""
    if file.is_parquet:
        return list(import_pyarrow("pyarrow.parquet").read_schema(file.path).names)
    return csv_column_names(file.path)
