"""Models along lines on which their scores are curved: exact all the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
)
from sklearn.svm import LinearSVC

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._kernel_use import kernels
from skresp._model.lines import _curved_lines
from tests.scores.lines import dense, explain, repeated
from tests.small_models import scaled, xgboost

FEATURES = ["income", "debt", "rent", "amount"]


def _members():
    return [
        ("linear", scaled(LogisticRegression())),
        ("forest", RandomForestClassifier(5, max_depth=4, random_state=0)),
        ("boosting", HistGradientBoostingClassifier(max_iter=5)),
    ]


CURVED = {
    "logarithm": make_pipeline(
        MinMaxScaler(), FunctionTransformer(np.log1p), LogisticRegression()
    ),
    "power": make_pipeline(PowerTransformer(), LogisticRegression()),
    "quantile": make_pipeline(QuantileTransformer(n_quantiles=50), LinearSVC()),
    "logarithm of three classes": make_pipeline(
        MinMaxScaler(), FunctionTransformer(np.log1p), LogisticRegression()
    ),
    "splines": make_pipeline(SplineTransformer(), LogisticRegression(max_iter=1_000)),
    "splines of three classes": make_pipeline(
        SplineTransformer(4, knots="quantile", extrapolation="linear"), LinearSVC()
    ),
    "naive Bayes": GaussianNB(),
    "naive Bayes of powers": make_pipeline(PowerTransformer(), GaussianNB()),
    "sigmoid": CalibratedClassifierCV(scaled(LogisticRegression()), cv=3),
    "isotonic": CalibratedClassifierCV(scaled(LinearSVC()), method="isotonic", cv=2),
    "voting": VotingClassifier(_members(), voting="soft"),
    "stacking": StackingClassifier(_members(), cv=2, passthrough=True),
}


@pytest.fixture(scope="module")
def actions(data):
    return ActionSet.infer(
        data[0],
        features={
            "income": Feature("real", max_increase=5000, max_decrease=1000),
            "debt": Feature("real", direction="decrease"),
            "rent": Feature("real"),
            "amount": Feature("integer", lower=0, upper=200_000),
        },
        immutable=["age"],
    )


def _labels(name, y, X):
    return y + ((X.rent > 600) & (y > 0)) if "three" in name else y


@pytest.fixture(scope="module")
def fitted(data):
    X, y = data
    return {name: model.fit(X, _labels(name, y, X)) for name, model in CURVED.items()}


@pytest.mark.parametrize("name", CURVED)
def test_scores_equal_a_fine_grid(name, fitted, data, actions):
    model, X = fitted[name], data[0]
    people = X[model.predict(X) != 1][:8]
    exact = explain(model, actions, X, people, target=1)
    assert exact.values.max() > 0
    for i in range(len(people)):
        for feature in FEATURES:
            j = exact.feature_names.index(feature)
            if not exact.n_reachable[i, j]:
                continue
            assert exact.exact[i, j]
            share = dense(model, actions, people.iloc[[i]], feature, {}, 1)
            # Each border may lie anywhere between two points of the grid.
            assert exact.values[i, j] == pytest.approx(share, abs=6 / 5_001)


@pytest.mark.parametrize("name", CURVED)
def test_intervals_end_where_predictions_change(name, fitted, data, actions):
    model, X = fitted[name], data[0]
    people = X[model.predict(X) != 1][:6]
    exact = explain(model, actions, X, people, target=1)
    ends = 0
    for i in range(len(people)):
        for feature in ("income", "rent"):
            value = float(people[feature].iloc[i])
            low, high = (
                value + each for each in actions.features[feature].own_limits(value)
            )
            for pair in exact.intervals(i, feature) or ():
                points = repeated(people.iloc[[i]], 4)
                # A sum may be rounded differently next to the border.
                off = 1e-6 * (high - low)
                points[feature] = [*pair, pair[0] - off, pair[1] + off]
                reached = model.predict(points) == 1
                assert reached[:2].all()
                inner = [low + off < pair[0], pair[1] < high - off]
                assert not (reached[2:] & inner).any()
                ends += sum(inner)
    assert ends


def test_rounds_end_where_scores_only_touch_the_border():
    """Two opposite curves are level with the border at one point only."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(0, 1, 400)})
    model = GaussianNB().fit(X, (X.x.abs() < 0.7).astype(int))
    peak = model.predict_proba(pd.DataFrame({"x": np.linspace(-3, 3, 600_001)}))[:, 1]
    actions = ActionSet({"x": Feature("real", -3, 3)})
    for threshold in (peak.max(), np.nextafter(peak.max(), 2), peak.max() - 1e-13):
        exact = explain(model, actions, X, X[:5], target=1, threshold=float(threshold))
        assert exact.exact.all()
        assert (exact.values < 1e-3).all()


def test_many_open_pieces_are_given_up_line_by_line(monkeypatch, fitted, data, actions):
    """Their scores are sampled, whatever the other lines are."""
    model, X = fitted["stacking"], data[0]
    people = X[model.predict(X) != 1][:4]
    wanted = explain(model, actions, X, people, target=1, random_state=0)
    monkeypatch.setattr(_curved_lines, "_MAX_OPEN", 0)
    found = explain(model, actions, X, people, target=1, random_state=0)
    assert wanted.exact.all()
    assert not found.exact.all()
    for i in range(4):
        one = people[i : i + 1]
        alone = explain(model, actions, X, one, target=1, random_state=0)
        np.testing.assert_array_equal(alone.values[0], found.values[i])


def test_a_row_that_the_steps_do_not_accept_leaves_the_others_exact():
    """The logarithm of a negative number is missing, which XGBoost accepts."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(-0.5, 10, 300), "b": rng.uniform(0, 5, 300)})
    y = (np.log1p(X.a) + 0.2 * X.b + rng.normal(0, 0.3, 300) > 2.2).astype(int)
    model = make_pipeline(
        FunctionTransformer(np.log1p), xgboost(n_estimators=10, max_depth=3)
    ).fit(X, y)
    actions = ActionSet({"a": Feature("real", -0.99, 10), "b": Feature("real", 0, 5)})
    people = X[model.predict(X) == 0][:4].copy()
    people.iloc[3, 0] = -3.0
    together = explain(model, actions, X, people, target=1, random_state=0)
    assert together.exact[:3].all()
    assert together.exact[3].tolist() == [True, False]
    for i in range(4):
        alone = explain(model, actions, X, people[i : i + 1], target=1, random_state=0)
        for name in ("values", "lower", "upper", "exact", "n_reachable"):
            np.testing.assert_array_equal(
                getattr(alone, name)[0], getattr(together, name)[i]
            )


@pytest.mark.parametrize("inside", [1e-3, 1e-8, 1e-11, 1e-13])
@pytest.mark.parametrize("sign", [1, -1])
def test_borders_are_found_where_the_scores_are_flat(inside, sign):
    """The scores are a parabola that passes the border by `inside` at its vertex.

    Where rounding decides more than 1e-9 of the line, the score is sampled.
    """
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 1, 50), "b": rng.uniform(0, 1, 50)})
    model = GaussianNB().fit(X, X.a > 0.5)
    model.theta_[:] = [0.3712, 0.5]
    model.var_[:] = [[1.0, 1.0], [2.0, 1.0]]
    odds = np.exp(np.log(2) / 2 - inside)
    model.class_prior_ = np.array([1, odds]) / (1 + odds)
    actions = ActionSet({name: Feature("real", 0, 1) for name in X})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=bool(sign > 0)
    )
    found = explainer.fit(X).explain(X.head(5))
    width = 4 * np.sqrt(inside)
    expected = 1 - width if sign > 0 else width
    assert (found.exact[:, 0] == (inside > 1e-10)).all()
    if inside > 1e-10:
        np.testing.assert_allclose(found.values[:, 0], expected, atol=1e-7)
    assert (found.lower[:, 0] <= expected + 1e-7).all()
    assert (found.upper[:, 0] >= expected - 1e-7).all()


def with_and_without_kernels(explainer, people):
    """Return scores computed with kernels, after a comparison with those without."""
    found = []
    for use in ("always", "never"):
        with kernels(use):
            found.append(explainer.explain(people))
    np.testing.assert_array_equal(found[0].values, found[1].values)
    np.testing.assert_array_equal(found[0].exact, found[1].exact)
    return found[0]


@pytest.mark.parametrize("seed", range(4))
def test_a_column_that_is_constant_in_a_class(seed):
    """Its tiny variance makes terms of 1e7 that cancel near the border."""
    rng = np.random.default_rng(seed)
    y = np.arange(200) % 2
    X = pd.DataFrame(
        {
            "a": np.where(y == 1, 0.815, rng.uniform(0, 4, 200)),
            "b": rng.normal(6 - 3 * y, 1 + 3 * (1 - y)),
        }
    )
    model = GaussianNB().fit(X, y)
    actions = ActionSet({"a": Feature("real", 0, 4), "b": Feature("real", -9, 19)})
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    people = pd.DataFrame({"a": rng.uniform(0, 4, 300), "b": rng.normal(4, 3, 300)})
    found = with_and_without_kernels(explainer.fit(X), people)
    assert found.exact[:, 0].all()
    assert (found.values[:, 0] > 0).any()


def test_terms_that_cancel_are_sampled():
    """Two columns, constant in one class each, add 1e7 and -1e7 to the score."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = pd.DataFrame(
        {
            "a": np.where(y == 0, 1.0, rng.normal(1, 1, 200)),
            "b": np.where(y == 1, 2.0, rng.normal(2, 1, 200)),
            "c": rng.normal(y, 1),
        }
    )
    model = GaussianNB().fit(X, y)
    held = {name: Feature("real", actionable=False) for name in "ab"}
    actions = ActionSet({**held, "c": Feature("real", -5, 5)})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, random_state=0
    )
    far = rng.choice([1e-5, 0.1, 0.5], 40)
    off = far * np.sqrt(model.var_[1, 1] / model.var_[0, 0])
    a, b = model.theta_[0, 0] + far, model.theta_[1, 1] + off
    people = pd.DataFrame({"a": a, "b": b, "c": rng.normal(0.5, 1, 40)})
    found = with_and_without_kernels(explainer.fit(X), people)
    inner = (found.values[:, 2] > 0) & (found.values[:, 2] < 1)
    assert not found.exact[inner & (far > 0.01), 2].any()
    assert found.exact[far < 0.01, 2].all()
    assert inner[far > 0.01].any()
    assert inner[far < 0.01].any()
