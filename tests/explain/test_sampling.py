"""Sampled scores: reproducible, with intervals, in agreement with lists."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear
from tests.explain.encoders import encoder


@pytest.fixture
def sampled(people):
    X, y = people
    numbers = X[["age", "loans", "rate"]].astype({"loans": float})
    actions = ActionSet.infer(
        numbers,
        features={
            "age": Feature("integer", 0, 10**6),
            "rate": Feature("real", max_increase=0.7),
            "loans": Feature("real"),
        },
    )
    model = RandomForestClassifier(10, random_state=0).fit(numbers, y)
    return FrozenEstimator(model), actions, numbers


def test_samples_do_not_depend_on_order_batch_jobs_dtype_or_company(
    sampled, monkeypatch
):
    model, actions, X = sampled

    def scores(X, **arguments):
        explainer = ResponsivenessExplainer(
            model, actions, method="sample", random_state=7, n_samples=50, **arguments
        ).fit(X)
        return explainer.explain(X)

    first = scores(X)
    assert not first.exact.any()
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(scores(X.iloc[order]).values, first.values[order])
    np.testing.assert_array_equal(scores(X.iloc[3:4]).values, first.values[3:4])
    np.testing.assert_array_equal(
        scores(X[X.columns[::-1]]).to_frame()[X.columns], first.to_frame()
    )
    np.testing.assert_array_equal(scores(X.astype({"age": float})).values, first.values)
    monkeypatch.setattr("skresp.scores._score_task.ROWS_AT_ONCE", 10)
    np.testing.assert_array_equal(scores(X, n_jobs=2).values, first.values)
    monkeypatch.setattr("skresp._model._row_batch._FIRST_BYTES", 1)
    np.testing.assert_array_equal(scores(X).values, first.values)
    other = ResponsivenessExplainer(
        model, actions, method="sample", random_state=8, n_samples=50
    )
    assert (other.fit(X).explain(X).values != first.values).any()


def test_sampled_scores_carry_their_interval_and_can_be_drawn_again(sampled):
    model, actions, X = sampled
    explanation = (
        ResponsivenessExplainer(model, actions, method="sample", random_state=0)
        .fit(X)
        .explain(X[:5])
    )
    assert (explanation.lower <= explanation.values).all()
    assert (explanation.values <= explanation.upper).all()
    assert (explanation.upper - explanation.lower > 0).all()
    assert (explanation.n_reachable == 500).all()
    for i in range(5):
        for j, name in enumerate(X.columns):
            again = explanation.reachable(i, name)
            assert not again.complete
            assert again.reached.mean() == explanation.values[i, j]
    assert (
        "from 500 drawn" in explanation.describe(0)
        or (explanation.values[0] == 0).all()
    )


def test_a_wanted_half_width_says_how_many_to_draw(sampled):
    model, actions, X = sampled
    explainer = ResponsivenessExplainer(
        model,
        actions,
        method="sample",
        n_samples="auto",
        half_width=0.1,
        random_state=0,
    )
    explanation = explainer.fit(X).explain(X[:9])
    assert (explanation.n_reachable == 93).all()
    assert ((explanation.upper - explanation.lower) / 2 <= 0.1).all()


@pytest.mark.parametrize("how", ["minimal", "joint"])
def test_sampling_and_the_solver_agree_with_the_lists(valid, actions, how):
    X = valid[0][:6]
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(*valid)

    def explain(method):
        return (
            ResponsivenessExplainer(
                FrozenEstimator(model),
                actions,
                interventions=how,
                method=method,
                random_state=0,
                alpha=1e-6,
            )
            .fit(X)
            .explain(X)
        )

    exact, solver, drawn = explain("grid"), explain("highs"), explain("sample")
    np.testing.assert_array_equal(solver.values, exact.values)
    np.testing.assert_array_equal(solver.n_reachable, exact.n_reachable)
    assert not drawn.exact[exact.n_reachable > 0].any()
    assert (drawn.lower <= exact.values).all()
    assert (exact.values <= drawn.upper).all()


def test_a_tied_real_feature_is_drawn_within_its_constraint():
    X = pd.DataFrame({"rent": [500.0, 300.0], "food": [300.0, 200.0], "job": [0, 1]})
    actions = ActionSet(
        {
            "rent": Feature("real", 0, 900),
            "food": Feature("real", 0, 900),
            "job": Feature("binary"),
        },
        [Linear({"rent": 1, "food": 1}, upper=900)],
    )

    class Model:
        classes_ = np.array([0, 1])

        def predict(self, X):
            assert (X["rent"] + X["food"] <= 900 + 1e-6).all()
            return (X["rent"] <= 450).astype(int).to_numpy()

    explanation = (
        ResponsivenessExplainer(Model(), actions, random_state=0, n_samples=200)
        .fit(X)
        .explain(X)
    )
    # The rent can go anywhere in 0..900: up to 600 (700 for the second) the food stays
    # put, beyond it has to give way. Half of the range is at most 450.
    assert (explanation.lower[:, 0] <= 0.5).all()
    assert (explanation.upper[:, 0] >= 0.5).all()
    dear = explanation.reachable(0, "rent").points
    assert (dear["food"][dear["rent"] <= 600] == 300).all()
    assert (dear["food"][dear["rent"] > 600] < 300).all()
    assert explanation.exact[:, 2].all()
