"""Sums of trees in float32 are known closely enough to ask the model seldom."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, AtLeast, Feature, ResponsivenessExplainer
from skresp._model._decision import Decision
from skresp._model._float32_sums import adds_float32, closer_answers, sum_and_error
from skresp._model._kernel_use import kernels
from skresp._model._row_batch import RowBatch
from tests.small_models import xgboost


def fitted(threshold=None, **arguments):
    """Return an explainer of XGBoost, and rows of whole numbers."""
    X, y = make_classification(400, 6, random_state=0)
    X = np.rint(3 * X)
    model = xgboost(**arguments).fit(X, y)
    names = [f"x{i}" for i in range(6)]
    actions = ActionSet({name: Feature("integer", -9, 9) for name in names})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, threshold=threshold
    )
    return explainer.fit(X), model, X


@pytest.mark.parametrize(
    "arguments",
    [
        {"n_estimators": 400, "max_depth": 6},
        {"n_estimators": 30, "learning_rate": 1.0, "base_score": 0.9},
        {"n_estimators": 50, "booster": "dart", "rate_drop": 0.3},
        {"n_estimators": 5, "num_parallel_tree": 20, "subsample": 0.5},
    ],
    ids=["many trees", "large leaves", "weights", "forest"],
)
def test_the_error_of_a_sum_is_bounded(arguments):
    explainer, model, X = fitted(**arguments)
    known = explainer._fitted_model.score_function
    assert adds_float32(known)
    sums, error = sum_and_error(known.groups[0], X)
    off = np.abs(model.predict(X, output_margin=True) - sums)
    assert (off <= error).all()
    assert (error < known.decision.error(np.abs(sums))).mean() > 0.5


@pytest.mark.parametrize("base_score", [0.0, 0.25, 1e3])
def test_the_error_is_bounded_where_most_scores_are_far_larger(base_score):
    """The base is found from scores that are rounded, the larger ones more."""
    library = pytest.importorskip("xgboost")
    rng = np.random.default_rng(7)
    X = pd.DataFrame({name: rng.integers(0, 20, 500).astype(float) for name in "ab"})
    X["c"] = rng.normal(size=500)
    large, small = 1e6 * (1 + X["b"] / 20) + 1e4 * X["c"], X["b"] / 20 + X["c"] / 50
    model = library.XGBRegressor(
        n_estimators=5,
        learning_rate=1.0,
        reg_lambda=0.0,
        max_depth=8,
        base_score=base_score,
        n_jobs=1,
    ).fit(X, np.where(X["a"] > 5, large, small))
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 5),
            "b": Feature("integer", 0, 19),
            "c": Feature("real", actionable=False),
        }
    )
    people = X[X["a"] <= 5]
    predictions = np.sort(model.predict(people).astype(float))
    value = float(predictions[len(people) // 2]) + 0.004
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=AtLeast(value)
    ).fit(X)
    known = explainer._fitted_model.score_function
    sums, error = sum_and_error(known.groups[0], X.to_numpy())
    off = np.abs(model.predict(X, output_margin=True) - sums)
    assert (off <= error).all()
    with kernels("never"):
        expected = explainer.explain(people)
    with kernels("always"):
        found = explainer.explain(people)
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(found.at_target, expected.at_target)


def test_a_sum_is_certain_beyond_the_error_of_its_own_row(monkeypatch):
    explainer, _, X = fitted(n_estimators=100)
    known = explainer._fitted_model.score_function
    sums, error = sum_and_error(known.groups[0], X[:1])
    doubt = known.decision.doubt
    for off, expected in ((error[0] / 2, False), (np.sqrt(error[0] * doubt), True)):
        decision = Decision(cut=float(sums[0] + off), doubt=doubt)
        monkeypatch.setitem(known.__dict__, "decision", decision)
        assert decision.unsure(sums[:, None]).all()
        reached, sure = closer_answers(known, X[:1])
        assert not reached.any()
        assert sure.all() == expected


def test_answers_near_the_border_are_those_of_the_model(monkeypatch):
    """The probability of a row, or of a point, is the threshold, or nearly so."""
    _, model, X = fitted(n_estimators=100)
    asked = {0.0: 0, -1e-5: 0, 1e-5: 0}
    first_answers = RowBatch.first_answers

    def spy(self, rows, segments=(), final=False):
        asked[off] += len(rows)
        return first_answers(self, rows, segments, final)

    moved = X[:10].copy()
    moved[:, 0] = np.where(moved[:, 0] == 0, 1.0, 0.0)
    for near in model.predict_proba(np.concatenate([X[:10], moved]))[:, 1]:
        for off in asked:
            threshold = float(near + off)
            explainer, _, _ = fitted(n_estimators=100, threshold=threshold)
            with kernels("never"):
                expected = explainer.explain(X[:40])
            with kernels("always"), monkeypatch.context() as patch:
                patch.setattr(RowBatch, "first_answers", spy)
                found = explainer.explain(X[:40])
            np.testing.assert_array_equal(found.values, expected.values)
            np.testing.assert_array_equal(found.at_target, expected.at_target)
    assert asked[0.0] >= 20
