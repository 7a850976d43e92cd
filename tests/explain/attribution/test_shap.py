"""SHAP values: those of shap itself, and what is passed on to it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    RidgeClassifier,
)
from sklearn.neural_network import MLPClassifier

from skresp import AtMost, ShapExplainer
from tests.explain.attribution.shap_models import (
    explain,
    lightgbm,
    probability,
    xgboost,
)

shap = pytest.importorskip("shap")


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(130, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    return X, y


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


@pytest.mark.parametrize(
    ("make", "unit"),
    [
        (LogisticRegression, "the log odds of 1"),
        (LinearDiscriminantAnalysis, "the log odds of 1"),
        (RidgeClassifier, "the score of 1"),
        (lambda: RandomForestClassifier(5), "the probability of 1"),
        (lambda: subclass(RandomForestClassifier(5)), "the probability of 1"),
        (lambda: subclass(GradientBoostingClassifier()), "the log odds of 1"),
        (lambda: subclass(lightgbm()), "the log odds of 1"),
        (lambda: subclass(xgboost()), "the log odds of 1"),
    ],
)
def test_a_model_and_its_subclass_are_explained_in_the_unit_of_their_scores(
    numbers, make, unit
):
    X, y = numbers
    explainer, explanation = explain(make().fit(X, y), X)
    assert explainer.algorithm_ in ("linear", "tree")
    assert unit in repr(explanation)


def subclass(model):
    """Return an unfitted model of a subclass that is not in the library."""
    return type("Mine", (type(model),), {"__module__": "mine"})(**model.get_params())


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
        (
            {"shap_kwargs": {"masker": 1}},
            "must have keys among .*, got 'masker'",
        ),
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
        ({"background": np.zeros((0, 4))}, "background must have at least one row"),
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
    err = capsys.readouterr().err
    assert "SHAP: 100%" in err
    assert "4/4" in err
