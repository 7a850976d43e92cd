"""Problems in a table: values of the wrong kind, missing values, broken constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skresp._dataframe import as_table, column, frame_like, row_labels

from ._encoding import column_codes, column_positions

if TYPE_CHECKING:
    from ._action_set import ActionSet


class Problem(NamedTuple):
    """What is wrong in one row.

    Attributes
    ----------
    row : label of the row
    features : str
        The names of the features concerned.
    values : str
        Their values in this row.
    broken : str
        What is wrong, as a sentence.
    """

    row: Any
    features: str
    values: str
    broken: str


def problem_frame(actions: ActionSet, X: Any) -> Any:
    """Return the problems in a table as a frame of its library, pandas for an array."""
    table = as_table(X)
    problems = list(_problems(actions, table))
    columns = zip(*problems, strict=True) if problems else [[] for _ in Problem._fields]
    return frame_like(table, dict(zip(Problem._fields, columns, strict=True)))


def _problems(actions: ActionSet, table: Any) -> Iterator[Problem]:
    labels = row_labels(table)
    codes = np.zeros((len(table), len(actions.names)))
    columns = {}
    for i, position in enumerate(column_positions(actions, table)):
        name = actions.names[i]
        feature, values = actions.features[name], column(table, position)
        columns[name] = values
        codes[:, i], wrong = column_codes(feature, values)
        masks = {f"The value is not {_with_article(feature.kind)}.": wrong}
        if feature.can_change:
            missing = np.isnan(codes[:, i]) & ~wrong
            masks["The value is missing, though the feature can change."] = missing
        for text, rows in masks.items():
            for row in np.flatnonzero(rows):
                yield Problem(labels[row], name, str(values[row]), text)
        codes[wrong, i] = np.nan
    for rule, rows in zip(actions.constraints, actions.broken(codes), strict=True):
        for row in np.flatnonzero(rows):
            values = _listed(columns[name][row] for name in rule.features)
            yield Problem(labels[row], _listed(rule.features), values, rule.describe())


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
