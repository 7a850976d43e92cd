"""How many people a model leaves a way back, and what explanations are worth."""

from ._comparison import compare_explainers
from ._lists import explanation_summary, responsiveness_by_rank
from ._rates import recourse_summary
from ._scorer import RecourseScorer

__all__ = [
    "RecourseScorer",
    "compare_explainers",
    "explanation_summary",
    "recourse_summary",
    "responsiveness_by_rank",
]
