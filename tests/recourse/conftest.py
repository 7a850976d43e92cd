"""Data and explainers that several tests use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.datasets import make_credit
from tests.small_models import encoded


@pytest.fixture(scope="module")
def credit():
    return make_credit(250, random_state=0)


@pytest.fixture(scope="module")
def forest(credit):
    model = encoded(RandomForestClassifier(20, random_state=0, min_samples_leaf=3))
    return ResponsivenessExplainer(model, credit.action_set).fit(
        credit.data, credit.target
    )


@pytest.fixture(scope="module")
def whole_numbers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 5, (300, 4)), columns=list("abcd"))
    y = (X["a"] + X["b"] * X["c"] - X["d"] + rng.normal(0, 1, 300) > 8).astype(int)
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 4, max_increase=1),
            "b": Feature("integer", 0, 4, max_increase=1),
            "c": Feature("integer", 0, 4, max_increase=2, max_decrease=0),
            "d": Feature("integer", 0, 4, actionable=False),
        }
    )
    return X, y, actions
