"""Targets: a class, a probability, a number at least or at most."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._target import AtLeast, AtMost
from tests.explain.encoders import encoder


def test_targets_of_every_kind(valid, actions):
    X, y = valid
    words = y.map({0: "denied", 1: "granted"})
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(X, words)
    frozen = FrozenEstimator(model)

    def scores(**arguments):
        return (
            ResponsivenessExplainer(frozen, actions, **arguments).fit(X).explain(X[:30])
        )

    default, named = scores(), scores(target="granted")
    assert default.target == "granted"
    np.testing.assert_array_equal(default.values, named.values)
    half = scores(threshold=0.5)
    np.testing.assert_array_equal(half.values, named.values)
    strict = scores(threshold=0.9)
    assert (strict.values <= half.values).all()
    assert strict.values.sum() < half.values.sum()
    assert "the target is at least 0.9" in strict.describe(
        int(strict.at_target.argmin())
    )
    assert "with probability at least 0.9" in repr(strict)
    opposite = scores(target="denied")
    movable = default.n_reachable > 0
    np.testing.assert_allclose(opposite.values[movable], 1 - default.values[movable])


def test_three_classes_by_label(valid, actions):
    X, y = valid
    three = np.where(X["loans"] >= 3, "bad", np.where(y == 1, "good", "fair"))
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(X, three)
    values = {}
    for target in ("bad", "fair", "good"):
        explainer = ResponsivenessExplainer(
            FrozenEstimator(model), actions, target=target
        ).fit(X)
        explanation = explainer.explain(X)
        values[target] = explanation.values
    movable = explanation.n_reachable > 0
    np.testing.assert_allclose(sum(values.values())[movable], 1)


def test_regressors_by_at_least_and_at_most(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LinearRegression()).fit(X, y)
    up = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=AtLeast(0.5)
    ).fit(X)
    explanation = up.explain(X)
    predicted = model.predict(X)
    np.testing.assert_array_equal(explanation.at_target, predicted >= 0.5)
    down = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=AtMost(np.nextafter(0.5, 0))
    ).fit(X)
    movable = explanation.n_reachable > 0
    np.testing.assert_allclose(
        down.explain(X).values[movable], 1 - explanation.values[movable]
    )
    assert "at least 0.5" in explanation.describe(0)


@pytest.mark.parametrize(
    ("package", "regressor"),
    [
        ("catboost", "CatBoostRegressor"),
        ("lightgbm", "LGBMRegressor"),
        ("xgboost", "XGBRegressor"),
        ("sklearn.ensemble", "HistGradientBoostingRegressor"),
    ],
)
def test_regressors_of_every_library_have_targets(package, regressor):
    """CatBoost's have an empty list of classes."""
    library = pytest.importorskip(package)
    quiet = {
        "catboost": {"verbose": 0, "allow_writing_files": False},
        "lightgbm": {"verbose": -1},
    }
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 10, 200).astype(float)})
    X["b"] = rng.normal(size=200)
    model = getattr(library, regressor)(**quiet.get(package, {}))
    model.fit(X, 2 * X["a"] + X["b"])
    actions = ActionSet(
        {"a": Feature("integer", 0, 9), "b": Feature("real", actionable=False)}
    )
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=AtLeast(10)
    )
    found = explainer.fit(X).explain(X[:50])
    reached = np.zeros(50)
    for value in range(10):
        points = X[:50].assign(a=float(value))
        reached += (model.predict(points) >= 10) & (X["a"][:50] != value)
    np.testing.assert_allclose(found.values[:, 0], reached / 9)
    np.testing.assert_array_equal(found.at_target, model.predict(X[:50]) >= 10)
    with pytest.raises(ValueError, match="AtLeast"):
        ResponsivenessExplainer(FrozenEstimator(model), actions, target=1).fit(X)


def test_descriptions_do_not_round_across_the_target():
    X = pd.DataFrame({"x": [0.0, 699.99997, 700.0, 1000.0]})
    line = LinearRegression().fit(X, X["x"])
    actions = ActionSet({"x": Feature("real", 0, 1000)})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(line), actions, target=AtLeast(700)
    )
    texts = explainer.fit(X).explain(X).describe(1)
    assert "Predicted 699.99997; the target is at least 700." in texts
    model = LogisticRegression().fit(X / 1000, [0, 1, 0, 1])
    limit = float(model.predict_proba(X / 1000)[0, 1]) + 1e-5
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, threshold=limit
    )
    text = explainer.fit(X / 1000).explain(X[:1] / 1000).describe(0)
    (said,) = re.findall(r"probability of 1 is (\S+); the target is at least", text)
    assert float(said) < limit
