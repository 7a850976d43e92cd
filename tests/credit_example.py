"""A lender's model and people of every status, for tests of reports and plots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skresp import ActionSet, Explanation, ResponsivenessExplainer
from skresp._recourse._verdicts import Verdicts
from skresp.datasets import make_credit

LABELS = ["job", "sex", "savings", "checking_account", "housing"]


@dataclass(frozen=True)
class Lender:
    X: pd.DataFrame
    y: pd.Series
    actions: ActionSet
    model: Any
    explainer: ResponsivenessExplainer
    explanation: Explanation
    verdicts: Verdicts

    def who(self, status: str) -> int:
        """The first row with a status."""
        return self.verdicts.status.tolist().index(status)


@cache
def lender() -> Lender:
    credit = make_credit(120, random_state=0)
    model = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), LABELS), remainder="passthrough"
        ),
        GradientBoostingClassifier(n_estimators=12, random_state=0),
    ).fit(credit.data, credit.target)
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), credit.action_set, target=1, random_state=0
    ).fit(credit.data)
    return Lender(
        credit.data,
        credit.target,
        credit.action_set,
        model,
        explainer,
        explainer.explain(credit.data),
        explainer.verify(credit.data),
    )
