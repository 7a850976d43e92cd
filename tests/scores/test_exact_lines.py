"""Exact along a line: against dense grids, against samples, against lists."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature
from skresp._model._target import AtLeast, AtMost
from skresp.constraints import IfThen, Linear, Switch
from tests.scores.lines import CLASSIFIERS, dense, explain, repeated
from tests.small_models import scaled, xgboost


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_exact_scores_equal_a_dense_grid_and_many_samples(name, data, actions):
    X, y = data
    model = CLASSIFIERS[name]().fit(X, y)
    people = X[:3]
    exact = explain(model, actions, X, people)
    assert exact.exact.all()
    assert (exact.values.max(axis=0) > 0).sum() >= 3
    for i in range(len(people)):
        person = people.iloc[[i]]
        for feature, rates in (
            ("income", {}),
            ("debt", {}),
            ("rent", {"age": 0.01}),
        ):
            j = list(X.columns).index(feature)
            wanted = dense(model, actions, person, feature, rates, 1)
            assert exact.values[i, j] == pytest.approx(wanted, abs=2e-3)
    drawn = explain(
        model,
        actions,
        X,
        people[:1],
        method="sample",
        n_samples=50_000,
        max_points=2_000_000,
        alpha=1e-6,
        random_state=0,
    )
    assert not drawn.exact[drawn.n_reachable > 0].any()
    assert (drawn.lower <= exact.values[:1] + 1e-9).all()
    assert (exact.values[:1] <= drawn.upper + 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["XGB", "LightGBM", "GB", "LR"])
def test_exact_scores_lie_within_the_error_of_200_000_draws(name, data, actions):
    X, y = data
    model = CLASSIFIERS[name]().fit(X, y)
    exact = explain(model, actions, X, X[5:6])
    drawn = explain(
        model,
        actions,
        X,
        X[5:6],
        method="sample",
        n_samples=200_000,
        max_points=2_000_000,
        alpha=1e-6,
        random_state=0,
    )
    assert (drawn.lower <= exact.values + 1e-9).all()
    assert (exact.values <= drawn.upper + 1e-9).all()
    assert (drawn.upper - drawn.lower).max() < 0.012


def test_list_line_and_sample_agree(data, monkeypatch):
    X, y = data
    X = X[["income", "debt"]].assign(loans=X["amount"] // 2_000)
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    actions = ActionSet.infer(X, immutable=["income", "debt"])
    monkeypatch.setattr("skresp.scores._strategy.MAX_LISTED_BESIDE_A_LINE", 10**6)
    listed = explain(model, actions, X, X[:20])
    drawn = explain(model, actions, X, X[:20], method="sample", alpha=1e-7)
    assert (drawn.lower <= listed.values).all()
    assert (listed.values <= drawn.upper).all()
    monkeypatch.setattr("skresp.scores._strategy.MAX_LISTED_BESIDE_A_LINE", 10)
    line = explain(model, actions, X, X[:20])
    assert line.exact.all()
    np.testing.assert_allclose(line.values, listed.values, atol=1e-12)
    np.testing.assert_array_equal(line.n_reachable, listed.n_reachable)
    assert line.describe(0) == listed.describe(0)
    assert line.reachable(0, "loans").complete


@pytest.mark.parametrize("name", ["RF", "XGB", "LR", "RF with a threshold of its own"])
def test_a_huge_integer_counts_its_values(name, data, actions):
    X, y = data
    model = CLASSIFIERS[name]().fit(X, y)
    person = X.iloc[[1]]
    j = list(X.columns).index("amount")
    upper = int(actions.features["amount"].upper)
    lower = int(actions.features["amount"].lower)
    everything = np.arange(lower, upper + 1)
    everything = everything[everything != int(person["amount"].iloc[0])]
    P = repeated(person, len(everything))
    P["amount"] = everything
    reached = model.predict(P) == 1
    exact = explain(model, actions, X, person)
    assert exact.values[0, j] == reached.sum() / len(reached)
    marked = np.zeros(len(everything), dtype=bool)
    for low, high in exact.intervals(0, "amount"):
        marked |= (everything >= low) & (everything <= high)
    np.testing.assert_array_equal(marked, reached)


@pytest.mark.parametrize("step", [1, 5])
def test_values_on_a_border_are_the_models_own(step):
    """Fitted on even numbers a tree splits at odd ones: left for <=, right for <."""
    X = pd.DataFrame({"n": 2 * np.arange(15_000)})
    y = (X["n"] > 17_000).astype(int)
    actions = ActionSet({"n": Feature("integer", 0, 29_999, step=step)})
    person = pd.DataFrame({"n": [11]})
    reachable = np.array([v for v in range(11 % step, 30_000, step) if v != 11])
    assert 17_001 in reachable
    for model in (
        DecisionTreeClassifier(),
        xgboost(n_estimators=40, tree_method="exact", max_depth=1),
        scaled(LogisticRegression()),
    ):
        model.fit(X, y)
        explanation = explain(model, actions, X, person)
        reached = model.predict(pd.DataFrame({"n": reachable})) == 1
        assert explanation.exact.all()
        assert explanation.n_reachable[0, 0] == len(reachable)
        assert explanation.values[0, 0] == reached.sum() / len(reached)


def test_three_classes_thresholds_and_regressors(data, actions):
    X, y = data
    three = np.where(y == 1, "good", np.where(X["debt"] > 1, "bad", "fair"))
    proba = np.clip(X["income"] / 6000, 0, 1)
    cases = [
        (RandomForestClassifier(20, random_state=0).fit(X, three), {"target": "fair"}),
        (xgboost(n_estimators=40).fit(X, (three == "good") + 0), {"threshold": 0.8}),
        (
            xgboost(n_estimators=40).fit(X, (three == "good") + 0),
            {"target": 0, "threshold": 0.8},
        ),
        (RandomForestClassifier(20, random_state=0).fit(X, y), {"threshold": 0.7}),
        (scaled(LogisticRegression()).fit(X, y), {"threshold": 0.7}),
        (scaled(LogisticRegression()).fit(X, y), {"target": 0, "threshold": 0.7}),
        (scaled(LogisticRegression()).fit(X, three), {"target": "fair"}),
        (
            RandomForestRegressor(20, random_state=0).fit(X, proba),
            {"target": AtLeast(0.6)},
        ),
        (HistGradientBoostingRegressor().fit(X, proba), {"target": AtMost(0.4)}),
        (LinearRegression().fit(X, proba), {"target": AtMost(0.4)}),
    ]
    for model, arguments in cases:
        exact = explain(model, actions, X, X[:6], **arguments)
        drawn = explain(
            model,
            actions,
            X,
            X[:6],
            method="sample",
            n_samples=4000,
            alpha=1e-7,
            random_state=0,
            **arguments,
        )
        assert exact.exact.all(), arguments
        assert (drawn.lower <= exact.values + 1e-9).all(), arguments
        assert (exact.values <= drawn.upper + 1e-9).all(), arguments


def test_labels_behind_an_encoder_do_not_hinder(data):
    X, y = data
    X = X.assign(home=np.where(X["rent"] > 400, "rent", "own"))
    model = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(sparse_output=False), ["home"]), remainder=StandardScaler()
        ),
        RandomForestClassifier(20, random_state=0),
    ).fit(X, y)
    actions = ActionSet.infer(X, features={"age": Feature("real", actionable=False)})
    explanation = explain(model, actions, X, X[:3])
    assert explanation.exact.all()
    person = X.iloc[[0]]
    wanted = dense(model, actions, person, "income", {}, 1)
    assert explanation.values[0, 0] == pytest.approx(wanted, abs=2e-3)


def test_an_encoder_that_gets_no_column_does_not_hinder(data, actions):
    X, y = data
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), []), remainder=StandardScaler()),
        LogisticRegression(),
    ).fit(X, y)
    plain = scaled(LogisticRegression()).fit(X, y)
    explanation = explain(model, actions, X, X[:5])
    assert explanation.exact.all()
    np.testing.assert_allclose(
        explanation.values, explain(plain, actions, X, X[:5]).values
    )


@pytest.mark.parametrize("encode", ["ordinal", "onehot-dense"])
@pytest.mark.parametrize("final", [LogisticRegression(), DecisionTreeClassifier()])
def test_scores_are_exact_behind_bins(data, encode, final):
    X, y = data
    bins = KBinsDiscretizer(
        8, encode=encode, quantile_method="averaged_inverted_cdf", random_state=0
    )
    model = make_pipeline(bins, final).fit(X, y)
    actions = ActionSet.infer(X)
    explanation = explain(model, actions, X, X[:3])
    assert explanation.exact.all()
    for j, feature in enumerate(["income", "debt"]):
        wanted = dense(model, actions, X.iloc[[0]], feature, {}, 1)
        assert explanation.values[0, j] == pytest.approx(wanted, abs=2e-3)


def test_models_without_a_reader_are_sampled(data, actions):
    X, y = data
    model = scaled(MLPClassifier((4,), max_iter=50, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    explanation = explain(model, actions, X, X[:2], n_samples=50, random_state=0)
    assert not explanation.exact[explanation.n_reachable > 0].any()
    with pytest.raises(ValueError, match="the score was sampled"):
        explanation.intervals(0, "income")


@pytest.fixture
def tied(data):
    """A rent within the income, which nobody here changes."""
    X, y = data
    X = X[["income", "rent", "debt"]].assign(own=0)
    X = X[X["income"] > 800]
    model = RandomForestClassifier(30, random_state=0).fit(X, y[X.index])
    features = {
        "income": Feature("real", actionable=False),
        "rent": Feature("real", 0, 3000),
        "debt": Feature("real", 0, 2),
        "own": Feature("binary", actionable=False),
    }
    return X, model, features


@pytest.mark.parametrize(
    "rule",
    [
        Linear({"rent": 1, "income": -0.5}, upper=0),
        IfThen(("income", ">=", 0), ("rent", "<=", 777)),
        Switch("own", ["rent"], on_value=1),
    ],
)
def test_a_constraint_cuts_the_line(tied, rule):
    """Where nothing else can move, only the feasible stretch counts."""
    X, model, features = tied
    actions = ActionSet(features, [rule])
    X = X[[row not in set(actions.check(X)["row"]) for row in X.index]]
    exact = explain(model, actions, X, X[:5])
    assert exact.exact.all()
    for i in range(5):
        person = X.iloc[[i]]
        t = np.linspace(0, 3000, 40_001)
        P = repeated(person, len(t)).assign(rent=t)
        if isinstance(rule, Linear):
            ok = t <= 0.5 * float(person["income"].iloc[0])
        elif isinstance(rule, IfThen):
            ok = t <= 777
        else:
            ok = np.ones(len(t), dtype=bool)
        wanted = np.mean(model.predict(P[ok]) == 1)
        assert exact.values[i, 1] == pytest.approx(wanted, abs=2e-3)


def test_partners_that_may_have_to_move_make_it_a_sample(tied):
    X, model, features = tied
    features = features | {"debt": Feature("real", 0, 2)}
    actions = ActionSet(features, [Linear({"rent": 1, "debt": 100}, upper=1000)])
    X = X[:2]
    explanation = explain(model, actions, X, X, n_samples=20, random_state=0)
    assert not explanation.exact[:, 1].any()
    loose = ActionSet(features, [Linear({"rent": 1, "debt": 100}, upper=10_000)])
    assert explain(model, loose, X, X).exact.all(), "the limit is never felt"


def test_intervals_are_described():
    X = pd.DataFrame({"debt": np.linspace(0, 1, 2001)})
    y = (X["debt"] < 0.5) | ((X["debt"] > 0.65) & (X["debt"] < 0.68))
    model = DecisionTreeClassifier().fit(X, y)
    actions = ActionSet({"debt": Feature("real", 0, 1)})
    person = pd.DataFrame({"debt": [0.9]})
    explanation = explain(model, actions, X, person, target=True)
    (first, second) = explanation.intervals(0, "debt")
    assert first == pytest.approx((0, 0.5), abs=1e-3)
    assert second == pytest.approx((0.65, 0.68), abs=1e-3)
    assert explanation.values[0, 0] == pytest.approx(0.53, abs=1e-3)
    assert "(score 0.53): at most 0.49, or between 0.65" in explanation.describe(0)


def test_intervals_of_listed_integers_are_runs():
    X = pd.DataFrame({"n": np.arange(10)})
    model = DecisionTreeClassifier().fit(X, X["n"].isin([1, 2, 7]))
    actions = ActionSet({"n": Feature("integer", 0, 9)})
    explanation = explain(model, actions, X, X[4:5], target=True)
    assert explanation.intervals(0, "n") == [(1, 2), (7, 7)]


def test_a_straight_line_beside_a_curved_column_that_stays_put():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 10, (300, 2)), columns=["curved", "straight"])
    y = (np.log1p(X["curved"]) + X["straight"] / 5 > 2.5).astype(int)
    model = make_pipeline(
        make_column_transformer(
            (FunctionTransformer(np.log1p), ["curved"]), remainder="passthrough"
        ),
        LogisticRegression(),
    ).fit(X, y)
    actions = ActionSet(
        {"curved": Feature("real", 0, 10), "straight": Feature("real", 0, 10)}
    )
    denied = X[model.predict(X) == 0][:20]
    explanation = explain(model, actions, X, denied)
    assert explanation.exact.all()
    (a, b), c = model[-1].coef_[0], model[-1].intercept_[0]
    border = -(a * np.log1p(denied["curved"]) + c) / b
    expected = np.clip((10 - border) / 10, 0, 1)
    assert explanation.values[:, 1] == pytest.approx(expected, abs=1e-9)
