"""The estimators and the Explanation they return."""

from ._explanation import Answers, Explanation
from ._responsiveness import ResponsivenessExplainer

__all__ = ["Answers", "Explanation", "ResponsivenessExplainer"]
