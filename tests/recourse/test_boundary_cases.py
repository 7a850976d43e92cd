"""Verdicts between the ends of a line, at ties, at bounds and behind encoders."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linear, Linkage
from tests.recourse.explainers import (
    explainer_of,
    logistic_regression,
    verdicts_of,
)
from tests.small_models import RuleClassifier


@pytest.mark.parametrize("kind", ["real", "integer"])
def test_a_middle_class_between_the_ends_of_a_line_is_found(kind):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.uniform(0, 300, 900).round(0 if kind == "integer" else 9)}
    )
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1e3, max_iter=5000))
    model.fit(X, np.digitize(X["a"], [40, 80]))
    actions = ActionSet({"a": Feature(kind, 0, 300)})
    people = pd.DataFrame({"a": [10.0, 200.0]})
    found = verdicts_of(model, actions, people, X, target=1)
    assert found.status.tolist() == ["single", "single"]
    # The greatest lead over both rivals is not the greatest probability.
    assert np.isnan(found.best_score).all()
    narrow = ActionSet({"a": Feature(kind, 0, 300, max_increase=5, max_decrease=5)})
    found = verdicts_of(model, narrow, people, X, target=1)
    assert found.status.tolist() == ["fixed", "fixed"]


@pytest.mark.parametrize("final", [LogisticRegression(C=100), DecisionTreeClassifier()])
def test_bins_of_a_renamed_column_are_not_taken_for_a_straight_line(final):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 10, 500), "b": rng.uniform(0, 1, 500)})
    first = ColumnTransformer(
        [("num", StandardScaler(), ["a"])], remainder="passthrough"
    ).set_output(transform="pandas")
    bins = KBinsDiscretizer(
        10, encode="onehot-dense", quantile_method="averaged_inverted_cdf"
    )
    second = ColumnTransformer([("bins", bins, ["num__a"])], remainder="passthrough")
    model = Pipeline([("first", first), ("second", second), ("final", final)])
    model.fit(X, (X["a"] > 2) & (X["a"] < 4))
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("real", actionable=False)}
    )
    people = pd.DataFrame({"a": [0.5, 9.0], "b": [0.5, 0.5]})
    found = verdicts_of(model, actions, people, X, target=True)
    assert found.status.tolist() == ["single", "single"]


@pytest.mark.parametrize("kind", ["real", "integer"])
def test_effects_on_reals_and_integers_give_the_same_verdict(kind):
    actions = ActionSet(
        {"k": Feature("binary"), "r": Feature(kind, 0, 10)}, [Linkage("k", {"r": 1})]
    )
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"k": rng.integers(0, 2, 600), "r": rng.integers(0, 11, 600)})
    X["r"] = X["r"].astype(float if kind == "real" else int)
    tree = DecisionTreeClassifier(random_state=0)
    tree.fit(X, (X["k"] == 1) & (X["r"] == 7))
    found = verdicts_of(tree, actions, pd.DataFrame({"k": [0], "r": [2]}), X)
    assert found.status.tolist() == ["joint"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["LR32", "LR", "XGB"])
def test_nobody_is_fixed_whose_best_probability_is_the_threshold(kind, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    X["d"] = rng.integers(0, 3, 200)
    if kind == "LR32":
        X = X.astype(np.float32)
    y = (X["a"] + X["d"] + rng.normal(0, 0.3, 200) > 0.5).astype(int)
    model = (
        pytest.importorskip("xgboost").XGBClassifier(n_estimators=60, n_jobs=1)
        if kind == "XGB"
        else LogisticRegression(C=[0.01, 1.0, 100.0][seed % 3], max_iter=2000)
    ).fit(X, y)
    actions = ActionSet(
        {
            **{n: Feature("real", actionable=False) for n in "abc"},
            "d": Feature("integer", 0, 2),
        }
    )
    people = X.sort_values("a").iloc[-60:].copy()
    people["d"] = people["d"].astype(X["d"].dtype)
    checked = 0
    for i in range(0, 60, 5):
        one = people.iloc[[i]]
        tops = [
            model.predict_proba(one.assign(d=np.array(v, X["d"].dtype)))[0, 1]
            for v in range(3)
        ]
        top = float(max(tops))
        if 0 < top < 1:
            found = verdicts_of(model, actions, one, X, threshold=top)
            assert found.status[0] != "fixed"
            checked += 1
    assert checked


def test_no_witness_lies_beyond_a_constraint_by_rounding():
    actions = ActionSet(
        {"u": Feature("real", 0, 4), "k": Feature("integer", 0, 2, step=2)},
        [Linear({"u": 1, "k": 1}, upper=4)],
    )
    X = pd.DataFrame({"u": [1.5, 1.9, 2.1, 2.5] * 40, "k": np.repeat([0, 2], 80)})
    model = HistGradientBoostingClassifier(max_iter=30, min_samples_leaf=5)
    model.fit(X, (X["u"] > 2) & (X["k"] == 2))
    found = verdicts_of(model, actions, pd.DataFrame({"u": [1.0], "k": [0]}), X)
    assert found.status.tolist() == ["fixed"]
    ruled = ActionSet(
        {"u": Feature("real", 0, 4), "k": Feature("integer", 0, 2)},
        [IfThen(("u", ">=", 2), ("k", "!=", 0))],
    )
    found = verdicts_of(model, ruled, pd.DataFrame({"u": [1.0], "k": [0]}), X)
    assert found.has_witness.all()
    witness = found.witness.iloc[0]
    assert witness["u"] < 2 or witness["k"] != 0


def test_a_witness_at_a_bound_is_exactly_on_it():
    actions = ActionSet({"r": Feature("real", 0, 1.8)})
    values = np.round(np.arange(0, 3.6, 0.01), 2)
    X = pd.DataFrame({"r": values})
    model = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=2)
    model.fit(X, X["r"] > 1.8)
    people = pd.DataFrame({"r": values[values < 1.7]})
    at_bound = bool(model.predict(pd.DataFrame({"r": [1.8]}))[0])
    found = verdicts_of(model, actions, people, X)
    assert set(found.status) == {"single" if at_bound else "fixed"}
    tree = DecisionTreeClassifier(random_state=0).fit(X, X["r"] >= 1.8)
    found = verdicts_of(tree, actions, people, X)
    assert set(found.status) == {"single"}
    assert (found.witness["r"] <= 1.8).all()


@pytest.mark.parametrize("is_lower", [True, False])
@pytest.mark.parametrize("models", [1, 2])
def test_a_bound_that_rounding_misses_is_reached(models, is_lower):
    rng = np.random.default_rng(0)
    while True:  # the change to the bound ends beside it, on the inner side
        left, right = np.sort(rng.uniform(0, 1, 2))
        bound = (left + right) / 2
        if not is_lower:
            bound = np.nextafter(bound, np.inf)
        now = rng.uniform(2, 3) if is_lower else -rng.uniform(2, 3)
        if (now + (bound - now) - bound) * (1 if is_lower else -1) > 0:
            break
    y = rng.integers(0, 2, 400)
    X = pd.DataFrame({"a": np.where((y == 1) == is_lower, left, right)})
    trees = [
        (str(seed), HistGradientBoostingClassifier(max_iter=3 + seed))
        for seed in range(models)
    ]
    model = VotingClassifier(trees, voting="soft").fit(X, y)
    points = pd.DataFrame({"a": [bound, now + (bound - now)]})
    assert model.predict(points).tolist() == [1, 0]
    bounds = (bound, 4.0) if is_lower else (-4.0, bound)
    actions = ActionSet({"a": Feature("real", *bounds)})
    found = verdicts_of(model, actions, pd.DataFrame({"a": [now]}), X)
    assert found.status.tolist() == ["single"]
    assert found.witness["a"].tolist() == [bound]


def test_a_black_box_has_no_best_score_and_is_not_searched_for_it():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (60, 4)), columns=list("abcd"))
    model = MLPClassifier((4,), random_state=0, max_iter=20)
    model.fit(X, X.sum(axis=1) > 4)
    actions = ActionSet({n: Feature("integer", 0, 2) for n in X})
    explainer = explainer_of(model, actions, X)
    sizes = []
    predict = model.predict
    model.predict = lambda rows: sizes.append(len(rows)) or predict(rows)
    found = explainer.verify(X, max_points=100)
    before = sum(sizes)
    assert np.isnan(found.best_score).all()
    assert sum(sizes) - before <= len(X), "only the scores of the rows"


@pytest.mark.parametrize("cost", [None, "fewest"])
def test_more_parts_than_an_integer_has_bits(cost):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.integers(0, 2, (300, 80)), columns=[f"x{i}" for i in range(80)]
    )
    y = (X.iloc[:, :40].sum(axis=1) > 21).astype(int)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    actions = ActionSet({n: Feature("binary") for n in X})
    explainer = explainer_of(forest, actions, X)
    denied = X[forest.predict(X) == 0].iloc[:5]
    found = explainer.verify(denied, cost=cost, max_points=200)
    assert set(found.status) <= {"single", "joint"}
    assert (forest.predict(found.witness) == 1).all()


def test_pandas_na_in_an_integer_column_is_missing():
    X = pd.DataFrame({"a": pd.array([1, 2, None, 4] * 10, dtype="Int64")})
    model = make_pipeline(
        SimpleImputer(missing_values=pd.NA), DecisionTreeClassifier(random_state=0)
    ).fit(X, [0, 0, 1, 1] * 10)
    actions = ActionSet({"a": Feature("integer", 0, 5)})
    explainer = explainer_of(model, actions, X, missing="hold")
    assert explainer.verify(X[:4]).status[0] == "single"


def test_a_black_box_search_finds_a_witness_that_needs_many_changes():
    """Combinations of few changes alone would run out of budget before six."""
    model = RuleClassifier(lambda X: (np.asarray(X) >= 5).sum(axis=1) >= 6)
    actions = ActionSet({f"x{i}": Feature("integer", 0, 9) for i in range(12)})
    X = pd.DataFrame([[0] * 12, [1] * 12], columns=actions.names)
    found = verdicts_of(model, actions, X, X)
    assert found.status.tolist() == ["joint", "joint"]
    assert ((found.witness >= 5).sum(axis=1) == 6).all(), "no needless change"
    again = verdicts_of(model, actions, X[::-1], X)
    np.testing.assert_array_equal(found._arrays.change, again._arrays.change[::-1])


@pytest.mark.parametrize("cost", [None, "fewest"])
@pytest.mark.parametrize("interventions", ["minimal", "joint"])
@pytest.mark.parametrize(
    ("high", "border", "gap"),
    [(10, 5, 1e-7), (10, 5, 7e-9), (1e6, 5000, 0.5), (1e6, 5000, 7e-6)],
)
@pytest.mark.parametrize("kind", ["linear", "tree"])
def test_values_just_before_a_forbidden_one_are_found(
    kind, high, border, gap, interventions, cost
):
    actions = ActionSet(
        {"a": Feature("real", 0, high), "b": Feature("binary", actionable=False)},
        [IfThen(("a", ">=", border), ("b", "==", 1))],
    )
    X = pd.DataFrame({"a": np.linspace(0, border, 50, endpoint=False), "b": 0})
    model = logistic_regression([1, 0], gap - border, ["a", "b"])
    if kind == "tree":
        ends = pd.DataFrame({"a": [border - gap * 1.1, border - gap * 0.9] * 9, "b": 0})
        model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=1)
        model.fit(ends, [0, 1] * 9)
    explainer = explainer_of(model, actions, X, interventions=interventions)
    people = pd.DataFrame({"a": [0.0, border / 2], "b": [0, 0]})
    found = explainer.verify(people, cost=cost)
    assert found.status.tolist() == ["single", "single"]
    assert (found.witness["a"] < border).all()
    assert (model.predict(found.witness) == 1).all()
    beyond = logistic_regression([1, 0], -border, ["a", "b"])
    explainer = explainer_of(beyond, actions, X, interventions=interventions)
    assert explainer.verify(people, cost=cost).status.tolist() == ["fixed", "fixed"]


@pytest.mark.parametrize("cost", [None, "fewest"])
@pytest.mark.parametrize("interventions", ["minimal", "joint"])
def test_a_single_change_just_before_a_forbidden_value_is_single(interventions, cost):
    names = ["a", "b", "c"]
    actions = ActionSet(
        {
            "a": Feature("real", 0, 1e6),
            "b": Feature("binary", actionable=False),
            "c": Feature("binary"),
        },
        [IfThen(("a", ">=", 5000), ("b", "==", 1))],
    )
    X = pd.DataFrame({"a": np.linspace(0, 4900, 50), "b": 0, "c": [0, 1] * 25})
    model = logistic_regression([1e-3, 0, 8e-4], -4.9995, names)
    person = pd.DataFrame({"a": [0.0], "b": [0], "c": [0]})
    explainer = explainer_of(model, actions, X, interventions=interventions)
    found = explainer.verify(person, cost=cost)
    assert found.status.tolist() == ["single"]
    assert found.witness["c"].tolist() == [0]


@pytest.mark.parametrize("interventions", ["minimal", "joint"])
def test_a_value_that_is_held_does_not_move_by_rounding(interventions):
    """Another combination may come very close to the value that `u` is held at."""
    actions = ActionSet(
        {"u": Feature("real", 0, 1e6), "k": Feature("binary")},
        [
            Linear({"u": 1, "k": -1e5}, upper=5000.5),
            Linear({"u": 1, "k": 1e5}, lower=5000.5),
            IfThen(("u", "==", 5000.5), ("k", "==", 0)),
        ],
    )
    X = pd.DataFrame({"u": [5000.5, 5200.5, 4000.5], "k": [0, 1, 1]})
    person = X[:1]
    for sign in (1, -1):
        model = logistic_regression([sign, 0], -sign * 5000.5 - 1e-9, ["u", "k"])
        found = verdicts_of(model, actions, person, X, interventions=interventions)
        # Without a change of k, u cannot move.
        assert found.witness["k"].tolist() == [1]
        model = logistic_regression([sign, -1e7], -sign * 5000.5 - 1e-9, ["u", "k"])
        found = verdicts_of(model, actions, person, X, interventions=interventions)
        assert found.status.tolist() == ["fixed"]


def test_a_value_just_below_a_forbidden_one_is_allowed():
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("binary", actionable=False)},
        [IfThen(("a", ">=", 5 + 1e-10), ("b", "==", 1))],
    )
    X = pd.DataFrame({"a": np.linspace(0, 4.9, 50), "b": 0})
    model = logistic_regression([1, 0], -5, ["a", "b"])
    found = verdicts_of(model, actions, X[:1], X)
    assert found.status[0] != "fixed"
