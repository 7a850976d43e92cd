"""What scores and verdicts were computed with, in words.

An audit shows it, and `score_files` keeps it in its manifest.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sklearn.pipeline import Pipeline

from skresp._actions._display import rules
from skresp._html._plain_values import Plain, brief
from skresp._text import one_line
from skresp._validation import is_integer

from ._identity import unfrozen

_MOST = 40


def describe_explainer(explainer: Any) -> Plain:
    """Return the model, the action set and the settings of an explainer.

    Returns
    -------
    dict of plain values
        `model`, `actions` and `settings`. Features are in the order of the model's
        columns.
    """
    return {
        "model": _model(explainer),
        "actions": _actions(explainer),
        "settings": _settings(explainer),
    }


def _model(explainer: Any) -> Plain:
    estimator = unfrozen(explainer.estimator_)
    steps = [estimator]
    if isinstance(estimator, Pipeline):
        steps = [unfrozen(step) for _, step in estimator.steps]
    classes = getattr(estimator, "classes_", None)
    return {
        "name": " → ".join(type(step).__name__ for step in steps),
        "parameters": _parameters(steps[-1]),
        "classes": [] if classes is None else [brief(c) for c in classes[:_MOST]],
        "target": brief(explainer.target_),
        "threshold": explainer.threshold,
        "structure": asdict(explainer.structure_),
    }


def _parameters(estimator: Any) -> dict[str, str]:
    try:
        given = estimator.get_params(deep=False)
    except Exception:  # a model of any origin: get_params may be missing or fail
        return {}
    shown = {k: brief(v) for k, v in sorted(given.items()) if v is not None}
    return dict(list(shown.items())[:_MOST])


def _actions(explainer: Any) -> Plain:
    """Return the action set in words, never cut: a reader relies on every rule."""
    action_set = explainer.action_set_
    names = getattr(explainer, "feature_names_in_", action_set.names)
    features = {str(name): action_set.features[name] for name in names}
    return {
        "features": [
            {
                "feature": one_line(name),
                "kind": feature.kind,
                "actionable": feature.actionable,
                "values": one_line(feature.describe_values()),
                "can_change": one_line(feature.describe()),
            }
            for name, feature in features.items()
        ],
        "rules": [one_line(rule) for rule in rules(action_set)],
    }


def _settings(explainer: Any) -> Plain:
    seed = explainer.random_state
    return {
        "interventions": explainer.interventions,
        "method": explainer.method,
        "n_samples": str(explainer.n_samples),
        "confidence": 1 - explainer.alpha,
        "seed": int(seed) if is_integer(seed) else None,
        "random_effects": explainer.random_effects is not None,
    }
