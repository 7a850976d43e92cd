"""Split a fitted model into its wrappers, transformers and final estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ._wrappers import has_threshold, inner_model, policy_model, steps_before


@dataclass(frozen=True)
class ThresholdRule:
    """The rule of a wrapper that predicts one label from a threshold on.

    Attributes
    ----------
    threshold : float
    of_probability : bool
        Whether the threshold is on a probability or on a decision function.
    positive : label
        The label that is predicted from the threshold on.
    """

    threshold: float
    of_probability: bool
    positive: Any

    @classmethod
    def of(cls, model: Any) -> ThresholdRule:
        """Read a FixedThresholdClassifier or TunedThresholdClassifierCV."""
        method = model.response_method
        if method == "auto":
            known = hasattr(inner_model(model), "predict_proba")
            method = "predict_proba" if known else "decision_function"
        threshold = getattr(model, "best_threshold_", None)
        if threshold is None:
            threshold = model.threshold
        if threshold == "auto":
            threshold = 0.5 if method == "predict_proba" else 0.0
        positive = getattr(model, "pos_label", None)
        if positive is None:
            positive = model.classes_[1]
        return cls(float(threshold), method == "predict_proba", positive)


class Unwrapped(NamedTuple):
    """The parts of a fitted model.

    Attributes
    ----------
    models : tuple
        The model itself, and those inside of it; the last one is the final estimator.
    steps : tuple
        The transformers before the final estimator.
    threshold_rule : ThresholdRule or None
        The rule of the outermost threshold classifier, also inside a DecisionPolicy.
    """

    models: tuple[Any, ...]
    steps: tuple[Any, ...]
    threshold_rule: ThresholdRule | None

    @property
    def final(self) -> Any:
        """The estimator that computes the scores."""
        return self.models[-1]


def unwrap(model: Any) -> Unwrapped:
    """Split a model into its parts."""
    models: list[Any] = []
    steps: list[Any] = []
    threshold_rule = None
    while model is not None:
        models.append(model)
        steps += steps_before(model)
        if threshold_rule is None and has_threshold(model):
            threshold_rule = ThresholdRule.of(model)
        model = inner_model(model)
    inside = policy_model(models[-1])
    if threshold_rule is None and inside is not None:
        threshold_rule = unwrap(inside).threshold_rule
    return Unwrapped(tuple(models), tuple(steps), threshold_rule)
