"""People with numbers along which models are followed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skresp import ActionSet, Feature
from skresp.constraints import Linkage


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame(
        {
            "income": rng.gamma(3, 1000, n),
            "debt": rng.random(n) * 2,
            "age": rng.integers(18, 80, n).astype(float),
            "amount": rng.integers(0, 200_000, n),
            "rent": rng.random(n) * 900,
        }
    )
    score = X["income"] / 3000 - X["debt"] + 0.01 * X["age"] - X["amount"] / 1e5
    score += 0.4 * np.sin(X["rent"] / 100)
    return X, (score + rng.normal(0, 0.3, n) > 0).astype(int)


@pytest.fixture(scope="module")
def actions(data):
    return ActionSet.infer(
        data[0],
        features={
            "income": Feature("real", max_increase=5000, max_decrease=1000),
            "debt": Feature("real", direction="decrease"),
            "age": Feature("real", actionable=False),
            "rent": Feature("real"),
        },
        constraints=[Linkage("rent", {"age": 0.01})],
    )
