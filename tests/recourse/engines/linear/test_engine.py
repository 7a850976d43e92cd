"""Verdicts of linear models whose best point is not among the options."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skresp import ActionSet, Feature
from skresp.constraints import Linear
from tests.recourse.explainers import explainer_of


@pytest.mark.parametrize("limit", [6.0, 9.0, 30.0])
def test_reals_under_one_constraint_are_decided(limit):
    """The best point is a corner that is not among the options."""
    actions = ActionSet(
        {
            "x": Feature("real", 0, 10),
            "y": Feature("real", 0, 10),
            "z": Feature("integer", 0, 2),
        },
        [Linear({"x": 1, "y": 1, "z": 1}, upper=limit)],
    )
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "x": rng.uniform(0, 10, 300),
            "y": rng.uniform(0, 10, 300),
            "z": rng.integers(0, 3, 300),
        }
    )
    model = LogisticRegression(max_iter=500)
    model.fit(X, 2 * X["x"] + X["y"] + X["z"] > 24)
    few = X[(X.sum(axis=1) < limit) & ~model.predict(X)].iloc[:15]
    verdicts = explainer_of(model, actions, X).verify(few)
    ((a, b, c),) = model.coef_
    grid = [
        (x, min(10.0, limit - x - z), z)
        for x in np.linspace(0, min(10, limit), 201)
        for z in range(3)
        if limit - x - z >= 0
    ]
    best = max(a * x + b * y + c * z for x, y, z in grid) + model.intercept_[0]
    if best < 0:
        assert set(verdicts.status) == {"fixed"}
        assert set(verdicts.proof) == {"bound"}
    else:
        assert verdicts.has_witness.all()
        assert "fixed" not in set(verdicts.status)
        assert (model.predict(verdicts.witness)).all()


def test_a_score_that_is_curved_along_a_line_has_its_best_point_anywhere():
    """Naive Bayes is best between the ends of a line, and not in its middle."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.uniform(0, 10, 400), "y": rng.uniform(0, 1, 400)})
    model = GaussianNB().fit(X, np.abs(X["x"] - 5) + X["y"] < 2.2)
    actions = ActionSet(
        {"x": Feature("real", 0, 20), "y": Feature("real", 0, 1, actionable=False)}
    )
    denied = X[~model.predict(X)][:20]
    verdicts = explainer_of(model, actions, X).verify(denied)
    assert set(verdicts.status) == {"single"}
