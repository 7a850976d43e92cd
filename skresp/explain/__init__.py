"""The estimators and the Explanation they return."""

from ._explanation import Answers, Explanation
from ._lime import LimeExplainer
from ._numbers import number, percent, shortened, state
from ._person import Move, Person
from ._responsiveness import ResponsivenessExplainer
from ._shap import ShapExplainer
from ._works import WorkingChange, working_change, working_changes

__all__ = [
    "Answers",
    "Explanation",
    "LimeExplainer",
    "Move",
    "Person",
    "ResponsivenessExplainer",
    "ShapExplainer",
    "WorkingChange",
    "number",
    "percent",
    "shortened",
    "state",
    "working_change",
    "working_changes",
]
