"""Verdicts of trees: large numbers, reals behind a switch."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature
from skresp._model._decision import DOUBT, Decision
from skresp._recourse.engines.trees._equivalent_changes import tolerance_of
from skresp._recourse.engines.trees._nodes import Trees, tree_sums
from skresp.constraints import Switch
from tests.recourse.explainers import explainer_of


def test_two_reals_behind_a_switch_are_not_fixed():
    """Not all changes of two free reals can be listed."""
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
    verdicts = explainer_of(tree, actions, X).verify(X[:60])
    assert "fixed" not in set(verdicts.status)
    assert (tree.predict(verdicts.witness) == 1).all()


def test_large_values_do_not_add_to_the_rounding_error_of_trees():
    """Thresholds of splits are not part of the scores."""
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
    verdicts = explainer_of(model, actions, X).verify(X)
    assert set(verdicts.status) == {"approved", "single", "fixed"}


@pytest.mark.parametrize("size", [1.0, 1e12 / 9])
def test_the_tolerance_covers_the_rounding_of_large_leaves(size):
    """Leaves may cancel, however small the sum and the value to reach are."""
    leaves = size * np.array([[0.1], [0.2], [-0.3]])
    nodes = np.full((3, 4), -1, dtype=np.int32)
    trees = Trees(np.arange(3), nodes, np.zeros(3, dtype=bool), leaves, 0)
    decision = Decision(cut=0.0, doubt=DOUBT)
    rounding = abs(float(tree_sums(trees, np.zeros((1, 1), dtype=np.int64))[0, 0]))
    assert 0 < rounding < tolerance_of(trees, decision)
