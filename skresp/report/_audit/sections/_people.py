"""The section on who is denied, and who of them has recourse."""

from __future__ import annotations

from skresp.metrics import recourse_summary
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, brief, plain_numbers

MOST_GROUPS = 8


def people(f: Findings) -> Plain:
    """Return how many people have each verdict, for all rows and by group."""
    out: Plain = {
        **plain_numbers(recourse_summary(f.verdicts)),
        "counts": {name: int(n) for name, n in f.verdicts.counts().items()},
        "groups": [],
        "group_name": brief(f.group_name),
        "more_groups": 0,
    }
    if f.groups is not None:
        frame = recourse_summary(f.verdicts, groups=f.groups)
        frame = frame.sort_values("n_rows", ascending=False, kind="stable")
        out["groups"] = [
            {"group": brief(label), **plain_numbers(line)}
            for label, line in frame.head(MOST_GROUPS).iterrows()
        ]
        out["more_groups"] = max(len(frame) - MOST_GROUPS, 0)
    return out
