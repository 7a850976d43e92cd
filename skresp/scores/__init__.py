"""Responsiveness scores and their confidence intervals."""

from ._confidence_interval import agresti_coull, at_most, sample_size

__all__ = ["agresti_coull", "at_most", "sample_size"]
