"""Part files: the results of ranges of rows, each with where it comes from."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from skresp._text import quote, quote_names
from skresp._write import whole_file

from ._identity import differences, json_hash
from ._source import SourceFile
from ._tables import import_pyarrow

# Readers of Parquet folders skip names that begin with an underscore.
MANIFEST = "_manifest.json"
_KEY = b"skresp"
_REMEDY = "Choose another folder for out, or remove the parts in it."


class Unit(NamedTuple):
    """A range of rows of an input file, and the part with their results.

    Attributes
    ----------
    file : SourceFile
    start, stop : int
        The rows are those from `start` to before `stop`.
    """

    file: SourceFile
    start: int
    stop: int

    @property
    def name(self) -> str:
        """The name of the part."""
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(self.file.name).stem)[:40]
        digest = hashlib.sha256(self.file.name.encode()).hexdigest()[:8]
        return f"{stem}-{digest}-{self.start:010d}-{self.stop:010d}.parquet"

    def origin(self, identity: Mapping[str, Any]) -> dict[str, Any]:
        """Return where the results come from, as plain values.

        Parameters
        ----------
        identity : mapping
            The identity of the scorer.
        """
        # The columns can be thousands, and most follow from the rest.
        known = {k: v for k, v in identity.items() if k != "columns"}
        return {
            "fingerprint": json_hash(identity),
            "identity": known,
            "input": self.file.name,
            "sha256": self.file.sha256,
            "rows": [self.start, self.stop],
        }


class PartCounts(NamedTuple):
    """How many rows a part has, and how many of them could not be scored."""

    name: str
    n_rows: int
    n_problems: int


def units_of(files: list[SourceFile], rows_per_part: int) -> list[Unit]:
    """Return the ranges into which files are divided."""
    return [
        Unit(file, start, min(start + rows_per_part, file.n_rows))
        for file in files
        for start in range(0, file.n_rows, rows_per_part)
    ]


def write_part(
    path: Path, table: Any, origin: dict[str, Any], hidden: Path
) -> PartCounts:
    """Write a part, which appears under its name only when it is complete.

    Parameters
    ----------
    hidden : Path
        The folder of this run, see `skresp._output_folder`.
    """
    counts = PartCounts(path.name, len(table), _count_problems(table))
    about = json.dumps({**origin, "problems": counts.n_problems}, sort_keys=True)
    table = table.replace_schema_metadata({_KEY: about.encode()})
    with whole_file(path, hidden) as file:
        import_pyarrow("pyarrow.parquet").write_table(table, file)
    return counts


def _count_problems(table: Any) -> int:
    return len(table) - table.column("problem").null_count


def finished_parts(
    folder: Path, units: list[Unit], identity: Mapping[str, Any]
) -> dict[str, PartCounts]:
    """Return the parts that are complete; raise for parts of another origin."""
    wanted = {unit.name: unit.origin(identity) for unit in units}
    fingerprint = json_hash(identity)
    found = {}
    for path in sorted(folder.glob("*.parquet")):
        about, n_rows = read_origin(path)
        if about["fingerprint"] != fingerprint:
            other = differences(about["identity"], identity) or "columns"
            raise ValueError(
                f"out: {path} has results of another scorer, which differs in: "
                f"{other}. Its fingerprint is {about['fingerprint'][:12]}, that of "
                f"this scorer is {fingerprint[:12]}. {_REMEDY}"
            )
        if path.name not in wanted:
            raise ValueError(f"out: {path} {_other_rows(about, units)} {_REMEDY}")
        _check_content(path, about, wanted[path.name])
        found[path.name] = PartCounts(path.name, n_rows, int(about["problems"]))
    return found


def read_origin(path: Path) -> tuple[dict[str, Any], int]:
    """Return what a part says of itself, and its number of rows."""
    parquet = import_pyarrow("pyarrow.parquet")
    try:
        metadata = parquet.read_metadata(path)
        about = dict(json.loads((metadata.metadata or {})[_KEY]))
    except (import_pyarrow().ArrowInvalid, KeyError, ValueError):
        raise ValueError(
            f"out: {path} was not written by score_files. Choose another folder, or "
            f"remove the file."
        ) from None
    return about, int(metadata.num_rows)


def _other_rows(about: dict[str, Any], units: list[Unit]) -> str:
    """Return what differs between the rows of a part and those of the source."""
    name, (start, stop) = about["input"], about["rows"]
    says = f"has rows {start} to {stop} of {quote(name)}"
    of_file = [unit for unit in units if unit.file.name == name]
    if not of_file:
        names = dict.fromkeys(unit.file.name for unit in units)
        return f"{says}, which is no part of this source: it has {quote_names(names)}."
    file = of_file[0].file
    if file.sha256 != about["sha256"]:
        return (
            f"{says} when its sha256 was {about['sha256'][:12]}, but it has another "
            f"content now: {file.n_rows} rows, and the sha256 is {file.sha256[:12]}."
        )
    size = of_file[0].stop - of_file[0].start
    return (
        f"{says}, {stop - start} rows, but its parts have {size} rows now: pass the "
        f"rows_per_part of the earlier run."
    )


def _check_content(path: Path, about: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise if a part comes from another content of its input file."""
    if about["sha256"] != wanted["sha256"]:
        raise ValueError(
            f"out: {path} has results of another content of {quote(about['input'])}: "
            f"its sha256 was {about['sha256'][:12]} and is {wanted['sha256'][:12]} "
            f"now. {_REMEDY}"
        )
