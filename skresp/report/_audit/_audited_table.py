"""Rows in memory with their results, which an audit counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._dataframe import as_table, column, row_labels
from skresp._explain._explanation import Explanation
from skresp._html._plain_values import Plain, brief
from skresp._recourse._verdicts import Verdicts
from skresp._text import number
from skresp._typing import IndexArray
from skresp.scores._row_rng import row_keys

from ._block import Block, ScoreArrays
from ._letters import Letters

_ROWS_AT_ONCE = 65_536


@dataclass(frozen=True, kw_only=True)
class AuditedTable:
    """A table and the results of its rows.

    Attributes
    ----------
    explainer : fitted ResponsivenessExplainer
    table : the rows
    verdicts : Verdicts
        Of all rows.
    denied : array of int
        The positions of the denied rows.
    explanation : Explanation
        Of the denied rows.
    groups : array of labels, one per row, or None
    letters : Letters
    explainers : mapping from name to fitted explainer
        The explainers to compare with.
    compare_rows, top_k
        See `AuditReport.from_estimator`.
    """

    explainer: Any
    table: Any
    verdicts: Verdicts
    denied: IndexArray
    explanation: Explanation
    groups: NDArray[Any] | None
    letters: Letters
    explainers: Mapping[str, Any]
    compare_rows: int
    top_k: int

    def blocks(self) -> Iterator[Block]:
        """Yield the rows, some at a time."""
        keys = self._keys()
        for start in range(0, len(self.verdicts), _ROWS_AT_ONCE):
            stop = start + _ROWS_AT_ONCE
            first, last = np.searchsorted(self.denied, [start, stop])
            yield Block(
                self.verdicts.status[start:stop],
                self.verdicts.proof[start:stop],
                None if self.groups is None else self.groups[start:stop],
                self._scores(slice(first, last)),
                keys[first:last],
                partial(add, start),
            )

    @property
    def n_features(self) -> int:
        """The number of features that people can act on."""
        return len(self._actionable)

    @property
    def _actionable(self) -> list[int]:
        e = self.explanation
        return [
            j for j, name in enumerate(e.feature_names) if e._features[name].actionable
        ]

    def _scores(self, people: slice) -> ScoreArrays:
        """Return the scores of some of the denied."""
        e, can = self.explanation, self._actionable
        return ScoreArrays(
            *(getattr(e, name)[people][:, can] for name in ScoreArrays._fields)
        )

    def _keys(self) -> NDArray[np.uint64]:
        """Return hashes of the denied rows, which do not depend on their order."""
        e = self.explanation
        table = as_table(e.data)
        columns = {
            name: column(table, position)
            for name, position in zip(e.feature_names, e._columns, strict=True)
        }
        return row_keys(0, columns, len(e))

    def example(self, status: str, position: int) -> Plain:
        """Return a person to show, with data and notice."""
        label = brief(number(row_labels(self.table)[position]))
        row = int(np.searchsorted(self.denied, position))
        letter = self.letters.of(self.explanation, row, self.verdicts, position, label)
        return {"row": label, "name": f"Row {label}", "status": status, **letter}
