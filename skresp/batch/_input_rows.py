"""Rows of the files that were scored, found again one by one."""

from __future__ import annotations

import os
from typing import Any

from skresp._text import quote

from ._csv import csv_chunks
from ._identity import differences
from ._scored_folder import RowOrigin, ScoredFolder
from ._scorer import BatchScorer
from ._source import find_files, read_parquet_range
from ._tables import model_rows

_ROWS_AT_ONCE = 50_000


class InputRows:
    """The rows of the files that were scored.

    Parameters
    ----------
    source : path
        The files that were scored: a file, a folder or a pattern.
    explainer : fitted ResponsivenessExplainer, or path
        The explainer that they were scored with.
    folder : ScoredFolder

    Attributes
    ----------
    explainer : ResponsivenessExplainer
    """

    def __init__(
        self, source: str | os.PathLike[str], explainer: Any, folder: ScoredFolder
    ) -> None:
        self._scorer = BatchScorer(explainer, outputs=["verdict"])
        _check_same(self._scorer, folder)
        self.explainer = self._scorer._explainer
        self._folder = folder
        found = find_files(source, folder.path)
        self._files = {file.sha256: file for file in found}
        for scored in folder.manifest["inputs"]:
            if scored["sha256"] not in self._files:
                raise ValueError(
                    f"source: no file at {quote(os.fspath(source))} has the content of "
                    f"{quote(scored['name'])} when it was scored: sha256 "
                    f"{scored['sha256'][:12]}. Pass the files that were scored."
                )

    def row(self, origin: RowOrigin) -> Any:
        """Return a row as a table that the explainer takes."""
        file = self._files[self._folder.origins[origin.part]["sha256"]]
        names, at = self._scorer._names, origin.row
        if file.is_parquet:
            table = read_parquet_range(file.path, at, at + 1, names)
            return self._scorer._as_model_input(model_rows(table, names))
        actions = self.explainer.action_set_
        for rows in csv_chunks(file.path, actions, _ROWS_AT_ONCE):
            if at < rows.start + len(rows.table):
                break
        table = rows.table.iloc[[at - rows.start]]
        return self._scorer._as_model_input(model_rows(table, names))


def _check_same(scorer: BatchScorer, folder: ScoredFolder) -> None:
    """Raise if an explainer is not the one that the rows were scored with."""
    identity = folder.manifest["identity"]
    then = {name: identity[name] for name in ("model", "action set", "parameters")}
    other = differences(then, scorer.identity)
    if other:
        raise ValueError(
            f"explainer must be the one that the rows in {folder.path} were scored "
            f"with, but it differs in: {other}."
        )
