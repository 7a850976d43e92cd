"""The fitted steps before a model: what they make of the columns of its input."""
