"""Limits of `verify`: time, and points per person."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from skresp import ActionSet, Feature
from tests.recourse.explainers import explainer_of

MODELS = {
    "forest": lambda: RandomForestClassifier(20, random_state=0),
    "linear": LogisticRegression,
    "neighbours": lambda: KNeighborsClassifier(3),
}


def integer_rows(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 6, (rows, 6)), columns=list("abcdef"))
    y = (X.sum(axis=1) + rng.normal(0, 2, rows) > 17).astype(int)
    return X, y


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("cost", [None, "fewest"])
@pytest.mark.parametrize("most", [0, 1, 7, 30, 31, 60, 400])
def test_no_more_points_are_used_than_allowed(name, cost, most):
    X, y = integer_rows(300)
    model = MODELS[name]().fit(X, y)
    actions = ActionSet({n: Feature("integer", 0, 5) for n in X})
    explainer = explainer_of(model, actions, X)
    people = X[model.predict(X) == 0].iloc[:12]
    found = explainer.verify(people, max_points=most, cost=cost)
    assert (found.used <= most).all()
    if most == 0:
        assert set(found.status) == {"unknown"}
    sure = explainer.verify(people)
    decided = np.isin(found.status, ["single", "joint", "fixed"])
    assert (found.status[decided] == sure.status[decided]).all()
    alone = [
        explainer.verify(people.iloc[[i]], max_points=most, cost=cost).status[0]
        for i in range(len(people))
    ]
    assert found.status.tolist() == alone


def test_a_black_box_predicts_no_more_points_than_allowed():
    X, y = integer_rows(300)
    model = KNeighborsClassifier(3).fit(X, y)
    actions = ActionSet({n: Feature("integer", 0, 5) for n in X})
    explainer = explainer_of(model, actions, X)
    people = X[model.predict(X) == 0].iloc[:5]
    sizes = []
    predict = model.predict
    model.predict = lambda rows: sizes.append(len(rows)) or predict(rows)
    explainer.verify(people, max_points=50)
    # The rows themselves, and each witness once more.
    assert sum(sizes) <= len(people) * (50 + 2)


@pytest.mark.parametrize("name", MODELS)
def test_what_was_decided_within_a_time_limit_is_right(name):
    X, y = integer_rows(400)
    model = MODELS[name]().fit(X, y)
    actions = ActionSet({n: Feature("integer", 0, 5) for n in X})
    explainer = explainer_of(model, actions, X)
    sure = explainer.verify(X)
    for limit in (0.0, 0.05, 600.0):
        found = explainer.verify(X, time_limit=limit)
        decided = found.status != "unknown"
        assert (found.status[decided] == sure.status[decided]).all()
        late = found.proof == "out of budget"
        assert late.all() if limit == 0.0 else not (limit == 600.0 and late.any())


@pytest.mark.parametrize("cost", [None, "fewest"])
def test_a_time_limit_ends_a_long_search_of_trees(cost):
    """Without the limit every row would be decided, after minutes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 12)), columns=[f"x{i}" for i in range(12)])
    y = (X.sum(axis=1) + rng.normal(0, 1, 400) > 3).astype(int)
    forest = RandomForestClassifier(60, random_state=0).fit(X, y)
    actions = ActionSet({n: Feature("real", -2, 2) for n in X})
    explainer = explainer_of(forest, actions, X, threshold=0.999)
    found = explainer.verify(X[:6], time_limit=1.0, cost=cost, max_points=10**9)
    assert "out of budget" in found.proof
