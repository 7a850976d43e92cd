"""The section on the model and the data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sklearn.pipeline import Pipeline

from skresp.batch._identity import unfrozen
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, brief

_MOST = 40


def model(f: Findings) -> Plain:
    """Return the model, its target and the size of the data."""
    estimator = unfrozen(f.explainer.estimator_)
    steps = [estimator]
    if isinstance(estimator, Pipeline):
        steps = [unfrozen(step) for _, step in estimator.steps]
    classes = getattr(estimator, "classes_", None)
    return {
        "name": " → ".join(type(step).__name__ for step in steps),
        "parameters": _parameters(steps[-1]),
        "classes": [] if classes is None else [brief(c) for c in classes[:_MOST]],
        "target": brief(f.explainer.target_),
        "threshold": f.explainer.threshold,
        "structure": asdict(f.explainer.structure_),
        "rows": len(f.table),
        "columns": len(f.explanation.feature_names),
        "invalid": int((f.verdicts.status == "invalid").sum()),
    }


def _parameters(estimator: Any) -> dict[str, str]:
    try:
        given = estimator.get_params(deep=False)
    except Exception:  # a model of any origin: get_params may be missing or fail
        return {}
    shown = {k: brief(v) for k, v in sorted(given.items()) if v is not None}
    return dict(list(shown.items())[:_MOST])
