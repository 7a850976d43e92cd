"""LIME weights: those of lime itself, for models of labels and of anything."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from skresp import ActionSet, LimeExplainer

lime_tabular = pytest.importorskip("lime.lime_tabular")


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 8))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    return X, y


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    n = 100
    X = pd.DataFrame(
        {
            "home": rng.choice(["own", "rent", "free"], n),
            "loans": rng.integers(0, 5, n),
            "guarantor": rng.random(n) < 0.4,
            "rate": rng.normal(1, 0.5, n),
        }
    )
    y = (X["loans"] + 2 * (X["home"] == "rent") + X["rate"] < 3).astype(int)
    return X, y


def pipeline(last):
    return make_pipeline(
        ColumnTransformer(
            [("labels", OneHotEncoder(handle_unknown="ignore"), ["home"])],
            remainder=StandardScaler(),
        ),
        last,
    )


def direct(X, predict, row, seed, label=1, **arguments):
    """Weights by a call of lime itself, all features, 1,000 samples."""
    making = {"discretize_continuous": False, **arguments}
    explainer = lime_tabular.LimeTabularExplainer(X, random_state=int(seed), **making)
    found = explainer.explain_instance(
        row, predict, labels=(label,), num_features=X.shape[1], num_samples=1_000
    )
    out = np.zeros(X.shape[1])
    for j, weight in found.local_exp[label]:
        out[j] = weight
    return out, found.intercept[label]


@pytest.mark.parametrize("target", [0, 1])
def test_weights_are_those_of_lime_with_the_same_seed(numbers, target):
    X, y = numbers
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    explainer = LimeExplainer(model, target=target, random_state=3).fit(X)
    explanation = explainer.explain(X[:3])
    for i, seed in enumerate(explainer.row_seeds(X[:3])):
        weights, intercept = direct(X, model.predict_proba, X[i], seed, target)
        np.testing.assert_allclose(explanation.values[i], weights, atol=1e-9)
        np.testing.assert_allclose(explanation.base_values[i], intercept)
    assert not explanation.exact.any()


def test_what_is_passed_on_reaches_lime(numbers):
    X, y = numbers
    model = LogisticRegression().fit(X, y)
    making = {"discretize_continuous": True, "kernel_width": 2.0}
    explainer = LimeExplainer(
        model,
        random_state=0,
        lime_kwargs={**making, "num_features": 3, "feature_selection": "auto"},
    ).fit(X)
    values = explainer.explain(X[:2]).values
    assert ((values != 0).sum(axis=1) == 3).all()
    seed = explainer.row_seeds(X[:1])[0]
    lime = lime_tabular.LimeTabularExplainer(X, random_state=int(seed), **making)
    found = lime.explain_instance(
        X[0], model.predict_proba, num_features=3, num_samples=1_000
    )
    for j, weight in found.local_exp[1]:
        np.testing.assert_allclose(values[0, j], weight, atol=1e-9)
    stiff = LimeExplainer(
        model, random_state=0, lime_kwargs={"model_regressor": Ridge(alpha=1e6)}
    ).fit(X)
    assert np.abs(stiff.explain(X[:2]).values).max() < 1e-3


def test_labels_are_coded_for_lime_and_never_for_the_model(people):
    X, y = people
    model = pipeline(LogisticRegression()).fit(X, y)
    explainer = LimeExplainer(FrozenEstimator(model), random_state=0).fit(X)
    explanation = explainer.explain(X[:3])
    # By hand: labels as places in their sorted list.
    lists = {0: ["free", "own", "rent"], 2: [False, True]}
    codes = np.column_stack(
        [
            X["home"].map(lists[0].index),
            X["loans"],
            X["guarantor"].astype(int),
            X["rate"],
        ]
    ).astype(float)

    def predict(Z):
        frame = pd.DataFrame(Z, columns=list(X.columns))
        for j, labels in lists.items():
            name = X.columns[j]
            frame[name] = [labels[int(k)] for k in frame[name]]
        return model.predict_proba(frame)

    for i, seed in enumerate(explainer.row_seeds(X[:3])):
        weights, _ = direct(codes, predict, codes[i], seed, categorical_features=[0, 2])
        np.testing.assert_allclose(explanation.values[i], weights, atol=1e-9)


def test_the_model_sees_what_it_was_fitted_on(people):
    X, _ = people
    X = X.astype({"home": "category"})
    seen = []

    class Model:
        classes_ = np.array([0, 1])

        def predict(self, Z):
            return np.zeros(len(Z), dtype=int)

        def predict_proba(self, Z):
            seen.append(Z.dtypes.to_dict() | {"values": set(Z["home"])})
            one = expit(Z["rate"].to_numpy() * Z["guarantor"])
            return np.column_stack([1 - one, one])

    LimeExplainer(Model(), random_state=0).fit(X).explain(X[:2])
    for columns in seen:
        assert columns["home"] == X["home"].dtype
        assert columns["guarantor"] == np.dtype(bool)
        assert columns["values"] <= {"own", "rent", "free"}
    # The check at fit, two rows to find out the method, then one call a person.
    assert len(seen) == 4


def test_numbers_that_are_labels_where_said_so(people):
    X, y = people
    model = pipeline(LogisticRegression()).fit(X, y)
    seen = []

    class Watched:
        classes_ = model.classes_

        def predict(self, Z):
            return model.predict(Z)

        def predict_proba(self, Z):
            seen.extend(Z["loans"].unique())
            return model.predict_proba(Z)

    LimeExplainer(
        Watched(), random_state=0, lime_kwargs={"categorical_features": ["loans"]}
    ).fit(X).explain(X[:2])
    assert set(seen) == {0, 1, 2, 3, 4}
    seen.clear()
    LimeExplainer(Watched(), random_state=0).fit(X).explain(X[:2])
    assert any(value != round(value) for value in seen)


def test_other_outputs_than_probabilities(people):
    X, y = people
    svc = FrozenEstimator(pipeline(LinearSVC()).fit(X, y))
    explanation = LimeExplainer(svc, random_state=0).fit(X).explain(X[:4])
    assert "the score of 1" in repr(explanation)
    assert (explanation.values[:, 1] < 0).all()  # loans are against it
    numbers = X[["loans", "rate"]]
    line = LinearRegression().fit(numbers, 2 * X["loans"] - X["rate"])
    explanation = LimeExplainer(line, random_state=0).fit(numbers).explain(numbers[:4])
    wanted = np.array([2, -1]) * numbers.std(ddof=0).to_numpy()
    np.testing.assert_allclose(explanation.values, np.tile(wanted, (4, 1)), rtol=0.02)


def test_a_label_never_seen_is_explained_too(people):
    X, y = people
    model = FrozenEstimator(pipeline(LogisticRegression()).fit(X, y))
    explainer = LimeExplainer(model, random_state=0).fit(X)
    explanation = explainer.explain(X[:2].assign(home="boat"))
    assert np.isfinite(explanation.values).all()
    gone = X.copy()
    gone.loc[3:9, "home"] = None
    explainer = LimeExplainer(pipeline(LogisticRegression()), random_state=0)
    assert np.isfinite(explainer.fit(gone, y).explain(gone[:5]).values).all()


def test_missing_numbers_are_refused_with_a_way_out(people):
    X, y = people
    numbers = X[["loans", "rate"]].astype(float)
    gone = numbers.mask(numbers > 3)
    model = HistGradientBoostingClassifier(max_iter=3)
    with pytest.raises(ValueError, match=r"column 'loans' .*ShapExplainer"):
        LimeExplainer(model).fit(gone, y)
    explainer = LimeExplainer(model).fit(numbers, y)
    with pytest.raises(ValueError, match="column 'loans' has missing"):
        explainer.explain(gone)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_samples": 1}, "num_samples must be a whole number of at least 2"),
        ({"num_samples": "many"}, "num_samples must be"),
        (
            {"lime_kwargs": {"random_state": 1}},
            "must not have 'random_state'",
        ),
        (
            {"lime_kwargs": {"samples": 1}},
            "explain_instance, got 'samples'",
        ),
        (
            {"lime_kwargs": {"categorical_features": ["z"]}},
            "positions of columns, got 'z'",
        ),
    ],
)
def test_bad_parameters_are_refused(numbers, arguments, message):
    X, y = numbers
    with pytest.raises(ValueError, match=message):
        LimeExplainer(LogisticRegression(), **arguments).fit(X, y)


def test_it_is_quiet_unless_asked(numbers, capsys):
    X, y = numbers
    explainer = LimeExplainer(LogisticRegression(), num_samples=20).fit(X, y)
    explainer.explain(X[:4])
    assert capsys.readouterr() == ("", "")
    explainer.set_params(verbose=1).explain(X[:4])
    out, err = capsys.readouterr()
    assert out == ""
    assert "LIME: 100%" in err
    assert "4/4" in err
    aware = explainer.set_params(action_set=ActionSet.infer(X)).fit(X, y)
    aware.explain(X[:4])
    assert "LIME, actionable: 100%" in capsys.readouterr().err
