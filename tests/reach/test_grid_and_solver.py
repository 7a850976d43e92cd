"""Grid and HiGHS list the same points as the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linear, Linkage
from skresp.reach import Outcome, check_feasibility, reachable_set
from skresp.reach._part import parts_of
from tests import oracle
from tests.strategies import cases


def rows(points):
    """A frame of points as a sorted list of tuples."""
    return sorted(map(tuple, points.to_numpy(dtype=object).tolist()), key=repr)


def oracle_rows(actions, points):
    return sorted(
        (tuple(row[name] for name in actions.names) for row in points), key=repr
    )


@given(case=cases())
@settings(max_examples=300)
def test_grid_and_meanings_agree_on_every_intervention(case):
    actions, person = case
    note(str(actions))
    note(str(person))
    points = oracle.all_points(actions, person)
    everything = reachable_set(actions, person, method="grid")
    assert everything.complete
    assert rows(everything.points) == oracle_rows(actions, points)
    for name in actions.names:
        for how in ("minimal", "joint"):
            found = reachable_set(
                actions, person, name, interventions=how, method="grid"
            )
            wanted = oracle.interventions(actions, person, name, how, points)
            assert rows(found.points) == oracle_rows(actions, wanted), (name, how)


@given(case=cases(most_features=3))
@settings(max_examples=120)
def test_solver_and_grid_agree_on_every_intervention(case):
    actions, person = case
    note(str(actions))
    note(str(person))
    for name in actions.actionable:
        for how in ("minimal", "joint"):
            grid, highs = (
                reachable_set(actions, person, name, interventions=how, method=method)
                for method in ("grid", "highs")
            )
            assert highs.complete
            assert rows(highs.points) == rows(grid.points), (name, how)


@given(case=cases())
@settings(max_examples=100)
def test_everything_by_solver_and_by_grid_agree(case):
    actions, person = case
    note(str(actions))
    note(str(person))
    grid, highs = (
        reachable_set(actions, person, method=method) for method in ("grid", "highs")
    )
    assert highs.complete
    assert rows(highs.points) == rows(grid.points)


@given(case=cases())
@settings(max_examples=100)
def test_samples_lie_in_the_listed_set(case):
    actions, person = case
    for name in actions.actionable:
        for how in ("minimal", "joint"):
            listed = reachable_set(actions, person, name, interventions=how)
            drawn = reachable_set(
                actions,
                person,
                name,
                interventions=how,
                method="sample",
                max_points=20,
                random_state=0,
            )
            assert not drawn.complete
            assert set(rows(drawn.points)) <= set(rows(listed.points))
            assert (len(drawn) > 0) == (len(listed) > 0)


@pytest.mark.parametrize("how", ["minimal", "joint"])
@given(case=cases())
@settings(max_examples=50)
def test_changes_are_what_a_point_adds(how, case):
    actions, person = case
    numeric = [n for n in actions.names if actions.features[n].kind != "categorical"]
    for name in actions.actionable:
        found = reachable_set(actions, person, name, interventions=how)
        before = np.array([person[n] for n in numeric])
        np.testing.assert_array_equal(
            found.points[numeric].to_numpy(dtype=float) - before,
            found.changes[numeric].to_numpy(),
        )


TENTHS = st.integers(0, 10).map(lambda n: n / 10)
SCALES = st.sampled_from([0.1, 0.3, 0.6, 0.7, 0.9, 1.1, -0.3, -0.7])


@st.composite
def decimal_cases(draw):
    """Reals with linkages in decimals, a person, and own changes to an end."""
    base = draw(st.sampled_from([0.0, 0.0, 0.0, 3.0, 1e4, 1e8]))
    top = draw(st.sampled_from([0.7, 1.0, 2.0]))
    most = draw(st.none() | TENTHS)
    features = {
        "q": Feature("real", 0, top, max_increase=most),
        "s": Feature("real", 0, 1),
        "b": Feature("binary"),
        "r": Feature("real", base - 3, base + 3, actionable=False),
        "t": Feature("real", actionable=False),
    }
    person = {
        "q": min(draw(st.just(0.0) | TENTHS), top),
        "s": draw(TENTHS),
        "b": 0,
        "r": base + draw(TENTHS),
        "t": draw(TENTHS),
    }
    own = dict.fromkeys(features, 0.0) | {"b": 1.0}
    own["q"] = draw(st.sampled_from(features["q"].own_limits(person["q"])))
    scales = {"r": draw(SCALES), "t": draw(SCALES)}
    # What the sum in decimals says, which floating point may miss.
    moved = {"r": scales["r"] * own["q"], "t": scales["t"] * scales["r"] * own["q"]}
    name = draw(st.sampled_from("rt"))
    value = round(person[name] + moved[name], 6)
    # The end of the range, and what only the end of the range fulfils.
    op = draw(st.sampled_from(["==", ">=" if moved[name] > 0 else "<="]))
    rules = [
        Linkage("q", {"r": scales["r"]}, draw(st.booleans())),
        Linkage("r", {"t": scales["t"]}),
        Linear({"q": 1, "s": 1, "b": 1}, upper=100),
        draw(
            st.sampled_from(
                [
                    IfThen(("b", "==", 1), (name, op, value)),
                    IfThen(("b", "==", 1), (name, op, value)),
                    IfThen((name, op, value), ("b", "==", 1)),
                    Linear({name: 1, "b": -0.1}, upper=max(value, person[name])),
                ]
            )
        ),
    ]
    return ActionSet(features, rules), person, own


@given(case=decimal_cases(), asked=st.sets(st.sampled_from("qsrt"), max_size=2))
@settings(max_examples=200)
def test_what_the_meaning_accepts_in_decimals_is_never_infeasible(case, asked):
    actions, person, own = case
    (part,) = parts_of(actions)
    before = np.array([[float(person[n]) for n in part.names]])
    changes = np.array([[float(own[n]) for n in part.names]])
    assume(part.valid(before)[0] and part.feasible(before, changes)[0])
    after = dict(zip(part.names, (before + part.total(changes))[0], strict=True))
    note(f"{actions.to_dict()} {person} {after}")
    wanted = {n: after[n] for n in {"b", *asked}}
    assert check_feasibility(actions, person, wanted) is not Outcome.INFEASIBLE


def test_a_value_that_rounding_puts_beyond_the_range_can_be_reached():
    """0.8 - 0.1 is more than 0.7, but 0.1 + 0.7 is 0.8 for every condition."""
    for op in (">=", "==", "in"):
        actions = ActionSet(
            {
                "q": Feature("real", 0, 1),
                "s": Feature("real", 0, 1),
                "b": Feature("binary"),
                "r": Feature("real", actionable=False),
            },
            [
                Linkage("q", {"r": 0.7}),
                IfThen(("b", "==", 1), ("r", op, [0.8] if op == "in" else 0.8)),
                Linear({"q": 1, "s": 1, "b": 1}, upper=100),
            ],
        )
        person = {"q": 0.0, "s": 0.0, "b": 0, "r": 0.1}
        assert check_feasibility(actions, person, {"b": 1}) is Outcome.FEASIBLE


def test_a_greatest_step_onto_a_bound_is_not_lost_to_rounding():
    actions = ActionSet(
        {
            "q": Feature("real", 0.8, 2, max_increase=0.7),
            "b": Feature("binary"),
        },
        [IfThen(("b", "==", 1), ("q", ">=", 0.5))],
    )
    person = {"q": 0.1, "b": 0}
    assert check_feasibility(actions, person, {"b": 1}) is Outcome.FEASIBLE


@pytest.mark.parametrize("past", [0, 1])
def test_whole_targets_that_keep_bounds_keep_them_to_the_unit(past):
    top = 10**12
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 9),
            "b": Feature("integer", 0, top, actionable=False),
            "s": Feature("real", 0, 1),
        },
        [Linkage("a", {"b": 1}, keep_bounds=True), Linear({"a": 1, "s": 1}, upper=99)],
    )
    person = {"a": 0, "b": top - 3, "s": 0.0}
    (part,) = parts_of(actions)
    before = np.array([[float(person[n]) for n in part.names]])
    own = np.array([[3.0 + past if n == "a" else 0.0 for n in part.names]])
    assert part.feasible(before, own)[0] == (not past)
    found = check_feasibility(actions, person, {"a": 3 + past})
    assert found is (Outcome.INFEASIBLE if past else Outcome.FEASIBLE)
