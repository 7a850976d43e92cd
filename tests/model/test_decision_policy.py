"""DecisionPolicy: rules before a model."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from skresp import ActionSet, DecisionPolicy, Feature, ResponsivenessExplainer
from skresp._model._policy_rules import parse_rules
from skresp._model.composites._rule_tree import RuleColumns, RuleTree

LABELS = ["p", "q", "r"]
VALUES = [0, 1, 2, 0.5, 1.5, 0.9999999999, 1_000_000]


def _equal(x: float, value: float) -> bool:
    """Compare whole numbers as they are, fractions up to rounding."""
    return abs(x - value) <= (0 if x == round(x) else 1e-9 * max(1, abs(x)))


def _holds(condition: Any, row: dict[str, Any]) -> bool:
    """Evaluate a condition on one row, in plain Python."""
    name, op, value = condition
    x = row[name]
    if x is None or x != x:
        return False
    if isinstance(x, str):
        same = x in value if op == "in" else x == value
        return not same if op == "!=" else same
    slack = 0 if x == round(x) else 1e-9 * max(1, abs(x))
    if op == "<=":
        return x <= value + slack
    if op == ">=":
        return x >= value - slack
    same = any(_equal(x, v) for v in (value if op == "in" else [value]))
    return not same if op == "!=" else same


def _decided(rules: Any, row: dict[str, Any]) -> Any:
    """Return the outcome of the first rule that matches; None where none does."""
    for conditions, outcome in rules:
        if all(_holds(c, row) for c in conditions):
            return outcome
    return None


@st.composite
def _conditions(draw: Any) -> Any:
    name = draw(st.sampled_from(["a", "b", "label"]))
    op = draw(st.sampled_from(["<=", ">=", "==", "!=", "in"]))
    if name == "label":
        op = draw(st.sampled_from(["==", "!=", "in"]))
    values = st.sampled_from(LABELS if name == "label" else VALUES)
    value = draw(st.lists(values, min_size=1, max_size=3) if op == "in" else values)
    return name, op, value


def _rules() -> Any:
    conditions = st.lists(_conditions(), min_size=1, max_size=3)
    rule = st.tuples(conditions, st.sampled_from(["no", "yes"]))
    return st.lists(rule, min_size=1, max_size=4)


def _numbers() -> Any:
    """Return numbers at, near and far from the values of rules, and missing ones."""
    shift = st.sampled_from([0.0, 1e-10, -1e-10, 9.9e-10, 1.1e-9, -1.1e-9, 0.3, -0.3])
    near = st.builds(lambda v, s: v + s * max(1, v), st.sampled_from(VALUES), shift)
    return st.one_of(near, st.just(math.nan))


def _rows() -> Any:
    labels = st.sampled_from([*LABELS, None])
    return st.lists(st.tuples(_numbers(), _numbers(), labels), min_size=1, max_size=8)


def _table(rows: Any) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["a", "b", "label"])
    return table.astype({"a": float, "b": float, "label": object})


def _constant(X: Any) -> DummyClassifier:
    """Return a model that predicts "no" with probability 0.75."""
    model = DummyClassifier(strategy="prior")
    return model.fit(pd.concat([X[:1]] * 4), ["no", "no", "no", "yes"])


@settings(max_examples=80, deadline=None, derandomize=True)
@given(rules=_rules(), rows=_rows())
def test_policies_equal_a_plain_loop(rules: Any, rows: Any) -> None:
    X = _table(rows)
    policy = DecisionPolicy(_constant(X), rules)
    outcomes = [_decided(rules, dict(zip(X.columns, row, strict=True))) for row in rows]
    expected = ["no" if o is None else o for o in outcomes]
    assert policy.predict(X).tolist() == expected
    proba = [0.25 if o is None else float(o == "yes") for o in outcomes]
    assert policy.predict_proba(X)[:, 1].tolist() == proba
    types = {"a": pl.Float64, "b": pl.Float64, "label": pl.String}
    frame = pl.DataFrame(rows, schema=types, orient="row")
    assert policy.predict(frame).tolist() == expected
    # The tree that a policy is read as sends rows to the same outcomes.
    parsed, position = parse_rules(rules), {"a": 0, "b": 1, "label": 2}
    columns = RuleColumns.of(parsed, position)
    classes = [["no", "yes"].index(rule.outcome) for rule in parsed]
    tree = RuleTree(parsed, classes, columns, position).tree(np.eye(3))
    for z, outcome in zip(columns.transform(X), outcomes, strict=True):
        node = 0
        while tree.left[node] >= 0:
            x = z[tree.column[node]]
            left = tree.missing_left[node] if x != x else x <= tree.threshold[node]
            node = tree.left[node] if left else tree.right[node]
        leaf = ["no", "yes", None][int(tree.leaves[node].argmax())]
        assert leaf == outcome


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    n = 120
    X = pd.DataFrame(
        {
            "income": rng.uniform(0, 10, n).round(2),
            "loans": rng.integers(0, 4, n),
            "age": rng.integers(18, 70, n),
        }
    )
    return X, (X.income - X.loans + rng.normal(size=n) > 3).astype(int)


RULES = [([("loans", ">=", 3), ("income", "<=", 7.25)], 0), (("age", "<=", 20), 0)]


def _models() -> list[Any]:
    forest = RandomForestClassifier(5, max_depth=4, random_state=0)
    return [
        LogisticRegression(),
        LinearSVC(),
        forest,
        CalibratedClassifierCV(forest, cv=2),
        FixedThresholdClassifier(forest, threshold=0.7),
        FixedThresholdClassifier(
            LinearSVC(), threshold=-0.2, response_method="decision_function"
        ),
    ]


@pytest.mark.parametrize("model", _models(), ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("target", [0, 1])
def test_verdicts_and_scores_equal_brute_force(
    model: Any, target: int, data: Any
) -> None:
    X, y = data
    X = X.assign(income=X.income.round())
    policy = DecisionPolicy(model, RULES).fit(X, y)
    actions = ActionSet(
        {
            "income": Feature("integer", 0, 10, max_increase=3, max_decrease=2),
            "loans": Feature("integer", 0, 3, max_decrease=1),
            "age": Feature("integer", 18, 70, actionable=False),
        }
    )
    explainer = ResponsivenessExplainer(FrozenEstimator(policy), actions, target=target)
    explainer.fit(X)
    assert explainer.structure_.certified, explainer.structure_.reason
    people = X[:40]
    verdicts = explainer.verify(people, max_points=2_000)
    values = explainer.explain(people).values
    for i, (income, loans, age) in enumerate(people.itertuples(index=False)):
        if policy.predict(people.iloc[[i]])[0] == target:
            assert verdicts.status[i] == "approved"
            continue
        incomes = [v for v in range(11) if -2 <= v - income <= 3]
        all_loans = [v for v in range(4) if v - loans >= -1]
        points = list(itertools.product(incomes, all_loans, [age]))
        found = policy.predict(pd.DataFrame(points, columns=X.columns)) == target
        hits = {p[:2] for p, ok in zip(points, found, strict=True) if ok}
        alone = [h for h in hits if (h[0] == income) != (h[1] == loans)]
        status = "single" if alone else "joint" if hits else "fixed"
        assert verdicts.status[i] == status
        others = [v for v in incomes if v != income]
        share = np.mean([(v, loans) in hits for v in others])
        assert values[i, 0] == pytest.approx(share)


@pytest.mark.parametrize("model", _models()[:3], ids=lambda m: type(m).__name__)
def test_intervals_end_at_the_borders_of_rules(model: Any, data: Any) -> None:
    X, y = data
    policy = DecisionPolicy(model, RULES).fit(X, y)
    actions = ActionSet.infer(X, immutable=["loans", "age"])
    explainer = ResponsivenessExplainer(FrozenEstimator(policy), actions, target=1)
    explanation = explainer.fit(X).explain(
        pd.DataFrame({"income": [5.0, 5.0], "loans": [3, 3], "age": [40, 19]})
    )
    assert explanation.exact.all()
    ((low, high),) = explanation.intervals(0, "income")
    assert low == pytest.approx(7.25, abs=1e-7)
    assert low > 7.25
    assert high == pytest.approx(X.income.max())
    assert explanation.intervals(1, "income") == []


def test_isolated_values_of_a_rule_are_found(data: Any) -> None:
    X, y = data
    policy = DecisionPolicy(LogisticRegression(), [(("income", "==", 2), 1)]).fit(X, y)
    actions = ActionSet.infer(X, immutable=["loans", "age"])
    explainer = ResponsivenessExplainer(FrozenEstimator(policy), actions, target=1)
    person = pd.DataFrame({"income": [1.0], "loans": [3], "age": [40]})
    low, high = explainer.fit(X).explain(person).intervals(0, "income")[0]
    assert low <= 2 <= high
    assert high - low < 1e-8


def test_a_threshold_applies_to_the_model_inside(data: Any) -> None:
    X, y = data
    rules = [(("age", "<=", 30), 0), (("age", ">=", 60), 1)]
    policy = DecisionPolicy(LogisticRegression(), rules).fit(X, y)
    actions = ActionSet.infer(X, immutable=["age"])
    for threshold in (1e-9, 0.4, 1.0):
        explainer = ResponsivenessExplainer(
            FrozenEstimator(policy), actions, target=1, threshold=threshold
        ).fit(X)
        inside = policy.estimator_.predict_proba(X)[:, 1] >= threshold
        expected = np.where(X.age <= 30, False, np.where(X.age >= 60, True, inside))
        assert_array_equal(explainer.explain(X).at_target, expected)


def test_a_threshold_beside_one_inside_is_an_error(data: Any) -> None:
    X, y = data
    model = FixedThresholdClassifier(LogisticRegression(), threshold=0.7)
    policy = DecisionPolicy(model, RULES).fit(X, y)
    explainer = ResponsivenessExplainer(
        policy, ActionSet.infer(X), target=1, threshold=0.5
    )
    with pytest.raises(ValueError, match=r"FixedThreshold.* with threshold=0\.7"):
        explainer.fit(X)


def test_a_policy_is_a_scikit_learn_classifier(data: Any) -> None:
    X, y = data
    policy = DecisionPolicy(LogisticRegression(C=0.5), RULES)
    assert clone(policy).get_params()["rules"] == RULES
    with pytest.raises(NotFittedError):
        policy.predict(X)
    assert not hasattr(policy, "classes_")
    policy.fit(X, y)
    assert policy.classes_.tolist() == [0, 1]
    assert policy.n_features_in_ == 3
    assert policy.feature_names_in_.tolist() == list(X.columns)
    assert 0 <= policy.score(X, y) <= 1
    again = pickle.loads(pickle.dumps(policy))
    assert_array_equal(again.predict(X), policy.predict(X))
    search = GridSearchCV(policy, {"estimator__C": [0.1, 1.0]}, cv=2).fit(X, y)
    assert search.best_estimator_.rules == RULES
    scores = policy.decision_function(X)
    decided = policy.predict_proba(X).max(axis=1) == 1.0
    inner = policy.estimator_.decision_function(X)
    assert_array_equal(scores[~decided], inner[~decided])
    assert (scores[decided] < inner.min()).all()
    assert not hasattr(DecisionPolicy(LinearSVC(), []), "predict_proba")
    assert not hasattr(
        DecisionPolicy(DecisionTreeClassifier(), []), "decision_function"
    )


def test_a_fitted_model_needs_no_fit(data: Any) -> None:
    X, y = data
    model = LogisticRegression().fit(X, y)
    fitted = DecisionPolicy(FrozenEstimator(model), RULES).fit(X, y)
    for inside in (model, FrozenEstimator(model)):
        policy = DecisionPolicy(inside, RULES)
        assert policy.classes_.tolist() == [0, 1]
        assert_array_equal(policy.predict_proba(X), fitted.predict_proba(X))
        ResponsivenessExplainer(policy, ActionSet.infer(X), target=1).fit(X)


def test_columns_of_an_array_are_numbered(data: Any) -> None:
    X, y = data
    by_name = DecisionPolicy(LogisticRegression(), RULES).fit(X, y)
    rules = [([("x1", ">=", 3), ("x0", "<=", 7.25)], 0), (("x2", "<=", 20), 0)]
    numbered = DecisionPolicy(LogisticRegression(), rules).fit(X.to_numpy(), y)
    assert_array_equal(numbered.predict(X.to_numpy()), by_name.predict(X))
    actions = ActionSet.infer(X.to_numpy(), immutable=["x1", "x2"])
    explainer = ResponsivenessExplainer(numbered, actions, target=1).fit(X.to_numpy())
    assert explainer.structure_.exact_scores == "all"


def test_without_rules_the_model_decides() -> None:
    check_estimator(DecisionPolicy(LogisticRegression(), []))


def test_rules_decide_where_the_model_cannot(data: Any) -> None:
    X, y = data
    rules = [(("loans", ">=", 2), 0), (("loans", "<=", 1), 1)]
    policy = DecisionPolicy(LogisticRegression(), rules).fit(X, y)
    missing = X.assign(income=np.nan)
    assert_array_equal(policy.predict(missing), (X.loans < 2).astype(int))


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ("age", TypeError, "rules must be a list of pairs"),
        ([("age", "<=", 3)], TypeError, r"rules\[0\] must be a pair"),
        ([([], 1)], TypeError, r"conditions of rules\[0\] must be a list"),
        (
            [([("age", "<=")], 1)],
            TypeError,
            r"condition of rules\[0\] must be a triple",
        ),
        ([(("age", "<", 3), 1)], ValueError, "must be one of <=, >=, ==, !=, in"),
        ([(("age", "<=", "old"), 1)], TypeError, "labels have no order"),
        ([(("age", "<=", math.inf), 1)], ValueError, "must be finite"),
        ([(("years", "<=", 3), 1)], ValueError, "'years', which is not a column"),
        (
            [(("age", "<=", 3), "no")],
            ValueError,
            "'no', which is not among the classes",
        ),
    ],
)
def test_wrong_rules_are_errors(
    rules: Any, error: type[Exception], message: str, data: Any
) -> None:
    with pytest.raises(error, match=message):
        DecisionPolicy(LogisticRegression(), rules).fit(*data)


def test_labels_and_numbers_are_not_compared(data: Any) -> None:
    X, y = data
    rules = [(("age", "==", "old"), 1)]
    policy = DecisionPolicy(LogisticRegression(), rules).fit(X, y)
    with pytest.raises(ValueError, match="'age', a column of numbers, with 'old'"):
        policy.predict(X)
    texts = DecisionPolicy(DummyClassifier(), [(("job", ">=", 3), 1)])
    texts.fit(pd.DataFrame({"job": ["a", "b"]}), [0, 1])
    with pytest.raises(ValueError, match="has labels, which have no order"):
        texts.predict(pd.DataFrame({"job": ["a", "b"]}))
    with pytest.raises(TypeError, match="requires a classifier"):
        DecisionPolicy(LinearRegression(), RULES).fit(X, y)


def test_a_policy_around_a_black_box_is_a_black_box(data: Any) -> None:
    X, y = data
    policy = DecisionPolicy(DummyClassifier(), RULES).fit(X, y)
    explainer = ResponsivenessExplainer(policy, ActionSet.infer(X), target=1).fit(X)
    assert explainer.structure_.kind == "black box"
    assert "Inside DecisionPolicy: DummyClassifier" in explainer.structure_.reason
