"""People, what they can change, and an explainer of a model fitted on them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import IfThen
from tests.explain.encoders import encoder


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    n = 120
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "loans": rng.integers(0, 5, n),
            "guarantor": rng.integers(0, 2, n),
            "home": rng.choice(["own", "rent", "free"], n),
            "rate": rng.choice([0.5, 1.0, 1.5], n),
        }
    )
    y = (
        X["loans"] + 2 * (X["home"] == "rent") - 2 * X["guarantor"] + X["rate"] < 2
    ).astype(int)
    return X, y


@pytest.fixture
def actions(people):
    X, _ = people
    return ActionSet.infer(
        X,
        features={"rate": Feature("real", actionable=False)},
        immutable=["age"],
        constraints=[IfThen(("home", "==", "free"), ("loans", "<=", 3))],
    )


@pytest.fixture
def valid(people, actions):
    X, y = people
    rows = [row not in set(actions.check(X)["row"]) for row in X.index]
    return X[rows], y[rows]


@pytest.fixture
def explainer(valid, actions):
    X, y = valid
    return ResponsivenessExplainer(
        make_pipeline(encoder("home"), LogisticRegression()), actions, random_state=0
    ).fit(X, y)
