"""Rows that cannot be scored, and why."""

from __future__ import annotations

from typing import Any, NamedTuple

from skresp._actions._action_set import ActionSet
from skresp._actions._problems import find_problems
from skresp._dataframe import as_table

_LONGEST = 300


class RowProblem(NamedTuple):
    """Why a row cannot be scored.

    Attributes
    ----------
    text : str
    of_constraint : bool
        Whether the row breaks a constraint before any change.
    """

    text: str
    of_constraint: bool


def find_row_problems(
    actions: ActionSet, rows: Any, missing: str
) -> dict[int, RowProblem]:
    """Return the first problem of each row that has one, by position.

    Raise if columns are missing or cannot hold numbers, which no row can help.
    """
    table = as_table(rows)
    found: dict[int, RowProblem] = {}
    for problem in find_problems(actions, table, missing=missing, unread=False):
        text = f"{problem.features}: {problem.values}. {problem.broken}"
        found.setdefault(
            problem.row, RowProblem(short_line(text), problem.of_constraint)
        )
    return found


def error_text(error: Exception) -> str:
    """Return an error of the model as one line."""
    return short_line(f"{type(error).__name__}: {error}")


def short_line(text: str) -> str:
    """Return a text on one line, without control characters, at a limited length."""
    line = " ".join(text.split())
    plain = "".join(c for c in line if c.isprintable())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"
