"""The model decides ties; where it was not asked, nobody is `joint` for that reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import VotingRegressor
from sklearn.tree import DecisionTreeRegressor

from skresp import ActionSet, AtLeast, Feature
from skresp._recourse.engines.boxes import _engine
from skresp.constraints import Linear
from skresp.reach._deadline import OutOfTimeError
from tests.recourse.explainers import explainer_of


@pytest.fixture(scope="module")
def case():
    """Two trees whose mean is 1, right at the target, with `s`; 3 with `a` and `b`."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(400), "b": rng.random(400)})
    X["s"] = rng.integers(0, 2, 400)
    y = np.where((X.a > 0.5) & (X.b > 0.5), 3.0, np.where(X.s == 1, 1.0, 0.0))
    trees = [("one", DecisionTreeRegressor()), ("two", DecisionTreeRegressor())]
    model = VotingRegressor(trees).fit(X, y)
    names = {"a": Feature("real", 0, 1), "b": Feature("real", 0, 1)}
    actions = ActionSet(
        names | {"s": Feature("binary")}, [Linear({"a": 1, "b": 1}, upper=3)]
    )
    people = X[(X.a < 0.4) & (X.b < 0.4) & (X.s == 0)][:20]
    return explainer_of(model, actions, X, target=AtLeast(1.0)), people


def test_answered_ties_make_people_single(case):
    explainer, people = case
    assert set(explainer.verify(people).status) == {"single"}


def test_single_features_are_searched_where_ties_were_not_answered(case, monkeypatch):
    asked = []

    def stop(run, people, choice):
        asked.append(len(people))
        raise OutOfTimeError

    monkeypatch.setattr(_engine._BoxRun, "reaches_target", stop)
    explainer, people = case
    assert set(explainer.verify(people, time_limit=1_000).status) == {"single"}
    assert sum(asked)
