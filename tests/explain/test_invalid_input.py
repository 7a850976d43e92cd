"""Missing values, invalid rows, bad parameters, models and data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._target import AtLeast
from skresp.constraints import Linear, OneHot
from tests.explain.encoders import encoder


def test_missing_values_hold_or_are_refused():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [np.nan, 1.0, 2.0]})
    y = [0, 1, 1]
    actions = ActionSet(
        {"a": Feature("integer", 0, 5), "b": Feature("real", actionable=False)}
    )
    model = HistGradientBoostingClassifier().fit(X, y)
    frozen = FrozenEstimator(model)
    with pytest.raises(ValueError, match=r"'a' can change.*missing.*row 1.*hold"):
        ResponsivenessExplainer(frozen, actions).fit(X).explain(X)
    explanation = (
        ResponsivenessExplainer(frozen, actions, missing="hold").fit(X).explain(X)
    )
    assert explanation.n_reachable[:, 0].tolist() == [5, 0, 5]


@pytest.mark.parametrize("call", ["explain", "verify"])
@pytest.mark.parametrize("container", [np.array, pd.DataFrame])
@pytest.mark.parametrize(
    ("value", "message"),
    [(0.5, "value is 0.5 in row 3"), (np.nan, "in row 3"), (2, "1 of 4 rows break")],
)
def test_errors_name_rows_as_given_when_rows_repeat(call, container, value, message):
    X = np.array([[0, 1], [1, 0]] * 5, dtype=float)
    features = {"a": Feature("integer", 0, 2), "b": Feature("binary")}
    actions = ActionSet(features, constraints=[Linear({"a": 1, "b": 1}, 1, 1)])
    model = FrozenEstimator(LogisticRegression().fit(X, X[:, 0]))
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    repeated = np.array([[0, 1], [0, 1], [0, 1], [value, 0]])
    with pytest.raises(ValueError, match=message):
        getattr(explainer, call)(container(repeated))


def test_invalid_rows_are_refused_or_left_out():
    X = pd.DataFrame({"own": [1, 1, 0], "rent": [0, 1, 1], "n": [1, 2, 3]})
    actions = ActionSet.infer(X, constraints=[OneHot(["own", "rent"])])
    model = FrozenEstimator(LogisticRegression().fit(X, [0, 1, 1]))
    for method in ("auto", "grid", "highs", "sample"):
        explainer = ResponsivenessExplainer(model, actions, method=method).fit(X)
        with pytest.raises(ValueError, match=r"1 of 3 rows break .* Exactly one of"):
            explainer.explain(X)
    explainer = ResponsivenessExplainer(model, actions, invalid_rows="nan").fit(X)
    doubled = pd.concat([X, X], ignore_index=True)
    with pytest.warns(UserWarning, match="2 of 6 rows break a constraint") as caught:
        explanation = explainer.explain(doubled)
    assert len(caught) == 1
    np.testing.assert_array_equal(
        np.isnan(explanation.values).all(axis=1), [False, True, False] * 2
    )
    assert "was not scored" in explanation.describe(1)
    good = explainer.explain(X.drop(index=1))
    np.testing.assert_array_equal(explanation.values[[0, 2]], good.values)


def test_no_rows_are_no_problem(explainer, valid):
    X, _ = valid
    explanation = explainer.explain(X[:0])
    assert explanation.values.shape == (0, 5)
    assert len(explanation.top()) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "gold"}, r"target='gold' is not among the classes.*0, 1"),
        ({"target": "1"}, r"target='1' is not .* Did you mean the number 1\?"),
        ({"target": AtLeast(1)}, "predicts classes"),
        ({"threshold": 1.5}, "between 0 and 1, got 1.5"),
        ({"threshold": "high"}, "must be a number from 0 to 1"),
        ({"interventions": "some"}, "interventions must be"),
        ({"method": "cplex"}, "method must be one of"),
        ({"invalid_rows": "drop"}, "invalid_rows must be one of 'raise', 'nan'"),
        ({"missing": "drop"}, "missing must be one of 'raise', 'hold'"),
        ({"n_samples": 0}, "n_samples must be a whole number"),
        ({"n_samples": "many"}, "or 'auto', got 'many'"),
        ({"n_samples": "auto", "half_width": 2}, "half_width must be a number"),
        ({"alpha": 1}, "alpha must be a number between 0 and 1"),
        ({"alpha": "a"}, "alpha must be a number between 0 and 1"),
        ({"action_set": {}}, "must be an ActionSet or None"),
    ],
)
def test_bad_parameters_are_refused(valid, actions, arguments, message):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression())
    with pytest.raises((TypeError, ValueError), match=message):
        ResponsivenessExplainer(model, **({"action_set": actions} | arguments)).fit(
            X, y
        )


def test_bad_models_and_data_are_refused(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression())
    with pytest.raises(NotFittedError, match=r"FrozenEstimator\(model\)"):
        ResponsivenessExplainer(model, actions).fit(X)
    with pytest.raises(TypeError, match="must have a predict method, got 'model'"):
        ResponsivenessExplainer("model", actions).fit(X)
    regressor = FrozenEstimator(
        make_pipeline(encoder("home"), LinearRegression()).fit(X, y)
    )
    with pytest.raises(ValueError, match=r"target=None.*AtLeast\(value\)"):
        ResponsivenessExplainer(regressor, actions).fit(X)
    with pytest.raises(ValueError, match="requires predict_proba, which Pipeline"):
        ResponsivenessExplainer(
            make_pipeline(encoder("home"), LinearSVC()), actions, threshold=0.5
        ).fit(X, y)
    others = ActionSet.infer(X.rename(columns={"home": "house"}))
    with pytest.raises(ValueError, match="no column 'house'"):
        ResponsivenessExplainer(model, others).fit(X, y)
    with pytest.raises(NotFittedError):
        ResponsivenessExplainer(model, actions).explain(X)
    fitted = ResponsivenessExplainer(model, actions).fit(X, y)
    with pytest.raises(ValueError, match="5 columns"):
        fitted.explain(X.to_numpy()[:, :3])


def test_without_an_action_set_it_warns_and_infers(valid):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression())
    with pytest.warns(UserWarning, match="No action_set was given"):
        explainer = ResponsivenessExplainer(model).fit(X, y)
    assert explainer.action_set_.actionable == tuple(X.columns)
    assert explainer.action_set is None
