"""The model output that contributions of features add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._typing import BoolArray, FloatArray

from ._predictions import class_position, model_scores, predicted, predicted_numbers
from ._target import AtLeast, AtMost, TargetRule, make_target_rule


@dataclass(frozen=True)
class AnyPrediction:
    """The rule without a target: the predicted number is explained as it is."""

    model: Any
    target: Any = None

    def reached(self, X: Any) -> BoolArray:
        """Return False for every row."""
        return np.zeros(len(X), dtype=bool)

    def check(self, X: Any) -> None:
        """Raise if the model returns invalid predictions for rows."""
        predicted_numbers(self.model, X)


def make_optional_target_rule(model: Any, target: Any) -> TargetRule:
    """Return the target rule of a model; a regressor needs no target."""
    if target is None and getattr(model, "classes_", None) is None:
        return AnyPrediction(model)
    return make_target_rule(model, target, None)


@dataclass(frozen=True)
class Output:
    """One number for each row, higher nearer to the target.

    Attributes
    ----------
    model : Any
    method : str
        The method of the model that is called.
    column : int or None
        The column of its result that counts; None where it has only one.
    sign : {1.0, -1.0}
        -1.0 where a smaller number is nearer to the target.
    label : Any
        The target label, where only `predict` is available.
    unit : str
        What the number is, in words.
    """

    model: Any
    method: str
    column: int | None
    sign: float
    label: Any
    unit: str

    @classmethod
    def of(cls, target_rule: TargetRule, rows: Any) -> Output:
        """Return the output of a model; `rows` are some in its input format."""
        model, target = target_rule.model, target_rule.target
        if _is_about_numbers(target_rule):
            sign = sign_of(target_rule)
            unit = "minus the prediction" if sign < 0 else "the prediction"
            return cls(model, "predict", None, sign, None, unit)
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
                position = class_position(model, target)
                return cls(model, method, position, 1.0, None, unit)
            if width == () and len(classes) == 2:
                return cls(model, method, None, sign_of(target_rule), None, unit)
        unit = f"the prediction {target} (1, else 0)"
        return cls(model, "predict", None, 1.0, target, unit)

    def __call__(self, rows: Any) -> FloatArray:
        if self.label is not None:
            return np.asarray(predicted(self.model, rows) == self.label, dtype=float)
        if self.method == "predict":
            return self.sign * predicted_numbers(self.model, rows)
        scores = model_scores(self.model, self.method, rows)
        return self.sign * scores[:, self.column or 0]


def sign_of(target_rule: TargetRule) -> float:
    """Return -1.0 where a smaller number is nearer to the target, else 1.0."""
    if _is_about_numbers(target_rule):
        return -1.0 if isinstance(target_rule.target, AtMost) else 1.0
    model = target_rule.model
    return 1.0 if class_position(model, target_rule.target) == 1 else -1.0


def _is_about_numbers(target_rule: TargetRule) -> bool:
    """Return whether predictions are numbers rather than labels."""
    if isinstance(target_rule, AnyPrediction):
        return True
    return isinstance(target_rule.target, (AtLeast, AtMost))
