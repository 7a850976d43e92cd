"""What an audit found, as plain values of bounded size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import row_labels, spread
from skresp.explain import Explanation, number, state
from skresp.metrics import explanation_summary, recourse_summary
from skresp.recourse import Verdicts

from ._facts import brief, method_facts, model_facts
from ._notice import notice

MOST_FEATURES = 40
MOST_RULES = 40
MOST_GROUPS = 8
MOST_EXAMPLES = 10
_EXAMPLE_ORDER = ("single", "joint", "possible", "fixed", "unknown")
# How scores are grouped: up to a quarter of the changes work, up to a half, ...
BANDS = ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0))

Plain = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """What was computed: verdicts of all rows, scores of those who are denied."""

    explainer: Any
    table: Any
    verdicts: Verdicts
    denied: NDArray[np.intp]
    explanation: Explanation
    groups: NDArray[Any] | None
    group_name: str
    explainers: Mapping[str, Any]
    compare_rows: int
    top_k: int
    examples: int
    budget: Mapping[str, Any]
    reasons: Mapping[str, str] | None
    names: Mapping[str, str] | None
    notes: Mapping[str, str]


def of_model(f: Found) -> Plain:
    """The model, its target, the data."""
    target = f.explainer.target_
    return {
        **model_facts(f.explainer.estimator_),
        "target": brief(target),
        "threshold": f.explainer.threshold,
        "rows": len(f.table),
        "columns": len(f.explanation.feature_names),
        "invalid": int((f.verdicts.status == "invalid").sum()),
    }


def of_actions(f: Found) -> Plain:
    """The action set in words."""
    actions = f.explainer.action_set_
    shown = list(actions.features.items())[:MOST_FEATURES]
    rules = [brief(rule.describe()) for rule in actions.constraints[:MOST_RULES]]
    return {
        "features": [
            {
                "feature": brief(name),
                "kind": feature.kind,
                "values": brief(feature.describe_values()),
                "can_change": feature.describe(),
            }
            for name, feature in shown
        ],
        "more_features": len(actions.names) - len(shown),
        "rules": rules,
        "more_rules": len(actions.constraints) - len(rules),
    }


def of_people(f: Found) -> Plain:
    """How many are denied, and how many of those have a way back; by group too."""
    counts = f.verdicts.counts()
    out: Plain = {
        **_plain(recourse_summary(f.verdicts)),
        "counts": {name: int(n) for name, n in counts.items()},
        "groups": [],
        "group_name": brief(f.group_name),
        "more_groups": 0,
    }
    if f.groups is not None:
        frame = recourse_summary(f.verdicts, groups=f.groups)
        frame = frame.sort_values("n_rows", ascending=False, kind="stable")
        out["groups"] = [
            {"group": brief(label), **_plain(line)}
            for label, line in frame.head(MOST_GROUPS).iterrows()
        ]
        out["more_groups"] = max(len(frame) - MOST_GROUPS, 0)
    return out


def of_features(f: Found) -> Plain:
    """Which features help whom, among those who are denied."""
    e = f.explanation
    values, moved = e.values, e.n_reachable > 0
    n = len(values)
    helps = (values > 0).mean(axis=0) if n else np.zeros(values.shape[1])
    mean = values.mean(axis=0) if n else helps
    can = [e.source.actions.features[name].actionable for name in e.feature_names]
    order = np.lexsort((~np.array(can), -mean, -helps))
    labels = _group_masks(f)
    lines = []
    for j in order[:MOST_FEATURES]:
        score = values[:, j]
        bands = [int(((score > a) & (score <= b)).sum()) for a, b in BANDS]
        lines.append(
            {
                "feature": brief(e.feature_names[j]),
                "actionable": can[j],
                "can_move": int(moved[:, j].sum()),
                "helps": int((score > 0).sum()),
                "mean": float(mean[j]),
                "bands": bands,
                "groups": {
                    label: _share(score[mask] > 0) for label, mask in labels.items()
                },
            }
        )
    return {
        "denied": n,
        "features": lines,
        "more": max(len(order) - MOST_FEATURES, 0),
        "groups": list(labels),
    }


def _group_masks(f: Found) -> dict[str, NDArray[np.bool_]]:
    """The denied of each of the largest groups."""
    if f.groups is None:
        return {}
    mine = np.array([brief(label) for label in f.groups[f.denied]], dtype=object)
    names, counts = np.unique(
        np.array([brief(label) for label in f.groups], dtype=object).astype(str),
        return_counts=True,
    )
    largest = names[np.argsort(-counts, kind="stable")][:MOST_GROUPS]
    return {str(name): mine == name for name in largest}


def of_comparison(f: Found) -> Plain:
    """What the lists of other explainers are worth to those who are denied."""
    n = len(f.denied)
    places = np.arange(n)
    if n > f.compare_rows:
        places = np.unique(np.linspace(0, n - 1, f.compare_rows).astype(np.intp))
    lines: list[Plain] = []
    if len(places) and f.explainers:
        whole = len(places) == n
        rows = spread(f.table, f.denied[places])
        truth = f.explanation if whole else f.explainer.explain(rows)
        lines.append({"name": "RESP", **explanation_summary(truth, truth, f.top_k)})
        for name, explainer in f.explainers.items():
            mine = explainer.explain(rows)
            found = explanation_summary(mine, truth, f.top_k)
            lines.append({"name": brief(name), **found})
    return {
        "top_k": f.top_k,
        "denied": n,
        "rows": len(places),
        "explainers": [_plain(line) for line in lines],
    }


def of_examples(f: Found) -> list[Plain]:
    """Some people of each fate, in the order of the rows, and what each is told."""
    status = f.verdicts.status[f.denied]
    by_fate = [np.flatnonzero(status == fate).tolist() for fate in _EXAMPLE_ORDER]
    chosen: list[int] = []
    wanted = min(f.examples, MOST_EXAMPLES)
    while len(chosen) < wanted and any(by_fate):
        for places in by_fate:
            if places and len(chosen) < wanted:
                chosen.append(places.pop(0))
    if not chosen:
        return []
    rows = spread(f.table, f.denied[chosen])
    explanation = f.explainer.explain(rows)
    # Short letters, where the budget allows for them.
    verdicts = f.explainer.verify(rows, cost="fewest", **f.budget)
    if (verdicts.status != status[chosen]).any():
        verdicts = f.explainer.verify(rows, **f.budget)
    labels = row_labels(f.table)
    shown = explanation.source.as_numbers(rows, explanation.feature_names)[1]
    features = f.explainer.action_set_.features
    out = []
    for i, place in enumerate(chosen):
        told = notice(
            explanation, i, verdicts, reasons=f.reasons, names=f.names
        ).to_dict()
        values = [
            {"feature": brief(name), "value": brief(state(v, features[name].kind))}
            for name, v in zip(explanation.feature_names, shown[i], strict=True)
        ]
        out.append(
            {
                "row": brief(number(labels[f.denied[place]])),
                "status": told["status"],
                "values": values[:MOST_FEATURES],
                "more_values": max(len(values) - MOST_FEATURES, 0),
                "notice": {**told, "note": ""},
            }
        )
    return out


def of_method(f: Found) -> Plain:
    """How it was computed."""
    return {
        **method_facts(f.explainer, f.explanation, f.verdicts),
        "notes": {brief(key): brief(value) for key, value in f.notes.items()},
    }


def denied_rows(verdicts: Verdicts) -> NDArray[np.intp]:
    """The rows that are valid and not at the target."""
    status = verdicts.status
    return np.flatnonzero((status != "approved") & (status != "invalid"))


def _share(mask: NDArray[np.bool_]) -> float | None:
    return float(mask.mean()) if len(mask) else None


def _plain(line: Mapping[Any, Any]) -> Plain:
    """Numbers of Python's own, None for what is not defined."""
    out: Plain = {}
    for key, value in line.items():
        if isinstance(value, str):
            out[str(key)] = value
            continue
        real = float(value)
        counted = key in ("n_rows", "n_denied", "n_invalid")
        out[str(key)] = None if math.isnan(real) else int(real) if counted else real
    return out


SECTIONS: dict[str, Any] = {
    "model": of_model,
    "people": of_people,
    "features": of_features,
    "comparison": of_comparison,
    "examples": of_examples,
    "actions": of_actions,
    "method": of_method,
}


def check_sections(sections: Sequence[str] | None) -> list[str]:
    """The sections to make, in the order of the page."""
    if sections is None:
        return list(SECTIONS)
    wanted = [sections] if isinstance(sections, str) else list(sections)
    for name in wanted:
        if name not in SECTIONS:
            raise ValueError(
                f"sections has {name!r}; the sections are {', '.join(SECTIONS)}."
            )
    return [name for name in SECTIONS if name in wanted]
