"""The engine for linear models."""
