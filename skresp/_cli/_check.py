"""`skresp check`: find rows that break a rule, and unusual values."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

import numpy as np
import pandas as pd

from skresp import ActionSet
from skresp._actions._unusual_values import Unusual, unusual_values
from skresp._text import plural, quote, quote_names
from skresp._validation import to_python

from ._console import FINDINGS, FINE, say, say_json
from ._read_data import read_actions, read_table

_SHOWN = 20


def check(args: Namespace) -> int:
    """Run the command; return 1 if a row breaks a rule, else 0."""
    actions = read_actions(args.actions)
    table = read_table(args.data, actions)
    rows = table[list(actions.names)]
    found = actions.check(rows)
    unusual = unusual_values(actions, rows)
    dropped = [str(name) for name in table.columns if name not in actions.features]
    if args.json:
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
                        "example": to_python(each.example),
                    }
                    for each in unusual
                ],
                "rows_unusual": _count(unusual, len(table)),
                "broken": int(found["row"].nunique()),
                "findings": found.astype(object).to_dict(orient="records"),
            }
        )
    else:
        _print(actions, len(table), found, unusual, dropped)
    return FINDINGS if len(found) else FINE


def _print(
    actions: ActionSet,
    n_rows: int,
    found: pd.DataFrame,
    unusual: Sequence[Unusual],
    dropped: Sequence[str],
) -> None:
    say(
        f"Checked {n_rows:,} rows: {plural(len(actions.names), 'column')} for values "
        f"of the right kind, missing values, categories and bounds; "
        f"{plural(len(actions.constraints), 'joint constraint')}."
    )
    if dropped:
        say(f"Not in the action set, so not checked: {quote_names(dropped)}.")
    if unusual:
        say("\nUnusual values, by column:")
        lines = [
            (each.column, f"{each.count:,}", each.what, quote(to_python(each.example)))
            for each in unusual
        ]
        table = pd.DataFrame(lines, columns=["column", "rows", "values", "first"])
        say(table.to_string(index=False))
        say(
            "A category that is not listed can change to a listed one, unless the "
            "feature has a direction. A value outside its bounds can stay, or change "
            "to a value within the bounds."
        )
    if len(found):
        say("\nRows that break a rule:")
        say(found.head(_SHOWN).to_string(index=False))
        if len(found) > _SHOWN:
            say(f"... and {len(found) - _SHOWN:,} more. Use --json to list all.")
        say(f"\n{found['row'].nunique():,} of {n_rows:,} rows break a rule.")
    elif unusual:
        say(
            f"\nNo row breaks a rule; {_count(unusual, n_rows):,} of {n_rows:,} rows "
            f"have unusual values."
        )
    else:
        say("No row breaks a rule, and no value is unusual.")


def _count(unusual: Sequence[Unusual], n_rows: int) -> int:
    """Return how many rows have an unusual value."""
    some = np.zeros(n_rows, dtype=bool)
    for each in unusual:
        some |= each.rows
    return int(some.sum())
