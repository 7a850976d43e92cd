"""Examples worked by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linkage, Thermometer
from tests.small_models import RuleModel


def test_loans_guarantor_and_age():
    """Three loans, no guarantor, 24 years old; nobody changes their age.

    Loans can go to 0, 1, 2, 4 or 5: approved with at most 1, so 2 of 5. A guarantor
    alone is not enough with 3 loans: 0 of 1.
    """
    actions = ActionSet(
        {
            "n_loans": Feature("integer", 0, 5),
            "guarantor": Feature("binary"),
            "age": Feature("integer", 18, 90, actionable=False),
        }
    )
    model = RuleModel(
        lambda X: (X["n_loans"] <= 1) | ((X["guarantor"] == 1) & (X["n_loans"] <= 2))
    )
    X = pd.DataFrame({"n_loans": [3, 2], "guarantor": [0, 0], "age": [24, 24]})
    explanation = ResponsivenessExplainer(model, actions).fit(X).explain(X)
    np.testing.assert_array_equal(explanation.values, [[2 / 5, 0, 0], [2 / 5, 1, 0]])
    np.testing.assert_array_equal(explanation.n_reachable, [[5, 1, 0], [5, 1, 0]])
    assert explanation.top_features() == [[0], [1, 0]]


def test_fixed_predictions_of_an_immutable_feature():
    """The best model for these counts denies everybody of 60 and more.

    age >= 60, savings >= 50K, labels 0 and 1: (0,0) 40/10, (0,1) 10/30, (1,0) 20/10,
    (1,1) 30/10.
    """
    counts = {(0, 0): (40, 10), (0, 1): (10, 30), (1, 0): (20, 10), (1, 1): (30, 10)}
    rows, labels = [], []
    for values, (zeros, ones) in counts.items():
        rows += [values] * (zeros + ones)
        labels += [0] * zeros + [1] * ones
    X = pd.DataFrame(rows, columns=["age_60", "savings_50K"])
    model = DecisionTreeClassifier(random_state=0).fit(X, labels)
    actions = ActionSet.infer(X, immutable=["age_60"])
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions).fit(X)
    people = pd.DataFrame(list(counts), columns=X.columns)
    explanation = explainer.explain(people)
    np.testing.assert_array_equal(explanation.values[:, 0], 0)
    np.testing.assert_array_equal(explanation.values[:, 1], [1, 0, 0, 0])
    np.testing.assert_array_equal(explanation.at_target, [False, True, False, False])
    np.testing.assert_array_equal(explanation.n_reachable[:, 1], 1)


@pytest.fixture
def working():
    actions = ActionSet(
        {
            "years_employed": Feature(
                "integer", 0, 7, direction="increase", max_increase=2
            ),
            "age": Feature("integer", actionable=False),
            "home": Feature("categorical", categories=["rent", "own"]),
            "pet": Feature("binary"),
        },
        [Linkage("years_employed", {"age": 1})],
    )
    X = pd.DataFrame(
        {
            "years_employed": [3, 5, 7],
            "age": [30, 40, 50],
            "home": ["rent", "rent", "own"],
            "pet": [0, 1, 0],
        },
        index=["ann", "bob", "cleo"],
    )
    model = RuleModel(
        lambda X: (X["years_employed"] >= 5) & (X["age"] <= 40) | (X["home"] == "own"),
        ["denied", "granted"],
    )
    return ResponsivenessExplainer(model, actions).fit(X), X


def test_the_repr_of_answers_has_no_points():
    X = pd.DataFrame({"loans": [3, 0]})
    actions = ActionSet({"loans": Feature("integer", 0, 5)})
    model = RuleModel(lambda X: X["loans"] <= 1)
    explanation = ResponsivenessExplainer(model, actions, target=1).fit(X).explain(X)
    answers = explanation.reachable(0, "loans")
    assert repr(answers) == "Answers(5 points, 2 of them reach the target, complete)"


def test_binary_columns_that_go_along_are_yes_or_no():
    scale = ["over_10", "over_20"]
    X = pd.DataFrame([[1, 1], [0, 0]], columns=scale)
    features = dict.fromkeys(scale, Feature("binary"))
    actions = ActionSet(features, [Thermometer(scale)])
    model = RuleModel(lambda X: X["over_10"] == 0)
    explanation = ResponsivenessExplainer(model, actions, target=1).fit(X).explain(X)
    assert explanation.describe(0).endswith(
        "- over_10: its only change works (score 1.00): turn over_10 off; together "
        "with over_20 to no."
    )


def test_words_say_what_to_change_and_what_follows(working):
    explainer, X = working
    explanation = explainer.explain(X)
    assert explanation.describe(0).splitlines() == [
        "Predicted denied; the target is granted.",
        "- home: its only change works (score 1.00): change home from rent to own.",
        "- years_employed: 1 of 2 changes works (score 0.50). Smallest change: raise "
        "years_employed from 3 to 5; age follows to 32.",
    ]
    assert "already the target" in explanation.describe(1)
    assert explanation.describe(-1) == explanation.describe(2)
    with pytest.raises(IndexError, match="from 0 to 2, got 3"):
        explanation.describe(3)


def test_describe_says_that_no_single_change_works(working):
    explainer, X = working
    stuck = X.assign(home="van", years_employed=0)
    actions = explainer.action_set_.replace(
        features={"home": Feature("categorical", actionable=False)}
    )
    explanation = explainer.set_params(action_set=actions).fit(X).explain(stuck)
    assert "No change of a single feature" in explanation.describe(0)
    assert len(explanation.top()) == 0
    assert explanation.top_features() == [[], [], []]


def test_the_reachable_points_come_with_the_models_answers(working):
    explainer, X = working
    explanation = explainer.explain(X)
    answers = explanation.reachable(0, "years_employed")
    assert answers.complete
    assert answers.points["years_employed"].tolist() == [4, 5]
    assert answers.points["age"].tolist() == [31, 32]
    assert answers.reached.tolist() == [False, True]
    assert len(explanation.reachable(0, "age")) == 0
    with pytest.raises(ValueError, match=r"feature must be one of .* got 'dog'"):
        explanation.reachable(0, "dog")


def test_top_lists_reasons_by_score_then_column(working):
    explainer, X = working
    top = explainer.explain(X).top(2)
    assert list(top.columns) == ["row", "rank", "feature", "score", "lower", "upper"]
    assert top[top["row"] == "ann"]["feature"].tolist() == ["home", "years_employed"]
    few = explainer.explain(X).top(1)
    assert few[few["row"] == "ann"]["feature"].tolist() == ["home"]
    strict = explainer.explain(X).top(4, min_score=0.5)
    assert strict[strict["row"] == "ann"]["feature"].tolist() == ["home"]
    with pytest.raises(ValueError, match="k must be a whole number of at least 1"):
        explainer.explain(X).top(0)


def test_frames_and_pages(working):
    explainer, X = working
    explanation = explainer.explain(X)
    frame = explanation.to_frame()
    assert frame.index.tolist() == ["ann", "bob", "cleo"]
    assert frame.columns.tolist() == X.columns.tolist()
    html = explanation._repr_html_()
    assert "<th>ann</th>" in html
    assert "<th>age</th>" not in html, "nobody can move it"
    assert "2 at the target, 1 not; of those 1 have a feature that works" in repr(
        explanation
    )
    evil = X.rename(index={"ann": "<script>"})
    assert "<script>" not in explainer.explain(evil)._repr_html_()
