"""When the scores of a model reach the target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logit

from ._ensemble import Floats
from ._target import AtLeast, Goal, LabelGoal, ProbabilityGoal, Truth, ValueGoal

# How far scores may be off, relative to their size, and probabilities.
DOUBT, DOUBT32 = 1e-9, 1e-4
_FLOAT64, _FLOAT32 = 1e-14, 1e-6


@dataclass(frozen=True)
class Decision:
    """When scores reach the target: one of them beyond a cut, or above all others.

    `gap` is positive where they do; within `doubt` of 0 the model itself is asked.
    """

    column: int
    cut: float | None
    sign: float
    doubt: float
    rivals: int = 1  # other classes, where there is no cut
    least: float = 0.0  # doubt at least: a probability rounds, its logit jumps

    def gap(self, scores: Floats) -> Floats:
        """How far the scores are on the good side."""
        mine = scores[:, self.column]
        if self.cut is not None:
            return self.sign * (mine - self.cut)
        others = np.delete(scores, self.column, axis=1)
        return mine - others.max(axis=1)

    def gaps(self, scores: Floats) -> Floats:
        """How far the target is ahead of each rival, the cut being left out.

        `offset` is what to take off then: all gaps are positive where it is reached.
        """
        mine = self.sign * scores[:, [self.column]]
        if self.cut is not None:
            return mine
        return mine - np.delete(scores, self.column, axis=1)

    def sizes(self, sizes: Floats) -> Floats:
        """Return the sizes of gaps where those of scores are given."""
        mine = sizes[:, [self.column]]
        if self.cut is not None:
            return mine
        return mine + np.delete(sizes, self.column, axis=1)

    @property
    def offset(self) -> float:
        """The cut, on the side of the gaps."""
        return 0.0 if self.cut is None else self.sign * self.cut

    def unsure(self, scores: Floats) -> Truth:
        """Where rounding could decide."""
        size = np.maximum(1.0, np.abs(scores).max(axis=1))
        return np.abs(self.gap(scores)) <= np.maximum(self.doubt * size, self.least)

    @property
    def tolerance(self) -> float:
        """A gap within this of 0 is in doubt, whatever the scores."""
        size = 10.0 if self.cut is None else abs(self.cut)
        return max(self.doubt * max(1.0, size), self.least)


@dataclass(frozen=True)
class Rule:
    """The rule of a wrapper that says one label from a threshold on, else the other."""

    threshold: float
    of_probability: bool
    positive: Any

    @classmethod
    def of(cls, model: Any) -> Rule:
        """The rule of a FixedThresholdClassifier or TunedThresholdClassifierCV."""
        inner = getattr(model, "estimator_", model.estimator)
        method = model.response_method
        if method == "auto":
            known = hasattr(inner, "predict_proba")
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


def decision_of(
    goal: Goal, scores: Floats, doubt: float, link: str, rule: Rule | None
) -> Decision | None:
    """Return when scores reach the goal; None where that is not known."""
    width = scores.shape[1]
    if isinstance(goal, ValueGoal):
        if width != 1 or link != "identity":
            return None
        sign = 1.0 if isinstance(goal.target, AtLeast) else -1.0
        return Decision(0, goal.target.value, sign, doubt)
    if not isinstance(goal, (LabelGoal, ProbabilityGoal)) or link == "identity":
        return None
    classes = getattr(goal.model, "classes_", None)
    if classes is None:
        return None
    place = int(np.flatnonzero(np.asarray(classes) == goal.target)[0])
    if isinstance(goal, LabelGoal):
        if rule is not None:
            return _ruled(goal, rule, np.asarray(classes), width, link, doubt)
        if width == 1 and len(classes) == 2:
            return Decision(0, 0.0, 1.0 if place == 1 else -1.0, doubt)
        several = width == len(classes) > 1
        rivals = len(classes) - 1
        return Decision(place, None, 1.0, doubt, rivals) if several else None
    return _beyond(goal.threshold, place, len(classes), width, link, doubt)


def _beyond(
    threshold: float, place: int, classes: int, width: int, link: str, doubt: float
) -> Decision | None:
    """The probability of the class at a place is at least a threshold."""
    if width == 1 and classes == 2 and link == "logit" and 0 < threshold < 1:
        sign = 1.0 if place == 1 else -1.0
        rounding = _FLOAT32 if doubt > DOUBT else _FLOAT64
        least = rounding / (threshold * (1.0 - threshold))
        return Decision(0, sign * float(logit(threshold)), sign, doubt, 1, least)
    if width == 1 and classes == 2 and link == "clipped" and 0 < threshold < 1:
        # The probability of the second class is (score + 1) / 2, cut off at 0 and 1.
        sign = 1.0 if place == 1 else -1.0
        return Decision(0, sign * (2.0 * threshold - 1.0), sign, doubt)
    if width == classes and link == "probability":
        return Decision(place, threshold, 1.0, doubt)
    return None


def _ruled(
    goal: LabelGoal, rule: Rule, classes: Any, width: int, link: str, doubt: float
) -> Decision | None:
    """The label that a wrapper's own rule says."""
    if len(classes) != 2:
        return None
    place = int(np.flatnonzero(classes == rule.positive)[0])
    if rule.of_probability:
        found = _beyond(rule.threshold, place, 2, width, link, doubt)
    elif width == 1:
        sign = 1.0 if place == 1 else -1.0
        found = Decision(0, sign * rule.threshold, sign, doubt)
    else:
        found = None
    if found is None or goal.target == rule.positive:
        return found
    # The other label is said below the threshold.
    return replace(found, sign=-found.sign)


def is_confirmed(decision: Decision, goal: Goal, scores: Floats, rows: Any) -> bool:
    """Whether the decision is the model's, on these rows."""
    sure = ~decision.unsure(scores)
    return bool((goal.reached(rows) == (decision.gap(scores) > 0))[sure].all())
