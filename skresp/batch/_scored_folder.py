"""The folder that `score_files` has written, read without holding its rows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from skresp._text import join_words, quote, quote_names
from skresp._validation import did_you_mean

from ._parts import MANIFEST, read_origin
from ._source import read_parquet_range
from ._tables import import_pyarrow

_ROWS_AT_ONCE = 65_536
_AGAIN = (
    "Run the same score_files call, or the same skresp score command, again: it goes "
    "on where it stopped"
)


class RowOrigin(NamedTuple):
    """Where a scored row comes from. Rows are ordered by input and row.

    Attributes
    ----------
    input : str
        The name of the input file.
    row : int
        The position of the row in the input file, from 0.
    part : str
        The name of the part with its results.
    position : int
        The position of the row in the part.
    """

    input: str
    row: int
    part: str
    position: int


class ScoredBatch(NamedTuple):
    """Some scored rows: an arrow table, and where its first row comes from."""

    table: Any
    first: RowOrigin

    def origin(self, position: int) -> RowOrigin:
        """Return where the row at a position of the table comes from."""
        at = self.first
        return at._replace(row=at.row + position, position=at.position + position)


@dataclass(frozen=True)
class ScoredFolder:
    """A complete folder of `score_files`.

    Attributes
    ----------
    path : Path
    manifest : mapping
        What was scored; see `score_files`.
    origins : mapping from part to mapping
        Where each part comes from.
    """

    path: Path
    manifest: Mapping[str, Any]
    origins: Mapping[str, Mapping[str, Any]]

    @property
    def outputs(self) -> list[str]:
        """The outputs of the scorer."""
        return list(self.manifest["identity"]["outputs"])

    @property
    def features(self) -> list[str]:
        """The features that people can act on, which have scores."""
        return list(self.manifest["features"])

    @property
    def id_columns(self) -> list[str]:
        """The columns that identify a row."""
        return list(self.manifest["id_columns"])

    @property
    def keep_columns(self) -> list[str]:
        """The further columns that were copied from the input."""
        return list(self.manifest["keep_columns"])

    def batches(self, columns: Sequence[str]) -> Iterator[ScoredBatch]:
        """Yield the rows of all parts, some at a time, with some of their columns."""
        pa = import_pyarrow()
        parquet = import_pyarrow("pyarrow.parquet")
        for name, origin in self.origins.items():
            at = RowOrigin(origin["input"], origin["rows"][0], name, 0)
            with parquet.ParquetFile(self.path / name) as part:
                for batch in part.iter_batches(_ROWS_AT_ONCE, columns=list(columns)):
                    found = ScoredBatch(pa.Table.from_batches([batch]), at)
                    yield found
                    at = found.origin(len(batch))

    def row(self, origin: RowOrigin, columns: Sequence[str]) -> dict[str, Any]:
        """Return some columns of one row."""
        at = origin.position
        path = self.path / origin.part
        (found,) = read_parquet_range(path, at, at + 1, columns).to_pylist()
        return dict(found)

    def check_outputs(self, needed: Sequence[str]) -> None:
        """Raise if the scorer did not write some outputs."""
        missing = [name for name in needed if name not in self.outputs]
        if missing:
            raise ValueError(
                f"out: the rows in {self.path} were scored without the output "
                f"{join_words(map(repr, missing))}, which an audit requires; they have "
                f"{join_words(self.outputs)}. Score the files again, to another "
                f"folder, with outputs={[*self.outputs, *missing]} (--outputs "
                f"{' '.join([*self.outputs, *missing])})."
            )

    def check_kept(self, parameter: str, column: str) -> None:
        """Raise if a column was not kept."""
        if column not in self.keep_columns:
            kept = quote_names(self.keep_columns, most=50) or "none"
            raise ValueError(
                f"{parameter} must be a column that was kept when the files were "
                f"scored, got {quote(column)}; kept are: {kept}. "
                f"{did_you_mean(column, self.keep_columns)}Score the files "
                f"again, to another folder, with keep_columns=[{quote(column)}] "
                f"(--keep {column})."
            )


def open_scored_folder(out: str | os.PathLike[str]) -> ScoredFolder:
    """Return a folder that `score_files` has completed; raise for any other."""
    path = Path(out)
    manifest = _read_manifest(path)
    names = [part["name"] for part in manifest["parts"]]
    others = {p.name for p in path.glob("*.parquet")} - set(names)
    if others:
        raise ValueError(
            f"out: {path} has {quote_names(sorted(others))}, which its {MANIFEST} does "
            f"not list. Remove what is not a result of this run."
        )
    origins = {
        part["name"]: _check_part(path, part, manifest) for part in manifest["parts"]
    }
    return ScoredFolder(path, manifest, origins)


def _read_manifest(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise FileNotFoundError(
            f"out must be a folder that score_files has written, but there is no "
            f"folder {path}."
        )
    file = path / MANIFEST
    if not file.exists():
        if any(path.glob("*.parquet")):
            raise ValueError(
                f"out: {path} is not complete: it has no {MANIFEST}. {_AGAIN}."
            )
        raise ValueError(
            f"out: {path} has no {MANIFEST}, so score_files did not write it. Pass "
            f"the folder that score_files wrote to."
        )
    try:
        manifest = dict(json.loads(file.read_text(encoding="utf-8")))
        known = {"parts", "identity", "about", "features", "id_columns", "keep_columns"}
    except ValueError:
        manifest, known = {}, {""}
    if not known <= manifest.keys():
        raise ValueError(
            f"out: {file} is damaged or of another version of skresp. {_AGAIN}, and "
            f"writes {MANIFEST} again."
        )
    return manifest


def _check_part(
    folder: Path, part: Mapping[str, Any], manifest: Mapping[str, Any]
) -> dict[str, Any]:
    """Return where a part comes from; raise if it is not what the manifest says."""
    path = folder / part["name"]
    if not path.exists():
        raise ValueError(f"out: {path} is missing. {_AGAIN}.")
    origin, n_rows = read_origin(path)
    if origin["fingerprint"] != manifest["fingerprint"]:
        raise ValueError(
            f"out: {path} has results of another model, action set, version or "
            f"setting than the other parts: its fingerprint is "
            f"{origin['fingerprint'][:12]}, that of {MANIFEST} is "
            f"{manifest['fingerprint'][:12]}. Remove the part. {_AGAIN}."
        )
    if n_rows != part["rows"]:
        raise ValueError(
            f"out: {path} has {n_rows} rows, but {part['rows']} in {MANIFEST}. Remove "
            f"the part. {_AGAIN}."
        )
    return origin
