"""Branch and bound over boxes, for every model with a score function."""
