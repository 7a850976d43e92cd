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

from ..strategies import cases, real_cases
from .test_other_rows import ByHand, crowd, trained


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
    model, X = trained(kind, actions, rng, 2)
    people = crowd(actions, rng, 20)
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
    model = ByHand(lambda X: (X.a * 64) % 1 < 0.02)
    actions = ActionSet({"a": Feature("real", 0.001, 0.999), "b": Feature("binary")})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, random_state=0
    ).fit(X)
    check(explainer, X[1:])
    assert (explainer.explain(X[1:]).values > 0).any(axis=1).all()


def test_points_of_single_features_count_towards_the_budget():
    names = list("abcd")
    X = pd.DataFrame(0.5, index=range(3), columns=names)
    X["a"] = [0.1, 0.2, 0.3]
    model = ByHand(lambda X: np.zeros(len(X)))
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
