"""The target prediction, and whether a model gives it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skresp._text import quote, quote_all
from skresp._typing import BoolArray, FloatArray
from skresp._validation import check_finite, did_you_mean

from ._class_names import is_sklearn
from ._predictions import (
    check_model_scores,
    class_position,
    classes_of,
    predicted_numbers,
    predicts_label,
    predicts_numbers,
    probabilities,
)
from ._wrappers import has_threshold, inner_model, policy_model


@dataclass(frozen=True)
class AtLeast:
    """The target of a regressor: a prediction of at least `value`.

    Parameters
    ----------
    value : float
        The smallest prediction that reaches the target.

    Examples
    --------
    >>> from skresp import AtLeast
    >>> str(AtLeast(700))
    'at least 700'
    """

    value: float

    def __post_init__(self) -> None:
        _check_number(self)

    def __str__(self) -> str:
        return f"at least {self.value:g}"

    def met(self, predictions: NDArray[Any]) -> BoolArray:
        """Return which predictions meet the target."""
        return np.asarray(predictions) >= self.value


@dataclass(frozen=True)
class AtMost:
    """The target of a regressor: a prediction of at most `value`.

    Parameters
    ----------
    value : float
        The largest prediction that reaches the target.

    Examples
    --------
    >>> from skresp import AtMost
    >>> str(AtMost(0.2))
    'at most 0.2'
    """

    value: float

    def __post_init__(self) -> None:
        _check_number(self)

    def __str__(self) -> str:
        return f"at most {self.value:g}"

    def met(self, predictions: NDArray[Any]) -> BoolArray:
        """Return which predictions meet the target."""
        return np.asarray(predictions) <= self.value


def _check_number(target: AtLeast | AtMost) -> None:
    value, name = target.value, type(target).__name__
    # NaN alone differs from itself.
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:
        raise TypeError(
            f"{name} requires a number to compare predictions with, got {quote(value)}."
        )
    check_finite(f"The value of {name}", value)


class TargetRule(Protocol):
    """The rule by which predictions of a model reach the target."""

    @property
    def model(self) -> Any:
        """The fitted model."""

    @property
    def target(self) -> Any:
        """The class label, or the AtLeast or AtMost."""

    def reached(self, X: Any) -> BoolArray:
        """Return which rows reach the target."""

    def check(self, X: Any) -> None:
        """Raise if the model returns invalid predictions for rows."""


@dataclass(frozen=True)
class LabelRule:
    """`predict` returns the label: the model's own decision rule."""

    model: Any
    target: Any
    classes: NDArray[Any] | None = None

    def reached(self, X: Any) -> BoolArray:
        """Return which rows reach the target."""
        return predicts_label(self.model, X, self.target, self.classes)

    def check(self, X: Any) -> None:
        """Raise if the model returns invalid predictions for rows."""
        self.reached(X)
        if self.classes is not None:
            check_model_scores(self.model, X, len(self.classes))


@dataclass(frozen=True)
class ProbabilityRule:
    """The probability of the label is at least a threshold."""

    model: Any
    target: Any
    column: int
    threshold: float

    def probability(self, X: Any) -> FloatArray:
        """Return the probability of the label for each row."""
        n_classes = len(self.model.classes_)
        return probabilities(self.model, X, n_classes)[:, self.column]

    def reached(self, X: Any) -> BoolArray:
        """Return which rows reach the target."""
        return self.probability(X) >= self.threshold

    def check(self, X: Any) -> None:
        """Raise if the model returns invalid predictions for rows."""
        self.reached(X)


@dataclass(frozen=True)
class ValueRule:
    """A predicted number is at least, or at most, a value."""

    model: Any
    target: AtLeast | AtMost

    def reached(self, X: Any) -> BoolArray:
        """Return which rows reach the target."""
        return self.target.met(predicted_numbers(self.model, X))

    def check(self, X: Any) -> None:
        """Raise if the model returns invalid predictions for rows."""
        self.reached(X)


@dataclass(frozen=True)
class AnyPrediction:
    """The rule without a target: the predicted number is explained as it is."""

    model: Any
    target: None = None

    def reached(self, X: Any) -> BoolArray:
        """Return False for every row."""
        return np.zeros(len(X), dtype=bool)

    def check(self, X: Any) -> None:
        """Raise if the model returns invalid predictions for rows."""
        predicted_numbers(self.model, X)


def is_about_numbers(target_rule: TargetRule) -> bool:
    """Return whether predictions are numbers rather than labels."""
    return isinstance(target_rule, (AnyPrediction, ValueRule))


def sign_of(target_rule: TargetRule) -> float:
    """Return -1.0 where a smaller number is nearer to the target, else 1.0."""
    if is_about_numbers(target_rule):
        return -1.0 if isinstance(target_rule.target, AtMost) else 1.0
    model = target_rule.model
    return 1.0 if class_position(model, target_rule.target) == 1 else -1.0


def target_column(target_rule: TargetRule, scores: FloatArray) -> FloatArray | None:
    """Return the numbers that are higher nearer to the target label.

    `scores` has one column for each class, or a single one for the second of two
    classes. Otherwise the result is None.
    """
    classes, width = target_rule.model.classes_, scores.shape[1]
    if width == len(classes):
        return scores[:, class_position(target_rule.model, target_rule.target)]
    if width == 1 and len(classes) == 2:
        return sign_of(target_rule) * scores[:, 0]
    return None


def make_optional_target_rule(model: Any, target: Any) -> TargetRule:
    """Return the target rule of a model; a regressor needs no target."""
    if target is None and classes_of(model) is None:
        return AnyPrediction(model)
    return make_target_rule(model, target, None)


def make_target_rule(model: Any, target: Any, threshold: float | None) -> TargetRule:
    """Return the target rule of a fitted model.

    Without a target, the `default_target` of a classifier is used.
    """
    if isinstance(target, (AtLeast, AtMost)):
        if classes_of(model) is not None:
            raise ValueError(
                f"target is {quote(target)}, but the model predicts classes "
                f"({quote_all(model.classes_)}). Pass a class label as target, and "
                f"threshold= for a threshold on its probability."
            )
        if threshold is not None:
            raise ValueError(
                f"threshold={quote(threshold)} applies to class probabilities, and "
                f"target is {quote(target)}. Leave threshold out."
            )
        return ValueRule(model, target)
    classes = classes_of(model)
    if classes is None:
        return _rule_without_classes(model, target, threshold)
    if len(classes) and isinstance(classes[0], (np.ndarray, list, tuple)):
        raise ValueError("The model has several outputs. Pass a model with one output.")
    classes = np.asarray(classes)
    if not len(classes):
        raise ValueError(
            "The model has no classes: its classes_ is empty. Fit it again."
        )
    if target is None:
        target = default_target(classes)
    same = classes == target if np.ndim(target) == 0 else False
    position = np.flatnonzero(np.asarray(same))
    if len(position) != 1:
        raise ValueError(
            f"target={quote(target)} is not among the classes of the model. "
            f"{_other_type(target, classes)}Pass one of {quote_all(classes)}."
        )
    label = _plain(classes[position[0]])
    if threshold is None:
        return LabelRule(model, label, classes)
    _check_threshold(model, threshold)
    return ProbabilityRule(model, label, int(position[0]), float(threshold))


def default_target(classes: Any) -> Any:
    """Return the class that is wanted if none is given: the last."""
    return classes[-1]


def target_warning(target: Any, classes: Any) -> str:
    """Return the message for a target that was not given."""
    return (
        f"target is not given: {quote(_plain(target))}, the last of the model's "
        f"classes ({quote_all(classes)}), is used. Pass target=... to choose the "
        f"wanted class; where 1 means default or rejection, the wanted class is not 1."
    )


def _check_threshold(model: Any, threshold: float) -> None:
    """Raise if a threshold is no probability, or the model cannot be used with it."""
    if isinstance(threshold, bool) or not isinstance(threshold, Real):
        raise TypeError(
            f"threshold must be a number from 0 to 1, got {quote(threshold)}."
        )
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be between 0 and 1, got {quote(threshold)}.")
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"threshold={quote(threshold)} requires predict_proba, which "
            f"{type(model).__name__} does not have. Leave threshold out to use predict."
        )
    inner = _threshold_classifier(model)
    if inner is not None:
        raise ValueError(
            f"threshold={quote(threshold)} is given, but the model has a threshold of "
            f"its own: {type(inner).__name__} with {_own_threshold(inner)}. Leave "
            f"threshold out to explain the model's own decisions, or pass the "
            f"estimator_ of the {type(inner).__name__} with "
            f"threshold={quote(threshold)}."
        )


def _threshold_classifier(model: Any) -> Any:
    """Return the threshold classifier that makes a model's predictions, if any."""
    while model is not None:
        if has_threshold(model):
            return model
        is_rfe = is_sklearn(model, "RFE")
        inside = model.estimator_ if is_rfe else policy_model(model)
        model = inner_model(model) if inside is None else inside
    return None


def _own_threshold(model: Any) -> str:
    if is_sklearn(model, "FixedThresholdClassifier"):
        return f"threshold={quote(model.threshold)}"
    return f"best_threshold_={float(model.best_threshold_):g}"


def _rule_without_classes(model: Any, target: Any, threshold: Any) -> TargetRule:
    """Return the target rule of a model without `classes_`."""
    if target is None or predicts_numbers(model):
        raise ValueError(
            f"{type(model).__name__} predicts numbers, or has no classes_, so "
            f"target={quote(target)} does not determine which predictions are wanted. "
            f"Pass target=AtLeast(value) or AtMost(value), or a label that predict "
            f"returns."
        )
    if threshold is not None:
        raise ValueError(
            f"threshold={quote(threshold)} requires a model with classes_ and "
            f"predict_proba. Leave threshold out to use predict."
        )
    return LabelRule(model, target)


def _other_type(target: Any, classes: Any) -> str:
    """Return a question with a class of another type or spelling, if there is one."""
    for label in classes:
        if str(label) == str(target):
            kind = "text" if isinstance(label, str) else "number"
            return f"Did you mean the {kind} {quote(_plain(label))}? "
        if isinstance(target, str) and not isinstance(label, str):
            with suppress(ValueError, OverflowError):
                if float(target) == label:
                    return f"Did you mean the number {quote(_plain(label))}? "
    if not isinstance(target, str):
        return ""
    return did_you_mean(target, [label for label in classes if isinstance(label, str)])


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
