"""A model that was fitted again in place is noticed, also with few rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._fit_state import FitState
from tests.small_models import xgboost

MODELS = {
    "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": lambda: RandomForestClassifier(10, max_depth=4, random_state=0),
    "boosting": lambda: xgboost(n_estimators=20, max_depth=3),
}


def world(make):
    """Return an explainer that has read its model, and the data of the model."""
    X = np.random.default_rng(0).integers(0, 20, (300, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] / 2 > 14).astype(int)
    model = make().fit(X, y)
    actions = ActionSet({f"x{i}": Feature("integer", 0, 19) for i in range(3)})
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    explainer.fit(X).verify(X)
    return explainer, model, X, y


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("what", ["explain", "verify"])
def test_few_rows_of_a_model_that_was_fitted_again_are_an_error(make, what):
    explainer, model, X, y = world(make)
    model.fit(X, 1 - y)
    with pytest.raises(ValueError, match="fit the explainer again"):
        getattr(explainer, what)(X[:2])
    again = explainer.fit(X).explain(X[:20])
    np.testing.assert_array_equal(again.at_target, model.predict(X[:20]) == 1)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_the_same_fit_once_more_changes_nothing(make):
    explainer, model, X, y = world(make)
    expected = explainer.explain(X[:20])
    model.fit(X, y)
    found = explainer.explain(X[:20])
    np.testing.assert_array_equal(found.values, expected.values)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_predictions_leave_the_state_as_it_is(make):
    _, model, X, _ = world(make)
    state = FitState(model)
    model.predict(X)
    assert state.holds()


def test_a_pickle_of_an_explainer_notices_it_too():
    explainer, model, X, y = world(MODELS["linear"])
    model.fit(X, 1 - y)
    loaded = pickle.loads(pickle.dumps(explainer))
    for call in (loaded.explain, loaded.verify):
        with pytest.raises(ValueError, match="fit the explainer again"):
            call(X[:2])


def test_a_pickle_of_an_explainer_answers_alike():
    explainer, _, X, _ = world(MODELS["linear"])
    loaded = pickle.loads(pickle.dumps(explainer))
    expected, found = explainer.explain(X[:20]), loaded.explain(X[:20])
    np.testing.assert_array_equal(found.values, expected.values)
