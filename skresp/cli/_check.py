"""`skresp check`: which rows of the data break what, and what is unusual."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

import numpy as np
import pandas as pd

from skresp import ActionSet
from skresp.actions import Unusual, unusual_values

from ._says import FINDINGS, FINE, say, say_json
from ._tables import read_actions, read_table

_SHOWN = 20


def check(given: Namespace) -> int:
    """Run it; 1 where some row breaks something."""
    actions = read_actions(given.actions)
    table = read_table(given.data, actions)
    rows = table[list(actions.names)]
    found = actions.check(rows)
    unusual = unusual_values(actions, rows)
    dropped = [str(name) for name in table.columns if name not in actions.features]
    if given.json:
        say_json(
            {
                "rows": len(table),
                "columns": list(actions.names),
                "constraints": len(actions.constraints),
                "not_checked": dropped,
                "unusual": [
                    {
                        "column": each.column,
                        "unusual": each.what,
                        "rows": each.count,
                        "example": _plain(each.example),
                    }
                    for each in unusual
                ],
                "rows_unusual": _count(unusual, len(table)),
                "broken": int(found["row"].nunique()),
                "findings": found.astype(object).to_dict(orient="records"),
            }
        )
    else:
        _tell(actions, len(table), found, unusual, dropped)
    return FINDINGS if len(found) else FINE


def _tell(
    actions: ActionSet,
    n_rows: int,
    found: pd.DataFrame,
    unusual: Sequence[Unusual],
    dropped: Sequence[str],
) -> None:
    say(
        f"Checked {n_rows:,} rows: {_many(len(actions.names), 'column')} for values "
        f"of the right kind, missing values, labels and bounds; "
        f"{_many(len(actions.constraints), 'joint constraint')}."
    )
    if dropped:
        say(f"Not in the action set, so not checked: {', '.join(dropped)}.")
    if unusual:
        say("\nUnusual values, by column:")
        lines = [
            (each.column, f"{each.count:,}", each.what, repr(_plain(each.example)))
            for each in unusual
        ]
        table = pd.DataFrame(lines, columns=["column", "rows", "values", "first"])
        say(table.to_string(index=False))
        say(
            "A label that is not listed can change to a listed one, unless the feature "
            "has a direction; a value outside its bounds can stay or change to one "
            "within."
        )
    if len(found):
        say("\nRows that break a rule:")
        say(found.head(_SHOWN).to_string(index=False))
        if len(found) > _SHOWN:
            say(f"... and {len(found) - _SHOWN:,} more; --json lists all.")
        say(f"\n{found['row'].nunique():,} of {n_rows:,} rows break something.")
    elif unusual:
        say(
            f"\nNo row breaks a rule; {_count(unusual, n_rows):,} of {n_rows:,} rows "
            f"hold unusual values."
        )
    else:
        say(f"All {n_rows:,} rows are fine.")


def _count(unusual: Sequence[Unusual], n_rows: int) -> int:
    """Return how many rows hold anything unusual."""
    some = np.zeros(n_rows, dtype=bool)
    for each in unusual:
        some |= each.rows
    return int(some.sum())


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
