"""Where models answer otherwise than their trees say: what was read must not decide."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from skresp import ActionSet, AtLeast, Feature, ResponsivenessExplainer
from skresp._model._kernel_use import kernels

DIGITS = {f"x{i}": Feature("integer", 0, 9) for i in range(4)}


def make_explainer(model, features, X, target=1):
    actions = ActionSet(features)
    return ResponsivenessExplainer(FrozenEstimator(model), actions, target=target).fit(
        X
    )


def check_against_predict(explainer, model, people, name, values):
    """Compare scores and verdicts with `predict`; only one feature can change."""
    points = [people.copy() for _ in values]
    for point, value in zip(points, values, strict=True):
        if isinstance(point, pd.DataFrame):
            point[name] = value
        else:
            point[:, int(name[1:])] = value
    now = model.predict(people) == 1
    works = np.array([model.predict(point) == 1 for point in points])
    for use in ("always", "never"):
        with kernels(use):
            status = explainer.verify(people).status
            values = explainer.explain(people).to_frame()[name].to_numpy()
        wanted = np.where(
            now, "approved", np.where(works.any(axis=0), "single", "fixed")
        )
        assert (status == wanted).all(), use
        own = people[name] if isinstance(people, pd.DataFrame) else people[:, -1]
        for i, score in enumerate(values):
            others = works[np.arange(len(points)) != int(np.asarray(own)[i]), i]
            assert score == pytest.approx(others.mean())


@pytest.mark.parametrize("behind_steps", [False, True])
def test_lightgbm_converts_arrays_of_integers_to_float32(behind_steps):
    rng = np.random.default_rng(0)
    base, n = 10**9, 800
    X = np.column_stack([base + 128 * rng.integers(0, 2, n), rng.integers(0, 5, n)])
    y = ((X[:, 0] == base) & (X[:, 1] != 4)).astype(int)
    model = LGBMClassifier(n_estimators=10, min_child_samples=1, verbose=-1, n_jobs=1)
    people = X[:60].copy()
    people[:, 0] = base + 95
    if behind_steps:
        X, people = (pd.DataFrame(t, columns=["x0", "x1"]) for t in (X, people))
        take = make_column_transformer(("passthrough", ["x0", "x1"]))
        model = make_pipeline(take, model)
    model.fit(X, y)
    features = {
        "x0": Feature("integer", actionable=False),
        "x1": Feature("integer", 0, 4),
    }
    explainer = make_explainer(model, features, X)
    check_against_predict(explainer, model, people, "x1", range(5))


def test_lightgbm_is_read_behind_arrays_of_ordinary_integers():
    X = np.random.default_rng(0).integers(0, 10, (500, 4))
    model = LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1)
    explainer = make_explainer(model.fit(X, X[:, 0] > 4), DIGITS, X, True)
    assert explainer.structure_.kind == "trees"
    assert explainer.structure_.exact_scores == "all"


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(), XGBClassifier(n_estimators=3, n_jobs=1)]
)
def test_integers_that_float64_does_not_have_are_left_to_the_model(model):
    base, n = 2**60, 400
    rng = np.random.default_rng(0)
    ident, debt = base + rng.integers(0, 2, n) * 2**37, rng.integers(0, 5, n)
    X = pd.DataFrame({"ident": ident, "debt": debt})
    y = ((ident > base) & (debt < 3)).astype(int)
    model.fit(X, y)
    people = X[:120].assign(ident=base + 2**36 + 1)  # float32 rounds it up
    features = {
        "ident": Feature("integer", actionable=False),
        "debt": Feature("integer", 0, 4),
    }
    explainer = make_explainer(model, features, X)
    check_against_predict(explainer, model, people, "debt", range(5))


def test_a_linear_model_of_integers_that_float64_does_not_have():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"ident": 2**60 + rng.integers(0, 9, 200), "debt": rng.integers(0, 5, 200)}
    )
    model = LogisticRegression().fit(X - [2**60, 0], X["debt"] < 2)
    model.coef_[0, 0] = 0.0
    model.classes_ = np.array([0, 1])
    features = {
        "ident": Feature("integer", actionable=False),
        "debt": Feature("integer", 0, 4),
    }
    explainer = make_explainer(model, features, X)
    check_against_predict(explainer, model, X[:110], "debt", range(5))


@pytest.mark.parametrize("n_rows", [20, 150, 700])
@pytest.mark.parametrize("call", ["explain", "verify"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e39])
def test_values_that_a_model_refuses_are_errors_in_every_call(n_rows, call, bad):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (700, 4)).astype(float)
    y = X[:, 0] + X[:, 1] >= 10
    model = GradientBoostingClassifier(n_estimators=5).fit(X, y.astype(int))
    features = {**DIGITS, "x3": Feature("real", actionable=False)}
    explainer = make_explainer(model, features, X)
    explainer.verify(X)
    people = X[:n_rows].copy()
    people[3, 3] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.predict(people)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            getattr(explainer, call)(people)


def test_predictions_of_lightgbm_with_reg_sqrt_are_squares():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 10, (2_000, 4)), columns=list(DIGITS))
    high = (X >= 8).all(axis=1)
    y = 10.0 + 900 * high + rng.random(len(X))
    model = LGBMRegressor(
        n_estimators=60, reg_sqrt=True, min_child_samples=1, verbose=-1, n_jobs=1
    ).fit(X, y, sample_weight=np.where(high, 50.0, 1.0))
    assert model.predict(X).max() > 100 > model.predict(X, raw_score=True).max()
    explainer = make_explainer(model, DIGITS, X, AtLeast(100.0))
    for use in ("always", "never"):
        with kernels(use):
            assert set(explainer.verify(X[:100]).status) <= {"single", "joint"}


def test_a_probability_threshold_inside_catboost_is_kept():
    catboost = pytest.importorskip("catboost")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (6_000, 4)).astype(float)
    X[:60] = rng.integers(8, 10, (60, 4))
    hot = (X >= 8).all(axis=1)
    model = catboost.CatBoostClassifier(
        iterations=60,
        depth=4,
        l2_leaf_reg=30,
        learning_rate=0.2,
        verbose=0,
        thread_count=1,
        allow_writing_files=False,
    ).fit(X, (hot & (rng.random(len(X)) < 0.35)).astype(int))
    probability = model.predict_proba(X)[:, 1]
    assert probability[~hot].max() < probability[hot].max() / 2 < 0.25
    model.set_probability_threshold(probability[hot].max() / 2)
    assert model.predict(X).any()
    explainer = make_explainer(model, DIGITS, X)
    statuses = explainer.verify(X[60:160]).status
    assert set(statuses) <= {"single", "joint", "possible", "approved"}


def test_large_trees_that_cancel_are_left_to_the_model():
    """The target is a prediction near 0 of trees whose leaves are around 1e10."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 10, (3_000, 4)).astype(float)
    y = np.sign(X[:, 0] - 4.5) + np.sign(X[:, 1] - 4.5) + 0.01 * X[:, 2] ** 2
    y = 1e9 * (y + 0.03 * X[:, 3] ** 1.5 * X[:, 0] + rng.normal(size=len(X)))

    def fitted(y):
        forests = [
            (name, RandomForestRegressor(n, max_depth=8, random_state=n, n_jobs=1))
            for name, n in (("a", 60), ("b", 50))
        ]
        return VotingRegressor(forests).fit(X, y)

    for _ in range(3):
        found = fitted(y).predict(X)
        y = y - found[np.abs(found).argmin()]
    model = fitted(y)
    found = model.predict(X)
    k = np.abs(found).argmin()
    near = np.tile(X[k], (4, 1))
    near[np.arange(4), np.arange(4)] = (X[k] + 1) % 10
    people = np.vstack([near, X[:150]])
    explainer = make_explainer(model, DIGITS, X, AtLeast(float(found[k])))
    scores = {}
    for use in ("always", "never"):
        with kernels(use):
            scores[use] = explainer.explain(people).values
    np.testing.assert_array_equal(scores["always"], scores["never"])


@pytest.mark.parametrize("call", ["explain", "verify"])
def test_a_model_that_was_fitted_again_is_noticed(call):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (700, 4)).astype(float)
    model = RandomForestClassifier(20, max_depth=3, random_state=0)
    model.fit(X, (X[:, 0] >= 5).astype(int))
    explainer = make_explainer(model, DIGITS, X)
    explainer.verify(X)
    explainer.explain(X)
    model.fit(X, (X[:, 0] < 5).astype(int))
    with pytest.raises(ValueError, match="fit the explainer again"):
        getattr(explainer, call)(X)
