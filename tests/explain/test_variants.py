"""Variants of the score, compared with loops over the points."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear, Linkage
from tests import oracle
from tests.small_models import HashModel, RuleModel
from tests.strategies import cases, people


@given(data=st.data())
@settings(max_examples=40)
def test_variants_equal_a_reading_point_by_point(data):
    actions, person = data.draw(cases(most_features=3))
    others = data.draw(st.lists(people(actions), max_size=2))
    rows = [person, *(row for row in others if oracle.move_ok(actions, row, row))]
    X = pd.DataFrame([*rows, rows[0]])
    note(str(actions))
    note(str(X))
    model = HashModel(data.draw(st.integers(0, 9)), actions.names)
    explanation = ResponsivenessExplainer(model, actions).fit(X).explain(X)
    numbers = [n for n in actions.names if actions.features[n].kind != "categorical"]
    cost = {n: (1.0, 3.0) for n in numbers[:2]}
    weighted = explanation.cost_weighted(cost)
    monotone = explanation.monotone()
    ways = dict.fromkeys(numbers, "increase")
    intuitive = explanation.intuitive(ways)
    for i, row in enumerate([*rows, rows[0]]):
        for j, name in enumerate(actions.names):
            points = oracle.interventions(actions, row, name, "minimal")
            hit = [model.answer(p) == "yes" for p in points]
            weights = []
            for p in points:
                c = 0.0
                for n, (up, down) in cost.items():
                    change = p[n] - row[n]
                    c += up * change if change > 0 else -down * change
                weights.append(1 / (1 + c))
            share = np.dot(weights, hit) / sum(weights) if points else 0.0
            assert weighted[i, j] == pytest.approx(share)
            if name not in numbers:
                continue
            changes = [p[name] - row[name] for p in points]
            expected = any(h and c > 0 for h, c in zip(hit, changes, strict=True))
            assert intuitive[i, j] == expected
            assert monotone.side[i, j] == naive_side(changes, hit)


def naive_side(changes, hit):
    """1, -1 or 0, by the definition."""
    for way in (1, -1):
        mine = [(abs(c), h) for c, h in zip(changes, hit, strict=True) if c * way > 0]
        other = [h for c, h in zip(changes, hit, strict=True) if c * way < 0]
        good = [size for size, h in mine if h]
        if good and not any(other):
            if all(h for size, h in mine if size >= min(good)):
                return way
    both = any(c > 0 for c in changes) and any(c < 0 for c in changes)
    return 2 if both and all(hit) else 0


@pytest.fixture
def loans():
    X = pd.DataFrame({"loans": [3, 0], "years": [2, 5], "age": [30, 40]})
    actions = ActionSet(
        {
            "loans": Feature("integer", 0, 5),
            "years": Feature("integer", 0, 9, direction="increase"),
            "age": Feature("integer", actionable=False),
        },
        [Linkage("years", {"age": 1})],
    )
    spy = RuleModel(lambda X: (X["loans"] <= 1) & (X["age"] <= 60) | (X["years"] >= 8))
    return ResponsivenessExplainer(spy, actions, random_state=0).fit(X).explain(X), spy


def test_answers_are_not_kept_but_asked_for_again(loans):
    explanation, spy = loans
    asked = len(spy.seen)
    for _ in range(2):
        before = len(spy.seen)
        explanation.cost_weighted({"loans": 1})
        assert before < len(spy.seen) <= before + asked


def test_monotone_names_the_side_and_the_threshold(loans):
    explanation, _ = loans
    found = explanation.monotone()
    assert found.side[0].tolist() == [-1, 1, 0]
    assert found.threshold[0, :2].tolist() == [1, 8]
    reasons = explanation.top(4, where=found.side != 0)
    assert set(reasons["feature"]) <= {"loans", "years"}
    with pytest.raises(ValueError, match="shape of the scores"):
        explanation.top(4, where=[True])


@pytest.mark.parametrize("kind", ["real", "integer"])
def test_a_feature_whose_every_change_works_is_monotone(kind):
    X = pd.DataFrame({"a": np.arange(41.0) / 2})
    tree = DecisionTreeClassifier().fit(X, (X["a"] != 10).astype(int))
    people = pd.DataFrame({"a": [10.0, 0.0, 20.0]})
    spy = RuleModel(lambda X: X["a"] != 10)
    wanted = [[2], [0], [0]]
    explainer = ResponsivenessExplainer(spy, ActionSet({"a": Feature(kind, 0, 20)}))
    found = explainer.fit(X).explain(people).monotone()
    if kind == "integer":  # 10 itself does not work for the others
        np.testing.assert_array_equal(found.side, wanted)
        np.testing.assert_array_equal(found.threshold, [[10], [np.nan], [np.nan]])
    else:
        assert found.side[0, 0] == 2
    one_way = ActionSet({"a": Feature(kind, 0, 20, direction="increase")})
    explanation = ResponsivenessExplainer(spy, one_way).fit(X).explain(people)
    assert explanation.monotone().side[0, 0] == 1
    line = ResponsivenessExplainer(tree, ActionSet({"a": Feature(kind, 8, 9)}))
    found = line.fit(X).explain(pd.DataFrame({"a": [8.5 if kind == "real" else 8.0]}))
    assert found.monotone().side[0, 0] == (2 if kind == "real" else 1)


def test_a_radius_of_1_lets_a_binary_flip():
    X = pd.DataFrame({"loans": [3, 3], "job": [1, 0], "age": [30, 40]})
    actions = ActionSet(
        {
            "loans": Feature("integer", 0, 5),
            "job": Feature("binary", actionable=False),
            "age": Feature("integer", actionable=False),
        }
    )
    spy = RuleModel(lambda X: (X["loans"] <= 1) & (X["job"] == 1) | (X["loans"] == 0))
    explanation = ResponsivenessExplainer(spy, actions).fit(X).explain(X)
    assert explanation.values[:, 0].tolist() == [0.4, 0.2]
    assert explanation.robust({"job": 1})[:, 0].tolist() == [0.2, 0.2]
    assert explanation.robust({"job": 0.9})[:, 0].tolist() == [0.4, 0.2]
    assert explanation.robust({"job": 1, "age": 3})[:, 0].tolist() == [0.2, 0.2]


def test_the_robust_score_of_a_line_is_that_of_the_shifted_person():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 10, (300, 3)), columns=["a", "b", "c"])
    for model in (LogisticRegression(), DecisionTreeClassifier(max_depth=6)):
        model.fit(X, (X["a"] + 0.5 * X["b"] > 9 + 0.1 * X["c"]).astype(int))
        actions = ActionSet.infer(X, immutable=["b", "c"])
        explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
        people = X[:8]
        robust = explainer.explain(people).robust({"b": 1.0}, n_shifts=3)
        shifted = [
            explainer.explain(people.assign(b=people["b"] + d)).values[:, 0]
            for d in (0, 1, -1)
        ]
        np.testing.assert_allclose(robust[:, 0], np.min(shifted, axis=0))
        assert (robust[:, 0] < shifted[0]).any()


def test_a_function_of_rows_and_points_can_be_the_cost(loans):
    explanation, _ = loans
    by_name = explanation.cost_weighted({"loans": 2.0, "age": 1.0})
    by_hand = explanation.cost_weighted(
        lambda rows, reached: (
            2 * abs(reached["loans"] - rows["loans"])
            + abs(reached["age"] - rows["age"])
        )
    )
    np.testing.assert_allclose(by_name, by_hand)
    flat = explanation.cost_weighted({"loans": 5.0}, weight=np.ones_like)
    np.testing.assert_allclose(flat, explanation.values)


def test_profile_shows_how_far_is_far_enough(loans):
    explanation, _ = loans
    profile = explanation.profile(0, "loans")
    down = profile[profile["direction"] == "down"]
    assert down["change"].tolist() == [1, 2, 3]
    np.testing.assert_allclose(down["probability"], [2 / 3, 1, 1])
    up = profile[profile["direction"] == "up"]
    assert up["probability"].tolist() == [0, 0]


def test_the_robust_score_is_never_above_the_plain_one(loans):
    explanation, _ = loans
    robust = explanation.robust({"loans": 1, "age": 2.5})
    assert (robust <= explanation.values + 1e-12).all()
    # With a loan more than it looks, years alone still do; fewer loans may not.
    assert robust[0, 1] == pytest.approx(explanation.values[0, 1])
    wide = explanation.robust({"age": 50})
    assert wide[0, 0] == 0
    np.testing.assert_allclose(explanation.robust({"age": 0}), explanation.values)


def test_real_features_have_variants_from_draws():
    X = pd.DataFrame({"a": [0.9, 0.1]})
    actions = ActionSet({"a": Feature("real", 0, 1)})
    spy = RuleModel(lambda X: X["a"] < 0.3)
    explanation = (
        ResponsivenessExplainer(spy, actions, random_state=0).fit(X).explain(X)
    )
    found = explanation.monotone()
    assert found.side[0, 0] == -1
    assert found.threshold[0, 0] == pytest.approx(0.3, abs=0.01)
    assert found.side[1, 0] == 0, "works on both sides"
    profile = explanation.profile(0, "a")
    assert profile["probability"].max() == 1


def test_variants_of_exact_lines_are_exact():
    x = pd.DataFrame({"x": [0, 0.49, 0.4901, 0.4902, 0.4903, 1.0] * 3})
    tree = DecisionTreeClassifier(random_state=0).fit(x, [0, 0, 1, 1, 0, 0] * 3)
    people = pd.DataFrame({"x": np.linspace(0.01, 0.4, 12)})
    explainer = ResponsivenessExplainer(tree, ActionSet({"x": Feature("real", 0, 1)}))
    explanation = explainer.fit(x).explain(people)
    assert explanation.exact.all()
    assert explanation.intuitive({"x": "increase"}).all()
    np.testing.assert_allclose(explanation.cost_weighted({}), explanation.values)
    assert (explanation.monotone().side == 0).all(), "too far is too far"


def explained_line(kind, top, **more):
    """A person at 0, and where on 0..top a tree says yes."""
    values = np.linspace(0, top, 33).round()
    tree = DecisionTreeClassifier(random_state=0)
    tree.fit(pd.DataFrame({"x": values}), np.sin(9 * values / top) > 0.2)
    actions = ActionSet({"x": Feature(kind, 0, top, **more)})
    explainer = ResponsivenessExplainer(tree, actions, target=True)
    person = pd.DataFrame({"x": [0.0]})
    explanation = explainer.fit(pd.DataFrame({"x": values})).explain(person)
    assert explanation.exact.all()
    points = np.arange(1.0, top + 1) if kind == "integer" else np.arange(5e5) + 0.5
    points = points * (1.0 if kind == "integer" else top / 5e5)
    return explanation, points, tree.predict(pd.DataFrame({"x": points}))


@pytest.mark.parametrize(("kind", "top"), [("integer", 200), ("integer", 90_000)])
def test_costs_along_a_long_integer_are_those_of_its_values(kind, top):
    explanation, points, hit = explained_line(kind, top)
    for price in (0.001, 1.0):
        weight = 1 / (1 + price * points)
        (found,) = explanation.cost_weighted({"x": price})[0]
        assert found == pytest.approx((weight * hit).sum() / weight.sum(), rel=1e-6)


def test_costs_along_a_real_are_integrated():
    explanation, points, hit = explained_line("real", 50)
    weight = 1 / (1 + 3 * points**2)
    (found,) = explanation.cost_weighted(lambda x, z: 3 * (z["x"] - x["x"]) ** 2)[0]
    assert found == pytest.approx((weight * hit).sum() / weight.sum(), rel=1e-4)


@pytest.mark.parametrize(("kind", "top"), [("integer", 90_000), ("real", 50)])
def test_the_profile_of_a_line_is_exact(kind, top):
    explanation, points, hit = explained_line(kind, top)
    profile = explanation.profile(0, "x")
    assert (profile["direction"] == "up").all()
    assert profile["probability"][0] == pytest.approx(explanation.values[0, 0])
    for size, share in zip(profile["change"], profile["probability"], strict=True):
        beyond = points >= size
        assert share == pytest.approx(hit[beyond].mean(), abs=3 / beyond.sum())


def test_the_profile_of_a_line_of_pairs_is_exact():
    values = pd.DataFrame({"x": np.arange(12_001.0)})
    hit = (values["x"] // 2) % 2 == 1
    tree = DecisionTreeClassifier(random_state=0).fit(values, hit)
    actions = ActionSet({"x": Feature("integer", 0, 12_000)})
    explainer = ResponsivenessExplainer(tree, actions, target=True).fit(values)
    profile = explainer.explain(values[:1]).profile(0, "x")
    assert profile["probability"][0] == pytest.approx(hit[1:].mean(), rel=1e-9)


def test_a_missing_target_of_an_effect_costs_nothing():
    actions = ActionSet(
        {"k": Feature("integer", 0, 3), "age": Feature("integer", actionable=False)},
        [Linkage("k", {"age": 1})],
    )
    X = pd.DataFrame({"k": [0.0, 0.0], "age": [np.nan, 2.0]})
    model = RuleModel(lambda X: X["k"] == 3)
    explainer = ResponsivenessExplainer(model, actions, missing="hold").fit(X)
    weighted = explainer.explain(X).cost_weighted({"k": 1.0, "age": 1.0})
    weights = 1 / (1 + np.array([1.0, 2.0, 3.0]))
    assert weighted[0, 0] == pytest.approx(weights[2] / weights.sum())
    weights = 1 / (1 + np.array([2.0, 4.0, 6.0]))
    assert weighted[1, 0] == pytest.approx(weights[2] / weights.sum())


def test_rows_without_a_score_have_no_variant():
    X = pd.DataFrame({"p": [0, 1], "q": [0, 1], "k": [1, 2]})
    actions = ActionSet.infer(X, constraints=[Linear({"p": 1, "q": 1}, None, 1)])
    spy = RuleModel(lambda X: X["k"] > 1)
    explainer = ResponsivenessExplainer(spy, actions, invalid_rows="nan").fit(X)
    with pytest.warns(UserWarning, match="break a constraint"):
        explanation = explainer.explain(X)
    assert np.isnan(explanation.cost_weighted({})[1]).all()
    assert np.isnan(explanation.robust({"k": 1}, n_shifts=3)[1]).all()
    assert (explanation.monotone().side[1] == 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e.cost_weighted({"dog": 1}), "cost has 'dog', which is not"),
        (lambda e: e.cost_weighted({"loans": (1, -2)}), r"non-negative .* \(1, -2\)"),
        (lambda e: e.cost_weighted(3), "must be a mapping from feature to cost"),
        (lambda e: e.robust({"dog": 1}), "radius has 'dog', which is not a feature"),
        (lambda e: e.robust(0.1), "radius must be a mapping .* got 0.1"),
        (lambda e: e.robust({"age": -1}), "at least 0, got -1"),
        (lambda e: e.robust({"age": "wide"}), "finite number .* got 'wide'"),
        (
            lambda e: e.intuitive({"dog": "increase"}),
            "directions has 'dog', which is not a feature",
        ),
        (lambda e: e.intuitive({"loans": "up"}), "one of 'increase', 'decrease'"),
        (lambda e: e.profile(0, "dog"), "feature must be one of .* got 'dog'"),
    ],
)
def test_bad_arguments_are_refused(loans, call, message):
    explanation, _ = loans
    with pytest.raises((TypeError, ValueError), match=message):
        call(explanation)
