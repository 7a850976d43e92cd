"""The explainers and the results they return."""
