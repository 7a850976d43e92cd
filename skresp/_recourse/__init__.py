"""Verdicts: whether a denied person has recourse at all, with proof."""
