"""Verdicts of black-box models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skresp import ActionSet, Feature
from tests import oracle
from tests.recourse.engines.black_boxes import BLACK_BOXES
from tests.recourse.explainers import explainer_of


@pytest.mark.parametrize("kind", BLACK_BOXES)
def test_fixed_requires_that_all_points_were_evaluated(whole_numbers, kind):
    X, y, actions = whole_numbers
    model = BLACK_BOXES[kind]().fit(X, y)
    explainer = explainer_of(model, actions, X)
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
    # With a smaller budget less is known, and nothing else.
    known = short.status != "unknown"
    np.testing.assert_array_equal(short.status[known], verdicts.status[known])


def test_nobody_with_a_free_real_is_fixed(whole_numbers):
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
    verdicts = explainer_of(model, actions, X.astype(float)).verify(X)
    assert set(verdicts.status) == {"approved", "single", "possible", "unknown"}
    unknown = verdicts.status == "unknown"
    assert (verdicts.proof[unknown] == "not all changes can be evaluated").all()
    assert (verdicts.proof[verdicts.status == "possible"] == "witness").all()
    shown = np.isin(verdicts.status, ["single", "joint", "possible"])
    np.testing.assert_array_equal(verdicts.has_witness, shown)
    assert (model.predict(verdicts.witness.astype(float)) == 1).all()


def test_curve_requires_best_scores(whole_numbers):
    X, y, actions = whole_numbers
    explainer = explainer_of(BLACK_BOXES["MLP"]().fit(X, y), actions, X)
    with pytest.raises(ValueError, match=r"best score of .* rows is not known"):
        explainer.verify(X).curve()
