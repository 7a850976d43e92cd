"""Problems in a table: values of the wrong kind, missing values, broken constraints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skresp._dataframe import as_table, column, frame_like, row_labels
from skresp._text import one_line, quote

from ._encoding import column_codes, column_positions

if TYPE_CHECKING:
    from ._action_set import ActionSet


class Problem(NamedTuple):
    """What is wrong in one row.

    Attributes
    ----------
    row : int
        The position of the row.
    features : str
        The names of the features concerned.
    values : str
        Their values in this row.
    broken : str
        What is wrong, as a sentence.
    of_constraint : bool
        Whether a constraint is broken, rather than a value wrong or missing.
    """

    row: int
    features: str
    values: str
    broken: str
    of_constraint: bool = False


_SHOWN = ("row", "features", "values", "broken")


def problem_frame(actions: ActionSet, X: Any) -> Any:
    """Return the problems in a table as a frame of its library, pandas for an array."""
    table = as_table(X)
    labels = row_labels(table)
    problems = [p._replace(row=labels[p.row]) for p in find_problems(actions, table)]
    return frame_like(
        table, {name: [getattr(p, name) for p in problems] for name in _SHOWN}
    )


def find_problems(
    actions: ActionSet, table: Any, *, missing: str = "raise", unread: bool = True
) -> Iterator[Problem]:
    """Yield the problems in a table.

    Parameters
    ----------
    actions : ActionSet
    table : frame or array
    missing : {"raise", "hold"}, default="raise"
        Whether a missing value in a feature that can change is a problem.
    unread : bool, default=True
        Whether to look at features that neither change nor are in a constraint.
    """
    codes = np.zeros((len(table), len(actions.names)))
    columns = {}
    for i, position in enumerate(column_positions(actions, table)):
        name = actions.names[i]
        feature = actions.features[name]
        if not (unread or actions.column_masks.read[i]):
            continue
        values = columns[name] = column(table, position)
        codes[:, i], wrong = column_codes(feature, values)
        masks = {f"The value is not {_with_article(feature.kind)}.": wrong}
        if feature.can_change and missing == "raise":
            gaps = np.isnan(codes[:, i]) & ~wrong
            masks["The value is missing, though the feature can change."] = gaps
        for text, rows in masks.items():
            for row in np.flatnonzero(rows):
                yield Problem(int(row), one_line(name), _shown(values[row]), text)
        codes[wrong, i] = np.nan
    for rule, rows in zip(actions.constraints, actions.broken(codes), strict=True):
        for row in np.flatnonzero(rows):
            values = ", ".join(_shown(columns[name][row]) for name in rule.features)
            text = one_line(rule.describe())
            names = ", ".join(map(one_line, rule.features))
            yield Problem(int(row), names, values, text, True)


def _shown(value: Any) -> str:
    """Return a value as text; a long one is cut."""
    text = quote(value) if isinstance(value, int) else one_line(value)
    return text if len(text) <= 120 else f"{text[:80]}...{text[-20:]}"


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
