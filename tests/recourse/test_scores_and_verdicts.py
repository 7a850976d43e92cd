"""Scores and verdicts never disagree."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from skresp import ActionSet, AtLeast, Feature
from skresp._actions._encoding import encode
from skresp.constraints import IfThen, Linear, Linkage
from skresp.reach._lines import lines_of
from skresp.reach._part import located_parts
from tests.recourse.explainers import explainer_of, linear_regression
from tests.recourse.mixed_rows import fitted_on_mixed_rows, mixed_rows
from tests.small_models import RuleClassifier
from tests.strategies import cases, real_cases


def check(explainer, X):
    """Check that a score above 0 means `single`, and that exact zeros decide.

    Single values at which other features have to move too have no weight in a score.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores, verdicts = explainer.explain(X), explainer.verify(X)
    denied = ~scores.at_target & (verdicts.status != "invalid")
    one = denied & (np.nan_to_num(scores.values) > 0).any(axis=1)
    assert (verdicts.status[one] == "single").all()
    settled = denied & ~one & scores.exact.all(axis=1)
    settled[_rows_with_gaps(explainer, X)] = False
    assert "possible" not in verdicts.status[settled]
    shown = np.isin(verdicts.status, ["single", "joint", "possible"])
    np.testing.assert_array_equal(verdicts.has_witness, shown)
    if shown.any():
        assert (explainer.predict(verdicts.witness) == explainer.target_).all()


def _rows_with_gaps(explainer, X):
    """Return rows with single values at which other features have to move too."""
    codes, where = encode(explainer.action_set_, X, missing="hold"), np.arange(len(X))
    rows = []
    for part, columns in located_parts(explainer.action_set_):
        for j in part.actionable:
            before = codes[:, columns]
            lines = lines_of(part, j, where, before, explainer.interventions)
            rows += lines.gap_line.tolist()
    return rows


@pytest.mark.parametrize("reals", [False, True])
@pytest.mark.parametrize("kind", ["LR", "RF", "XGB", "MLP"])
@settings(max_examples=6)
@given(data=st.data())
def test_scores_and_verdicts_agree(kind, reals, data):
    actions, _ = data.draw(real_cases() if reals else cases())
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    model, X = fitted_on_mixed_rows(kind, actions, rng, 2)
    people = mixed_rows(actions, rng, 20)
    note(f"{actions}\n{people}")
    explainer = explainer_of(
        model,
        actions,
        X,
        target=0,
        interventions=data.draw(st.sampled_from(["minimal", "joint"])),
        n_samples=20,
        missing="hold",
        invalid_rows="nan",
    )
    check(explainer, people)


def test_a_draw_that_reaches_the_target_is_a_witness():
    """A fiftieth of a line reaches the target, between the points that verify tries."""
    X = pd.DataFrame({"a": [0.0, 0.3, 0.7], "b": [0, 0, 0]})
    model = RuleClassifier(lambda X: (X.a * 64) % 1 < 0.02)
    actions = ActionSet({"a": Feature("real", 0.001, 0.999), "b": Feature("binary")})
    explainer = explainer_of(model, actions, X)
    check(explainer, X[1:])
    assert (explainer.explain(X[1:]).values > 0).any(axis=1).all()


@pytest.mark.parametrize("max_points", [100, 500, 2_000, 20_000])
@pytest.mark.parametrize("how", ["minimal", "joint"])
def test_a_score_above_0_means_single_for_any_budget(max_points, how):
    """Features that only move together are drawn with the solver."""
    names = list("abc")
    X = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": 0.5, "c": [0.4, 0.3, 0.2]})
    model = RuleClassifier(lambda X: X["a"] + 0.3 * np.sin(9 * X["b"]) > 0.9)
    actions = ActionSet(
        {name: Feature("real", 0, 1) for name in names},
        [Linear(dict.fromkeys(names, 1.0), 1, 1), Linear({"a": 2, "b": 1}, 0.7, 3)],
    )
    for seed in range(3):
        explainer = explainer_of(
            model,
            actions,
            X,
            interventions=how,
            max_points=max_points,
            random_state=seed,
        )
        works = (explainer.explain(X).values > 0).any(axis=1)
        verdicts = explainer.verify(X)
        assert works.any() or max_points < 20_000
        assert (verdicts.status[works] == "single").all()
        assert (verdicts.used <= max_points).all()


def test_points_of_single_features_count_towards_the_budget():
    names = list("abcd")
    X = pd.DataFrame(0.5, index=range(3), columns=names)
    X["a"] = [0.1, 0.2, 0.3]
    sizes = []
    model = RuleClassifier(lambda X: sizes.append(len(X)) or np.zeros(len(X)))
    actions = ActionSet(
        {name: Feature("real", 0, 1) for name in names},
        [Linear(dict.fromkeys(names, 1.0), 0, 3), Linkage("a", {"b": 0.5})],
    )
    explainer = explainer_of(model, actions, X)
    for budget in (0, 7, 100, 3_000):
        sizes.clear()
        verdicts = explainer.verify(X, max_points=budget)
        assert (verdicts.used <= budget).all()
        assert sum(sizes) <= len(X) * (budget + 1), "one more for the row itself"
        assert set(verdicts.status) == {"unknown"}


@pytest.mark.parametrize(
    ("weights", "border", "status"),
    [
        ((1.0, 0.0), 2.5, "single"),
        ((1.0, 1.0), 2.75, "single"),
        ((1.0, 0.0), 3.5, "fixed"),
    ],
)
def test_an_intervention_at_a_single_value_moves_what_it_must(weights, border, status):
    """Only at its bound does `b` take `a` along: no weight in a score, but a way."""
    actions = ActionSet(
        {
            "a": Feature("real", 0, 3, actionable=False, mutable=True),
            "b": Feature("real", 0, 2, direction="decrease"),
        },
        [IfThen(("b", "<=", 0), ("a", ">=", 0))],
    )
    X = pd.DataFrame({"a": [-1.0], "b": [1.5]})
    model = linear_regression(weights, 0.0, "ab")
    explainer = explainer_of(model, actions, X, target=AtLeast(border))
    scores, verdicts = explainer.explain(X), explainer.verify(X)
    assert scores.exact.all()
    assert scores.values[0].tolist() == [0.0, 0.0]
    assert verdicts.status.tolist() == [status]
    if status == "single":
        assert verdicts.witness["b"].tolist() == [0.0]
