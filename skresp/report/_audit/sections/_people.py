"""The section on who is denied, and who of them has recourse."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from skresp.metrics import recourse_summary
from skresp.metrics._share_interval import newcombe, wilson
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, brief, plain_numbers

MAX_GROUPS = 8
# Of fewer people no share is shown.
MIN_SIZE = 10


def people(f: Findings) -> Plain:
    """Return how many people have each verdict, for all rows and by group."""
    out: Plain = {
        **plain_numbers(recourse_summary(f.verdicts)),
        "counts": {name: int(n) for name, n in f.verdicts.counts().items()},
        "groups": [],
        "group_name": brief(f.group_name),
        "more_groups": 0,
        "gap": None,
    }
    if f.groups is not None:
        frame = recourse_summary(f.verdicts, groups=f.groups)
        frame = frame.sort_values("n_rows", ascending=False, kind="stable")
        shown = frame.head(MAX_GROUPS)
        out["groups"] = [_group(label, line) for label, line in shown.iterrows()]
        out["more_groups"] = len(frame) - len(shown)
        out["gap"] = _gap(out["groups"])
    return out


def _group(label: object, line: pd.Series) -> Plain:
    """Return the numbers of a group, with the interval of its share without recourse.

    The interval is None for a group with few people denied.
    """
    out = {"group": brief(label), **plain_numbers(line)}
    n = out["n_denied"]
    out["n_no_recourse"] = round((out["no_recourse"] or 0) * n)
    few = n < MIN_SIZE
    out["interval"] = None if few else [*wilson(out["n_no_recourse"], n)]
    return out


def _gap(groups: Sequence[Plain]) -> Plain | None:
    """Return the groups whose shares without recourse differ most, with an interval."""
    pairs = combinations([g for g in groups if g["interval"] is not None], 2)
    ranked = [sorted(pair, key=lambda g: -g["no_recourse"]) for pair in pairs]
    if not ranked:
        return None
    high, low = max(ranked, key=lambda p: p[0]["no_recourse"] - p[1]["no_recourse"])
    lower, upper = newcombe(
        high["n_no_recourse"], high["n_denied"], low["n_no_recourse"], low["n_denied"]
    )
    return {
        "high": high["group"],
        "low": low["group"],
        "difference": high["no_recourse"] - low["no_recourse"],
        "lower": lower,
        "upper": upper,
    }
