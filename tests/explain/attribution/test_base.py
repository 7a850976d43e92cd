"""What SHAP and LIME explainers share: the target, who can act, explanations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, ResponsivenessExplainer
from skresp._model._target import AtLeast, AtMost
from skresp.constraints import OneHot
from tests.explain.attribution.explainers import MAKERS, pipeline, shap_of
from tests.strategies import cases, real_cases

pytest.importorskip("shap")
pytest.importorskip("lime")


@MAKERS
def test_positive_is_towards_the_target(people, make):
    X, y = people
    words = y.map({0: "denied", 1: "granted"})
    model = FrozenEstimator(pipeline(LogisticRegression()).fit(X, words))
    default = make(model).fit(X).explain(X[:9])
    granted = make(model, target="granted").fit(X).explain(X[:9])
    denied = make(model, target="denied").fit(X).explain(X[:9])
    assert default.target == "granted"
    np.testing.assert_array_equal(default.values, granted.values)
    np.testing.assert_allclose(denied.values, -granted.values, atol=1e-12)
    np.testing.assert_array_equal(default.at_target, model.predict(X[:9]) == "granted")
    np.testing.assert_array_equal(denied.at_target, ~default.at_target)
    np.testing.assert_array_equal(default.predictions, model.predict(X[:9]))
    with pytest.raises(ValueError, match="target='gold' is not among the classes"):
        make(model, target="gold").fit(X)


@MAKERS
def test_regressors_up_down_or_as_they_are(people, make):
    X, y = people
    model = FrozenEstimator(pipeline(LinearRegression()).fit(X, y * 1.0))
    plain = make(model).fit(X).explain(X[:9])
    up = make(model, target=AtLeast(0.5)).fit(X).explain(X[:9])
    down = make(model, target=AtMost(0.5)).fit(X).explain(X[:9])
    np.testing.assert_array_equal(up.values, plain.values)
    np.testing.assert_allclose(down.values, -plain.values, atol=1e-12)
    np.testing.assert_array_equal(up.at_target, model.predict(X[:9]) >= 0.5)
    np.testing.assert_array_equal(down.at_target, model.predict(X[:9]) <= 0.5)
    assert plain.target is None
    assert not plain.at_target.any()
    assert "for the prediction;" in repr(plain)
    assert "target" not in plain.describe(0)
    if make is shap_of:
        total = plain.values.sum(axis=1) + plain.base_values
        np.testing.assert_allclose(total, model.predict(X[:9]))
        total = down.values.sum(axis=1) + down.base_values
        np.testing.assert_allclose(total, -model.predict(X[:9]))


@MAKERS
def test_the_three_classes_of_a_linear_model_cancel(people, make):
    X, y = people
    three = np.where(X["loans"] >= 3, "bad", np.where(y == 1, "good", "fair"))
    model = FrozenEstimator(pipeline(LogisticRegression()).fit(X, three))
    each = [
        make(model, target=t).fit(X).explain(X[:6]).values
        for t in ("bad", "fair", "good")
    ]
    assert (np.abs(each[0]) > 1e-6).any()
    np.testing.assert_allclose(sum(each), 0, atol=1e-9)


@MAKERS
def test_what_nobody_can_act_on_is_zero(people, actions, model, make):
    X, _ = people
    plain = make(model).fit(X).explain(X[:30]).values
    aware = make(model, actions).fit(X).explain(X[:30]).values
    np.testing.assert_array_equal(aware[:, :3], plain[:, :3])
    np.testing.assert_array_equal(aware[:, 3], 0)
    assert (plain[:, 3] != 0).any()
    mine = make(model, actions, per_person=True).fit(X).explain(X[:30]).values
    stuck = X["loans"][:30] == 0  # loans only decrease
    assert stuck.any()
    np.testing.assert_array_equal(mine[stuck, 1], 0)
    np.testing.assert_array_equal(mine[~stuck], aware[~stuck])
    np.testing.assert_array_equal(mine[:, [0, 2, 3]], aware[:, [0, 2, 3]])


class Sum:
    """A model in which every column counts, labels too."""

    def predict(self, X):
        return sum(
            pd.Series(X[c]).map(lambda v: len(v) if isinstance(v, str) else v + 0.5)
            for c in X
        ).to_numpy(dtype=float)


@settings(max_examples=40)
@given(cases())
def test_zero_is_where_nothing_can_be_reached(case):
    check_zeros(*case)


@settings(max_examples=15)
@given(real_cases())
def test_zero_is_where_nothing_can_be_reached_with_reals(case):
    check_zeros(*case)


def check_zeros(actions, person):
    rows = pd.DataFrame([person])
    answer = (
        ResponsivenessExplainer(Sum(), actions, target=AtLeast(0), random_state=0)
        .fit(rows)
        .explain(rows)
    )
    explainer = shap_of(Sum(), actions, per_person=True).fit(rows)
    # Every value 1 to begin with: what is 0 in the end was set to 0.
    explainer._attribute = lambda people, keys: (
        np.ones((len(people), len(actions.names))),
        np.zeros(len(people)),
        True,
    )
    values = explainer.explain(rows).values
    # Only what is proven: a real that has one value to move to may not be found.
    np.testing.assert_array_equal(values == 0, (answer.n_reachable == 0) & answer.exact)


@MAKERS
def test_rows_that_break_a_constraint_are_refused_only_where_it_counts(make):
    X = pd.DataFrame({"own": [1, 1, 0, 0], "rent": [0, 1, 1, 1], "n": [1, 2, 3, 4]})
    actions = ActionSet.infer(X, constraints=[OneHot(["own", "rent"])])
    model = FrozenEstimator(LogisticRegression().fit(X, [0, 1, 1, 1]))
    assert make(model, actions).fit(X).explain(X).values.shape == (4, 3)
    with pytest.raises(ValueError, match=r"1 of 4 rows .*pass per_person=False"):
        make(model, actions, per_person=True).fit(X).explain(X)


def test_what_is_missing_cannot_be_moved():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 2.0], "b": [1.0, 2.0, 2.0, 1.0]})
    model = DecisionTreeClassifier(random_state=0).fit(X, [0, 1, 1, 0])
    actions = ActionSet.infer(X.fillna(2.0))
    plain = shap_of(model, actions).fit(X).explain(X)
    mine = shap_of(model, actions, per_person=True).fit(X).explain(X)
    np.testing.assert_array_equal(mine.values[1, 0], 0)
    np.testing.assert_array_equal(mine.values[:, 1], plain.values[:, 1])


@MAKERS
def test_an_explanation_of_contributions(people, model, make):
    X, _ = people
    explanation = make(model).fit(X).explain(X[:12])
    np.testing.assert_array_equal(explanation.lower, explanation.values)
    np.testing.assert_array_equal(explanation.upper, explanation.values)
    assert explanation.n_reachable is None
    assert explanation.exact.all() == (make is shap_of)
    assert explanation.method == ("shap" if make is shap_of else "lime")
    top = explanation.top(2)
    size = np.abs(explanation.values)
    for i, part in top.groupby("row"):
        wanted = np.argsort(-size[i], kind="stable")[:2]
        assert part["feature"].tolist() == [X.columns[j] for j in wanted]
    assert "largest on average" in explanation._repr_html_()
    assert "<th>home</th>" in explanation._repr_html_()
    words = explanation.describe(0)
    most = X.columns[size[0].argmax()]
    assert words.split("\n")[2].startswith(f"- {most} ({X[most][0]})")
    negative = explanation.values[0] < 0
    assert words.count("away from the target") == negative.sum()
    assert words.count("towards the target") == (~negative).sum()


@MAKERS
def test_zeros_are_no_reasons(people, actions, model, make):
    X, _ = people
    explanation = make(model, actions).fit(X).explain(X[:5])
    assert "age" not in explanation.top(9)["feature"].tolist()
    assert "age" not in explanation.describe(0)
    assert "<th>age</th>" not in explanation._repr_html_()


@MAKERS
def test_shap_takes_it_over(people, model, make):
    shap = pytest.importorskip("shap")
    X, _ = people
    explanation = make(model).fit(X).explain(X[:5])
    over = explanation.to_shap()
    assert isinstance(over, shap.Explanation)
    np.testing.assert_array_equal(over.values, explanation.values)
    np.testing.assert_array_equal(over.base_values, explanation.base_values)
    assert over.display_data[:, 2].tolist() == X["home"][:5].tolist()
    np.testing.assert_array_equal(over.data[:, 1], X["loans"][:5])


@MAKERS
def test_questions_about_reachable_points_are_refused(people, model, make):
    X, _ = people
    explanation = make(model).fit(X).explain(X[:3])
    for ask in (
        lambda e: e.reachable(0, "loans"),
        lambda e: e.intervals(0, "loans"),
        lambda e: e.cost_weighted({"loans": 1}),
        lambda e: e.robust({"loans": 1}),
        lambda e: e.profile(0, "loans"),
        lambda e: e.monotone(),
        lambda e: e.intuitive({"loans": "decrease"}),
    ):
        with pytest.raises(ValueError, match="Explain with ResponsivenessExplainer"):
            ask(explanation)
