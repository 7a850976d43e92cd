"""Explanations by shap of small models."""

from __future__ import annotations

import pytest
from sklearn.frozen import FrozenEstimator

from skresp import ShapExplainer


def xgboost(**arguments):
    xgb = pytest.importorskip("xgboost")
    return xgb.XGBClassifier(n_estimators=10, n_jobs=1, **arguments)


def lightgbm():
    lgb = pytest.importorskip("lightgbm")
    return lgb.LGBMClassifier(
        n_estimators=10, min_child_samples=5, verbose=-1, n_jobs=1
    )


def explain(model, X, rows=None, **arguments):
    explainer = ShapExplainer(FrozenEstimator(model), random_state=0, **arguments)
    explainer.fit(X)
    return explainer, explainer.explain(X[:7] if rows is None else rows)


def probability(model, X):
    return model.predict_proba(X)[:, 1]
