"""People, a model of theirs, and what they can change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from skresp import ActionSet, Feature
from tests.explain.attribution.explainers import pipeline


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 90
    X = pd.DataFrame(
        {
            "income": rng.normal(20, 5, n).round(2),
            "loans": rng.integers(0, 5, n),
            "home": rng.choice(["own", "rent", "free"], n),
            "age": rng.integers(18, 80, n),
        }
    )
    y = (X["income"] - 3 * X["loans"] - 4 * (X["home"] == "rent") > 13).astype(int)
    return X, y


@pytest.fixture(scope="module")
def actions(people):
    return ActionSet.infer(
        people[0],
        features={"loans": Feature("integer", 0, 4, direction="decrease")},
        immutable=["age"],
    )


@pytest.fixture(scope="module")
def model(people):
    return FrozenEstimator(pipeline(LogisticRegression()).fit(*people))
