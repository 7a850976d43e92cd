"""Verdicts of linear models whose best point is not among the options."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

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
