"""Scores and verdicts never disagree."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear, Linkage
from tests.recourse.mixed_rows import fitted_on_mixed_rows, mixed_rows
from tests.small_models import RuleClassifier
from tests.strategies import cases, real_cases


def check(explainer, X):
    """A score above 0 is a witness; where all are exactly 0, a way is a joint one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores, verdicts = explainer.explain(X), explainer.verify(X)
    denied = ~scores.at_target & (verdicts.status != "invalid")
    one = denied & (np.nan_to_num(scores.values) > 0).any(axis=1)
    assert (verdicts.status[one] == "single").all()
    settled = denied & ~one & scores.exact.all(axis=1)
    assert "possible" not in verdicts.status[settled]
    ways = np.isin(verdicts.status, ["single", "joint", "possible"])
    np.testing.assert_array_equal(verdicts.has_witness, ways)
    if ways.any():
        assert (explainer.predict(verdicts.witness) == explainer.target_).all()


@pytest.mark.parametrize("reals", [False, True])
@pytest.mark.parametrize("kind", ["LR", "RF", "XGB", "MLP"])
@settings(max_examples=6)
@given(data=st.data())
def test_scores_and_verdicts_agree(kind, reals, data):
    actions, _ = data.draw(real_cases() if reals else cases())
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    model, X = fitted_on_mixed_rows(kind, actions, rng, 2)
    people = mixed_rows(actions, rng, 20)
    note(f"{actions}\n{people}")
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model),
        actions,
        target=0,
        interventions=data.draw(st.sampled_from(["minimal", "joint"])),
        n_samples=20,
        missing="hold",
        invalid_rows="nan",
        random_state=0,
    ).fit(X)
    check(explainer, people)


def test_a_draw_that_works_is_a_witness():
    """One part in a hundred of a line works, between the places that verify tries."""
    X = pd.DataFrame({"a": [0.0, 0.3, 0.7], "b": [0, 0, 0]})
    model = RuleClassifier(lambda X: (X.a * 64) % 1 < 0.02)
    actions = ActionSet({"a": Feature("real", 0.001, 0.999), "b": Feature("binary")})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, random_state=0
    ).fit(X)
    check(explainer, X[1:])
    assert (explainer.explain(X[1:]).values > 0).any(axis=1).all()


@pytest.mark.parametrize("max_points", [100, 500, 2_000, 20_000])
@pytest.mark.parametrize("how", ["minimal", "joint"])
def test_a_score_above_0_is_a_witness_whatever_the_points(max_points, how):
    """A feature that only moves together with others takes the solver to draw."""
    names = list("abc")
    X = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": 0.5, "c": [0.4, 0.3, 0.2]})
    model = RuleClassifier(lambda X: X["a"] + 0.3 * np.sin(9 * X["b"]) > 0.9)
    actions = ActionSet(
        {name: Feature("real", 0, 1) for name in names},
        [Linear(dict.fromkeys(names, 1.0), 1, 1), Linear({"a": 2, "b": 1}, 0.7, 3)],
    )
    for seed in range(3):
        explainer = ResponsivenessExplainer(
            FrozenEstimator(model),
            actions,
            target=1,
            interventions=how,
            max_points=max_points,
            random_state=seed,
        ).fit(X)
        works = (explainer.explain(X).values > 0).any(axis=1)
        verdicts = explainer.verify(X)
        assert works.any() or max_points < 20_000
        assert (verdicts.status[works] == "single").all()
        assert (verdicts.used <= max_points).all()


def test_points_of_single_features_count_towards_the_budget():
    names = list("abcd")
    X = pd.DataFrame(0.5, index=range(3), columns=names)
    X["a"] = [0.1, 0.2, 0.3]
    model = RuleClassifier(lambda X: np.zeros(len(X)))
    actions = ActionSet(
        {name: Feature("real", 0, 1) for name in names},
        [Linear(dict.fromkeys(names, 1.0), 0, 3), Linkage("a", {"b": 0.5})],
    )
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, random_state=0
    ).fit(X)
    for budget in (0, 7, 100, 3_000):
        verdicts = explainer.verify(X, max_points=budget)
        assert (verdicts.used <= budget).all()
        assert set(verdicts.status) == {"unknown"}
