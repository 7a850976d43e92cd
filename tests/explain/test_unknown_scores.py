"""Texts where the share of changes that work is not known."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import IfThen
from skresp.plots import PersonDisplay, ResponsivenessDisplay
from skresp.reach import _sampling as _sample
from skresp.reach._sampling import Sample
from skresp.report import AuditReport, notice
from skresp.scores import _sampled
from skresp.scores._can_move import can_move

ACTIONS = ActionSet(
    {
        "j": Feature("binary"),
        "r": Feature("real", 0, 1),
        "k": Feature("integer", 0, 1_000_000),
    },
    [
        IfThen(("j", "==", 1), ("r", ">=", 0.5)),
        IfThen(("j", "==", 1), ("k", ">=", 1)),
    ],
)
X = pd.DataFrame({"j": [0], "r": [0.0], "k": [0]})


class Rule(ClassifierMixin, BaseEstimator):
    """Predict by a function; a black box."""

    def __init__(self, works):
        self.works = works

    def fit(self, X, y=None):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return np.asarray(self.works(X), dtype=int)


def explainer(works, **options):
    model = Rule(works).fit(X)
    return ResponsivenessExplainer(
        model, ACTIONS, target=1, random_state=0, **options
    ).fit(X)


@pytest.fixture
def few(monkeypatch):
    """Let the solver list a few of a million configurations."""
    monkeypatch.setattr(_sample, "MAX_BY_SOLVER", 40)


@pytest.fixture
def none(monkeypatch):
    """Let no proposal be feasible, and nothing prove that none is."""
    nothing = Sample(np.zeros((0, 3)), 10_000)
    monkeypatch.setattr(_sampled, "sample_interventions", lambda *_: nothing)
    monkeypatch.setattr(_sampled, "cannot_move", lambda *_: False)


def audit_html(explainer):
    return AuditReport.from_estimator(explainer, X).html


def remarks(explanation):
    bars = ResponsivenessDisplay.from_explanation(explanation, 0).plot()
    person = PersonDisplay.from_explanations({"RESP": explanation}, 0).plot()
    axes = bars.ax_, *person.figure_.axes
    said = [[text.get_text() for text in ax.texts] for ax in axes]
    plt.close("all")
    return said


@pytest.mark.usefixtures("few")
def test_changes_that_work_among_a_few_are_a_witness_of_unknown_share():
    ex = explainer(lambda X: (X["j"] == 1) & (X["k"] % 2 == 0))
    e = ex.explain(X)
    assert e.values[0, 0] > 0
    assert (e.lower[0, 0], e.upper[0, 0], e.exact[0, 0]) == (0, 1, False)
    assert ex.verify(X).status[0] == "single"
    text = e.describe(0)
    assert "j: some changes work, but their share is not known" in text
    assert "%" not in text
    made = notice(e, 0)
    share = made.to_dict()["reasons"][0]["share"]
    assert "only some of the possible changes" in share
    assert "%" not in share + made.text
    for said in remarks(e):
        assert "works, share not known" in said


@pytest.mark.usefixtures("few")
def test_a_few_changes_that_do_not_work_say_nothing_about_the_others():
    ex = explainer(lambda X: (X["j"] == 1) & (X["k"] < 0))
    e = ex.explain(X)
    assert e.n_reachable[0, 0] > 0
    text = e.describe(0)
    assert "j: not known. Only some of the possible changes were found" in text
    assert "For j" not in text
    for said in remarks(e):
        assert "no change found that works" in said
    display = ResponsivenessDisplay.from_explanation(e).plot()
    labels = display.ax_.get_legend_handles_labels()[1]
    plt.close("all")
    assert labels[-1] == "not known"
    assert "not known" in audit_html(ex)


@pytest.mark.usefixtures("none")
def test_no_feasible_change_found_is_not_called_immovable():
    ex = explainer(lambda X: X["k"] < 0, max_points=2_000)
    e = ex.explain(X)
    assert e.n_reachable[0, 0] == 0
    assert e.reachable(0, "j").tried == 10_000
    text = e.describe(0)
    assert "j: not known. No feasible change was found among 10,000" in text
    letter = " ".join(notice(e, 0).text.split())
    assert re.search(
        "We found no possible change of .*j.*, but there may be", letter
    ), letter
    for said in remarks(e):
        assert "no feasible change found" in said
        assert "this person cannot change it" not in said
    line = AuditReport.from_estimator(ex, X).to_dict()["features"]["features"]
    by_name = {entry["feature"]: entry for entry in line}
    assert by_name["j"]["not_known"] == 1
    assert by_name["j"]["cannot_move"] == 0


@pytest.mark.usefixtures("none")
def test_what_is_not_known_is_said_beside_what_works():
    e = explainer(lambda X: X["r"] > 0.7).explain(X)
    assert "j: not known." in e.describe(0)


@pytest.mark.usefixtures("none")
def test_only_proof_makes_a_feature_immovable():
    keys = np.zeros(1, dtype=np.uint64)
    assert can_move(ACTIONS, X.to_numpy(dtype=float), keys)[0].all()
