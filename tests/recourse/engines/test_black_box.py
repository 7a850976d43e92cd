"""Verdicts of models of which nothing but predictions is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skresp import ActionSet, Feature, ResponsivenessExplainer
from tests import oracle
from tests.recourse.engines.black_boxes import BLACK_BOXES


@pytest.mark.parametrize("kind", BLACK_BOXES)
def test_a_black_box_is_fixed_only_where_all_was_seen(whole_numbers, kind):
    X, y, actions = whole_numbers
    model = BLACK_BOXES[kind]().fit(X, y)
    explainer = ResponsivenessExplainer(model, actions).fit(X)
    verdicts = explainer.verify(X)
    assert set(verdicts.status) == {"approved", "single", "joint", "fixed"}
    assert (model.predict(verdicts.witness) == 1).all()
    for i in np.random.default_rng(0).choice(len(X), 40, replace=False):
        points = oracle.all_points(actions, X.iloc[i].to_dict())
        hit = (model.predict(pd.DataFrame(points)) == 1).any()
        assert (verdicts.status[i] == "fixed") == (not hit)
        if verdicts.status[i] == "fixed":
            assert verdicts.proof[i] in ("exhaustion", "no feasible change")
            assert verdicts.used[i] == len(points) - 1
    short = explainer.verify(X, max_points=3)
    assert (short.status == "unknown").any()
    assert (short.used <= 3).all()
    # A budget changes what is known, never what is true.
    known = short.status != "unknown"
    np.testing.assert_array_equal(short.status[known], verdicts.status[known])


def test_a_black_box_with_a_real_is_never_called_fixed(whole_numbers):
    X, y, _ = whole_numbers
    actions = ActionSet(
        {
            "a": Feature("real", 0, 4, max_increase=1),
            "b": Feature("integer", 0, 4, max_increase=1),
            "c": Feature("integer", actionable=False),
            "d": Feature("integer", actionable=False),
        }
    )
    model = BLACK_BOXES["MLP"]().fit(X.astype(float), y)
    verdicts = ResponsivenessExplainer(model, actions).fit(X.astype(float)).verify(X)
    assert set(verdicts.status) == {"approved", "single", "possible", "unknown"}
    unknown = verdicts.status == "unknown"
    assert (verdicts.proof[unknown] == "not all changes can be evaluated").all()
    assert (verdicts.proof[verdicts.status == "possible"] == "witness").all()
    # A way is known where, and only where, the status says so.
    ways = np.isin(verdicts.status, ["single", "joint", "possible"])
    np.testing.assert_array_equal(verdicts.has_witness, ways)
    assert (model.predict(verdicts.witness.astype(float)) == 1).all()


def test_a_curve_needs_scores(credit, whole_numbers):
    X, y, actions = whole_numbers
    explainer = ResponsivenessExplainer(BLACK_BOXES["MLP"]().fit(X, y), actions).fit(X)
    with pytest.raises(ValueError, match=r"best score of .* rows is not known"):
        explainer.verify(X).curve()
