"""Models that wrap another model: frozen ones, searches, pipelines, thresholds."""

from __future__ import annotations

from typing import Any

from sklearn.frozen import FrozenEstimator

from ._class_names import is_sklearn
from ._decision_policy import DecisionPolicy


def has_threshold(model: Any) -> bool:
    """Return whether a model is a classifier with a threshold of its own."""
    return is_sklearn(model, "FixedThresholdClassifier", "TunedThresholdClassifierCV")


def inner_model(model: Any) -> Any:
    """Return the model inside a wrapper; None for a model that is not a wrapper."""
    if isinstance(model, FrozenEstimator):
        return model.estimator
    if has_threshold(model):
        return getattr(model, "estimator_", model.estimator)
    if is_sklearn(model, "GridSearchCV", "RandomizedSearchCV"):
        return model.best_estimator_
    if is_sklearn(model, "Pipeline"):
        return model.steps[-1][1]
    return None


def first_estimator(model: Any) -> Any:
    """Return the estimator that gets the rows as they are given.

    The first step of a pipeline, or the model inside a frozen model or a policy.
    """
    while True:
        inside = policy_model(model)
        if is_sklearn(model, "Pipeline"):
            inside = next(iter(steps_before(model)), model.steps[-1][1])
        elif isinstance(model, FrozenEstimator):
            inside = model.estimator
        if inside is None:
            return model
        model = inside


def policy_model(model: Any) -> Any:
    """Return the model inside a DecisionPolicy, whose rules come first; else None."""
    if not isinstance(model, DecisionPolicy):
        return None
    return getattr(model, "estimator_", model.estimator)


def steps_before(model: Any) -> list[Any]:
    """Return the steps before the last one of a pipeline; none for other models."""
    if not is_sklearn(model, "Pipeline"):
        return []
    return [step for _, step in model.steps[:-1] if not passes(step)]


def passes(step: Any) -> bool:
    """Return whether a step of a pipeline does nothing to rows that are predicted.

    Steps that draw other rows, as those of imbalanced-learn, are used at fit only.
    """
    if hasattr(step, "fit_resample"):
        return True
    return step is None or (isinstance(step, str) and step == "passthrough")
