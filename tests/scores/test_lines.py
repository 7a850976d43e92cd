"""Exact along a line: against dense grids, against samples, against lists."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
)
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import IfThen, Linear, Linkage, Switch
from skresp.scores import AtLeast, AtMost
from skresp.scores._along import along_of
from skresp.scores._ensemble import ensemble_of, own_scores
from skresp.scores._sweep import sweep, sweep_arrays
from skresp.scores._target import make_goal


def xgboost(**fields):
    xgb = pytest.importorskip("xgboost")
    return xgb.XGBClassifier(n_estimators=40, n_jobs=1, **fields)


def lightgbm():
    lgb = pytest.importorskip("lightgbm")
    return lgb.LGBMClassifier(n_estimators=40, verbose=-1, n_jobs=1)


def scaled(model):
    return make_pipeline(StandardScaler(), model)


CLASSIFIERS = {
    "RF": lambda: RandomForestClassifier(40, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(20, random_state=0),
    "tree": lambda: DecisionTreeClassifier(max_depth=8, random_state=0),
    "XGB": xgboost,
    "LightGBM": lightgbm,
    "HistGB": lambda: HistGradientBoostingClassifier(max_iter=40),
    "GB": lambda: GradientBoostingClassifier(n_estimators=40),
    "LR": lambda: scaled(LogisticRegression()),
    "SVC": lambda: scaled(LinearSVC()),
    "scaled XGB": lambda: scaled(xgboost()),
    "RF with a threshold of its own": lambda: FixedThresholdClassifier(
        RandomForestClassifier(30, random_state=0), threshold=0.3
    ),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame(
        {
            "income": rng.gamma(3, 1000, n),
            "debt": rng.random(n) * 2,
            "age": rng.integers(18, 80, n).astype(float),
            "amount": rng.integers(0, 200_000, n),
            "rent": rng.random(n) * 900,
        }
    )
    score = X["income"] / 3000 - X["debt"] + 0.01 * X["age"] - X["amount"] / 1e5
    score += 0.4 * np.sin(X["rent"] / 100)
    return X, (score + rng.normal(0, 0.3, n) > 0).astype(int)


@pytest.fixture(scope="module")
def actions(data):
    return ActionSet.infer(
        data[0],
        features={
            "income": Feature("real", max_increase=5000, max_decrease=1000),
            "debt": Feature("real", direction="decrease"),
            "age": Feature("real", actionable=False),
            "rent": Feature("real"),
        },
        constraints=[Linkage("rent", {"age": 0.01})],
    )


def explain(model, actions, X, people, **arguments):
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, **arguments)
    return explainer.fit(X).explain(people)


def repeated(person, times):
    return person.iloc[np.zeros(times, dtype=int)].reset_index(drop=True)


def dense(model, actions, person, name, rates, target, points=5_001):
    """The share of a fine grid along the line that reaches the target."""
    value = float(person[name].iloc[0])
    low, high = actions.features[name].own_limits(value)
    t = low + (high - low) * (np.arange(points) + 0.5) / points
    P = repeated(person, points)
    P[name] = value + t
    for other, rate in rates.items():
        P[other] = float(person[other].iloc[0]) + rate * t
    return np.mean(model.predict(P) == target)


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


def test_list_line_and_sample_tell_one_story(data, monkeypatch):
    X, y = data
    X = X[["income", "debt"]].assign(loans=X["amount"] // 2_000)
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    actions = ActionSet.infer(X, immutable=["income", "debt"])
    monkeypatch.setattr("skresp.scores._lines.MOST_LISTED_BESIDE_A_LINE", 10**6)
    listed = explain(model, actions, X, X[:20])
    drawn = explain(model, actions, X, X[:20], method="sample", alpha=1e-7)
    assert (drawn.lower <= listed.values).all()
    assert (listed.values <= drawn.upper).all()
    monkeypatch.setattr("skresp.scores._lines.MOST_LISTED_BESIDE_A_LINE", 10)
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
        xgboost(tree_method="exact", max_depth=1),
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
        (xgboost().fit(X, (three == "good") + 0), {"threshold": 0.8}),
        (xgboost().fit(X, (three == "good") + 0), {"target": 0, "threshold": 0.8}),
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


def test_what_cannot_be_told_is_sampled(data, actions):
    X, y = data
    for model in (
        scaled(MLPClassifier((4,), max_iter=50, random_state=0)),
        make_pipeline(
            KBinsDiscretizer(
                4, encode="ordinal", quantile_method="averaged_inverted_cdf"
            ),
            LogisticRegression(),
        ),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        explanation = explain(model, actions, X, X[:2], n_samples=50, random_state=0)
        assert not explanation.exact[explanation.n_reachable > 0].any()
        with pytest.raises(ValueError, match="its score was sampled"):
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


def test_intervals_are_told_in_words():
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


@pytest.mark.parametrize("name", ["RF", "tree", "XGB", "LightGBM", "HistGB", "GB"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_compiled_sweep_equals_the_one_by_arrays(name, classes, data):
    pytest.importorskip("numba")
    X, y = data
    y = y + (X["debt"] > 1.2) if classes == 3 else y
    model = CLASSIFIERS[name]().fit(X, y)
    ensemble = ensemble_of(model, X[:20])
    start = X[:40].to_numpy(dtype=float)
    rate = np.zeros_like(start)
    rate[:, 0], rate[:, 1] = 1000.0, -0.3
    low, high = np.full(40, -2.0), np.full(40, 3.0)
    compiled = sweep(ensemble, start, rate, low, high)
    arrays = sweep_arrays(ensemble, start, rate, low, high)
    np.testing.assert_array_equal(compiled.line, arrays.line)
    np.testing.assert_array_equal(compiled.low, arrays.low)
    np.testing.assert_array_equal(compiled.high, arrays.high)
    length = np.bincount(arrays.line, arrays.high - arrays.low)
    np.testing.assert_allclose(length, 5.0)
    np.testing.assert_allclose(compiled.scores, arrays.scores, atol=1e-9)
    middle = start[arrays.line] + rate[0] * ((arrays.low + arrays.high) / 2)[:, None]
    wide = arrays.high - arrays.low > 1e-5
    np.testing.assert_allclose(
        arrays.scores[wide], ensemble.sums(middle)[wide], atol=1e-9
    )


# -- the trees themselves ---------------------------------------------------------


def test_missing_values_walk_as_the_model_sends_them(data):
    X, y = data
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    for model in (
        RandomForestClassifier(10, random_state=0),
        HistGradientBoostingClassifier(max_iter=10),
        xgboost(),
        lightgbm(),
    ):
        model.fit(X, y)
        ensemble = ensemble_of(model, X[:50])
        own = own_scores(model, X)
        np.testing.assert_allclose(ensemble.sums(X.to_numpy()), own, atol=1e-4)


def test_an_ensemble_that_does_not_add_up_is_not_used(data):
    X, y = data
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    model.estimators_[0].tree_.value[:] = 0.5
    broken = RandomForestClassifier(5, random_state=0).fit(X, y)
    broken.predict_proba = lambda X: np.random.default_rng(0).random((len(X), 2))
    assert ensemble_of(model, X[:20]) is not None, "changed trees are still trees"
    assert ensemble_of(broken, X[:20]) is None


RULES = {
    "probability": ({"threshold": 0.3}, 1),
    "the other label": ({"threshold": 0.3}, 0),
    "positive is the first": ({"threshold": 0.7, "pos_label": 0}, 1),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "inner", [RandomForestClassifier(5, random_state=0), LogisticRegression()]
)
def test_the_rule_of_a_threshold_classifier_is_known(data, rule, inner):
    X, y = data
    settings, target = RULES[rule]
    model = FixedThresholdClassifier(inner, **settings).fit(X, y)
    goal = make_goal(model, target, None)
    along = along_of(goal, X[:20], {"income"})
    scores = along.scores(X) if hasattr(along, "scores") else None
    if scores is None:
        scores = along.ensemble.sums(along.numbers(X))
    sure = ~along.decision.unsure(scores)
    told = along.decision.gap(scores) > 0
    assert sure.sum() > len(X) / 2
    assert 0 < told.sum() < len(X)
    np.testing.assert_array_equal(told[sure], goal.reached(X)[sure])


# -- what is told as exact is exact ----------------------------------------------------


def boosted(**fields):
    return GradientBoostingClassifier(n_estimators=20, random_state=0, **fields)


def gradient(kind, **fields):
    xgb = pytest.importorskip("xgboost")
    return getattr(xgb, kind)(n_estimators=20, n_jobs=1, **fields)


def light(kind, **fields):
    lgb = pytest.importorskip("lightgbm")
    return getattr(lgb, kind)(n_estimators=20, n_jobs=1, verbose=-1, **fields)


ODD = {
    "exponential loss": (lambda: boosted(loss="exponential"), {"threshold": 0.7}),
    "a start that moves": (lambda: boosted(init=LogisticRegression(max_iter=5000)), {}),
    "sigmoid 2": (lambda: light("LGBMClassifier", sigmoid=2.0), {"threshold": 0.7}),
    "linear leaves": (lambda: light("LGBMClassifier", linear_tree=True), {}),
    "raw logits": (
        lambda: gradient("XGBClassifier", objective="binary:logitraw"),
        {},
    ),
    "0 is missing": (lambda: gradient("XGBClassifier", missing=0.0), {}),
    "xgb counts": (
        lambda: gradient("XGBRegressor", objective="count:poisson"),
        {"target": AtLeast(0.6)},
    ),
    "xgb shares": (
        lambda: gradient("XGBRegressor", objective="reg:logistic"),
        {"target": AtLeast(0.6)},
    ),
    "lgb counts": (
        lambda: light("LGBMRegressor", objective="poisson"),
        {"target": AtLeast(0.6)},
    ),
    "hist counts": (
        lambda: HistGradientBoostingRegressor(loss="poisson", max_iter=20),
        {"target": AtLeast(0.6)},
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ODD)
def test_odd_losses_links_and_leaves_are_never_wrongly_exact(name, data):
    X, y = data
    X = X[["income", "debt", "rent"]].assign(zero=0.0)
    make, arguments = ODD[name]
    model = make().fit(X, y)
    actions = ActionSet.infer(X, immutable=["zero"])
    denied = X[model.predict(X) < 0.5][:4]
    for people in (denied[:1], denied):
        some = explain(model, actions, X, people, random_state=0, **arguments)
        drawn = explain(
            model,
            actions,
            X,
            people,
            method="sample",
            n_samples=3_000,
            alpha=1e-7,
            random_state=0,
            **arguments,
        )
        assert (drawn.lower <= some.upper + 1e-9).all()
        assert (some.lower <= drawn.upper + 1e-9).all()
    alone = explain(model, actions, X, denied[:1], random_state=0, **arguments)
    np.testing.assert_array_equal(alone.values, some.values[:1])
    np.testing.assert_array_equal(alone.exact, some.exact[:1])


@pytest.mark.parametrize("encoder", ["ordinal", "one hot"])
def test_a_number_that_is_encoded_is_no_line(encoder):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"k": rng.integers(0, 200, 2_000), "z": rng.random(2_000)})
    y = (np.sin(X["k"]) + X["z"] > 0.5).astype(int)
    step = (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        if encoder == "ordinal"
        else OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    )
    model = make_pipeline(
        make_column_transformer((step, ["k"]), remainder="passthrough"),
        RandomForestClassifier(10, random_state=0),
    ).fit(X, y)
    actions = ActionSet.infer(X, immutable=["z"])
    explanation = explain(model, actions, X, X[:5])
    listed = explain(model, actions, X, X[:5], method="grid")
    assert explanation.exact.all()
    np.testing.assert_array_equal(explanation.values, listed.values)


def test_large_values_are_cut_where_float32_rounds():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": 1.7e9 + rng.normal(0, 400, 500), "b": rng.random(500)})
    y = (np.sin(X["a"] / 300) + X["b"] > 0.5).astype(int)
    actions = ActionSet.infer(X, immutable=["b"])
    for model in (xgboost(), RandomForestClassifier(5, random_state=0)):
        model.fit(X, y)
        exact = explain(model, actions, X, X[:6])
        assert exact.exact.all()
        for i in range(6):
            wanted = dense(model, actions, X.iloc[[i]], "a", {}, 1, points=40_001)
            assert exact.values[i, 0] == pytest.approx(wanted, abs=2e-3)
