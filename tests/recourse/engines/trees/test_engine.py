"""Verdicts of trees: large numbers, reals behind a switch."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Switch


def test_a_switch_with_a_real_behind_it():
    """Two reals behind one switch: what cannot be told is not told."""
    actions = ActionSet(
        {
            "open": Feature("binary"),
            "x": Feature("real", 0, 10),
            "y": Feature("real", 0, 10),
        },
        [Switch("open", ["x", "y"], on_value=0)],
    )
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "open": rng.integers(0, 2, 200),
            "x": rng.uniform(0, 10, 200),
            "y": rng.uniform(0, 10, 200),
        }
    )
    tree = DecisionTreeClassifier(random_state=0).fit(X, X["x"] + X["y"] > 17)
    verdicts = ResponsivenessExplainer(tree, actions).fit(X).verify(X[:60])
    assert "fixed" not in set(verdicts.status), "both can be raised at will"
    assert (tree.predict(verdicts.witness) == 1).all()


def test_large_numbers_do_not_make_trees_doubtful():
    """What stands at the splits of a tree is no part of its scores."""
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"income": rng.uniform(0, 3e6, 300), "age": rng.uniform(20, 70, 300)}
    )
    actions = ActionSet(
        {
            "income": Feature("real", 0, 3e6, max_increase=1e5),
            "age": Feature("real", actionable=False),
        }
    )
    model = xgboost.XGBClassifier(n_estimators=40, n_jobs=1)
    model.fit(X, (X["income"] > 1.5e6 - 1e4 * X["age"]).astype(int))
    verdicts = ResponsivenessExplainer(model, actions).fit(X).verify(X)
    assert set(verdicts.status) == {"approved", "single", "fixed"}
