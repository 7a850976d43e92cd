"""Payments that bring a bill down: several reals, all linked to one that is fixed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linkage
from skresp.reach._part import parts_of

PAYS = [f"pay{i}" for i in range(4)]


@pytest.fixture(scope="module")
def bills():
    """A forest, and people whose bills go down by what they pay."""
    rng = np.random.default_rng(0)
    n = 2000
    X = pd.DataFrame(
        {
            "bill": rng.uniform(0, 2e5, n).round(),
            **{p: rng.uniform(0, 1e4, n).round() for p in PAYS},
            "late": rng.integers(0, 4, n),
        }
    )
    y = ((X.late <= 1) & (X[PAYS].sum(axis=1) > 2.6e4)).astype(int)
    model = RandomForestClassifier(20, max_depth=6, random_state=0).fit(X, y)
    pay = Feature("real", 0, 2e5, direction="increase", max_increase=2e4)
    actions = ActionSet(
        {
            "bill": Feature("real", actionable=False),
            **dict.fromkeys(PAYS, pay),
            "late": Feature("integer", 0, 4, direction="decrease"),
        },
        [Linkage(p, {"bill": -1}) for p in PAYS],
    )
    return FrozenEstimator(model), actions, X


def explainer_of(bills, seed=0):
    model, actions, X = bills
    return ResponsivenessExplainer(model, actions, target=1, random_state=seed).fit(X)


def test_rounding_of_effects_breaks_no_rule(bills):
    verdicts = explainer_of(bills).verify(bills[2][:300])
    assert "the prediction contradicts the parsed model" not in verdicts.proof
    denied = verdicts.status != "approved"
    assert verdicts.has_witness[denied].mean() > 0.9


@pytest.mark.parametrize("seed", [0, 1])
def test_a_score_above_0_is_a_way_and_all_scores_of_0_are_none(bills, seed):
    """Scores are exact here, and so everybody is decided."""
    people = bills[2][:300]
    explainer = explainer_of(bills, seed)
    scores, verdicts = explainer.explain(people), explainer.verify(people)
    assert scores.exact.all()
    one = (scores.values > 0).any(axis=1) & ~scores.at_target
    assert one.any()
    np.testing.assert_array_equal(verdicts.status == "single", one)
    assert set(verdicts.status) == {"approved", "single", "joint"}
    assert (verdicts.used <= 100_000).all()


@given(data=st.data())
def test_own_changes_come_back_from_total_changes(data):
    """Along chains too; what is 0 comes back as 0, whatever the effects add up to."""
    number = st.floats(-1e6, 1e6)
    scale = st.floats(-10, 10).filter(lambda v: abs(v) > 1e-3)
    real = Feature("real", -1e9, 1e9)
    names = list("abcde")
    links = [
        Linkage(names[i], {names[k]: data.draw(scale)})
        for i in range(5)
        for k in range(i + 1, 5)
        if data.draw(st.booleans())
    ]
    actions = ActionSet(dict.fromkeys(names, real), links)
    for part in parts_of(actions):
        own = np.array([data.draw(st.one_of(st.just(0.0), number)) for _ in part.names])
        total = part.total(own[None])
        back = part.own(total)[0]
        size = np.abs(total).max(initial=1.0) * 1e-9
        np.testing.assert_allclose(back, own, atol=size, rtol=0)
        assert not back[own == 0].any()
