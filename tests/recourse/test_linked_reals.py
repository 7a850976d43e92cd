"""Several reals that are all linked to one: payments that reduce a bill."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature
from skresp._recourse._status import Proof
from skresp.constraints import Linkage
from tests.recourse.explainers import explainer_of, verdicts_of

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
    return model, actions, X


def test_rounding_of_effects_makes_no_witness_infeasible(bills):
    verdicts = verdicts_of(*bills[:2], bills[2][:300], bills[2])
    assert Proof.CONTRADICTED.label not in verdicts.proof
    denied = verdicts.status != "approved"
    assert verdicts.has_witness[denied].mean() > 0.9


@pytest.mark.parametrize("seed", [0, 1])
def test_single_is_exactly_a_score_above_0_where_scores_are_exact(bills, seed):
    people = bills[2][:300]
    explainer = explainer_of(*bills, random_state=seed)
    scores, verdicts = explainer.explain(people), explainer.verify(people)
    assert scores.exact.all()
    one = (scores.values > 0).any(axis=1) & ~scores.at_target
    assert one.any()
    np.testing.assert_array_equal(verdicts.status == "single", one)
    assert set(verdicts.status) == {"approved", "single", "joint"}
    assert (verdicts.used <= 100_000).all()


@pytest.mark.parametrize("interventions", ["minimal", "joint"])
def test_an_integer_that_moves_only_beside_the_real_it_carries(interventions):
    X = pd.DataFrame({"i": [0.0, 1.0, 2.0] * 4, "r": np.linspace(0, 600, 12)})
    model = DecisionTreeClassifier(random_state=0).fit(X, X["i"] == 2)
    beside = Feature("integer", 0, 2, actionable=False, mutable=True, step=2)
    actions = ActionSet(
        {"i": beside, "r": Feature("real", 0, 200)}, [Linkage("i", {"r": 200.0})]
    )
    explainer = explainer_of(model, actions, X, interventions=interventions)
    person = pd.DataFrame({"i": [0.0], "r": [0.0]})
    assert explainer.explain(person).values[0, 1] > 0.3
    assert explainer.verify(person).status.tolist() == ["single"]
