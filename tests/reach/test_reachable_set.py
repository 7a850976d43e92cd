"""Worked examples, containers and errors of reachable sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skresp import ActionSet, Feature
from skresp.constraints import (
    IfThen,
    Linear,
    Linkage,
    OneHot,
    Reachability,
    Switch,
    Thermometer,
)
from skresp.reach import Outcome, check_feasibility, reachable_set

UTILISATION = ["u25", "u50", "u75", "u100"]


def thermometer(direction=None):
    return ActionSet(
        {name: Feature("binary") for name in UTILISATION},
        [Thermometer(UTILISATION, direction)],
    )


def strings(found):
    return sorted("".join(map(str, row)) for row in np.asarray(found.points))


@pytest.mark.parametrize("method", ["grid", "highs"])
@pytest.mark.parametrize(
    ("direction", "x", "feature", "how", "wanted"),
    [
        (None, "0000", "u25", "minimal", ["1000"]),
        (None, "0000", "u50", "minimal", ["1100"]),
        (None, "0000", "u100", "minimal", ["1111"]),
        (None, "0000", "u25", "joint", ["1000", "1100", "1110", "1111"]),
        (None, "0000", "u100", "joint", ["1111"]),
        ("decrease", "1111", "u75", "minimal", ["1100"]),
        ("decrease", "1111", "u75", "joint", ["0000", "1000", "1100"]),
    ],
)
def test_a_thermometer(method, direction, x, feature, how, wanted):
    found = reachable_set(
        thermometer(direction),
        np.array(list(map(int, x))),
        feature,
        interventions=how,
        method=method,
    )
    assert strings(found) == wanted
    assert found.complete


@pytest.fixture
def working():
    return ActionSet(
        {
            "years": Feature("integer", 0, 7, direction="increase", max_increase=2),
            "employed": Feature("binary", direction="increase"),
            "age": Feature("integer", actionable=False),
        },
        [Linkage("years", {"age": 1}), Linkage("employed", {"age": 1})],
    )


@pytest.mark.parametrize("method", ["grid", "highs"])
def test_linked_years(working, method):
    x = {"years": 3, "employed": 0, "age": 30}
    minimal = reachable_set(working, x, "years", method=method)
    assert sorted(map(tuple, minimal.points.to_numpy())) == [(4, 0, 31), (5, 0, 32)]
    joint = reachable_set(working, x, "years", interventions="joint", method=method)
    assert sorted(map(tuple, joint.points.to_numpy())) == [
        (4, 0, 31),
        (4, 1, 32),
        (5, 0, 32),
        (5, 1, 33),
    ]
    assert len(reachable_set(working, x, "age", method=method)) == 0


def test_effects_follow_along_chains_and_add_up():
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 1),
            "b": Feature("integer", actionable=False),
            "c": Feature("real", actionable=False),
        },
        [Linkage("a", {"b": 2, "c": 0.5}), Linkage("b", {"c": 0.25})],
    )
    found = reachable_set(actions, {"a": 0, "b": 10, "c": 1.0}, "a")
    assert found.points.to_numpy().tolist() == [[1, 12, 2.0]]


def test_an_effect_may_leave_the_bounds_unless_they_are_kept():
    features = {
        "a": Feature("integer", 0, 3),
        "b": Feature("integer", 0, 1, actionable=False),
    }
    loose = ActionSet(features, [Linkage("a", {"b": 1})])
    kept = ActionSet(features, [Linkage("a", {"b": 1}, keep_bounds=True)])
    x = {"a": 0, "b": 0}
    assert len(reachable_set(loose, x, "a")) == 3
    assert reachable_set(kept, x, "a").points.to_numpy().tolist() == [[1, 1]]


def test_kept_bounds_do_not_reject_a_person_outside_them():
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 1),
            "b": Feature("integer", 0, 1, actionable=False),
            "c": Feature("binary"),
        },
        [
            Linkage("a", {"b": -4}, keep_bounds=True),
            IfThen(("c", "==", 1), ("a", "<=", 1)),
        ],
    )
    found = reachable_set(actions, {"a": 0, "b": 5, "c": 0})
    assert sorted(map(tuple, found.points.to_numpy())) == [
        (0, 5, 0),
        (0, 5, 1),
        (1, 1, 0),
        (1, 1, 1),
    ]


def test_a_linked_encoding_is_never_broken():
    """Clearing the balance of two trades at once cannot leave a hole in the marks."""
    actions = ActionSet(
        {name: Feature("binary", direction="decrease") for name in "abcd"},
        [
            Linkage("a", {"c": 1}, keep_bounds=True),
            Linkage("b", {"d": 1}, keep_bounds=True),
            Thermometer(["a", "b"], "decrease"),
            Thermometer(["c", "d"], "decrease"),
        ],
    )
    points = np.asarray(reachable_set(actions, np.ones(4, dtype=int)).points)
    assert (points[:, 0] >= points[:, 1]).all()
    assert (points[:, 2] >= points[:, 3]).all()
    assert len(points) == 6


def test_followers_move_only_in_company():
    actions = ActionSet(
        {
            "a": Feature("binary"),
            "b": Feature("binary", actionable=False, mutable=True),
        },
        [IfThen(("a", "==", 1), ("b", "in", [0, 1]))],
    )
    found = reachable_set(actions, {"a": 0, "b": 0})
    assert sorted(map(tuple, found.points.to_numpy())) == [(0, 0), (1, 0), (1, 1)]
    assert len(reachable_set(actions, {"a": 0, "b": 0}, "a")) == 1
    assert len(reachable_set(actions, {"a": 0, "b": 0}, "b")) == 0


@pytest.mark.parametrize("method", ["grid", "highs"])
def test_labels_move_in_their_order_where_they_have_one(method):
    actions = ActionSet(
        {
            "job": Feature(
                "categorical", categories=["none", "part", "full"], direction="increase"
            ),
            "home": Feature("categorical", categories=["own", "rent"]),
        }
    )
    x = pd.Series({"job": "part", "home": "van"})
    assert reachable_set(actions, x, "job", method=method).points["job"].tolist() == [
        "full"
    ]
    homes = reachable_set(actions, x, "home", method=method).points
    assert sorted(homes["home"]) == ["own", "rent"]
    assert set(homes["job"]) == {"part"}
    unlisted = pd.Series({"job": "gig", "home": "own"})
    assert len(reachable_set(actions, unlisted, "job", method=method)) == 0


def test_points_keep_the_container_the_columns_and_the_dtypes(make_frame):
    x = make_frame({"n": [2], "on": [True], "home": ["own"], "note": [None]})
    actions = ActionSet(
        {
            "note": Feature("categorical", actionable=False),
            "home": Feature("categorical", categories=["own", "rent"]),
            "n": Feature("integer", 0, 3),
            "on": Feature("binary"),
        },
        [IfThen(("home", "==", "rent"), ("n", "<=", 1))],
    )
    found = reachable_set(actions, x, "home")
    assert type(found.points) is type(x)
    assert list(found.points.columns) == list(x.columns)
    assert list(found.changes.columns) == list(x.columns)
    assert [str(t) for t in found.points.dtypes] == [str(t) for t in x.dtypes]
    assert list(found.points["home"]) == ["rent", "rent"]
    assert sorted(found.points["n"]) == [0, 1]
    assert list(found.points["on"]) == [True, True]
    switched = reachable_set(actions, x, "on").points
    assert list(switched["on"]) == [False]


def test_a_category_dtype_is_kept():
    x = pd.DataFrame({"size": pd.Categorical(["s"], categories=["s", "m", "l"])})
    actions = ActionSet.infer(x)
    points = reachable_set(actions, x, "size").points
    assert points["size"].dtype == x["size"].dtype
    assert points["size"].tolist() == ["m", "l"]


def test_a_frame_of_integers_takes_fractions_where_a_real_moves():
    x = pd.DataFrame({"income": [1000]})
    actions = ActionSet({"income": Feature("real", 0, 5000)})
    points = reachable_set(actions, x, "income", max_points=5, random_state=0).points
    assert points["income"].dtype == float
    assert len(points) == 5


# -- large and real parts ---------------------------------------------------------


def test_a_huge_integer_is_drawn_from_or_refused_with_its_size():
    actions = ActionSet({"income": Feature("integer", 0, 3_000_000)})
    x = {"income": 7}
    drawn = reachable_set(actions, x, "income", max_points=2_000, random_state=0)
    values = drawn.points["income"].to_numpy()
    assert not drawn.complete
    assert 7 not in values
    assert values.min() >= 0
    assert values.max() <= 3_000_000
    assert abs(values.mean() / 1_500_000 - 1) < 0.1
    more = ActionSet({"income": Feature("integer", 0, 30_000_000)})
    with pytest.raises(
        ValueError, match=r"at least 30,000,001 changes.*step"
    ) as caught:
        reachable_set(more, x, "income", method="grid")
    assert "method='sample'" in str(caught.value)
    with pytest.raises(ValueError, match="than the 10,000 allowed"):
        reachable_set(more, x, "income", method="highs")
    all_of_them = reachable_set(
        actions, x, "income", method="grid", max_points=3_000_001
    )
    assert len(all_of_them) == 3_000_000


def test_a_huge_range_beside_others_ends():
    actions = ActionSet(
        {
            "income": Feature("integer", 0, 3_000_000),
            "job": Feature("binary"),
            "loans": Feature("integer", 0, 9),
        },
        [IfThen(("income", ">=", 1000), ("job", "==", 1)), Switch("job", ["loans"])],
    )
    x = {"income": 500, "job": 0, "loans": 2}
    for how in ("minimal", "joint"):
        drawn = reachable_set(
            actions, x, "income", interventions=how, max_points=30, random_state=1
        )
        points = drawn.points
        assert len(points) == 30
        assert (points["job"][points["income"] >= 1000] == 1).all()
        assert (points["loans"][points["job"] == 1] == 2).all()


def test_many_dummies_of_one_category_stay_small():
    names = [f"d{i}" for i in range(40)]
    actions = ActionSet({n: Feature("binary") for n in names}, [OneHot(names)])
    x = np.zeros(40, dtype=int)
    x[3] = 1
    assert len(reachable_set(actions, x, method="grid")) == 40
    assert len(reachable_set(actions, x, "d7")) == 1
    # Whichever other one comes on, d3 goes off: 39 sets of two, each minimal.
    assert len(reachable_set(actions, x, "d3")) == 39


def test_too_large_for_the_grid_goes_to_the_solver():
    names = [f"n{i}" for i in range(12)]
    actions = ActionSet(
        {n: Feature("integer", 0, 9) for n in names},
        [Linear(dict.fromkeys(names, 1), 60, 60)],
    )
    x = np.full(12, 5)
    found = reachable_set(actions, x, "n0")
    assert found.method == "highs"
    assert found.complete
    # What n0 gives, one of 11 others takes back: 8 values of its change. Only for
    # the fall by 5 nobody has room (4 at most), so 55 pairs share it in 4 ways each.
    assert len(found) == 8 * 11 + 55 * 4
    assert (np.asarray(found.points).sum(axis=1) == 60).all()
    everything = reachable_set(actions, x, random_state=0, max_points=50)
    assert not everything.complete


def test_real_parts_are_checked_and_drawn_from_but_not_listed():
    actions = ActionSet(
        {
            "rent": Feature("real", 0, 900),
            "food": Feature("real", 0, 900),
            "saver": Feature("binary"),
        },
        [
            Linear({"rent": 1, "food": 1}, upper=1000),
            IfThen(("saver", "==", 1), ("food", "<=", 300)),
        ],
    )
    x = {"rent": 500.0, "food": 400.0, "saver": 0}
    for method in ("grid", "highs"):
        with pytest.raises(ValueError, match=r"'(rent|food)' is real.*method='sample'"):
            reachable_set(actions, x, "rent", method=method)
    for how in ("minimal", "joint"):
        for name in actions.names:
            found = reachable_set(
                actions, x, name, interventions=how, max_points=40, random_state=0
            )
            points = found.points
            assert len(points) == 40
            assert (points["rent"] + points["food"] <= 1000 + 1e-6).all()
            assert (points["food"][points["saver"] == 1] <= 300 + 1e-6).all()
            assert (points[name] != x[name]).all()
    assert (
        check_feasibility(actions, x, {"saver": 1, "food": 301.0}) is Outcome.INFEASIBLE
    )
    assert check_feasibility(actions, x, {"saver": 1}) is Outcome.FEASIBLE


def test_what_is_feasible_with_measure_zero_is_found():
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("real", 0, 10)},
        [Linear({"a": 1, "b": 1}, 10, 10)],
    )
    found = reachable_set(
        actions, {"a": 4.0, "b": 6.0}, "a", max_points=25, random_state=0
    )
    assert len(found) == 25
    np.testing.assert_allclose(found.points.sum(axis=1), 10)


def test_nothing_feasible_ends_with_nothing():
    actions = ActionSet(
        {"a": Feature("real", 0, 10), "b": Feature("real", actionable=False)},
        [Linear({"a": 1, "b": 1}, 10, 10)],
    )
    found = reachable_set(actions, {"a": 4.0, "b": 6.0}, "a", max_points=3)
    assert len(found) == 0
    assert found.n_tried > 0


def test_samples_repeat_with_their_seed_and_leave_the_global_state_alone():
    actions = ActionSet({"a": Feature("real", 0, 1)})
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two = (
        reachable_set(actions, {"a": 0.5}, "a", random_state=3).points for _ in "12"
    )
    pd.testing.assert_frame_equal(one, two)
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


# -- bad input ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"years": 1, "employed": 0}, "no column 'age'"),
        ({"years": 1, "employed": 0, "age": 1, "pet": 1}, "got 'pet'. Drop it"),
        ([1, 0], "X must have 3 columns, .* got 2"),
        (
            {"years": 1.5, "employed": 0, "age": 3},
            "'years' is integer, but its value is 1.5 in row 0",
        ),
        ({"years": 1, "employed": 2, "age": 3}, "'employed' is binary, but"),
        ({"years": None, "employed": 0, "age": 3}, "'years' can change, but its value"),
        ({"years": "a", "employed": 0, "age": 3}, "its value is 'a' in row 0"),
        (np.zeros((2, 3)), "one person, got 2 rows"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(working, x, message):
    with pytest.raises(ValueError, match=message):
        reachable_set(working, x, "years")


def test_a_missing_value_that_cannot_change_is_fine(working):
    found = reachable_set(working, {"years": 3, "employed": 0, "age": None}, "years")
    assert found.points["years"].tolist() == [4, 5]
    assert found.points["age"].isna().all()


def test_an_invalid_row_is_refused_with_the_constraint():
    actions = ActionSet(
        {"a": Feature("binary"), "b": Feature("binary")}, [OneHot(["a", "b"])]
    )
    with pytest.raises(ValueError, match="Exactly one of a and b is on"):
        reachable_set(actions, [1, 1])
    moves = ActionSet({"a": Feature("binary")}, [Reachability(["a"], [[0]])])
    with pytest.raises(ValueError, match="a is one of 0"):
        reachable_set(moves, [1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"feature": "pet"}, "feature must be one of .* got 'pet'"),
        ({"interventions": "all"}, "interventions must be"),
        (
            {"method": "cplex"},
            "method must be one of 'auto', 'grid', 'highs'",
        ),
        ({"max_points": 0}, "whole number of at least 1, got 0"),
        ({"max_points": "5"}, "whole number of at least 1, got '5'"),
        ({"missing": "drop"}, "missing must be 'raise' or 'hold'"),
        ({"action_set": {}}, "must be of type ActionSet"),
    ],
)
def test_bad_arguments_are_refused(working, arguments, message):
    x = {"years": 1, "employed": 0, "age": 3}
    with pytest.raises((TypeError, ValueError), match=message):
        reachable_set(**({"action_set": working, "x": x} | arguments))


def test_the_repr_has_no_points():
    actions = ActionSet({"a": Feature("integer", 0, 3), "b": Feature("real", 0, 1)})
    found = reachable_set(actions, {"a": 1, "b": 0.5}, "a")
    assert repr(found) == "ReachableSet(3 points, complete, method='grid')"
    drawn = reachable_set(actions, {"a": 1, "b": 0.5}, max_points=20, random_state=0)
    text = repr(drawn)
    assert text.startswith("ReachableSet(20 points, not complete, method='sample', ")
