"""`skresp actions`: infer an action set from data, to be edited."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path

from skresp import ActionSet
from skresp._actions._files import file_text
from skresp._text import one_line, quote, quote_names
from skresp._validation import did_you_mean
from skresp._write import whole_file

from ._console import FINE, BadCallError, say, say_json
from ._read_data import read_table

_HEAD = """\
# What people can change, inferred from {data}: kinds and bounds as in the data.
# This is a draft. Features marked "check" can change freely within their bounds;
# check each of them, and remove the mark. You can add, for example:
#   actionable: false      nobody can change this feature
#   direction: increase    it can only go up (or: decrease)
#   max_increase: 2        it can go up by at most 2 (or: max_decrease)
# Rules between features go under constraints, for example:
#   - {{type: linkage, source: years_employed, effects: {{age: 1}}}}
"""


def actions(args: Namespace) -> int:
    """Run the command and return its exit code."""
    out = Path(args.out)
    if out.suffix.lower() not in (".yaml", ".yml", ".json"):
        raise BadCallError(
            f"--out: {out} must end in .yaml, .yml or .json, got {quote(out.suffix)}."
        )
    if out.exists() and not args.force:
        raise BadCallError(f"--out: {out} exists already. Pass --force to replace it.")
    if not out.parent.is_dir():
        raise BadCallError(f"--out: there is no folder {out.parent}.")
    table = read_table(args.data)
    for option, names in (("immutable", args.immutable), ("ignore", args.ignore)):
        for name in names:
            if name not in table.columns:
                raise BadCallError(
                    f"--{option}: the data has no column {quote(name)}. "
                    f"{did_you_mean(name, table.columns)}The columns are "
                    f"{quote_names(table.columns)}."
                )
    table = table.drop(columns=args.ignore)
    if not table.shape[1]:
        raise BadCallError("--ignore leaves no column of the data. Name fewer columns.")
    found = ActionSet.infer(table, immutable=args.immutable)
    text = file_text(out, found.to_dict())
    if out.suffix.lower() != ".json":
        head = _HEAD.format(data=one_line(Path(args.data).name))
        text = head + _with_marks(text, found)
    with whole_file(out) as part:
        part.write_text(text, encoding="utf-8")
        if ActionSet.from_file(part) != found:
            raise BadCallError(
                f"--out: the action set does not read back from {out} as it was "
                f"inferred, because of a name or a label. Choose a .json file."
            )
    if args.json:
        say_json({"out": str(out), **found.to_dict()})
    else:
        say(repr(found))
        say()
        say(f"Written to {one_line(out)}. Check every line before use.")
    return FINE


def _with_marks(text: str, actions: ActionSet) -> str:
    """Return an action set in YAML, with a comment at features that can change."""
    lines = text.split("\n")  # a name may have a line break of another kind in it
    starts = [i for i, line in enumerate(lines) if re.match("  [^ ?]", line)]
    if len(starts) == len(actions.names):  # not if YAML splits a long name over lines
        for i, feature in zip(starts, actions.features.values(), strict=True):
            if feature.can_change:
                lines[i] += "  # check"
    return "\n".join(lines)
