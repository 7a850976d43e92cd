"""Scores along lines: rows of which some columns move."""
