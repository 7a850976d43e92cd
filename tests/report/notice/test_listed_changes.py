"""Which of the features that work a letter lists."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import IfThen, OneHot, Thermometer
from skresp.report import notice
from tests.small_models import RuleModel

BURDENS = ["over_10", "over_20", "over_50"]


def letter(rule, person, features, rules=()):
    """Return the notice for one person under a rule that approves people."""
    X = pd.DataFrame([person])
    actions = ActionSet(features, rules)
    explainer = ResponsivenessExplainer(RuleModel(rule), actions, target=1)
    return notice(explainer.fit(X), X)


def listed(made):
    return [reason["feature"] for reason in made.to_dict()["reasons"]]


@pytest.mark.parametrize("needed", BURDENS)
def test_one_column_of_a_scale_is_listed_the_smallest_change(needed):
    down = Feature("binary", direction="decrease")
    made = letter(
        lambda X: X[needed] == 0,
        dict.fromkeys(BURDENS, 1),
        dict.fromkeys(BURDENS, down),
        [Thermometer(BURDENS, "decrease")],
    )
    assert listed(made) == [needed]
    assert made.to_dict()["more"] == 0


def test_both_directions_of_a_scale_are_listed():
    made = letter(
        lambda X: X[BURDENS].sum(axis=1) != 2,
        {"over_10": 1, "over_20": 1, "over_50": 0},
        dict.fromkeys(BURDENS, Feature("binary")),
        [Thermometer(BURDENS)],
    )
    assert sorted(listed(made)) == ["over_20", "over_50"]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_scale_leaves_room_for_other_features(most):
    down = Feature("binary", direction="decrease")
    features = {**dict.fromkeys(BURDENS, down), "late": down, "loans": down}
    X = pd.DataFrame([dict.fromkeys(features, 1)])
    actions = ActionSet(features, [Thermometer(BURDENS, "decrease")])
    model = RuleModel(lambda X: X.sum(axis=1) < 5)
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    made = notice(explainer, X, max_reasons=most)
    assert listed(made) == ["over_50", "late", "loans"][:most]
    assert made.to_dict()["more"] == 3 - most


def test_a_change_that_includes_another_one_is_not_listed():
    down = Feature("binary", direction="decrease")
    person = {"trades": 1, "trades_with_balance": 1, "burden": 1}
    # Without a trade with balance there are no trades, but not the other way round.
    rule = IfThen(("trades_with_balance", "==", 0), ("trades", "==", 0))
    features = dict.fromkeys(person, down)
    made = letter(lambda X: X.sum(axis=1) < 3, person, features, [rule])
    assert listed(made) == ["trades", "burden"]
    assert made.to_dict()["more"] == 0
    # Where the smaller change does not work, the larger one is advice.
    made = letter(lambda X: X["trades_with_balance"] == 0, person, features, [rule])
    assert listed(made) == ["trades_with_balance"]
    assert "also changes trades to no" in made.text


def test_one_change_is_not_listed_under_two_names():
    down = Feature("binary", direction="decrease")
    person = {"trade_last_year": 1, "trade_last_two_years": 1, "late": 1}
    both = [
        IfThen((one, "==", 0), (other, "==", 0))
        for one, other in itertools.permutations(list(person)[:2])
    ]
    features = dict.fromkeys(person, down)
    made = letter(lambda X: X.sum(axis=1) < 3, person, features, both)
    assert listed(made) == ["trade_last_year", "late"]
    assert made.to_dict()["more"] == 0


def test_changes_made_together_name_the_furthest_column_of_a_scale():
    years = ["years_3", "years_5", "years_7"]
    person = {**dict.fromkeys(years, 0), "rent": 1, "own": 0}
    made = letter(
        lambda X: (X["years_5"] == 1) & (X["own"] == 1),
        person,
        dict.fromkeys(person, Feature("binary")),
        [Thermometer(years), OneHot(["rent", "own"])],
    )
    content = made.to_dict()
    assert content["status"] == "joint"
    moves = {move["feature"]: move["follows"] for move in content["together"]}
    assert moves == {"years_5": False, "own": False, "years_3": True, "rent": True}
    assert "- years_5 from no to yes\n- own from no to yes\n\n" in made.text
    assert "This also changes years_3 to yes (now no)." in made.text
    assert "This also changes rent to no (now yes)." in made.text


def test_changes_down_a_scale_name_its_lowest_column():
    person = {**dict.fromkeys(BURDENS, 1), "late": 1}
    made = letter(
        lambda X: (X["over_20"] == 0) & (X["late"] == 0),
        person,
        dict.fromkeys(person, Feature("binary")),
        [Thermometer(BURDENS)],
    )
    asked = [m["feature"] for m in made.to_dict()["together"] if not m["follows"]]
    assert asked == ["over_20", "late"]


def test_advice_that_few_changes_follow_is_listed_only_without_other_advice():
    person = {"income": 0, "guarantor": 0}
    income = Feature("integer", 0, 100)
    guarantor = Feature("binary")

    def rule(X):
        return (X["income"] >= 99) | (X["guarantor"] == 1)

    made = letter(rule, person, {"income": income, "guarantor": guarantor})
    assert listed(made) == ["guarantor"]
    assert made.to_dict()["more"] == 0
    assert made.to_dict()["status"] == "single"
    held = Feature("binary", actionable=False)
    made = letter(rule, person, {"income": income, "guarantor": held})
    assert listed(made) == ["income"]
    assert "Works: 99 or 100." in made.text


def test_a_range_too_narrow_to_aim_at_is_left_out_beside_a_wide_one():
    debt = np.arange(0, 1, 0.0005)[:, None]
    for wide, narrow in itertools.product((0.05, 0.0), (0.004, 0.08)):
        good = (debt[:, 0] < wide) | (np.abs(debt[:, 0] - 0.3) < narrow / 2)
        model = DecisionTreeClassifier(random_state=0).fit(debt, good)
        actions = ActionSet({"x0": Feature("real", 0, 1)})
        explainer = ResponsivenessExplainer(
            FrozenEstimator(model), actions, target=True
        ).fit(debt)
        made = notice(explainer, np.array([[0.6]]))
        (reason,) = made.to_dict()["reasons"]
        assert len(reason["ranges"]) == (wide > 0) + 1
        # At an end of what can be reached a narrow range is easy to aim at.
        assert ("0.04" in reason["works"]) == (wide > 0)
        assert ("0.3" in reason["works"]) == (narrow > 0.01 or wide == 0)
