"""Pieces of a line that are only a few floats wide."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linear
from tests.recourse.explainers import explainer_of, logistic_regression


def window(kind, t):
    """A model that accepts `t` and none of its neighbours, or b and c together.

    In float32 for a decision tree, in float64 for gradient boosting.
    """
    size = max(abs(t), 1.0)
    grid = itertools.product([t - size, t, t + size], [0.2, 0.8], [0.0, 1.0])
    X = pd.DataFrame(list(grid) * 20, columns=list("abc"))
    y = (X["a"] == t) | ((X["c"] == 1) & (X["b"] > 0.5))
    if kind == "tree":
        model = DecisionTreeClassifier(random_state=0).fit(X, y)
        t = np.float32(t)
        threshold = model.tree_.threshold
        on_a = model.tree_.feature == 0
        below = np.nextafter(t, np.float32(-np.inf))
    else:
        model = HistGradientBoostingClassifier(
            max_iter=1, learning_rate=1.0, min_samples_leaf=2
        ).fit(X, y)
        nodes = model._predictors[0][0].nodes
        threshold = nodes["num_threshold"]
        on_a = (nodes["is_leaf"] == 0) & (nodes["feature_idx"] == 0)
        below = np.nextafter(t, -np.inf)
    threshold[on_a] = np.where(threshold[on_a] < t, below, t)
    return model, X, float(t)


def person(x):
    return pd.DataFrame({"a": [x], "b": [0.0], "c": [0.0]})


@pytest.mark.parametrize("interventions", ["minimal", "joint"])
@pytest.mark.parametrize("rules", ["none", "two reals", "one real"])
@pytest.mark.parametrize(
    ("kind", "t", "high", "x"),
    [
        ("tree", 0.1, 10.0, 7.7),
        ("tree", 0.1, 1e9, 7.7e8),
        ("boosting", 5.1, 10.0, 0.0),
        ("boosting", 0.1, 10.0, 7.7),
        ("boosting", 77777.7, 1e6, 7.7e5),
        ("boosting", 123456789.1, 1e9, 7.7e8),
    ],
)
@pytest.mark.parametrize("with_c", [False, True])
def test_a_single_value_that_reaches_the_target_is_not_missed(
    kind, t, high, x, rules, interventions, with_c
):
    model, X, t = window(kind, t)
    assert model.predict(person(t))[0]
    assert not model.predict(person(x))[0]
    constraints = {
        "none": [],
        "two reals": [Linear({"a": 1, "b": 1}, upper=2 * high)],
        "one real": [IfThen(("c", "==", 1), ("a", ">=", 0))],
    }[rules]
    actions = ActionSet(
        {
            "a": Feature("real", 0, high),
            "b": Feature("real", 0, 1),
            "c": Feature("binary", actionable=with_c),
        },
        constraints,
    )
    explainer = explainer_of(model, actions, X, interventions=interventions)
    found = explainer.verify(person(x))
    undecided = "possible" if with_c else "unknown"
    assert found.status[0] in ("single", undecided)
    assert found.has_witness[0] == (found.status[0] != "unknown")


@pytest.mark.parametrize("kind", ["tree", "boosting"])
def test_thresholds_that_are_well_apart_are_distinguished(kind):
    model, X, t = window(kind, 5.1)
    nodes = model.tree_ if kind == "tree" else None
    threshold = (
        nodes.threshold if nodes else model._predictors[0][0].nodes["num_threshold"]
    )
    threshold[threshold == t] = 5.2
    actions = ActionSet(
        {
            "a": Feature("real", 6, 10),
            "b": Feature("real", 0, 1),
            "c": Feature("binary", actionable=False),
        }
    )
    explainer = explainer_of(model, actions, X)
    assert explainer.verify(person(7.7)).status.tolist() == ["fixed"]


@pytest.mark.parametrize("at", [5.0, 0.7, 77.7])
def test_a_tie_of_three_classes_at_one_point_is_not_joint(at):
    """Class 0 leads where both rivals are at 0: nowhere else, or where c is 1."""
    weights = [[0.0, 0.0, 300.0], [1, 0, 0], [-1, 0, 0]]
    model = logistic_regression(weights, [0.0, -at, at], "abc")
    X = pd.DataFrame({"a": np.linspace(0, 100, 60), "b": 0.0, "c": [0.0, 1, 0] * 20})
    assert model.predict(person(at))[0] == 0
    actions = ActionSet(
        {
            "a": Feature("real", 0, 100),
            "b": Feature("real", 0, 1),
            "c": Feature("real", 0, 1, actionable=False, mutable=True),
        },
        [Linear({"a": 1, "b": 1, "c": 1}, upper=200)],
    )
    explainer = explainer_of(model, actions, X, target=0)
    found = explainer.verify(person(33.3))
    assert found.status[0] in ("single", "possible")


def test_the_cuts_of_lightgbm_around_zero_are_one_border():
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (400, 3)), columns=list("abc"))
    X[rng.random(X.shape) < 0.3] = 0.0
    model = lightgbm.LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1)
    model.fit(X, (X["a"] > 0) & (X["c"] > 0.5))
    actions = ActionSet(
        {
            "a": Feature("real", -1, 1),
            "b": Feature("real", -1, 1),
            "c": Feature("real", actionable=False),
        }
    )
    explainer = explainer_of(model, actions, X)
    people = X[X["c"] < -0.1][:10]
    assert set(explainer.verify(people).status) == {"fixed"}
