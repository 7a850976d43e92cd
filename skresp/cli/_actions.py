"""`skresp actions`: an action set inferred from data, to be edited."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from skresp import ActionSet
from skresp.report import whole_file

from ._says import FINE, BadCallError, say, say_json
from ._tables import read_table

_HEAD = """\
# What people can change, inferred from {data}: kinds and bounds as seen there. Go
# through every line before use. For instance:
#   actionable: false      nobody can change this
#   direction: increase    it only goes up (or: decrease)
#   max_increase: 2        and by so much at most (or: max_decrease)
# Rules between features go under constraints, for instance:
#   - {{type: linkage, source: years_employed, effects: {{age: 1}}}}
"""


def actions(given: Namespace) -> int:
    """Run it."""
    out = Path(given.out)
    if out.suffix not in (".yaml", ".yml", ".json"):
        raise BadCallError(
            f"--out: {out} must end in .yaml, .yml or .json, got {out.suffix!r}."
        )
    if out.exists() and not given.force:
        raise BadCallError(
            f"--out: {out} is there already; pass --force to replace it."
        )
    if not out.parent.is_dir():
        raise BadCallError(f"--out: there is no folder {out.parent}.")
    table = read_table(given.data)
    for option, names in (("immutable", given.immutable), ("ignore", given.ignore)):
        for name in names:
            if name not in table.columns:
                raise BadCallError(
                    f"--{option}: the data has no column {name!r}; it has "
                    f"{', '.join(map(str, table.columns))}."
                )
    table = table.drop(columns=given.ignore)
    found = ActionSet.infer(table, immutable=given.immutable)
    with whole_file(out) as part:
        found.to_file(part)
        if out.suffix != ".json":
            head = _HEAD.format(data=Path(given.data).name)
            part.write_text(head + part.read_text(encoding="utf-8"), encoding="utf-8")
    if given.json:
        say_json({"out": str(out), **found.to_dict()})
    else:
        say(repr(found))
        say()
        say(f"Written to {out}: go through it before use.")
    return FINE
