"""SHAP values: those of shap itself, in raw columns, adding up to the model's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
)
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

from skresp import AtMost, ShapExplainer

shap = pytest.importorskip("shap")


def xgboost(**arguments):
    xgb = pytest.importorskip("xgboost")
    return xgb.XGBClassifier(n_estimators=10, n_jobs=1, **arguments)


def lightgbm():
    lgb = pytest.importorskip("lightgbm")
    return lgb.LGBMClassifier(
        n_estimators=10, min_child_samples=5, verbose=-1, n_jobs=1
    )


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(130, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    return X, y


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


def explain(model, X, rows=None, **arguments):
    explainer = ShapExplainer(FrozenEstimator(model), random_state=0, **arguments)
    explainer.fit(X)
    return explainer, explainer.explain(X[:7] if rows is None else rows)


# -- the numbers are shap's own ------------------------------------------------------


def test_the_background_is_the_one_that_shap_takes(numbers):
    X, y = numbers
    model = LogisticRegression().fit(X, y)
    explainer, explanation = explain(model, X)
    np.testing.assert_array_equal(explainer.background_, shap.utils.sample(X, 100))
    direct = shap.Explainer(model, X)(X[:7])
    np.testing.assert_allclose(explanation.values, direct.values, atol=1e-12)
    np.testing.assert_allclose(explanation.base_values, direct.base_values)
    assert len(ShapExplainer(model, background=9).fit(X).background_) == 9
    given, _ = explain(model, X, background=X[:3])
    np.testing.assert_array_equal(given.background_, X[:3])
    small, _ = explain(model, X[:50])
    np.testing.assert_array_equal(small.background_, X[:50])


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomForestClassifier(10, random_state=0),
        lambda: RandomForestRegressor(10, random_state=0),
        lambda: GradientBoostingClassifier(n_estimators=10, random_state=0),
        xgboost,
        lightgbm,
    ],
)
def test_trees_as_shap_explains_them(numbers, make):
    X, y = numbers
    model = make().fit(X, y)
    explainer, explanation = explain(model, X)
    assert explainer.algorithm_ == "tree"
    direct = shap.TreeExplainer(model, shap.utils.sample(X, 100))(X[:7])
    values = direct.values if direct.values.ndim == 2 else direct.values[:, :, 1]
    np.testing.assert_allclose(explanation.values, values, atol=1e-6)
    paths, of_paths = explain(
        model, X, shap_kwargs={"feature_perturbation": "tree_path_dependent"}
    )
    direct = shap.TreeExplainer(model)(X[:7])
    values = direct.values if direct.values.ndim == 2 else direct.values[:, :, 1]
    np.testing.assert_allclose(of_paths.values, values, atol=1e-6)
    assert paths.algorithm_ == "tree"
    assert (np.abs(of_paths.values - explanation.values) > 1e-3).any()


def test_anything_else_by_permutations_as_shap_draws_them(numbers):
    X, y = numbers
    model = MLPClassifier((5,), random_state=0, tol=1e-2).fit(X, y)
    explainer, explanation = explain(model, X, background=20)
    assert explainer.algorithm_ == "permutation"
    assert not explanation.exact.any()
    masker = shap.maskers.Independent(shap.utils.sample(X, 20), max_samples=20)
    for i, seed in enumerate(explainer.row_seeds(X[:3])):
        direct = shap.PermutationExplainer(
            lambda Z: model.predict_proba(Z)[:, 1], masker, seed=int(seed)
        )(X[i : i + 1])
        np.testing.assert_allclose(explanation.values[i], direct.values[0], atol=1e-12)
    np.testing.assert_allclose(
        explanation.values.sum(axis=1) + explanation.base_values,
        model.predict_proba(X[:7])[:, 1],
    )


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


def test_cuts_that_shap_rounds_are_taken_as_they_are():
    # Whole trees are decided by values right at a cut, which single precision moves.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    model = HistGradientBoostingClassifier(max_iter=20, max_depth=3).fit(X, y)
    explainer, explanation = explain(model, X, X[:40])
    assert explainer.algorithm_ == "tree"
    total = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, model.decision_function(X[:40]), atol=1e-6)


# -- raw columns ---------------------------------------------------------------------


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


def probability(model, X):
    return model.predict_proba(X)[:, 1]


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


def test_missing_values_go_where_the_model_sends_them(numbers):
    X, y = numbers
    gaps = X.copy()
    gaps[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    for model in (RandomForestClassifier(10, random_state=0), lightgbm()):
        explainer, explanation = explain(model.fit(gaps, y), gaps)
        assert explainer.algorithm_ == "tree"
        assert np.isfinite(explanation.values).all()
    with pytest.raises(ValueError, match="NaN"):
        explain(LogisticRegression().fit(X, y), X, gaps)


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


# -- what is passed on ---------------------------------------------------------------


def test_probabilities_of_boosted_trees_where_asked_for(numbers):
    X, y = numbers
    model = xgboost().fit(X, y)
    _, explanation = explain(model, X, shap_kwargs={"model_output": "probability"})
    total = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, probability(model, X[:7]), atol=1e-5)
    assert "the probability of 1" in repr(explanation)


def test_values_that_do_not_add_up_are_refused_unless_wanted(numbers, monkeypatch):
    X, y = numbers
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    explainer = ShapExplainer(model, random_state=0).fit(X)
    # The model changes behind the explainer's back.
    other = RandomForestClassifier(5, random_state=1).fit(X, y)
    monkeypatch.setattr(model, "estimators_", other.estimators_)
    with pytest.raises(ValueError, match=r"do not add up.*'check_additivity': False"):
        explainer.explain(X)
    explainer.set_params(shap_kwargs={"check_additivity": False}).fit(X)
    assert explainer.explain(X).values.shape == X.shape


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shap_kwargs": {"masker": 1}}, "has 'masker', which is not passed on"),
        ({"shap_kwargs": {"algorithm": "kernel"}}, "must be one of 'auto', 'linear'"),
        ({"shap_kwargs": {"algorithm": "tree"}}, "does not work for this model"),
        (
            {"shap_kwargs": {"feature_perturbation": "tree_path_dependent"}},
            "'tree_path_dependent', which does not work for this model",
        ),
        (
            {"shap_kwargs": {"feature_perturbation": "correlation_dependent"}},
            "must be one of 'auto', 'interventional'",
        ),
        ({"background": 0}, "background must be a table of rows, a whole number"),
        ({"background": "all"}, "background must be a table"),
        ({"background": np.zeros((0, 4))}, "background has no rows"),
        ({"background": np.zeros((3, 2))}, "2 features"),
        ({"target": AtMost(1)}, "predicts classes"),
    ],
)
def test_bad_parameters_are_refused(numbers, arguments, message):
    X, y = numbers
    with pytest.raises(ValueError, match=message):
        ShapExplainer(LogisticRegression(), **arguments).fit(X, y)


def test_it_is_quiet_unless_asked(numbers, capsys):
    X, y = numbers
    model = LinearRegression().fit(X, y)
    explainer = ShapExplainer(
        model,
        background=5,
        random_state=0,
        shap_kwargs={"algorithm": "permutation", "max_evals": 9},
    ).fit(X)
    explainer.explain(X)
    assert capsys.readouterr() == ("", "")
    explainer.set_params(verbose=1).explain(X[:4])
    assert "4/4" in capsys.readouterr().err
