"""The estimators and the Explanation they return."""

from ._explanation import Answers, Explanation
from ._lime import LimeExplainer
from ._responsiveness import ResponsivenessExplainer
from ._shap import ShapExplainer
from ._words import Move, Teller

__all__ = [
    "Answers",
    "Explanation",
    "LimeExplainer",
    "Move",
    "ResponsivenessExplainer",
    "ShapExplainer",
    "Teller",
]
