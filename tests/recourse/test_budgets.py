"""Verdicts within a budget of points."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature
from skresp.constraints import Linear, OneHot
from tests.recourse.explainers import explainer_of
from tests.small_models import HashModel, RuleClassifier, fitted


@pytest.mark.parametrize("kind", ["RF", "LR", "hash"])
def test_no_points_or_no_time_decide_nothing_wrongly(kind):
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 3),
            "b": Feature("integer", 0, 3, direction="increase"),
        }
    )
    model, X = (
        fitted(kind, actions, 1)
        if kind != "hash"
        else (HashModel(1, ("a", "b")), pd.DataFrame({"a": [0, 1, 2], "b": [0, 3, 1]}))
    )
    target = "yes" if kind == "hash" else 1
    explainer = explainer_of(model, actions, X, target=target)
    full = explainer.verify(X)
    nothing = explainer.verify(X, max_points=0)
    known = nothing.status != "unknown"
    np.testing.assert_array_equal(nothing.status[known], full.status[known])
    assert (nothing.status[full.status == "approved"] == "approved").all()
    if kind != "LR":  # a linear model needs no search
        assert (nothing.status[full.status != "approved"] == "unknown").all()
    late = explainer.verify(X, time_limit=0.0)
    known = late.status != "unknown"
    np.testing.assert_array_equal(late.status[known], full.status[known])


@pytest.mark.parametrize("max_points", [0, 100])
@pytest.mark.parametrize("kind", ["tree", "LR", "hash"])
def test_a_person_with_a_single_feasible_point_is_fixed(kind, max_points):
    actions = ActionSet(
        {
            "a": Feature("binary", direction="increase"),
            "b": Feature("binary", direction="increase"),
        },
        [OneHot(["a", "b"])],
    )
    X = pd.DataFrame({"a": [1, 0], "b": [0, 1]})
    model = HashModel(0, ("a", "b")) if kind == "hash" else fitted(kind, actions, 3)[0]
    answers = model.predict(X)
    target = next(label for label in model.classes_ if label != answers[0])
    explainer = explainer_of(model, actions, X, target=target)
    verdicts = explainer.verify(X[:1], max_points=max_points)
    assert verdicts.status[0] == "fixed"
    assert verdicts.proof[0] == "no feasible change"


def test_a_part_with_a_million_changes_is_decided_or_unknown():
    actions = ActionSet(
        {"a": Feature("integer", 0, 1000), "b": Feature("integer", 0, 1000)},
        [Linear({"a": 1, "b": 1}, upper=1000)],
    )
    X = pd.DataFrame({"a": [0, 3, 500, 10], "b": [0, 4, 400, 900]})
    rng = np.random.default_rng(0)
    many = pd.DataFrame(rng.integers(0, 1001, (400, 2)), columns=["a", "b"])
    far = (many["a"] > 650) & (many["b"] > 250)
    tree = DecisionTreeClassifier(random_state=0).fit(many, far)
    explainer = explainer_of(tree, actions, many)
    verdicts = explainer.verify(X, max_points=2_000_000)
    # From (500, 400) raising one number forces the other down: an intervention on it.
    assert verdicts.status.tolist() == ["joint", "joint", "single", "single"]
    assert (verdicts.witness.sum(axis=1) <= 1000).all()
    impossible = (many["a"] > 650) & (many["b"] > 450)
    tree = DecisionTreeClassifier(random_state=0).fit(many, impossible)
    inner = tree.predict(pd.DataFrame({"a": [700], "b": [300]}))[0]
    assert not inner
    explainer = explainer_of(tree, actions, many)
    found = explainer.verify(X, max_points=2_000_000)
    assert found.status.tolist() == ["fixed"] * 4
    few = explainer.verify(X, max_points=1_000)
    # Too few points for a list of the changes, but boxes need no list.
    assert few.status.tolist() == ["fixed"] * 4
    assert (few.used <= 1_000).all()
    needle = RuleClassifier(lambda X: (X.a == 777) & (X.b == 222))
    needle = explainer_of(needle, actions, many)
    assert needle.verify(X, max_points=1_000).status.tolist() == ["unknown"] * 4
    found = needle.verify(X[:1], max_points=2_000_000)
    assert found.status.tolist() == ["joint"]
    assert found.witness.to_numpy().tolist() == [[777, 222]]
