"""The prediction a person wants, and whether a model gives it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline

from ._answers import (
    check_model_scores,
    predicted_numbers,
    predicts_label,
    probabilities,
)

Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class AtLeast:
    """The target of a regressor: a prediction of at least `value`.

    >>> from skresp.scores import AtLeast
    >>> str(AtLeast(700))
    'at least 700'
    """

    value: float

    def __post_init__(self) -> None:
        _check_number(self)

    def __str__(self) -> str:
        return f"at least {self.value:g}"

    def met(self, predictions: NDArray[Any]) -> Truth:
        """Which predictions are good enough."""
        return np.asarray(predictions) >= self.value


@dataclass(frozen=True)
class AtMost:
    """The target of a regressor: a prediction of at most `value`."""

    value: float

    def __post_init__(self) -> None:
        _check_number(self)

    def __str__(self) -> str:
        return f"at most {self.value:g}"

    def met(self, predictions: NDArray[Any]) -> Truth:
        """Which predictions are good enough."""
        return np.asarray(predictions) <= self.value


def _check_number(target: AtLeast | AtMost) -> None:
    value = target.value
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise TypeError(
            f"{type(target).__name__} needs a number to compare predictions with, got "
            f"{value!r}."
        )


class Goal(Protocol):
    """What is asked of a model about points dressed for it."""

    @property
    def target(self) -> Any:
        """The class label, or the AtLeast or AtMost."""

    def reached(self, X: Any) -> Truth:
        """Which points reach the target."""

    def check(self, X: Any) -> None:
        """Raise where the model's answers about rows are broken."""


@dataclass(frozen=True)
class LabelGoal:
    """`predict` says the label: the model's own decision rule."""

    model: Any
    target: Any
    classes: NDArray[Any] | None = None

    def reached(self, X: Any) -> Truth:
        return predicts_label(self.model, X, self.target, self.classes)

    def check(self, X: Any) -> None:
        """Raise where the model's answers about rows are broken."""
        self.reached(X)
        if self.classes is not None:
            check_model_scores(self.model, X)


@dataclass(frozen=True)
class ProbabilityGoal:
    """The probability of the label is at least a threshold."""

    model: Any
    target: Any
    column: int
    threshold: float

    def probability(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of the label for each row."""
        n_classes = len(self.model.classes_)
        return probabilities(self.model, X, n_classes)[:, self.column]

    def reached(self, X: Any) -> Truth:
        return self.probability(X) >= self.threshold

    def check(self, X: Any) -> None:
        """Raise where the model's answers about rows are broken."""
        self.reached(X)


@dataclass(frozen=True)
class ValueGoal:
    """A predicted number is at least, or at most, a value."""

    model: Any
    target: AtLeast | AtMost

    def reached(self, X: Any) -> Truth:
        return self.target.met(predicted_numbers(self.model, X))

    def check(self, X: Any) -> None:
        """Raise where the model's answers about rows are broken."""
        self.reached(X)


def make_goal(model: Any, target: Any, threshold: float | None) -> Goal:
    """The goal for a fitted model, with the defaults filled in."""
    if isinstance(target, (AtLeast, AtMost)):
        if getattr(model, "classes_", None) is not None:
            raise ValueError(
                f"target is {target!r}, but the model predicts classes "
                f"({_listed(model.classes_)}). Name a class label, and a threshold on "
                f"its probability if that is what you mean."
            )
        if threshold is not None:
            raise ValueError(
                f"threshold={threshold!r} is for class probabilities; {target!r} "
                f"already says what is good enough. Leave threshold out."
            )
        return ValueGoal(model, target)
    classes = getattr(model, "classes_", None)
    if classes is None:
        return _goal_without_classes(model, target, threshold)
    if len(classes) and isinstance(classes[0], (np.ndarray, list, tuple)):
        raise ValueError(
            "The model predicts several outputs at once; explain a model of one output."
        )
    classes = np.asarray(classes)
    if target is None:
        target = classes[-1]
    place = np.flatnonzero(np.asarray(classes == target))
    if len(place) != 1:
        raise ValueError(
            f"target={target!r} is not among the classes of the model: "
            f"{_listed(classes)}."
        )
    label = _plain(classes[place[0]])
    if threshold is None:
        return LabelGoal(model, label, classes)
    if isinstance(threshold, bool) or not isinstance(threshold, Real):
        raise TypeError(f"threshold must be a number from 0 to 1, got {threshold!r}.")
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must lie between 0 and 1, got {threshold!r}.")
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"threshold={threshold!r} needs a model with predict_proba, which "
            f"{type(model).__name__} has not. Leave threshold out to use its predict."
        )
    _check_one_threshold(model, threshold)
    return ProbabilityGoal(model, label, int(place[0]), float(threshold))


def target_warning(target: Any, classes: Any) -> str:
    """Return the message for a target that was not given."""
    return (
        f"target is not given: {_plain(target)!r}, the last of the model's classes "
        f"({_listed(classes)}), is taken for the wanted prediction. Pass target=... to "
        f"say which class is wanted; where 1 means default or rejection, it is not 1."
    )


def _check_one_threshold(model: Any, threshold: float) -> None:
    inner = _threshold_classifier(model)
    if inner is not None:
        raise ValueError(
            f"threshold={threshold!r} is given, but the model has a threshold of its "
            f"own: {type(inner).__name__} with {_own_threshold(inner)}. Leave "
            f"threshold out to explain the model's own decisions, or pass the "
            f"classifier inside the {type(inner).__name__} (its estimator_) with "
            f"threshold={threshold!r}."
        )


def _threshold_classifier(model: Any) -> Any:
    """Return the threshold classifier that makes a model's predictions, if any."""
    while True:
        if isinstance(model, (FixedThresholdClassifier, TunedThresholdClassifierCV)):
            return model
        if isinstance(model, FrozenEstimator):
            model = model.estimator
        elif isinstance(model, Pipeline):
            model = model.steps[-1][1]
        elif isinstance(model, RFE):
            model = model.estimator_
        elif hasattr(model, "best_estimator_"):  # a search over parameters
            model = model.best_estimator_
        else:
            return None


def _own_threshold(model: Any) -> str:
    if isinstance(model, FixedThresholdClassifier):
        return f"threshold={model.threshold!r}"
    return f"best_threshold_={float(model.best_threshold_):g}"


def _goal_without_classes(model: Any, target: Any, threshold: Any) -> Goal:
    tells = hasattr(model, "__sklearn_tags__")  # a bare predictor does not
    if target is None or (tells and is_regressor(model)):
        raise ValueError(
            f"{type(model).__name__} predicts numbers, or does not tell its classes; "
            f"target={target!r} does not say what is good enough. Pass "
            f"target=AtLeast(value) or AtMost(value) from skresp.scores, or a label "
            f"that predict returns."
        )
    if threshold is not None:
        raise ValueError(
            f"threshold={threshold!r} needs a model with classes_ and predict_proba. "
            f"Leave it out to use its predict."
        )
    return LabelGoal(model, target)


def _listed(classes: Any) -> str:
    return ", ".join(repr(_plain(c)) for c in classes)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
