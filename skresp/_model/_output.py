"""The model output that contributions of features add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._typing import FloatArray

from ._predictions import classes_of, model_scores, predicted, predicted_numbers
from ._target import TargetRule, is_about_numbers, sign_of, target_column

_METHODS = {"predict_proba": "probability", "decision_function": "score"}


@dataclass(frozen=True)
class Output:
    """One number for each row, higher nearer to the target.

    Attributes
    ----------
    target_rule : TargetRule
    method : str
        The method of the model that is called.
    unit : str
        What the number is, in words.
    """

    target_rule: TargetRule
    method: str
    unit: str

    @classmethod
    def of(cls, target_rule: TargetRule, rows: Any) -> Output:
        """Return the output of a model; `rows` are some in its input format."""
        model, target = target_rule.model, target_rule.target
        if is_about_numbers(target_rule):
            minus = "minus " if sign_of(target_rule) < 0 else ""
            return cls(target_rule, "predict", f"{minus}the prediction")
        for method, what in _METHODS.items():
            if classes_of(model) is None or not hasattr(model, method):
                continue
            scores = model_scores(model, method, rows)
            if target_column(target_rule, scores) is not None:
                return cls(target_rule, method, f"the {what} of {target}")
        return cls(target_rule, "predict", f"the prediction {target} (1, else 0)")

    def __call__(self, rows: Any) -> FloatArray:
        """Return the output for rows in the model's input format."""
        model, target_rule = self.target_rule.model, self.target_rule
        if is_about_numbers(target_rule):
            return sign_of(target_rule) * predicted_numbers(model, rows)
        if self.method == "predict":
            return np.asarray(predicted(model, rows) == target_rule.target, dtype=float)
        found = target_column(target_rule, model_scores(model, self.method, rows))
        assert found is not None
        return found
