"""The engine for tree ensembles."""
