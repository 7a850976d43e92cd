"""`skresp check`: which rows of the data break what."""

from __future__ import annotations

from argparse import Namespace

from ._says import FINDINGS, FINE, say, say_json
from ._tables import read_actions, read_table

_SHOWN = 20


def check(given: Namespace) -> int:
    """Run it; 1 where some row breaks something."""
    actions = read_actions(given.actions)
    table = read_table(given.data, actions)
    found = actions.check(table[list(actions.names)])
    rows = int(found["row"].nunique())
    if given.json:
        lines = found.astype(object).to_dict(orient="records")
        say_json({"rows": len(table), "broken": rows, "findings": lines})
    elif not rows:
        say(f"All {len(table):,} rows are fine.")
    else:
        say(found.head(_SHOWN).to_string(index=False))
        if len(found) > _SHOWN:
            say(f"... and {len(found) - _SHOWN:,} more; --json lists all.")
        say(f"{rows:,} of {len(table):,} rows break something.")
    return FINDINGS if rows else FINE
