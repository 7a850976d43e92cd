"""The section on single changes: for how many of the denied each feature works."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._html._plain_values import Plain
from skresp.metrics._exact_sums import mean_of
from skresp.metrics._feature_order import order_by_sums
from skresp.metrics._score_bands import SCORE_BANDS
from skresp.report._audit._block import DENIED
from skresp.report._audit._findings import Findings

from ._people import MAX_GROUPS


def features(f: Findings) -> Plain:
    """Return for every feature how many of the denied it works for, and how well."""
    sums = f.sums
    known = sums.features.can_move is not None
    groups = sums.by_size[:MAX_GROUPS] if f.has_groups else []
    denied = {
        label: sum(sums.of_group(label)[status] for status in DENIED)
        for label in groups
    }
    lines, place = [], 0
    for feature in f.about["actions"]["features"]:
        if feature["actionable"]:
            line = _line(f, place, denied)
            place += 1
        else:
            line = _nobody(sums.n_denied, denied)
        lines.append({"feature": feature["feature"], **line})
    return {
        "denied": sums.n_denied,
        "features": [lines[j] for j in _order(lines)],
        "can_move_known": known,
        "groups": groups,
        "group_denied": denied,
    }


def _line(f: Findings, j: int, denied: dict[str, int]) -> Plain:
    """Return the numbers of a feature that people can act on.

    How many can move it is None if files were scored without intervals.
    """
    sums = f.sums.features
    return {
        "actionable": True,
        "can_move": _count(sums.can_move, j),
        "cannot_move": _count(sums.cannot_move, j),
        "not_known": _count(sums.not_known, j),
        "works_for": _count(f.sums.works_for, j),
        "mean": mean_of(sums.total[j], f.sums.n_denied),
        "bands": sums.bands[:, j].tolist(),
        "groups": {
            label: int(f.sums.works[label][j]) / n if n else None
            for label, n in denied.items()
        },
    }


def _nobody(n_denied: int, denied: dict[str, int]) -> Plain:
    """Return the numbers of a feature that nobody can act on."""
    return {
        "actionable": False,
        "can_move": 0,
        "cannot_move": n_denied,
        "not_known": 0,
        "works_for": 0,
        "mean": 0.0,
        "bands": [0] * len(SCORE_BANDS),
        "groups": {label: 0.0 if n else None for label, n in denied.items()},
    }


def _count(counts: Any, j: int) -> int | None:
    return None if counts is None else int(counts[j])


def _order(lines: list[Plain]) -> list[int]:
    """Return the order of the page."""
    works, mean, moved, can = (
        np.array([line[name] or 0 for line in lines])
        for name in ("works_for", "mean", "can_move", "actionable")
    )
    return order_by_sums(works, mean, moved, can).tolist()
