"""The section on who is denied, and who of them has recourse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from skresp._html._plain_values import Plain, brief, plain_numbers
from skresp._recourse._status import STATUSES
from skresp.metrics._recourse_summary import shares_of
from skresp.metrics._share_interval import newcombe, wilson
from skresp.report._audit._findings import Findings

MAX_GROUPS = 8
# Of fewer people no share is shown.
MIN_SIZE = 10


def people(f: Findings) -> Plain:
    """Return how many people have each verdict, for all rows and by group."""
    total = f.sums.total
    labels = f.sums.by_size if f.has_groups else []
    groups = [_group(label, f.sums.of_group(label)) for label in labels[:MAX_GROUPS]]
    return {
        **plain_numbers(shares_of(total)),
        "n_problems": total["problem"],
        "counts": {name: total[name] for name in STATUSES},
        "groups": groups,
        "group_name": brief(f.group_name),
        "more_groups": len(labels) - len(groups),
        "gap": _gap(groups),
    }


def _group(label: str, counts: Mapping[str, int]) -> Plain:
    """Return the numbers of a group, with the interval of its share without recourse.

    The interval is None for a group with few people denied.
    """
    out = {"group": label, **plain_numbers(shares_of(counts))}
    n, fixed = out["n_denied"], counts["fixed"]
    few = n < MIN_SIZE
    interval = None if few else [*wilson(fixed, n)]
    return {**out, "n_no_recourse": fixed, "interval": interval}


def _gap(groups: Sequence[Plain]) -> Plain | None:
    """Return the groups whose shares without recourse differ most, with an interval.

    None if nobody is without recourse, or fewer than two groups have a share.
    """
    pairs = combinations([g for g in groups if g["interval"] is not None], 2)
    ranked = [sorted(pair, key=lambda g: -g["no_recourse"]) for pair in pairs]
    if not ranked:
        return None
    high, low = max(ranked, key=lambda p: p[0]["no_recourse"] - p[1]["no_recourse"])
    if not high["n_no_recourse"]:  # everybody has a change that works
        return None
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
