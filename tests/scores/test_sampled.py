"""Sampled scores: they cover the truth, and odd regions end with an honest answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._actions._feature import slack
from skresp.constraints import IfThen, Linear, Linkage, Switch
from skresp.reach import _sampling as _sample
from skresp.reach._part import parts_of
from skresp.reach._sampling import sample_minimal
from skresp.scores import _sampled
from skresp.scores._row_rng import feature_keys, row_keys, uniforms
from tests.small_models import RuleModel


def explain(rule, actions, X, **arguments):
    arguments = {"random_state": 0, **arguments}
    return (
        ResponsivenessExplainer(RuleModel(rule), actions, **arguments).fit(X).explain(X)
    )


def test_the_interval_covers_the_truth_through_the_whole_path():
    """2,000 people whose true score is 0.3: about 95 % of the intervals hold it."""
    X = pd.DataFrame({"a": np.linspace(0.31, 0.999, 2_000)})
    actions = ActionSet({"a": Feature("real", 0, 1)})
    explanation = explain(lambda X: X["a"] < 0.3, actions, X)
    covered = (explanation.lower <= 0.3) & (explanation.upper >= 0.3)
    assert 0.93 <= covered.mean() <= 0.98
    assert explanation.values.mean() == pytest.approx(0.3, abs=0.003)


def test_the_stream_is_uniform_and_independent():
    keys = row_keys(0, {"a": np.arange(400.0), "b": np.zeros(400)}, 400)
    u = uniforms(feature_keys(keys, "a"), 250)
    v = uniforms(feature_keys(keys, "b"), 250)
    assert u.min() >= 0
    assert u.max() < 1
    counts, _ = np.histogram(u, bins=100, range=(0, 1))
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 160  # chi-square, 99 degrees
    for other in (v, np.roll(u, 1, axis=0), np.roll(u, 1, axis=1)):
        assert abs(np.corrcoef(u.ravel(), other.ravel())[0, 1]) < 0.015
    assert len(np.unique(keys)) == 400


# -- regions that are hard to hit ------------------------------------------------------


def test_a_switch_that_holds_a_real_target():
    actions = ActionSet(
        {"retired": Feature("binary"), "income": Feature("real", 0, 9_000)},
        [Switch("retired", ["income"])],
    )
    X = pd.DataFrame({"retired": [0, 1], "income": [500.0, 800.0]})
    explanation = explain(lambda X: X["income"] < 4_500, actions, X)
    # The first can move the income freely; the second only by giving up retirement.
    assert abs(explanation.values[0, 1] - 0.5) < 0.1
    assert explanation.n_reachable[1, 1] == 500
    points = explanation.reachable(1, "income").points
    assert (points["retired"] == 0).all()
    assert (explanation.reachable(0, "retired").points["income"] == 500).all()


def test_an_equality_among_reals_is_met_though_it_has_no_measure():
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("real", 0, 10)},
        [Linear({"a": 1, "b": 1}, 10, 10)],
    )
    X = pd.DataFrame({"a": [4.0], "b": [6.0]})
    for how in ("minimal", "joint"):
        explanation = explain(
            lambda X: X["b"] < 5, actions, X, interventions=how, n_samples=60
        )
        assert explanation.n_reachable[0, 0] == 60
        assert abs(explanation.values[0, 0] - 0.5) < 0.25
        points = explanation.reachable(0, "a").points
        np.testing.assert_allclose(points["a"] + points["b"], 10)


def test_without_a_feasible_change_nothing_is_found():
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("real", actionable=False)},
        [Linear({"a": 1, "b": 1}, 10, 10)],
    )
    X = pd.DataFrame({"a": [4.0], "b": [6.0]})
    explanation = explain(lambda X: X["a"] > 0, actions, X, n_samples=5)
    assert explanation.values[0, 0] == 0
    assert explanation.n_reachable[0, 0] == 0


@pytest.mark.parametrize("how", ["minimal", "joint"])
def test_a_feasible_region_of_a_millionth_is_found(how):
    """Two reals that must stay within a millionth of each other."""
    actions = ActionSet(
        {"a": Feature("real", 0, 1_000), "b": Feature("real", 0, 1_000)},
        [Linear({"a": 1, "b": -1}, -0.0005, 0.0005)],
    )
    X = pd.DataFrame({"a": [300.0], "b": [300.0]})
    explanation = explain(
        lambda X: X["a"] < 500, actions, X, interventions=how, n_samples=40
    )
    assert explanation.n_reachable[0, 0] == 40
    assert abs(explanation.values[0, 0] - 0.5) < 0.3
    points = explanation.reachable(0, "a").points
    size = points["a"] + points["b"]
    assert (abs(points["a"] - points["b"]) <= 0.0005 + slack(size)).all()


def test_bounds_of_millions_beside_binaries():
    actions = ActionSet(
        {
            "wealth": Feature("real", -3_000_000, 3_000_000),
            "debtor": Feature("binary"),
        },
        [
            IfThen(("debtor", "==", 0), ("wealth", ">=", 0)),
            IfThen(("debtor", "==", 1), ("wealth", "<=", 0)),
        ],
    )
    X = pd.DataFrame({"wealth": [1_000.0], "debtor": [0]})
    explanation = explain(lambda X: X["debtor"] == 1, actions, X, n_samples=80)
    assert explanation.n_reachable[0].tolist() == [80, 80]
    assert abs(explanation.values[0, 0] - 0.5) < 0.25, "half of the range is debt"
    assert explanation.values[0, 1] == 1
    points = explanation.reachable(0, "wealth").points
    assert (points["wealth"][points["debtor"] == 1] <= 1e-6).all()
    assert (points["wealth"][points["debtor"] == 0] >= -1e-6).all()


def test_scores_of_tied_reals_do_not_depend_on_company_or_order():
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("real", 0, 10)},
        [Linear({"a": 1, "b": 1}, upper=12)],
    )
    X = pd.DataFrame({"a": [4.0, 1.0, 7.0], "b": [6.0, 2.0, 3.0]})
    rule = lambda X: X["a"] * X["b"] > 10  # noqa: E731
    together = explain(rule, actions, X, n_samples=20).values
    np.testing.assert_array_equal(
        explain(rule, actions, X[::-1], n_samples=20).values[::-1], together
    )
    np.testing.assert_array_equal(
        explain(rule, actions, X[1:2], n_samples=20).values, together[1:2]
    )
    np.testing.assert_array_equal(
        explain(rule, actions, X, n_samples=20, n_jobs=2).values, together
    )


# -- parts that are too large to list, but not for one feature -------------------------


@pytest.mark.parametrize("count", [3, 6])
def test_twenty_values_are_counted_whatever_else_shares_the_part(count, solver_runs):
    rng = np.random.default_rng(0)
    pays = [f"pay{i}" for i in range(count)]
    bill = {"bill": rng.integers(0, 200_000, 15)}
    X = pd.DataFrame(bill | {p: rng.integers(0, 10_000, 15) for p in pays})
    pay = Feature(
        "integer", 0, 200_000, direction="increase", max_increase=20_000, step=1000
    )
    actions = ActionSet(
        {"bill": Feature("integer", actionable=False), **dict.fromkeys(pays, pay)},
        [Linkage(p, {"bill": -1}) for p in pays],
    )
    limit = 6_000 * count
    rule = lambda X: (X[pays].sum(axis=1) > limit) & (X["bill"] > 20_000)  # noqa: E731
    explanation = explain(rule, actions, X)
    assert explanation.exact.all()
    assert (explanation.n_reachable[:, 1:] == 20).all()
    assert len(solver_runs) == 0
    for i, name in enumerate(pays, start=1):
        steps = np.arange(1_000, 21_000, 1_000)
        total, owed = X[pays].sum(axis=1).to_numpy(), X["bill"].to_numpy()
        works = (total[:, None] + steps > limit) & (owed[:, None] - steps > 20_000)
        np.testing.assert_array_equal(explanation.values[:, i], works.mean(axis=1))
        assert len(explanation.reachable(0, name).points) == 20


def test_a_binary_with_one_point_beside_a_real_is_not_drawn(solver_runs):
    actions = ActionSet(
        {"retired": Feature("binary"), "income": Feature("real", 0, 9_000)},
        [IfThen(("retired", "==", 1), ("income", "<=", 800))],
    )
    X = pd.DataFrame({"retired": [0, 0], "income": [500.0, 5_000.0]})
    explanation = explain(lambda X: X["retired"] == 1, actions, X, n_samples=100)
    assert explanation.exact[:, 0].tolist() == [True, False]
    assert explanation.n_reachable[:, 0].tolist() == [1, 100]
    assert explanation.values[:, 0].tolist() == [1, 1]
    assert len(solver_runs) < 40, "once a configuration, not once a draw"


def test_a_real_follower_with_freedom_of_its_own_is_drawn():
    """The effect is 1 and the own change up to 10: 6.5 of 10 are at least 4.5."""
    actions = ActionSet(
        {"j": Feature("binary"), "r": Feature("real", 0, 10, direction="increase")},
        [Linkage("j", {"r": 1})],
    )
    X = pd.DataFrame({"j": [0], "r": [0.0]})
    scores = []
    for seed in range(10):
        explanation = explain(lambda X: X["r"] >= 4.5, actions, X, random_state=seed)
        assert not explanation.exact[0, 0]
        assert explanation.n_reachable[0, 0] == 500
        scores.append(explanation.values[0, 0])
    assert np.mean(scores) == pytest.approx(0.65, abs=0.025)


def partners(most, *more):
    """A binary that forces a real and an integer of many values to move."""
    return ActionSet(
        {
            "j": Feature("binary"),
            "r": Feature("real", 0, 1),
            "k": Feature("integer", 0, most),
        },
        [
            IfThen(("j", "==", 1), ("r", ">=", 0.5)),
            IfThen(("j", "==", 1), ("k", ">=", 1)),
            *more,
        ],
    )


def test_all_values_of_a_partner_are_drawn():
    """Not only the first that the solver finds."""
    X = pd.DataFrame({"j": [0], "r": [0.0], "k": [0]})
    scores = []
    for seed in range(4):
        explanation = explain(
            lambda X: X["k"] > 60, partners(100), X, random_state=seed
        )
        assert explanation.n_reachable[0, 0] == 500
        assert not explanation.exact[0, 0]
        scores.append(explanation.values[0, 0])
    assert np.mean(scores) == pytest.approx(0.4, abs=0.04)
    points = explanation.reachable(0, "j").points
    assert set(points["k"]) <= set(range(1, 101))
    assert points["k"].nunique() > 90


def test_values_of_a_partner_that_the_real_forbids_are_not_drawn():
    (part,) = parts_of(partners(100, IfThen(("k", ">=", 41), ("r", "<=", 0.2))))
    drawn = sample_minimal(part, np.zeros(3), 0, 400, np.random.default_rng(0))
    assert drawn.uniform
    assert len(drawn.changes) == 400
    assert set(drawn.changes[:, 2]) == set(range(1, 41))
    assert (drawn.changes[:, 1] >= 0.5).all()


def test_a_few_of_many_partners_do_not_make_a_score(monkeypatch):
    monkeypatch.setattr(_sample, "MAX_BY_SOLVER", 40)
    X = pd.DataFrame({"j": [0], "r": [0.0], "k": [0]})
    explanation = explain(lambda X: X["k"] > 500_000, partners(1_000_000), X)
    assert not explanation.exact[0, 0]
    assert (explanation.lower[0, 0], explanation.upper[0, 0]) == (0, 1)


def test_a_few_points_on_a_thin_line_do_not_make_a_score(monkeypatch):
    """The solver gives up on 2,000 points, and no proposal hits one of them."""
    monkeypatch.setattr(_sampled, "list_by_solver", lambda *_: None)
    actions = ActionSet(
        {"a": Feature("integer", 0, 2_000), "b": Feature("integer", 0, 200_000)},
        [Linear({"a": 100, "b": -1}, 0, 0)],
    )
    X = pd.DataFrame({"a": [0], "b": [0]})
    explanation = explain(lambda X: X["a"] > 999, actions, X, interventions="joint")
    # A proposal that does hit is drawn with equal chances, and its interval is wide.
    for j in (0, 1):
        assert not explanation.exact[0, j]
        assert explanation.lower[0, j] <= 0.5 <= explanation.upper[0, j]


def test_who_cannot_move_a_feature_beside_a_real_is_proven_not_to():
    actions = ActionSet(
        {
            "n": Feature("integer", 0, 5),
            "b": Feature("binary", direction="increase"),
            "r": Feature("real", 0, 1),
        },
        [
            Linear({"n": 1, "b": 10, "r": 0.1}, 0, 0),
            IfThen(("r", ">=", 2), ("b", "==", 1)),
        ],
    )
    X = pd.DataFrame({"n": [0], "b": [0], "r": [0.0]})
    for how in ("minimal", "joint"):
        explanation = explain(lambda X: X["n"] > 9, actions, X, interventions=how)
        assert explanation.n_reachable[0, :2].tolist() == [0, 0]
        assert explanation.exact[0, :2].all()


@pytest.mark.parametrize("how", ["minimal", "joint"])
def test_nothing_found_is_not_called_impossible(how):
    """One point is too few for a proof, and for a draw that is feasible."""
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("real", actionable=False)},
        [Linear({"a": 1, "b": 1}, 10, 10)],
    )
    X = pd.DataFrame({"a": [4.0], "b": [6.0]})
    explanation = explain(
        lambda X: X["a"] > 8, actions, X, max_points=1, interventions=how
    )
    assert explanation.n_reachable[0, 0] == 0
    assert not explanation.exact[0, 0]
    assert explanation.lower[0, 0] == 0
    assert explanation.upper[0, 0] == 1
    assert "No feasible change was found" in explanation.describe(0)


@pytest.mark.parametrize("how", ["minimal", "joint"])
@pytest.mark.parametrize("linked", [False, True])
def test_a_part_too_large_for_the_grid_beside_a_real(how, linked):
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 2000),
            "b": Feature("integer", 0, 2000),
            "c": Feature("real", 0, 1),
        },
        [
            Linear({"a": 1, "b": 1, "c": 1}, upper=3000),
            *([Linkage("a", {"b": 1})] if linked else []),
        ],
    )
    X = pd.DataFrame({"a": [0, 5], "b": [0, 5], "c": [0.0, 0.5]})
    explainer = ResponsivenessExplainer(
        AnySum(), actions, target=1, interventions=how, random_state=0, n_samples=20
    )
    explanation = explainer.fit(X).explain(X[:1])
    assert (explanation.n_reachable > 0).all()


class AnySum:
    """Says yes above a sum."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        return (X.sum(axis=1) > 2500).astype(int).to_numpy()
