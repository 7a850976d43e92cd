"""Intervals of values that work: closed, reachable, accepted by `predict`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skresp import ActionSet, AtLeast, Feature, ResponsivenessExplainer
from skresp._explain._working_values import isolated_changes
from skresp.constraints import IfThen, Linkage
from skresp.scores._working_intervals import FloatSearch, join_values
from tests.scores.scaled_models import LINEAR, SCALERS, TREES
from tests.small_models import lightgbm

FIXED = Feature("real", actionable=False)


def explain(model, actions, X, people, target=1, **fields):
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=target, random_state=0, **fields
    )
    return explainer.fit(X).explain(people)


def a_case(seed, make):
    """A fitted model, its data, an action set, and the scale of the linkage."""
    rng = np.random.default_rng(seed)
    top = float(rng.choice([1e-3, 1.0, 100.0, 1e6]))
    start = float(rng.choice([0.0, -top / 2, 10 * top]))
    kind = rng.choice(["continuous", "round", "many at the start"])
    a = start + top * rng.random(300)
    if kind == "round":
        a = start + top / 12 * rng.integers(0, 13, 300)
    elif kind == "many at the start":
        a = np.where(rng.random(300) < 0.5, start, a)
    dtype = rng.choice(["float64", "float64", "float32"])
    X = pd.DataFrame({"a": a, "b": rng.normal(50, 10, 300)}).astype(dtype)
    wave = np.sin(rng.choice([3, 6, 20]) * (a - start) / top)
    y = (wave + 0.05 * (X["b"] - 50) > 0.2).astype(int)
    scaler = SCALERS[rng.integers(len(SCALERS))]
    if scaler is None and make in LINEAR.values():
        scaler = StandardScaler
    model = make() if scaler is None else make_pipeline(scaler(), make())
    model.fit(X, y)
    scale = float(rng.choice([0.0, 0.0, 10 / top, -27 / top]))
    direction = rng.choice([None, None, "increase", "decrease"])
    feature = Feature("real", start, start + top, direction=direction)
    if direction is None and rng.random() < 0.4:
        feature = Feature(
            "real", start, start + top, max_increase=0.3 * top, max_decrease=0.7 * top
        )
    links = [Linkage("a", {"b": scale})] if scale else []
    return model, X, ActionSet({"a": feature, "b": FIXED}, links), scale


def points(X, i, values, scale):
    """Row `i` with these values of `a`, and what follows."""
    values = np.asarray(values, dtype=float)
    out = X.iloc[[i] * len(values)].reset_index(drop=True)
    follows = out["b"] + scale * (values - float(X["a"].iloc[i]))
    return out.assign(a=values.astype(X["a"].dtype), b=follows.astype(X["b"].dtype))


def within(values, intervals):
    inside = np.zeros(len(values), dtype=bool)
    for low, high in intervals:
        inside |= (values >= low) & (values <= high)
    return inside


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", [*TREES, *LINEAR])
def test_ends_are_accepted_and_what_lies_beyond_is_refused(name, seed):
    make = (TREES | LINEAR)[name]
    model, X, actions, scale = a_case(seed, make)
    dtype = X["a"].dtype.type
    top = dtype(np.inf)
    people = X[:6]
    explanation = explain(model, actions, X, people)
    for i in range(len(people)):
        if explanation.n_reachable[i, 0] == 0:
            continue
        assert explanation.exact[i, 0]
        now = float(people["a"].iloc[i])
        low, high = actions.features["a"].own_limits(now)
        found = explanation.intervals(i, "a")
        ends = np.array([end for pair in found for end in pair])
        assert (ends != now).all()
        assert ((now + low <= ends) & (ends <= now + high)).all()
        if len(ends):
            assert (ends == ends.astype(dtype)).all()
            assert (model.predict(points(X, i, ends, scale)) == 1).all()
        outer = np.array(
            [
                [np.nextafter(dtype(a), -top), np.nextafter(dtype(b), top)]
                for a, b in found
                if a < b
            ],
            dtype=float,
        ).ravel()
        outer = outer[(outer >= now + low) & (outer <= now + high) & (outer != now)]
        if len(outer) and name in TREES:
            assert (model.predict(points(X, i, outer, scale)) == 0).all()
        some = now + low + (high - low) * np.random.default_rng(i).random(300)
        some = np.clip(some.astype(dtype).astype(float), now + low, now + high)
        some = some[some == some.astype(dtype)]
        reached = model.predict(points(X, i, some, scale)) == 1
        np.testing.assert_array_equal(within(some, found), reached)
        if dtype == np.float64:
            length = sum(b - a for a, b in found)
            wanted = explanation.values[i, 0] * (high - low)
            assert length == pytest.approx(wanted, abs=1e-9 * (high - low))


def test_ends_of_a_scaled_lightgbm_are_accepted():
    """Round values, cuts half way: one end of four was refused."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        unit = [1.0, 10.0, 0.1][seed % 3]
        X = pd.DataFrame(
            {"a": rng.integers(0, 80, 300) * unit * 2, "b": rng.normal(size=300)}
        )
        y = (np.sin(X["a"] / (12 * unit)) + 0.3 * X["b"] > 0.2).astype(int)
        actions = ActionSet({"a": Feature("real", 0, 160 * unit), "b": FIXED})
        for scaler in (StandardScaler, MinMaxScaler):
            model = make_pipeline(scaler(), lightgbm(n_estimators=8)).fit(X, y)
            denied = X[model.predict(X) == 0][:3].reset_index(drop=True)
            explanation = explain(model, actions, X, denied)
            for i in range(len(denied)):
                found = explanation.intervals(i, "a")
                ends = [end for pair in found for end in pair]
                assert ends
                assert (model.predict(points(denied, i, ends, 0.0)) == 1).all()


def debts():
    rng = np.random.default_rng(0)
    debt = np.where(rng.random(400) < 0.5, 0, rng.uniform(1, 100, 400))
    return pd.DataFrame({"debt": debt, "age": rng.integers(20, 60, 400)})


def test_a_point_that_works_alone_is_an_interval():
    """LightGBM cuts at 1e-35: of all debts only 0 is accepted."""
    X = debts()
    model = lightgbm(n_estimators=8).fit(X, (X["debt"] == 0).astype(int))
    actions = ActionSet(
        {
            "debt": Feature("real", 0, 100, direction="decrease"),
            "age": Feature("integer", actionable=False),
        }
    )
    person = pd.DataFrame({"debt": [50.0], "age": [30]})
    explanation = explain(model, actions, X, person)
    assert explanation.values[0, 0] == 0
    assert explanation.exact[0, 0]
    assert explanation.intervals(0, "debt") == [(0, 0)]
    assert isolated_changes(explanation, 0) == [0]


def test_a_point_at_which_two_columns_meet_is_found():
    """Both columns must be at most their cuts, and one falls as the other rises."""
    grid = np.array([(a, b) for a in range(0, 12, 2) for b in range(0, 12, 2)], float)
    X = pd.DataFrame(grid, columns=["a", "b"])
    y = ((X["a"] <= 5) & (X["b"] <= 3)).astype(int)
    model = HistGradientBoostingClassifier(
        max_iter=1, learning_rate=1.0, max_depth=2, min_samples_leaf=1
    ).fit(X, y)
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": FIXED}, [Linkage("a", {"b": -1})]
    )
    person = pd.DataFrame({"a": [7.0], "b": [1.0]})
    assert model.predict(person)[0] == 0
    explanation = explain(model, actions, X, person)
    assert explanation.values[0, 0] == 0
    assert explanation.intervals(0, "a") == [(5, 5)]


def test_the_current_value_of_an_approved_person_parts_nothing():
    X = pd.DataFrame({"a": np.linspace(0, 10, 101)})
    model = DecisionTreeClassifier().fit(X, (X["a"] < 7).astype(int))
    for kind, upper in (("real", 10), ("integer", 10), ("integer", 50_000)):
        for direction, wanted in ((None, 0), ("increase", 3)):
            actions = ActionSet({"a": Feature(kind, 0, upper, direction=direction)})
            person = pd.DataFrame({"a": [3.0]})
            ((low, high),) = explain(model, actions, X, person).intervals(0, "a")
            assert low == wanted if direction is None else low > wanted
            assert 6 <= high < 7
    gone = ActionSet({"a": Feature("real", 3, 10)})
    explanation = explain(model, gone, X, pd.DataFrame({"a": [9.0]}))
    ((low, high),) = explanation.intervals(0, "a")
    assert low == 3


def test_a_value_that_a_constraint_forbids_is_left_out():
    X = pd.DataFrame({"a": np.linspace(0, 10, 101), "b": 0.0})
    model = DecisionTreeClassifier().fit(X, (X["a"] < 7).astype(int))
    features = {"a": Feature("real", 0, 10), "b": FIXED}
    person = pd.DataFrame({"a": [9.0], "b": [0.0]})
    for rule, wanted in (
        (IfThen(("b", "<=", 1), ("a", "!=", 3)), 2),
        (IfThen(("b", "<=", 1), ("a", ">=", 3)), 1),
        (IfThen(("a", "<=", 3), ("b", ">=", 1)), 1),
    ):
        actions = ActionSet(features, [rule])
        found = explain(model, actions, X, person).intervals(0, "a")
        assert len(found) == wanted
        reached = person.iloc[[0] * 2 * wanted].assign(a=np.ravel(found))
        assert not len(actions.check(reached))
        assert found[-1][0] == pytest.approx(3, abs=1e-6)


def test_a_single_point_of_a_real_feature_is_listed():
    X = pd.DataFrame({"a": np.linspace(0, 10, 101)})
    model = DecisionTreeClassifier().fit(X, (X["a"] < 7).astype(int))
    actions = ActionSet({"a": Feature("real", 5, 5)})
    explanation = explain(model, actions, X, pd.DataFrame({"a": [9.0]}))
    assert explanation.intervals(0, "a") == [(5, 5)]


@pytest.mark.parametrize(
    "model", [DecisionTreeRegressor(max_depth=6), LinearRegression()]
)
def test_numbers_that_are_predicted_have_intervals_too(model):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(400) * 30, "b": rng.random(400)})
    model.fit(X, X["a"] * 0.7 + X["b"])
    actions = ActionSet({"a": Feature("real", 0, 30), "b": FIXED})
    explanation = explain(model, actions, X, X[:5], target=AtLeast(12.34))
    for i in range(5):
        found = explanation.intervals(i, "a")
        ends = [end for pair in found for end in pair]
        assert ends
        assert (model.predict(points(X, i, ends, 0.0)) >= 12.34).all()


@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()])
def test_intervals_reach_the_bounds_where_these_work(model):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(300) * 4, "b": rng.random(300)})
    model.fit(X, (X["a"] + X["b"] > 2.5).astype(int))
    actions = ActionSet({"a": Feature("real", 0, 4), "b": FIXED})
    denied = X[model.predict(X) == 0][:10]
    explanation = explain(model, actions, X, denied)
    for i in range(10):
        assert explanation.intervals(i, "a")[-1][1] == 4.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_floats_are_numbered_in_order(dtype):
    floats = FloatSearch(None, None, 0, None, dtype)
    tiny, big = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    values = np.array([-big, -1, -tiny, 0, tiny, 1, big], dtype=float)
    places = floats.ordinals(values)
    assert (np.diff(places) > 0).all()
    np.testing.assert_array_equal(floats.from_ordinals(places), values)
    one = dtype(1)
    assert floats.beside(1.0, 1) == np.nextafter(one, dtype(2))
    assert floats.beside(0.0, -1) == -tiny


def test_runs_of_values_lose_no_neighbour_of_the_current_value():
    """Effects reach values between the steps; the current value ends no run."""
    values = np.array([38.0, 39.0, 40.0, 42.0, 43.0])
    works = np.array([True, False, True, True, True])
    assert join_values(values, works, 2.0, None) == [(38.0, 38.0), (40.0, 43.0)]
    values = np.array([100.0, 101.0, 102.0])
    everything = np.ones(3, dtype=bool)
    assert join_values(values, everything, 2.0, 99.0) == [(100.0, 102.0)]
    assert join_values(values, everything, 2.0, 103.0) == [(100.0, 102.0)]
    assert join_values(values[[0, 2]], everything[:2], 2.0, 101.0) == [(100.0, 102.0)]
    assert join_values(values[:0], everything[:0], 2.0, 99.0) == []
