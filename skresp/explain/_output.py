"""The number that contributions add up to: what a model says about the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.scores import (
    AtLeast,
    AtMost,
    Goal,
    make_goal,
    model_scores,
    predicted,
    predicted_numbers,
)

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class AnyPrediction:
    """No target: a predicted number is explained as it is, and nobody is there yet."""

    model: Any
    target: Any = None

    def reached(self, X: Any) -> NDArray[np.bool_]:
        """Nobody."""
        return np.zeros(len(X), dtype=bool)

    def check(self, X: Any) -> None:
        """Raise where the model's answers about rows are broken."""
        predicted_numbers(self.model, X)


def make_aim(model: Any, target: Any) -> Goal:
    """The goal; a model of numbers may have none."""
    if target is None and getattr(model, "classes_", None) is None:
        return AnyPrediction(model)
    return make_goal(model, target, None)


@dataclass(frozen=True)
class Output:
    """One number a row, higher nearer to the target.

    Attributes
    ----------
    method : the model's method that is asked
    column : which of its columns counts; None where it has only one
    sign : -1 where less of it is nearer to the target
    label : the wanted label, where only `predict` can be asked
    unit : what the number is, in words
    """

    model: Any
    method: str
    column: int | None
    sign: float
    label: Any
    unit: str

    @classmethod
    def of(cls, goal: Goal, rows: Any) -> Output:
        """What a model says about its goal; `rows` are some that it takes."""
        model, target = goal.model, goal.target  # type: ignore[attr-defined]
        if isinstance(goal, AnyPrediction) or isinstance(target, (AtLeast, AtMost)):
            unit = "minus the prediction" if sign_of(goal) < 0 else "the prediction"
            return cls(model, "predict", None, sign_of(goal), None, unit)
        classes = getattr(model, "classes_", None)
        for method, what in (
            ("predict_proba", "probability"),
            ("decision_function", "score"),
        ):
            if classes is None or not hasattr(model, method):
                continue
            width = np.shape(getattr(model, method)(rows))[1:]
            unit = f"the {what} of {target}"
            if width == (len(classes),):
                place = place_of(goal)
                return cls(model, method, place, 1.0, None, unit)
            if width == () and len(classes) == 2:
                return cls(model, method, None, sign_of(goal), None, unit)
        unit = f"the prediction {target} (1, else 0)"
        return cls(model, "predict", None, 1.0, target, unit)

    def __call__(self, rows: Any) -> Numbers:
        if self.label is not None:
            return np.asarray(predicted(self.model, rows) == self.label, dtype=float)
        if self.method == "predict":
            return self.sign * predicted_numbers(self.model, rows)
        found = model_scores(self.model, self.method, rows)
        return self.sign * found[:, self.column or 0]


def place_of(goal: Goal) -> int:
    """The position of the target among the classes."""
    classes = np.asarray(goal.model.classes_)  # type: ignore[attr-defined]
    return int(np.flatnonzero(classes == goal.target)[0])


def sign_of(goal: Goal) -> float:
    """-1 where less of a single number is nearer to the target."""
    if isinstance(goal, AnyPrediction) or isinstance(goal.target, (AtLeast, AtMost)):
        return -1.0 if isinstance(goal.target, AtMost) else 1.0
    return 1.0 if place_of(goal) == 1 else -1.0
