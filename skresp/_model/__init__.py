"""The fitted model: target, input format, queries, decision and score function."""
