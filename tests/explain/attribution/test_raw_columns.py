"""SHAP values of raw columns add up, whatever the model does to the columns."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVC, LinearSVC

from skresp import ShapExplainer
from tests.explain.attribution.shap_models import (
    explain,
    lightgbm,
    probability,
    xgboost,
)

shap = pytest.importorskip("shap")


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    n = 120
    X = pd.DataFrame(
        {
            "home": rng.choice(["own", "rent", "free"], n),
            "loans": rng.integers(0, 5, n),
            "guarantor": rng.random(n) < 0.4,
            "job": rng.choice(["none", "part", "full"], n),
            "rate": rng.normal(1, 0.5, n),
        }
    )
    y = (
        X["loans"] + 2 * (X["home"] == "rent") - 2 * X["guarantor"] + X["rate"] < 3
    ).astype(int)
    return X, y


def shapley(value, players):
    """Shapley values from their definition."""
    out = np.zeros(players)
    for i in range(players):
        others = [j for j in range(players) if j != i]
        for size in range(players):
            weight = 1 / (players * math.comb(players - 1, size))
            for group in itertools.combinations(others, size):
                out[i] += weight * (value({*group, i}) - value(set(group)))
    return out


@pytest.mark.parametrize("algorithm", ["auto", "exact"])
def test_values_from_the_definition(people, algorithm):
    X, y = people
    background = X[:8]
    model = make_pipeline(
        make_column_transformer(
            (OrdinalEncoder(), ["home", "job"]), remainder="passthrough"
        ),
        RandomForestClassifier(5, max_depth=4, random_state=0),
    ).fit(X, y)
    explainer, explanation = explain(
        model,
        X,
        X[50:52],
        background=background,
        shap_kwargs={"algorithm": algorithm},
    )
    assert explainer.algorithm_ == {"auto": "tree"}.get(algorithm, "exact")
    assert explanation.exact.all()
    for i in range(2):

        def value(known, i=i):
            mixed = background.copy()
            for j in known:
                name = X.columns[j]
                mixed[name] = X[name].iloc[50 + i]
            return model.predict_proba(mixed)[:, 1].mean()

        np.testing.assert_allclose(explanation.values[i], shapley(value, 5), atol=1e-6)


def one_hot(**arguments):
    return ColumnTransformer(
        [("labels", OneHotEncoder(**arguments), ["home", "job"])],
        remainder=StandardScaler(),
    )


def ordinal():
    return ColumnTransformer(
        [("labels", OrdinalEncoder(), ["home", "job"])], remainder="passthrough"
    )


def as_category(X):
    return X.astype({"home": "category", "job": "category"})


def log_odds(model, X):
    return np.log(model.predict_proba(X)[:, 1] / model.predict_proba(X)[:, 0])


def prediction(model, X):
    return model.predict(X)


# The model, how it gets at it, and what contributions add up to.
MODELS = {
    "dummies, logistic": (
        lambda: make_pipeline(one_hot(), LogisticRegression()),
        "linear",
        log_odds,
    ),
    "dropped and rare dummies, logistic": (
        lambda: make_pipeline(
            one_hot(drop="first", min_frequency=0.34), LogisticRegression()
        ),
        "linear",
        log_odds,
    ),
    "target codes, imputer and selection, linear": (
        lambda: make_pipeline(
            make_column_transformer(
                (TargetEncoder(cv=2), ["job", "home"]),
                (SimpleImputer(add_indicator=True), ["rate", "loans"]),
            ),
            SelectKBest(k=3),
            Ridge(),
        ),
        "linear",
        prediction,
    ),
    "numbers for labels, forest": (
        lambda: make_pipeline(ordinal(), RandomForestClassifier(10, random_state=0)),
        "tree",
        probability,
    ),
    "dummies, many trees": (
        lambda: make_pipeline(one_hot(), ExtraTreesClassifier(10, random_state=0)),
        "tree",
        probability,
    ),
    "numbers for labels, histograms": (
        lambda: make_pipeline(
            ordinal(), HistGradientBoostingClassifier(max_iter=10, random_state=0)
        ),
        "tree",
        log_odds,
    ),
    "numbers for labels, xgboost": (
        lambda: make_pipeline(ordinal(), xgboost()),
        "tree",
        log_odds,
    ),
    "native categories, lightgbm": (
        lambda: make_pipeline(lightgbm()),
        "permutation",
        probability,
    ),
    "a threshold around it": (
        lambda: FixedThresholdClassifier(
            make_pipeline(one_hot(), LogisticRegression()), threshold=0.8
        ),
        "linear",
        log_odds,
    ),
    "mixed columns": (
        lambda: make_pipeline(
            one_hot(), PolynomialFeatures(2), LogisticRegression(max_iter=2_000)
        ),
        "permutation",
        probability,
    ),
    "a link of its own": (
        lambda: make_pipeline(one_hot(), PoissonRegressor()),
        "permutation",
        prediction,
    ),
    "a net": (
        lambda: make_pipeline(
            one_hot(), MLPClassifier((4,), max_iter=200, random_state=0)
        ),
        "permutation",
        probability,
    ),
    "no probabilities": (
        lambda: make_pipeline(one_hot(), SVC()),
        "permutation",
        lambda model, X: model.decision_function(X),
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
def test_contributions_of_raw_columns_add_up(people, name):
    make, algorithm, output = MODELS[name]
    X, y = people
    if "native" in name:
        X = as_category(X)
    model = make().fit(X, y)
    explainer, explanation = explain(
        model, X, background=15, shap_kwargs={"max_evals": 11}
    )
    assert explainer.algorithm_ == algorithm
    assert explanation.feature_names == list(X.columns)
    assert explanation.values.shape == (7, 5)
    total = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, output(model, X[:7]), atol=1e-5)
    background = X.loc[shap.utils.sample(X, 15).index]
    if output is log_odds:
        np.testing.assert_allclose(
            explanation.base_values, output(model, background).mean(), atol=1e-5
        )


def test_labels_behind_dummies_count_as_one(people):
    X, y = people
    model = make_pipeline(one_hot(), LogisticRegression()).fit(X, y)
    _, through = explain(model, X)
    # From outside, in log odds, by the definition: linear, so one permutation will do.
    coefficients = dict(
        zip(model[0].get_feature_names_out(), model[1].coef_[0], strict=True)
    )
    background = X.loc[shap.utils.sample(X, 100).index]
    effect = X["home"].map(lambda v: coefficients[f"labels__home_{v}"])
    np.testing.assert_allclose(
        through.values[:, 0], effect[:7] - effect[background.index].mean()
    )


def test_a_label_never_seen_is_explained_too(people):
    X, y = people
    odd = X[:2].assign(home="boat")
    for encoder, last in ((one_hot(handle_unknown="ignore"), LogisticRegression()),):
        model = make_pipeline(encoder, last).fit(X, y)
        for options in ({}, {"algorithm": "permutation", "max_evals": 11}):
            _, explanation = explain(model, X, odd, shap_kwargs=options)
            output = log_odds if not options else probability
            total = explanation.values.sum(axis=1) + explanation.base_values
            np.testing.assert_allclose(total, output(model, odd))


@pytest.mark.parametrize("kind", ["forest", "xgboost", "histograms", "linear"])
def test_each_of_three_classes(people, kind):
    X, y = people
    numbers = X[["loans", "guarantor", "rate"]]
    three = np.where(X["loans"] >= 3, 2, y)
    last = {
        "forest": lambda: RandomForestClassifier(10, random_state=0),
        "xgboost": xgboost,
        "histograms": lambda: HistGradientBoostingClassifier(max_iter=10),
        "linear": LogisticRegression,
    }[kind]()
    model = last.fit(numbers, three)
    if kind == "xgboost":
        scores = model.predict(numbers[:7], output_margin=True)
    elif kind == "forest":
        scores = model.predict_proba(numbers[:7])
    else:
        scores = model.decision_function(numbers[:7])
    for place, target in enumerate(model.classes_):
        explainer, explanation = explain(model, numbers, target=target)
        assert explainer.algorithm_ == ("linear" if kind == "linear" else "tree")
        total = explanation.values.sum(axis=1) + explanation.base_values
        np.testing.assert_allclose(total, scores[:, place], atol=1e-5)


def test_a_multi_class_svm_and_an_odd_target(people):
    X, y = people
    three = np.where(X["loans"] >= 3, "bad", np.where(y == 1, "good", "fair"))
    model = make_pipeline(one_hot(), LinearSVC()).fit(X, three)
    explainer, explanation = explain(model, X, target="bad")
    assert explainer.algorithm_ == "linear"
    total = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, model.decision_function(X[:7])[:, 0])


def test_bare_models_of_numbers_and_labels(people):
    X, _ = people

    class Numbers:
        def predict(self, X):
            return 3.0 * X["loans"].to_numpy() + (X["home"] == "own")

    class Labels:
        def predict(self, X):
            return np.where(X["loans"] > 2, "no", "yes")

    explainer = ShapExplainer(Numbers(), background=X[:4], random_state=0).fit(X)
    explanation = explainer.explain(X[:3])
    total = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, Numbers().predict(X[:3]))
    expected = 3 * (X["loans"][:3] - X["loans"][:4].mean())
    np.testing.assert_allclose(explanation.values[:, 1], expected)
    np.testing.assert_array_equal(explanation.values[:, 4], 0)
    explanation = ShapExplainer(Labels(), target="yes").fit(X).explain(X[:9])
    few = X["loans"][:9] <= 2
    np.testing.assert_array_equal(explanation.values[:, 1] > 0, few)
    np.testing.assert_array_equal(explanation.at_target, few)
