"""Answers for listed changes with kernels, against those of the model itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model import _listed_answers
from skresp._model._kernel_use import kernels
from skresp._model._row_batch import ListedChanges
from skresp._model.trees import _tree_sums
from skresp.constraints import Linkage, Thermometer


class Counting:
    """A model that counts the points that it predicts."""

    def __init__(self, model):
        self.model, self.points = model, 0

    def __getattr__(self, name):
        return getattr(self.__dict__["model"], name)

    def predict(self, X):
        self.points += len(X)
        return self.model.predict(X)


def explain(model, actions, X, people, **options):
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, random_state=0, missing="hold", **options
    ).fit(X)
    _ = explainer._fitted_model._reading  # before the model is wrapped
    rule = explainer._fitted_model.target_rule
    rule.__dict__["model"] = counting = Counting(rule.model)
    return explainer.explain(people), counting.points


def both_ways(*given, **options):
    """Explain with kernels and without, and return both with the points asked."""
    with kernels("always"):
        fast = explain(*given, **options)
    with kernels("never"):
        return fast, explain(*given, **options)


def assert_equal(fast, slow):
    for name in ("values", "lower", "upper", "exact", "n_reachable", "at_target"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name), name)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 90, n),
            "b": rng.integers(0, 6, n).astype(float),
            "on": rng.integers(0, 2, n),
            "job": rng.choice(["x", "y", "z"], n),
            "fixed": rng.normal(size=n),
        }
    )
    steps = np.sort(rng.integers(0, 2, (n, 3)), axis=1)[:, ::-1]
    X[["t1", "t2", "t3"]] = steps
    X.loc[::7, "fixed"] = np.nan
    X.loc[::11, "b"] = np.nan
    worth = X["a"] / 30 + X["b"].fillna(2) + X["on"] + steps.sum(axis=1)
    y = (worth + (X["job"] == "y") + rng.normal(0, 1, n) > 6).astype(int)
    actions = ActionSet.infer(
        X,
        features={
            "a": Feature("integer", 0, 90, max_increase=80),
            "b": Feature("integer", 0, 6),
            "fixed": Feature("real", actionable=False),
        },
        constraints=[Linkage("on", {"a": 2}), Thermometer(["t1", "t2", "t3"])],
    )
    people = X.iloc[:150].copy()
    people.loc[3, "job"] = "new"
    people.loc[4, "job"] = "other"
    return X, y, actions, people


def encoded(model):
    return make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["job"]),
            remainder="passthrough",
        ),
        model,
    )


MODELS = {
    "small trees": lambda: encoded(HistGradientBoostingClassifier(max_iter=30)),
    "large trees": lambda: encoded(RandomForestClassifier(25, random_state=0)),
    "both": lambda: encoded(
        RandomForestClassifier(25, min_samples_leaf=4, random_state=0)
    ),
    "calibrated": lambda: encoded(
        CalibratedClassifierCV(DecisionTreeClassifier(max_depth=7), cv=3)
    ),
    "native labels": lambda: HistGradientBoostingClassifier(
        max_iter=30, categorical_features=["job"]
    ),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("interventions", ["minimal", "joint"])
def test_kernels_answer_like_the_model(data, name, interventions):
    X, y, actions, people = data
    if name == "native labels":
        X, people = (t.astype({"job": "category"}) for t in (X, people))
    model = MODELS[name]().fit(X, y)
    (fast, asked), (slow, every) = both_ways(
        model, actions, X, people, target=1, interventions=interventions
    )
    assert_equal(fast, slow)
    assert fast.n_reachable.max() > 64  # more than one round of the kernel for sets
    # Two unlisted labels share a list; all else is computed without the model.
    assert asked < 0.1 * every
    assert 0 < np.nanmean(fast.values) < 1


def test_people_with_unlisted_labels_have_their_own_prediction():
    """Two of them share a list, and the second had the prediction of the first."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"plan": rng.choice(["none", "bank", "stores"], 300), "n": 0})
    X["n"] = rng.integers(0, 5, 300)
    indicators = make_column_transformer(
        (OneHotEncoder(), ["plan"]), remainder="passthrough"
    )
    model = make_pipeline(indicators, DecisionTreeClassifier())
    model.fit(X, X["plan"] != "bank")
    actions = ActionSet(
        {
            "plan": Feature("categorical", categories=["none"]),
            "n": Feature("integer", 0, 4),
        }
    )
    people = pd.DataFrame({"plan": ["bank", "stores"] * 4, "n": [1, 1, 2, 2] * 2})
    (fast, _), (slow, _) = both_ways(model, actions, X, people, target=True)
    assert fast.at_target.tolist() == [False, True] * 4
    assert_equal(fast, slow)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000)),
        GradientBoostingClassifier(n_estimators=10),
        RandomForestClassifier(10, random_state=0),
    ],
)
def test_kernels_answer_like_the_model_for_several_classes(data, model, classes):
    X, _, actions, people = data
    X, people = (t.drop(columns=["job", "fixed"]).fillna(1.0) for t in (X, people))
    actions = ActionSet(
        {name: actions.features[name] for name in X}, actions.constraints
    )
    y = pd.qcut(X["a"] + 10 * X["b"] * X["on"], classes, labels=False)
    (fast, asked), (slow, every) = both_ways(
        model.fit(X, y), actions, X, people, target=classes - 1
    )
    assert_equal(fast, slow)
    assert asked < 0.2 * every


def test_lists_that_are_too_large_for_tables_are_divided_and_then_asked(
    monkeypatch, data
):
    X, y, actions, people = data
    for name, room in (("small trees", 600_000), ("large trees", 30_000)):
        model = MODELS[name]().fit(X, y)
        with monkeypatch.context() as patch:
            patch.setattr(_tree_sums, "_MAX_TABLE", room)
            (divided, some), (slow, every) = both_ways(
                model, actions, X, people, target=1
            )
        assert_equal(divided, slow)
        with monkeypatch.context() as patch:
            patch.setattr(_tree_sums, "_MAX_TABLE", 0)
            (asked_only, all_points), _ = both_ways(model, actions, X, people, target=1)
        assert_equal(asked_only, slow)
        # A few more: whether the model accepts missing values, and a few checks.
        assert some < every <= all_points <= every + 100


def test_points_in_doubt_are_asked(monkeypatch, data):
    X, y, actions, people = data
    model = encoded(RandomForestClassifier(4, max_depth=3, random_state=0)).fit(X, y)
    seen = []
    real = _listed_answers.ChangeScorer.answers

    def answers(self, codes, parts):
        found = real(self, codes, parts)
        seen.append(int((found == _listed_answers.IN_DOUBT).sum()))
        return found

    monkeypatch.setattr(_listed_answers.ChangeScorer, "answers", answers)
    # Votes of four trees are often level: 0.5 of the probability each.
    model.set_params(randomforestclassifier__n_estimators=4)
    for tree in model[-1].estimators_:
        leaf = tree.tree_.value
        leaf[:, 0] = np.eye(2)[leaf[:, 0].argmax(axis=1)]
    (fast, _), (slow, _) = both_ways(model, actions, X, people, target=1)
    assert_equal(fast, slow)
    assert sum(seen) > 0


@pytest.mark.parametrize("use", ["always", "never"])
def test_people_without_listed_changes_are_answered(data, use):
    X, y, _, people = data
    X, people = (table[["a"]].astype(float) for table in (X, people))
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    actions = ActionSet({"a": Feature("real", 0, 90)})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, method="sample", n_samples=10
    ).fit(X)
    with kernels(use):
        at_target = explainer.explain(people).at_target
    np.testing.assert_array_equal(at_target, model.predict(people) == 1)


@pytest.mark.parametrize("use", ["always", "never"])
def test_runs_of_rows_without_lists_are_answered(monkeypatch, data, use):
    monkeypatch.setattr(_listed_answers, "_MAX_POINTS", 1)
    X, y, actions, people = data
    model = MODELS["small trees"]().fit(X, y)
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, missing="hold"
    ).fit(X)
    with kernels(use):
        batch = explainer._fitted_model.batch(people)
    after = np.array([10, 50, 90])
    lists = ListedChanges(
        which=np.array([[-1, 1, -1, 0]]),
        counts=np.array([1, 2]),
        n_lists=np.array([2]),
        columns=np.array([[0]]),
        after=after[:, None].astype(float),
        values=lambda part: {0: after},
    )
    runs = list(_listed_answers.answer_listed(batch, lists, np.arange(4)))
    at_target = np.concatenate([found.rows for _, found in runs])
    np.testing.assert_array_equal(at_target, model.predict(people[:4]) == 1)
    points = people.iloc[[1, 1, 3]].assign(a=[50, 90, 10])
    reached = np.concatenate([found.points for _, found in runs])
    np.testing.assert_array_equal(reached, model.predict(points) == 1)
    assert len(runs) == (4 if use == "always" else 1)


def test_a_small_call_does_not_read_the_model(data):
    X, y, actions, people = data
    model = MODELS["small trees"]().fit(X, y)
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, missing="hold"
    ).fit(X)
    for _ in range(3):
        explainer.explain(people.iloc[:5])
    assert "_reading" not in explainer._fitted_model.__dict__
    explainer.explain(people)
    assert "_reading" in explainer._fitted_model.__dict__
