"""SHAP and LIME wrappers."""
