"""The section on single changes: for how many of the denied each feature works."""

from __future__ import annotations

import numpy as np

from skresp._explain._working_values import share_known
from skresp._typing import BoolArray
from skresp.metrics._feature_order import feature_order
from skresp.metrics._score_bands import band_counts
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, brief, one_line

from ._people import MAX_GROUPS


def features(f: Findings) -> Plain:
    """Return for every feature how many of the denied it works for, and how well."""
    e = f.explanation
    values, moved = e.values, e.n_reachable > 0
    unknown = ~share_known(e) & (values == 0)
    n = len(values)
    mean = values.mean(axis=0) if n else values.sum(axis=0)
    can = [e._features[name].actionable for name in e.feature_names]
    masks = _group_masks(f)
    bands = band_counts(values)
    lines = []
    for j in feature_order(values, e.n_reachable, can):
        score = values[:, j]
        lines.append(
            {
                "feature": one_line(e.feature_names[j]),
                "actionable": can[j],
                "can_move": int(moved[:, j].sum()),
                "cannot_move": int((~moved & ~unknown)[:, j].sum()),
                "not_known": int(unknown[:, j].sum()),
                "works_for": int((score > 0).sum()),
                "mean": float(mean[j]),
                "bands": bands[:, j].tolist(),
                "groups": {
                    label: float((score[mask] > 0).mean()) if mask.any() else None
                    for label, mask in masks.items()
                },
            }
        )
    return {
        "denied": n,
        "features": lines,
        "groups": list(masks),
        "group_denied": {label: int(mask.sum()) for label, mask in masks.items()},
    }


def _group_masks(f: Findings) -> dict[str, BoolArray]:
    """Return which of the denied are in each of the largest groups."""
    if f.groups is None:
        return {}
    labels = np.array([brief(label) for label in f.groups], dtype=object)
    names, counts = np.unique(labels.astype(str), return_counts=True)
    largest = names[np.argsort(-counts, kind="stable")][:MAX_GROUPS]
    return {str(name): labels[f.denied] == name for name in largest}
