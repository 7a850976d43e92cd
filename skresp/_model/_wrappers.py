"""Models that wrap another model: frozen ones, searches, pipelines, thresholds.

Classes are recognised by name, so that no library is imported for it.
"""

from __future__ import annotations

from typing import Any

THRESHOLD_CLASSIFIERS = ("FixedThresholdClassifier", "TunedThresholdClassifierCV")
_SEARCHES = ("GridSearchCV", "RandomizedSearchCV")


def inner_model(model: Any) -> Any:
    """Return the model inside a wrapper; None for a model that is not a wrapper."""
    name = type(model).__name__
    if name == "FrozenEstimator":
        return model.estimator
    if name in THRESHOLD_CLASSIFIERS:
        return getattr(model, "estimator_", model.estimator)
    if name in _SEARCHES:
        return model.best_estimator_
    if name == "Pipeline":
        return model.steps[-1][1]
    return None


def policy_model(model: Any) -> Any:
    """Return the model inside a DecisionPolicy, whose rules come first; else None."""
    if type(model).__name__ != "DecisionPolicy":
        return None
    return getattr(model, "estimator_", model.estimator)


def steps_before(model: Any) -> list[Any]:
    """Return the steps before the last one of a pipeline; none for other models."""
    if type(model).__name__ != "Pipeline":
        return []
    return [step for _, step in model.steps[:-1] if not passes(step)]


def passes(step: Any) -> bool:
    """Return whether a step of a pipeline does nothing to rows that are predicted.

    Steps that draw other rows, as those of imbalanced-learn, are used at fit only.
    """
    if hasattr(step, "fit_resample"):
        return True
    return step is None or (isinstance(step, str) and step == "passthrough")
