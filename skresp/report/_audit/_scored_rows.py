"""Rows that were scored to files, which an audit counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._html._plain_values import Plain, brief
from skresp._text import number, one_line, quote, state
from skresp.batch._input_rows import InputRows
from skresp.batch._scored_folder import RowOrigin, ScoredBatch, ScoredFolder
from skresp.scores._row_rng import row_keys

from ._block import Block, ScoreArrays, is_denied
from ._letters import Letters

_MAX_FEATURES = 4
# The columns of the output "intervals", in the order of `ScoreArrays`.
_INTERVALS = ("lower", "upper", "exact", "n_reachable")


@dataclass(frozen=True, kw_only=True)
class ScoredRows:
    """The rows of a folder of `score_files`.

    Attributes
    ----------
    folder : ScoredFolder
    groups : str or None
        The kept column with the groups.
    inputs : InputRows or None
        The rows themselves; None if they were not given.
    letters : Letters or None
        How notices are written, if the rows are given.
    """

    folder: ScoredFolder
    groups: str | None
    inputs: InputRows | None = None
    letters: Letters | None = None

    def blocks(self) -> Iterator[Block]:
        """Yield the rows, some at a time."""
        for batch in self.folder.batches(self._columns()):
            status = batch.table.column("status").to_numpy()
            denied = is_denied(status)
            people = batch.table.filter(denied)
            yield Block(
                status,
                batch.table.column("proof").to_numpy(),
                self._labels(batch),
                self._scores(people),
                self._keys(people),
                batch.origin,
            )

    def _columns(self) -> list[str]:
        """Return the columns that are read."""
        folder = self.folder
        names = ["status", "proof", *self._key_columns(), *self._score_columns("score")]
        names += [self.groups] if self.groups else []
        if "intervals" in folder.outputs:
            names += [name for what in _INTERVALS for name in self._score_columns(what)]
        return list(dict.fromkeys(names))

    def _score_columns(self, what: str) -> list[str]:
        return [f"{what}__{name}" for name in self.folder.features]

    def _key_columns(self) -> list[str]:
        """Return the columns that decide who is shown; ids may be repeated."""
        copied = [*self.folder.id_columns, *self.folder.keep_columns]
        return [*copied, "proof", *self._score_columns("score")]

    def _labels(self, batch: ScoredBatch) -> Any:
        if self.groups is None:
            return None
        return np.array(batch.table.column(self.groups).to_pylist(), dtype=object)

    def _scores(self, people: Any) -> ScoreArrays:
        kinds = ["score"]
        if "intervals" in self.folder.outputs:
            kinds += _INTERVALS
        return ScoreArrays(
            *(_matrix(people, self._score_columns(what)) for what in kinds)
        )

    def _keys(self, people: Any) -> Any:
        """Return hashes of people, which do not depend on the order of the rows."""
        columns = {
            name: people.column(name).cast("string").to_pandas()
            for name in self._key_columns()
        }
        return row_keys(0, columns, len(people))

    # -- examples ---------------------------------------------------------------------

    def example(self, status: str, origin: RowOrigin) -> Plain:
        """Return a person to show: data and notice, or features and changes."""
        person = {**self._name(origin), "status": status}
        if self.inputs is None or self.letters is None:
            return {**person, **self._results(origin)}
        row = self.inputs.row(origin)
        explainer = self.inputs.explainer
        verdicts = explainer.verify(row)
        if verdicts.status[0] != status:
            raise ValueError(
                f"explainer gives {person['name']} the status "
                f"{quote(verdicts.status[0])}, but the files say {quote(status)}. Use "
                f"the library versions in the manifest of {self.folder.path}, or score "
                f"the files again."
            )
        letter = self.letters.of(explainer.explain(row), 0, verdicts, 0, person["row"])
        return {**person, **letter}

    def _name(self, origin: RowOrigin) -> Plain:
        """Return the id of a person, or where the row is in its file."""
        ids = self.folder.id_columns
        if not ids:
            row = f"{number(origin.row)} of {one_line(origin.input)}"
            return {"row": row, "name": f"Row {row}"}
        found = self.folder.row(origin, ids)
        texts = [brief(found[name]) for name in ids]
        named = [f"{brief(name)} {text}" for name, text in zip(ids, texts, strict=True)]
        return {"row": ", ".join(texts), "name": ", ".join(named)}

    def _results(self, origin: RowOrigin) -> Plain:
        """Return the features that work for a person, and what the witness changes.

        The latter is None if it was not written.
        """
        has_changes = "changes" in self.folder.outputs
        columns = [*self._score_columns("score"), *(["changes"] if has_changes else [])]
        found = self.folder.row(origin, columns)
        scores = {name: found[f"score__{name}"] or 0.0 for name in self.folder.features}
        works = sorted((s for s in scores.items() if s[1] > 0), key=lambda s: -s[1])
        return {
            "scores": [
                {"feature": one_line(name), "score": score}
                for name, score in works[:_MAX_FEATURES]
            ],
            "changes": [self._change(**c) for c in found["changes"]]
            if has_changes
            else None,
        }

    def _change(self, **change: str) -> Plain:
        """Return a change with its values as the page shows them."""
        features = self.folder.manifest["about"]["actions"]["features"]
        kinds = {line["feature"]: line["kind"] for line in features}
        name = one_line(change["feature"])
        return {
            "feature": name,
            "from": _value(change["from"], kinds[name]),
            "to": _value(change["to"], kinds[name]),
        }


def _value(text: str, kind: str) -> str:
    """Return a value that was written as text, as the page shows it."""
    if kind == "categorical":
        return brief(text)
    return state(float(text), kind)


def _matrix(table: Any, names: list[str]) -> Any:
    """Return columns of a table as an array."""
    if not names:
        return np.zeros((len(table), 0))
    return np.column_stack([table.column(name).to_numpy() for name in names])
