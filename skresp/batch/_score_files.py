"""`score_files`: run a scorer over Parquet and CSV files, and go on after a stop."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from skresp import __version__
from skresp._explain._progress import progress_bar
from skresp._output_folder import locked_folder, unfinished_folder
from skresp._parallel import results_of
from skresp._text import quote, quote_names
from skresp._validation import check_bool, check_integer, check_n_jobs, did_you_mean
from skresp._write import write_text

from ._csv import CsvRows, check_distinct, csv_chunks, first_csv_rows
from ._describe import describe_explainer
from ._parts import (
    MANIFEST,
    PartCounts,
    Unit,
    finished_parts,
    units_of,
    write_part,
)
from ._row_problems import RowProblem
from ._scorer import BatchScorer
from ._source import (
    SourceFile,
    column_names,
    find_files,
    read_parquet_range,
)

# Rows in which a model or a type that is wrong for all rows is looked for.
_FIRST_ROWS, _MOST_TRIED = 10_000, 100


def score_files(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    scorer: BatchScorer,
    *,
    rows_per_part: int = 50_000,
    n_jobs: int | None = None,
    resume: bool = True,
) -> dict[str, Any]:
    """Score the rows of files, and write the results to Parquet files.

    Only some ranges of rows are in memory at a time. Each range becomes one file, which
    appears under its name only when it is complete. A run that was stopped at any
    moment goes on when it is called again: finished parts are not computed twice.

    Parameters
    ----------
    source : path
        A Parquet or CSV file, a folder with such files, or a pattern such as
        "people/2026-*.parquet". Columns are read from the files only, not from the
        names of folders such as "month=1". A row of a CSV file with more fields than
        the header has a `problem`, and null in all other columns.
    out : path
        The folder to write to; it is created. It may be inside the folder of the
        source: its Parquet files are results.
    scorer : BatchScorer
    rows_per_part : int, default=50_000
        The number of rows in a part. The result does not depend on it.
    n_jobs : int, optional
        The number of joblib processes. They load the explainer once each.
    resume : bool, default=True
        Whether `out` may have parts of an earlier run of the same scorer over the same
        files. False raises an error if it has any.

    Returns
    -------
    dict
        The content of `_manifest.json`, which is written last: `rows`, `problems` (the
        rows that could not be scored), `parts`, `inputs`, `fingerprint`, `identity`,
        `about` (the model, the action set and the settings in words), `features`
        (those with scores), `id_columns` and `keep_columns`.

    See Also
    --------
    skresp.report.AuditReport.from_files : An audit of all rows that were scored.

    Raises
    ------
    ValueError
        If `out` has parts of another model, action set, setting or input. Also if the
        model raises the same error for each of some rows at the start of the input, or
        if none of their values fits the type of a column to copy; where only some rows
        fail, these rows are marked.
    """
    if not isinstance(scorer, BatchScorer):
        raise TypeError(f"scorer must be a BatchScorer, got {type(scorer).__name__}.")
    check_integer("rows_per_part", rows_per_part, 1)
    check_n_jobs(n_jobs)
    check_bool("resume", resume)
    if not isinstance(out, (str, os.PathLike)):
        raise TypeError(f"out must be the path of a folder, got {quote(out)}.")
    files = find_files(source, out)
    units = units_of(files, int(rows_per_part))
    for file in files:
        _check_columns(file, scorer)
    folder = _output_folder(out)
    with locked_folder(folder), unfinished_folder(folder) as hidden:
        done = finished_parts(folder, units, scorer.identity)
        if done and not resume:
            raise ValueError(
                f"out: {folder} has {len(done)} parts of an earlier run. Pass "
                f"resume=True to go on with it, or choose another folder."
            )
        todo = [unit for unit in units if unit.name not in done]
        if todo and all(part.n_rows == part.n_problems for part in done.values()):
            _check_first_rows(files, scorer)
        (folder / MANIFEST).unlink(missing_ok=True)
        with progress_bar(
            sum(file.n_rows for file in files),
            "score",
            scorer._verbose,
            done=sum(part.n_rows for part in done.values()),
        ) as progress:
            for part in _run(todo, hidden, scorer, int(rows_per_part), n_jobs):
                done[part.name] = part
                if progress is not None:
                    progress(part.n_rows)
        manifest = _manifest(files, [done[unit.name] for unit in units], scorer)
        write_text(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    return manifest


def _run(
    units: list[Unit],
    hidden: Path,
    scorer: BatchScorer,
    rows_per_part: int,
    n_jobs: int | None,
) -> Iterator[PartCounts]:
    """Score ranges of rows, write their parts and yield what was written."""
    identity = scorer.identity
    tasks = _tasks(units, scorer, rows_per_part)
    if effective_n_jobs(n_jobs) == 1:
        for unit, rows in tasks:
            yield _score_unit(unit, rows, hidden, scorer, identity)
        return
    # Tasks carry the path, so that a process loads the explainer once.
    light = scorer._with_path(hidden / "explainer.joblib")
    calls = ((*task, hidden, light, identity) for task in tasks)
    yield from results_of(_score_unit, calls, n_jobs)


def _tasks(
    units: list[Unit], scorer: BatchScorer, rows_per_part: int
) -> Iterator[tuple[Unit, CsvRows | None]]:
    """Yield each range; with its rows for a CSV file, which is read from its start."""
    actions = scorer._explainer.action_set_
    by_file: dict[SourceFile, dict[int, Unit]] = {}
    for unit in units:
        by_file.setdefault(unit.file, {})[unit.start] = unit
    for file, wanted in by_file.items():
        if file.is_parquet:
            yield from ((unit, None) for unit in wanted.values())
            continue
        for rows in csv_chunks(file.path, actions, rows_per_part):
            if rows.start in wanted:
                file.check_unchanged()
                yield wanted[rows.start], rows


def _score_unit(
    unit: Unit,
    rows: CsvRows | None,
    hidden: Path,
    scorer: BatchScorer,
    identity: dict[str, Any],
) -> PartCounts:
    """Score one range of rows and write its part beside the run's hidden folder."""
    if rows is None:
        names = scorer._input_columns
        given = read_parquet_range(unit.file.path, unit.start, unit.stop, names)
        unit.file.check_unchanged()
        table = scorer._score_table(given)
    else:
        known = {i: RowProblem(text, False) for i, text in rows.problems.items()}
        table = scorer._score_table(rows.table, known)
    path = hidden.parent / unit.name
    return write_part(path, table, unit.origin(identity), hidden)


def _check_columns(file: SourceFile, scorer: BatchScorer) -> None:
    """Raise if a file lacks a column, before anything is computed."""
    known = column_names(file)
    check_distinct("source", file.path, known)
    missing = [name for name in scorer._input_columns if name not in known]
    if missing:
        raise ValueError(
            f"source: {file.path} has no column {quote(missing[0])}. "
            f"{did_you_mean(missing[0], known)}The columns are {quote_names(known)}."
        )


def _check_first_rows(files: list[SourceFile], scorer: BatchScorer) -> None:
    """Raise if the model, or the type of a column to copy, is wrong for all rows.

    These are some rows among the first ones, in case similar ones are together.
    """
    file = next((file for file in files if file.n_rows), files[0])
    n = min(file.n_rows, _FIRST_ROWS)
    some = np.unique(np.linspace(0, n - 1, min(n, _MOST_TRIED)).astype(int))
    if file.is_parquet:
        table = read_parquet_range(file.path, 0, n, scorer._input_columns).take(some)
    else:
        rows = first_csv_rows(file.path, scorer._explainer.action_set_, max(n, 1))
        table = rows.iloc[some[some < len(rows)]]
    scorer._check_rows(table)


def _output_folder(out: str | os.PathLike[str]) -> Path:
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"out: {folder} is a file. Choose a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _manifest(
    files: list[SourceFile], parts: list[PartCounts], scorer: BatchScorer
) -> dict[str, Any]:
    """Return what was scored, as plain values."""
    return {
        "skresp": __version__,
        "rows": sum(part.n_rows for part in parts),
        "problems": sum(part.n_problems for part in parts),
        "fingerprint": scorer.fingerprint,
        "identity": scorer.identity,
        "about": describe_explainer(scorer._explainer),
        "features": scorer._features,
        "id_columns": list(scorer.id_columns),
        "keep_columns": list(scorer.keep_columns),
        "inputs": [
            {"name": f.name, "sha256": f.sha256, "rows": f.n_rows} for f in files
        ],
        "parts": [
            {"name": p.name, "rows": p.n_rows, "problems": p.n_problems} for p in parts
        ],
    }
