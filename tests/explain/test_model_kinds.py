"""Models of every kind are explained in their raw columns."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline

from skresp import ResponsivenessExplainer
from tests.explain.encoders import encoder
from tests.small_models import lightgbm, xgboost


def category_frame(X):
    return X.assign(home=X["home"].astype("category"))


MODELS = {
    "pipeline over strings": (
        lambda: make_pipeline(encoder("home"), LogisticRegression()),
        lambda X: X,
    ),
    "forest behind an encoder": (
        lambda: make_pipeline(
            encoder("home"), RandomForestClassifier(10, random_state=0)
        ),
        lambda X: X,
    ),
    "hist gradient boosting with native categories": (
        lambda: HistGradientBoostingClassifier(
            categorical_features="from_dtype", max_iter=10
        ),
        category_frame,
    ),
    "lightgbm with native categories": (
        lambda: lightgbm(n_estimators=10, min_child_samples=5),
        category_frame,
    ),
    "xgboost with native categories": (
        lambda: xgboost(n_estimators=10, enable_categorical=True),
        category_frame,
    ),
    "fixed threshold": (
        lambda: FixedThresholdClassifier(
            make_pipeline(encoder("home"), LogisticRegression()), threshold=0.8
        ),
        lambda X: X,
    ),
    "tuned threshold": (
        lambda: TunedThresholdClassifierCV(
            make_pipeline(encoder("home"), LogisticRegression()), cv=2
        ),
        lambda X: X,
    ),
}


@pytest.fixture(params=MODELS)
def fitted(request, valid):
    make, input_format = MODELS[request.param]
    X, y = valid
    X = input_format(X)
    return make().fit(X, y), X


def naive(model, explanation, target):
    """Scores recomputed from the reachable points, one predict at a time."""
    out = np.zeros_like(explanation.values)
    for i in range(len(explanation)):
        for j, name in enumerate(explanation.feature_names):
            points = explanation.reachable(i, name).points
            hits = [
                model.predict(points.iloc[[k]])[0] == target for k in range(len(points))
            ]
            out[i, j] = np.mean(hits) if hits else 0
    return out


def test_any_model_is_explained_in_its_raw_columns_without_a_warning(fitted, actions):
    model, X = fitted
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frozen = FrozenEstimator(model)
        explainer = ResponsivenessExplainer(frozen, actions, target=1).fit(X)
        explanation = explainer.explain(X[:8])
        assert explanation.values.shape == (8, 5)
        assert explanation.feature_names == list(X.columns)
        np.testing.assert_array_equal(explanation.values, naive(model, explanation, 1))
    assert (explanation.values > 0).any()
    np.testing.assert_array_equal(
        explanation.at_target, np.asarray(model.predict(X[:8])) == 1
    )
    np.testing.assert_array_equal(explanation.predictions, model.predict(X[:8]))
