"""Responsiveness scores and their confidence intervals.

`_strategy` has the table of how a score is computed, `_score_task` applies it.
"""

from ._confidence_interval import agresti_coull, at_most, sample_size

__all__ = ["agresti_coull", "at_most", "sample_size"]
