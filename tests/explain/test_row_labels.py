"""A row is named by its position, or with label= by its label in the index."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.plots import LineDisplay, PersonDisplay, ResponsivenessDisplay
from skresp.report import notice


@pytest.fixture(scope="module")
def results():
    """Explanation and verdicts of rows whose labels are positions of other rows."""
    X = pd.DataFrame({"a": [9.0, 1.0, 2.0, 8.0], "b": [0, 1, 2, 3]}, index=[3, 2, 1, 0])
    model = DecisionTreeClassifier().fit(X, X["a"] > 5)
    actions = ActionSet({"a": Feature("real", 0, 10), "b": Feature("integer", 0, 3)})
    explainer = ResponsivenessExplainer(model, actions, target=True).fit(X)
    return explainer.explain(X), explainer.verify(X)


def test_a_label_is_the_row_of_that_label(results):
    explanation, verdicts = results
    asked = {
        "describe": explanation.describe,
        "changed": verdicts.changed,
        "notice": lambda row=None, label=None: (
            notice(explanation, row, verdicts, label=label).text
        ),
        "reachable": lambda row=None, label=None: (
            explanation.reachable(row, "a", label=label).points.to_numpy().tolist()
        ),
        "intervals": lambda row=None, label=None: explanation.intervals(
            row, "a", label=label
        ),
        "profile": lambda row=None, label=None: (
            explanation.profile(row, "a", label=label).to_numpy().tolist()
        ),
        "line": lambda row=None, label=None: (
            LineDisplay.from_explanation(explanation, row, "a", label=label).value
        ),
        "bars": lambda row=None, label=None: (
            ResponsivenessDisplay.from_explanation(explanation, row, label=label).title
        ),
        "person": lambda row=None, label=None: (
            PersonDisplay.from_explanations({"R": explanation}, row, label=label).title
        ),
    }
    for name, ask in asked.items():
        for position, label in enumerate([3, 2, 1, 0]):
            assert ask(label=label) == ask(position), name
        assert ask(-1) == ask(3)


def test_a_plot_takes_a_label(results):
    explanation, _ = results
    title = explanation.plot(label=2).ax_.get_title(loc="left")
    assert title == explanation.plot(1).ax_.get_title(loc="left")
    plt.close("all")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"row": 4}, IndexError, "from 0 to 3, got 4"),
        ({"row": "3"}, IndexError, "pass label="),
        ({"row": True}, IndexError, "from 0 to 3, got True"),
        ({"label": 7}, KeyError, "no row has the label 7"),
        ({"label": [1]}, KeyError, "no row has"),
        ({"row": 1, "label": 1}, ValueError, "not both"),
        ({}, TypeError, "row= .a position. or label="),
    ],
)
def test_a_wrong_row_is_named(results, given, error, said):
    with pytest.raises(error, match=said):
        results[0].describe(**given)
    with pytest.raises(error, match=said):
        results[1].changed(**given)


def test_labels_of_any_kind(results):
    explanation, _ = results
    X = explanation.data
    actions = explanation._context.actions
    model = explanation._context.fitted_model.estimator
    explainer = ResponsivenessExplainer(model, actions, target=True).fit(X)
    for index in (
        list("wxyz"),
        pd.MultiIndex.from_tuples([("p", 1), ("p", 2), ("q", 1), ("q", 2)]),
        pd.date_range("2020-01-01", periods=4),
    ):
        again = explainer.explain(X.set_axis(index))
        assert again.describe(label=index[1]) == explanation.describe(1)
    twice = explainer.explain(X.set_axis([5, 5, 6, 7]))
    with pytest.raises(KeyError, match="2 rows have the label 5"):
        twice.describe(label=5)
    assert explainer.explain(np.asarray(X)).describe(label=1) == explanation.describe(1)
