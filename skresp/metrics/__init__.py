"""Metrics of recourse and of explanations."""

from ._comparison import compare_explainers
from ._explanation_summary import explanation_summary, responsiveness_by_rank
from ._recourse_summary import recourse_summary
from ._scorer import RecourseScorer

__all__ = [
    "RecourseScorer",
    "compare_explainers",
    "explanation_summary",
    "recourse_summary",
    "responsiveness_by_rank",
]
