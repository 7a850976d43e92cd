"""Where verdicts are easily wrong: between ends, at ties, on bounds, behind steps."""

from __future__ import annotations

from time import perf_counter

import numba
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._line_function import read_line_function
from skresp._model._target import make_target_rule
from skresp._numba import compiled
from skresp.constraints import IfThen, Linear, Linkage


def verdicts_of(model, actions, rows, X, **asked):
    explainer = ResponsivenessExplainer(model, actions, **asked).fit(X)
    return explainer.verify(rows)


@pytest.mark.parametrize("kind", ["real", "integer"])
def test_the_middle_class_lies_between_the_ends(kind):
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
    assert np.isnan(found.best_score).all(), "the greatest lead is not the best chance"
    narrow = ActionSet({"a": Feature(kind, 0, 300, max_increase=5, max_decrease=5)})
    found = verdicts_of(model, narrow, people, X, target=1)
    assert found.status.tolist() == ["fixed", "fixed"]


@pytest.mark.parametrize("final", [LogisticRegression(C=100), DecisionTreeClassifier()])
def test_a_jump_behind_renamed_columns_is_seen(final):
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
    known = read_line_function(make_target_rule(model, True, None), X[:64])
    assert known is None or not known.maps_lines({"a"})
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("real", actionable=False)}
    )
    people = pd.DataFrame({"a": [0.5, 9.0], "b": [0.5, 0.5]})
    found = verdicts_of(model, actions, people, X, target=True)
    assert found.status.tolist() == ["single", "single"]


@pytest.mark.parametrize("kind", ["real", "integer"])
def test_an_effect_on_a_real_is_an_effect_on_an_integer(kind):
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
def test_a_threshold_that_is_just_attained(kind, seed):
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
    for i in range(0, 60, 5):
        one = people.iloc[[i]]
        tops = [
            model.predict_proba(one.assign(d=np.array(v, X["d"].dtype)))[0, 1]
            for v in range(3)
        ]
        top = float(max(tops))
        if not 0 < top < 1:
            continue
        found = verdicts_of(model, actions, one, X, threshold=top)
        assert found.status[0] != "fixed"


def test_what_constraints_forbid_is_not_reached_by_a_hair():
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


def test_a_real_that_goes_to_a_bound_lands_on_it():
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


@pytest.mark.parametrize("cost", [None, "fewest"])
def test_the_clock_is_watched(cost):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 12)), columns=[f"x{i}" for i in range(12)])
    y = (X.sum(axis=1) + rng.normal(0, 1, 400) > 3).astype(int)
    forest = RandomForestClassifier(60, random_state=0).fit(X, y)
    actions = ActionSet({n: Feature("real", -2, 2) for n in X})
    explainer = ResponsivenessExplainer(forest, actions, threshold=0.999).fit(X)
    explainer.verify(X[:1], time_limit=0.01)  # kernels compiled
    began = perf_counter()
    found = explainer.verify(X[:6], time_limit=1.0, cost=cost)
    assert perf_counter() - began < 30, "a search that nothing stops takes minutes"
    assert len(found) == 6


def test_a_model_that_can_only_be_asked_has_no_best_score():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (60, 4)), columns=list("abcd"))
    model = MLPClassifier((4,), random_state=0, max_iter=20)
    model.fit(X, X.sum(axis=1) > 4)
    actions = ActionSet({n: Feature("integer", 0, 2) for n in X})
    explainer = ResponsivenessExplainer(model, actions).fit(X)
    asked = []
    whole = model.predict
    model.predict = lambda rows: asked.append(len(rows)) or whole(rows)
    found = explainer.verify(X, max_points=100)
    before = sum(asked)
    assert np.isnan(found.best_score).all()
    assert sum(asked) - before <= len(X), "nothing is searched for again"


@pytest.mark.parametrize("cost", [None, "fewest"])
def test_more_parts_than_a_word_has_bits(cost):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.integers(0, 2, (300, 80)), columns=[f"x{i}" for i in range(80)]
    )
    y = (X.iloc[:, :40].sum(axis=1) > 21).astype(int)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    actions = ActionSet({n: Feature("binary") for n in X})
    explainer = ResponsivenessExplainer(forest, actions).fit(X)
    denied = X[forest.predict(X) == 0].iloc[:5]
    found = explainer.verify(denied, cost=cost, max_points=200)
    assert set(found.status) <= {"single", "joint"}
    assert (forest.predict(found.witness) == 1).all()


def test_missing_values_by_another_name():
    X = pd.DataFrame({"a": pd.array([1, 2, None, 4] * 10, dtype="Int64")})
    model = make_pipeline(
        SimpleImputer(missing_values=pd.NA), DecisionTreeClassifier(random_state=0)
    ).fit(X, [0, 0, 1, 1] * 10)
    actions = ActionSet({"a": Feature("integer", 0, 5)})
    explainer = ResponsivenessExplainer(model, actions, missing="hold").fit(X)
    assert explainer.verify(X[:4]).status[0] == "single"


def test_a_way_that_is_easy_to_find_at_random_is_found():
    """Near combinations alone would run out of budget long before six changes."""

    class Many:
        classes_ = np.array([False, True])

        def predict(self, X):
            return (np.asarray(X) >= 5).sum(axis=1) >= 6

    actions = ActionSet({f"x{i}": Feature("integer", 0, 9) for i in range(12)})
    X = pd.DataFrame([[0] * 12, [1] * 12], columns=actions.names)
    asked = {"target": True, "random_state": 0}
    found = verdicts_of(Many(), actions, X, X, **asked)
    assert found.status.tolist() == ["joint", "joint"]
    assert ((found.witness >= 5).sum(axis=1) == 6).all(), "nothing needless is changed"
    again = verdicts_of(Many(), actions, X[::-1], X, **asked)
    np.testing.assert_array_equal(found._arrays.change, again._arrays.change[::-1])


def test_a_read_only_install_compiles_without_a_cache(monkeypatch):
    real = numba.njit

    def nowhere(*given, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return real(*given, **options)

    monkeypatch.setattr(numba, "njit", nowhere)
    assert compiled(lambda x: x + 1)(2) == 3


def linear(weights, intercept, names):
    model = LogisticRegression()
    model.classes_ = np.array([0, 1])
    model.coef_ = np.array([weights], dtype=float)
    model.intercept_ = np.array([intercept], dtype=float)
    model.n_features_in_ = len(names)
    model.feature_names_in_ = np.array(names, dtype=object)
    return model


@pytest.mark.parametrize("cost", [None, "fewest"])
@pytest.mark.parametrize("interventions", ["minimal", "joint"])
@pytest.mark.parametrize(
    ("high", "border", "gap"),
    [(10, 5, 1e-7), (10, 5, 7e-9), (1e6, 5000, 0.5), (1e6, 5000, 7e-6)],
)
@pytest.mark.parametrize("kind", ["linear", "tree"])
def test_the_last_values_before_a_forbidden_one(
    kind, high, border, gap, interventions, cost
):
    actions = ActionSet(
        {"a": Feature("real", 0, high), "b": Feature("binary", actionable=False)},
        [IfThen(("a", ">=", border), ("b", "==", 1))],
    )
    X = pd.DataFrame({"a": np.linspace(0, border, 50, endpoint=False), "b": 0})
    model = linear([1, 0], gap - border, ["a", "b"])
    if kind == "tree":
        ends = pd.DataFrame({"a": [border - gap * 1.1, border - gap * 0.9] * 9, "b": 0})
        model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=1)
        model.fit(ends, [0, 1] * 9)
    asked = {"target": 1, "interventions": interventions}
    explainer = ResponsivenessExplainer(model, actions, **asked).fit(X)
    people = pd.DataFrame({"a": [0.0, border / 2], "b": [0, 0]})
    found = explainer.verify(people, cost=cost)
    assert found.status.tolist() == ["single", "single"]
    assert (found.witness["a"] < border).all()
    assert (model.predict(found.witness) == 1).all()
    beyond = linear([1, 0], -border, ["a", "b"])
    explainer = ResponsivenessExplainer(beyond, actions, **asked).fit(X)
    assert explainer.verify(people, cost=cost).status.tolist() == ["fixed", "fixed"]


@pytest.mark.parametrize("cost", [None, "fewest"])
@pytest.mark.parametrize("interventions", ["minimal", "joint"])
def test_a_way_alone_before_a_forbidden_value_is_not_joint(interventions, cost):
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
    model = linear([1e-3, 0, 8e-4], -4.9995, names)
    person = pd.DataFrame({"a": [0.0], "b": [0], "c": [0]})
    asked = {"target": 1, "interventions": interventions}
    explainer = ResponsivenessExplainer(model, actions, **asked).fit(X)
    found = explainer.verify(person, cost=cost)
    assert found.status.tolist() == ["single"]
    assert found.witness["c"].tolist() == [0]


@pytest.mark.parametrize("interventions", ["minimal", "joint"])
def test_a_pinned_value_does_not_move_by_a_hair(interventions):
    """Another combination may come within a hair of the value this one is held at."""
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
        model = linear([sign, 0], -sign * 5000.5 - 1e-9, ["u", "k"])
        asked = {"target": 1, "interventions": interventions}
        found = ResponsivenessExplainer(model, actions, **asked).fit(X).verify(person)
        assert found.witness["k"].tolist() == [1], "u alone is held where it is"
        model = linear([sign, -1e7], -sign * 5000.5 - 1e-9, ["u", "k"])
        found = ResponsivenessExplainer(model, actions, **asked).fit(X).verify(person)
        assert found.status.tolist() == ["fixed"]


def test_a_whole_number_is_not_forbidden_by_a_hair():
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("binary", actionable=False)},
        [IfThen(("a", ">=", 5 + 1e-10), ("b", "==", 1))],
    )
    X = pd.DataFrame({"a": np.linspace(0, 4.9, 50), "b": 0})
    model = linear([1, 0], -5, ["a", "b"])
    found = verdicts_of(model, actions, X[:1], X)
    assert found.status[0] != "fixed"
