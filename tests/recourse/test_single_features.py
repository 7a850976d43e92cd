"""Verdicts that scores of single features settle."""

from __future__ import annotations

import pandas as pd
import pytest

from skresp import ActionSet, Feature
from tests.recourse.explainers import explainer_of
from tests.small_models import RuleClassifier


@pytest.mark.parametrize("cost", [None, "fewest"])
def test_a_change_that_only_draws_find_is_a_witness(cost):
    """The values that work lie between the points that the search tries."""
    X = pd.DataFrame({"a": [0.0, 0.3], "b": [0.0, 1.0]})
    model = RuleClassifier(lambda X: X.a.between(0.5005, 0.5075))
    actions = ActionSet({name: Feature("real", 0, 1) for name in X})
    explainer = explainer_of(model, actions, X)
    verdicts = explainer.verify(X, cost=cost)
    assert verdicts.status.tolist() == ["single", "single"]
    assert verdicts.has_witness.all()
    assert model.predict(verdicts.witness).tolist() == [1, 1]
    assert verdicts.witness["b"].tolist() == X["b"].tolist()
