"""The people an audit shows: the same in every order, with the verdicts of the page."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.report import AuditReport
from skresp.report._audit._candidates import MAX_EXAMPLES
from tests.credit_example import lender
from tests.small_models import RuleModel

OPTIONS = {"date": "x", "groups": "sex", "examples": 10}


def test_every_order_shows_the_same_page():
    us = lender()
    made = AuditReport.from_estimator(us.explainer, us.X, **OPTIONS)
    shuffled = us.X.sample(frac=1, random_state=0)
    again = AuditReport.from_estimator(us.explainer, shuffled, **OPTIONS)
    assert again.html == made.html


def test_other_rows_do_not_change_who_of_the_old_ones_comes_first():
    us = lender()
    made = AuditReport.from_estimator(us.explainer, us.X[:80], **OPTIONS).to_dict()
    more = AuditReport.from_estimator(us.explainer, us.X, **OPTIONS).to_dict()
    for status in ("single", "joint", "fixed"):
        first, second = (
            [int(e["row"]) for e in m["examples"] if e["status"] == status]
            for m in (made, more)
        )
        old = [row for row in second if row < 80]
        assert old == first[: len(old)]


def test_statuses_take_turns_up_to_the_largest_number():
    us = lender()
    made = AuditReport.from_estimator(us.explainer, us.X, sections=["examples"])
    shown = [e["status"] for e in made.to_dict()["examples"]]
    assert shown == ["single", "joint", "fixed", "single", "joint"]
    many = AuditReport.from_estimator(
        us.explainer, us.X, sections=["examples"], examples=99
    )
    assert len(many.to_dict()["examples"]) == MAX_EXAMPLES


def test_only_the_shortest_way_of_those_who_need_several_is_searched_again(monkeypatch):
    us = lender()
    verify, explain = ResponsivenessExplainer.verify, ResponsivenessExplainer.explain
    rows = Counter()

    def counted_verify(self, X, **options):
        rows["verify", options.get("cost")] += len(X)
        return verify(self, X, **options)

    def counted_explain(self, X, **options):
        rows["explain"] += len(X)
        return explain(self, X, **options)

    monkeypatch.setattr(ResponsivenessExplainer, "verify", counted_verify)
    monkeypatch.setattr(ResponsivenessExplainer, "explain", counted_explain)
    made = AuditReport.from_estimator(us.explainer, us.X).to_dict()
    several = sum(e["status"] == "joint" for e in made["examples"])
    assert several
    assert rows == {
        ("verify", None): len(us.X),
        ("verify", "fewest"): several,
        "explain": made["people"]["n_denied"],
    }


def test_the_status_shown_is_that_of_the_one_verification():
    """A search that ends early does not know what the scores know."""
    names = [f"x{k}" for k in range(12)]
    X = pd.DataFrame(np.zeros((3, 12), dtype=int), columns=names)
    explainer = ResponsivenessExplainer(
        RuleModel(lambda X: X["x11"] == 1),
        ActionSet(dict.fromkeys(names, Feature("binary"))),
        target=1,
    ).fit(X)
    made = AuditReport.from_estimator(explainer, X, max_points=1)
    counts = made.to_dict()["people"]["counts"]
    (example, *_) = made.to_dict()["examples"]
    assert counts[example["status"]] == 3
    assert example["status"] != example["notice"]["status"] == "single"
    assert "the scores found them" in made.html
