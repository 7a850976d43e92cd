"""The first sentences of an audit: what is known, and what is not."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.report import AuditReport
from tests.small_models import RuleModel


def lead(rule, n_features: int, max_points: int = 100_000) -> str:
    """Return the lead of an audit of two people who are denied."""
    names = [f"x{k}" for k in range(n_features)]
    X = pd.DataFrame(np.zeros((2, n_features), dtype=int), columns=names)
    X["person"] = [1, 2]
    features = dict.fromkeys(names, Feature("binary"))
    features["person"] = Feature("integer", actionable=False)
    explainer = ResponsivenessExplainer(
        RuleModel(rule), ActionSet(features), target=1, max_points=max_points
    ).fit(X)
    made = AuditReport.from_estimator(
        explainer, X, wanted="a loan", sections=["people"]
    )
    found = re.search(r'<p class="lead">(.*?)</p>', made.html, re.DOTALL)
    return " ".join(found[1].split())


@pytest.mark.parametrize(
    ("rule", "n_features", "words"),
    [
        (
            lambda X: (X["x0"] == 1) & (X["person"] == 1),
            2,
            "For 1 of them (50%) no allowed change leads to a loan.",
        ),
        (
            lambda X: X["x0"] == 1,
            2,
            "For each of them some allowed change leads to a loan.",
        ),
        (
            lambda X: X["x0"] > 1,
            16,
            "For 2 (100%) it is not known whether an allowed change leads to a loan.",
        ),
        (
            lambda X: (X["x0"] == 1) & (X["person"] == 1),
            16,
            "For 1 (50%) it is not known whether an allowed change leads to a loan.",
        ),
    ],
)
def test_the_lead_says_what_is_known(rule, n_features, words):
    text = lead(rule, n_features, max_points=200)
    assert text == f"Of 2 people, 2 are denied. {words}"
