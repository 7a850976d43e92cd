"""The status `possible`: a witness is known, but not whether one feature is enough."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skresp import ActionSet, Feature
from skresp.metrics import RecourseScorer, recourse_summary
from skresp.report import AuditReport
from tests.recourse.explainers import explainer_of
from tests.small_models import RuleClassifier


@pytest.fixture(scope="module")
def case():
    """A black box: both reals must rise, and `c`, which is fixed, must be 0."""
    X = pd.DataFrame({"a": [0.0, 0.5, 0.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]})
    X["c"] = [0, 0, 1, 0]
    model = RuleClassifier(lambda X: (X.a >= 0.9) & (X.b >= 0.9) & (X.c == 0))
    actions = ActionSet(
        {
            "a": Feature("real", 0, 1),
            "b": Feature("real", 0, 1),
            "c": Feature("binary", actionable=False),
        }
    )
    return explainer_of(model, actions, X), X


def test_a_witness_beside_unlisted_single_changes_is_possible(case):
    explainer, X = case
    verdicts = explainer.verify(X)
    assert verdicts.status.tolist() == ["possible", "single", "unknown", "approved"]
    assert verdicts.proof[0] == "witness"
    assert verdicts.has_witness.tolist() == [True, True, False, False]
    assert verdicts.counts()["possible"] == 1
    assert "1 possible" in repr(verdicts)


def test_possible_has_recourse_and_a_share_of_its_own(case):
    explainer, X = case
    summary = recourse_summary(explainer, X)
    names = ["no_recourse", "single", "joint", "possible", "unknown"]
    shares = [summary[name] for name in names]
    np.testing.assert_allclose(shares, [0, 1 / 3, 0, 1 / 3, 1 / 3])
    scorer = RecourseScorer(metric=["recourse_rate", "single_rate"])
    assert scorer(explainer, X) == {"recourse_rate": 0.75, "single_rate": 0.5}


def test_the_report_counts_and_names_possible_people(case):
    explainer, X = case
    report = AuditReport.from_estimator(explainer, X)
    people = report.to_dict()["people"]
    assert people["counts"]["possible"] == 1
    assert people["possible"] == pytest.approx(1 / 3)
    assert "several changes work, one may be enough" in report.html
    shown = {person["status"] for person in report.to_dict()["examples"]}
    assert shown == {"possible", "single", "unknown"}
