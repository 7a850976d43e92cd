"""Minimal interventions on one feature, listed also beside reals and large parts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings

from skresp import ActionSet, Feature
from skresp._actions._encoding import encode
from skresp.constraints import IfThen, Linear, Linkage, Switch
from skresp.reach import reachable_set
from skresp.reach._cache import make_reaches
from skresp.reach._interventions_by_amount import minimal_by_amount
from skresp.reach._minimal_list import list_minimal
from skresp.reach._own_changes import own_changes
from skresp.reach._part import parts_of
from skresp.reach._sampling import sample_joint, sample_minimal
from tests.strategies import cases, real_cases


def parts_with_values(actions, person):
    codes = encode(actions, pd.DataFrame([person]))[0]
    for part in parts_of(actions):
        yield part, codes[[actions.names.index(name) for name in part.names]]


def rows(changes):
    return sorted(map(tuple, np.asarray(changes).tolist()))


@given(case=cases())
@settings(max_examples=200)
def test_lists_of_one_feature_are_those_of_the_whole_part(case):
    actions, person = case
    note(f"{actions} {person}")
    for part, x in parts_with_values(actions, person):
        (reach,) = make_reaches(part, x[None])
        for j in part.actionable:
            wanted = reach.changes[reach.interventions(j, "minimal")]
            if part.links_into[j]:
                assert list_minimal(part, x, j) is None
                continue
            found = list_minimal(part, x, j)
            assert rows(found) == rows(wanted), part.names[j]


@given(case=real_cases())
@settings(max_examples=60)
def test_a_list_beside_reals_holds_what_is_drawn(case):
    """Draws beside a real are among the list, and hit each of its few points."""
    actions, person = case
    note(f"{actions} {person}")
    for part, x in parts_with_values(actions, person):
        for j in part.actionable:
            listed = list_minimal(part, x, j)
            if listed is None:
                continue
            before = np.broadcast_to(x, listed.shape)
            assert part.feasible(before, part.own(listed)).all()
            assert (listed[:, j] != 0).all()
            drawn = sample_minimal(part, x, j, 40, np.random.default_rng(0)).changes
            assert set(rows(drawn)) <= set(rows(listed))
            assert len(drawn) > 0 or not len(listed)
            # Joint changes with the same amount move all that a listed one moves.
            free = sample_joint(part, x, j, 40, np.random.default_rng(0)).changes
            assert len(listed) or not len(free)
            for change in free:
                sets = (listed != 0)[listed[:, j] == change[j]]
                assert (sets <= (change != 0)).all(axis=1).any()


def payments(count, **limits):
    pay = Feature("integer", 0, 200_000, step=1000, max_increase=20_000, **limits)
    names = [f"pay{i}" for i in range(count)]
    return ActionSet(
        {"bill": Feature("integer", actionable=False), **dict.fromkeys(names, pay)},
        [Linkage(name, {"bill": -1}) for name in names],
    )


@pytest.mark.parametrize("count", [2, 4, 6, 12])
def test_twenty_payments_are_twenty_points_whatever_else_is_paid(count, solver_runs):
    actions = payments(count, direction="increase")
    x = pd.Series({"bill": 150_000} | {f"pay{i}": 500 * i for i in range(count)})
    found = reachable_set(actions, x, "pay1")
    assert found.complete
    assert sorted(found.points["pay1"] - 500) == list(range(1000, 21_000, 1000))
    assert (found.points["pay1"] - 500 + found.points["bill"] == 150_000).all()
    assert len(solver_runs) == 0


def test_a_payment_that_another_can_take_back_has_more_minimal_sets():
    """One that falls with another that rises leaves the bill as it is."""
    actions = payments(3, max_decrease=2_000)
    x = pd.Series({"bill": 9_000, "pay0": 5_000, "pay1": 5_000, "pay2": 5_000})
    (part,) = parts_of(actions)
    (reach,) = make_reaches(part, x.to_numpy(dtype=float)[None])
    wanted = reach.changes[reach.interventions(1, "minimal")]
    found = list_minimal(part, x.to_numpy(dtype=float), 1)
    assert rows(found) == rows(wanted)
    moved = {tuple(np.flatnonzero(change)) for change in found}
    assert moved == {(0, 1), (1, 2), (1, 3), (1, 2, 3)}


def test_a_binary_beside_a_real_that_need_not_move_is_one_point(solver_runs):
    actions = ActionSet(
        {"retired": Feature("binary"), "income": Feature("real", 0, 9_000)},
        [IfThen(("retired", "==", 1), ("income", "<=", 800))],
    )
    low, high = {"retired": 0, "income": 500.0}, {"retired": 0, "income": 5_000.0}
    found = reachable_set(actions, low, "retired")
    assert found.complete
    assert found.points.to_dict("records") == [{"retired": 1, "income": 500.0}]
    assert len(solver_runs) == 0
    # Where the income has to move it moves within what is allowed.
    found = reachable_set(actions, high, "retired", max_points=300, random_state=0)
    assert not found.complete
    assert len(found) == 300
    assert (found.points["income"] <= 800).all()
    assert abs(found.points["income"].mean() - 400) < 60
    assert len(solver_runs) < 30
    solver_runs.clear()
    # The income by itself, and with the status where it has to change along.
    person = {"retired": 1, "income": 700.0}
    found = reachable_set(actions, person, "income", max_points=300, random_state=0)
    assert len(found) == 300
    assert (found.points["retired"] == (found.points["income"] <= 800)).all()
    assert len(solver_runs) == 0


@pytest.mark.parametrize("actionable", [True, False])
def test_a_real_that_follows_and_has_freedom_of_its_own_is_no_single_point(actionable):
    """Its own change is free beside the effect, so that one point is not all."""
    r = Feature(
        "real", 0, 10, direction="increase", actionable=actionable, mutable=True
    )
    actions = ActionSet({"j": Feature("binary"), "r": r}, [Linkage("j", {"r": 1})])
    (part,) = parts_of(actions)
    assert list_minimal(part, np.zeros(2), 0) is None
    found = reachable_set(
        actions, {"j": 0, "r": 0.0}, "j", max_points=300, random_state=0
    )
    assert not found.complete
    assert len(found) == 300
    assert found.points["r"].min() >= 1
    assert found.points["r"].max() > 9
    assert abs(found.points["r"].mean() - 6) < 0.7


def test_a_partner_whose_effect_a_real_takes_back_is_no_single_point():
    """With `k` at 2 the real stays by itself, with other values by its own change."""
    actions = ActionSet(
        {
            "j": Feature("binary"),
            "k": Feature("integer", 0, 4),
            "r": Feature("real", 0, 9),
        },
        [
            Linkage("j", {"r": -2}),
            Linkage("k", {"r": 1}),
            IfThen(("j", "==", 1), ("k", ">=", 1)),
        ],
    )
    (part,) = parts_of(actions)
    assert list_minimal(part, np.array([0.0, 0, 5]), 0) is None
    drawn = sample_minimal(
        part, np.array([0.0, 0, 5]), 0, 200, np.random.default_rng(0)
    ).changes
    assert set(rows(drawn)) == {(1, k, 0) for k in (1, 2, 3, 4)}


@pytest.fixture
def forced():
    """Switches that force changes, with a linkage and a real in the same part."""
    names = [f"f{i}" for i in range(5)]
    return ActionSet(
        {n: Feature("integer", 0, 6) for n in names} | {"r": Feature("real", 0, 1)},
        [
            Switch("f0", ["f1"], 6, force_change=True),
            Switch("f1", ["f2", "f3"], 0, force_change=True),
            Switch("f2", ["f4"], 1, force_change=True),
            Linkage("f3", {"f4": 1}, keep_bounds=True),
            Linear({"f0": 1, "f4": -1}, 3, 3),
            Switch("f4", ["r"], 2),
            Linear({"f1": 1, "f2": 1}, 7, 7),
        ],
    )


@pytest.mark.parametrize("how", ["minimal", "joint"])
def test_feasible_changes_that_are_rare_are_found(forced, how):
    x = pd.Series({"f0": 5, "f1": 3, "f2": 4, "f3": 1, "f4": 2, "r": 0.5})
    held = forced.replace(features={"r": Feature("real", actionable=False)})
    for name in ("f0", "f1", "f2", "f3", "f4"):
        exists = len(reachable_set(held, x, name, interventions=how, method="grid"))
        found = reachable_set(
            forced, x, name, interventions=how, max_points=8, random_state=0
        )
        assert exists > 0
        assert len(found) > 0, name


def test_amounts_are_settled_each_by_itself():
    """Some amounts need nothing, some a partner, some are impossible."""
    actions = ActionSet(
        {"n": Feature("integer", 0, 9), "b": Feature("binary"), "s": Feature("binary")},
        [
            IfThen(("n", ">=", 4), ("b", "==", 1)),
            IfThen(("n", ">=", 8), ("s", "==", 0)),
            IfThen(("b", "==", 1), ("s", "==", 1)),
        ],
    )
    (part,) = parts_of(actions)
    x = np.zeros(3)
    found = minimal_by_amount(part, x, 0, own_changes(part.features[0], 0.0)[1:])
    assert found.known.all()
    assert found.counts.tolist() == [1] * 7 + [0, 0]
    moved = [np.flatnonzero(change).tolist() for change in found.changes]
    assert moved == [[0]] * 3 + [[0, 1, 2]] * 4
