"""Parts with real features, and people with missing values."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings

from skresp import ActionSet, Feature
from skresp._actions._encoding import encode
from skresp.constraints import IfThen, Linear, Linkage, OneHot
from skresp.constraints._program import row
from skresp.reach import Outcome, check_feasibility, reachable_set
from skresp.reach._cache import make_reaches
from skresp.reach._part import parts_of
from skresp.reach._sampling import sample_interventions
from skresp.reach._solver_search import Search
from tests import oracle
from tests.strategies import cases_with_gaps, real_cases


@given(case=real_cases())
@settings(max_examples=80)
def test_a_point_that_the_meanings_allow_is_never_called_infeasible(case):
    actions, person = case
    note(str(actions))
    note(str(person))
    points = list(oracle.candidates(actions, person))
    good = [p for p in points if oracle.move_ok(actions, person, p)]
    bad = [p for p in points if not oracle.move_ok(actions, person, p)]
    chosen = random.Random(0)
    for point in chosen.sample(good, min(5, len(good))):
        note(str(point))
        outcome = check_feasibility(actions, person, known(actions, point))
        assert outcome is Outcome.FEASIBLE
    for point in chosen.sample(bad, min(3, len(bad))):
        note(str(point))
        outcome = check_feasibility(actions, person, known(actions, point))
        assert outcome is not Outcome.FEASIBLE or "elsewhere" in point.values()


def known(actions, point):
    """A point without the labels that are on no list."""
    return {
        name: value
        for name, value in point.items()
        if actions.features[name].kind != "categorical"
        or value in actions.features[name].categories
    }


def changes_alone(actions, person, name):
    """Some points that a person reaches by a change of one feature and its effects."""
    feature, value = actions.features[name], person[name]
    if feature.kind == "categorical":
        values = feature.categories
    else:
        values = value + np.linspace(*feature.own_limits(value), 9)
        values = values if feature.kind == "real" else np.unique(values.round())
    points = [person | {name: v} for v in values if v != value]
    for first in actions.effect_order:
        for (source, target), scale in actions.effects.items():
            if source == first:
                for point in points:
                    point[target] += scale * (point[source] - person[source])
    return [point for point in points if oracle.move_ok(actions, person, point)]


@given(case=real_cases())
@settings(max_examples=100)
def test_drawn_points_obey_every_constraint(case):
    actions, person = case
    note(str(actions))
    note(str(person))
    for name in actions.actionable:
        for how in ("minimal", "joint"):
            found = reachable_set(
                actions,
                person,
                name,
                interventions=how,
                method="sample",
                max_points=4,
                random_state=0,
            )
            parts = [p for p in parts_of(actions) if p.actionable or p.constraints]
            codes = encode(actions, found.points)
            start = encode(actions, pd.DataFrame([person]))
            for part in parts:
                columns = [actions.names.index(n) for n in part.names]
                own = part.own(codes[:, columns] - start[:, columns])
                own[np.abs(own) < 1e-9] = 0
                before = np.broadcast_to(start[:, columns], own.shape)
                assert part.feasible(before, own).all()
            assert (found.points[name] != person[name]).all()
            assert len(found) > 0 or not changes_alone(actions, person, name)


@given(case=cases_with_gaps())
@settings(max_examples=150)
def test_grid_and_solver_agree_where_values_are_missing(case):
    actions, person = case
    note(str(actions))
    note(str(person))
    codes = encode(actions, pd.DataFrame([person]), missing="hold")[0]
    for part in parts_of(actions):
        x = codes[[actions.names.index(name) for name in part.names]]
        (reach,) = make_reaches(part, x[None])
        if reach.valid:
            found, complete = Search(part, x).changes(None, 10_000)
            assert complete
            assert sorted(map(tuple, found)) == sorted(map(tuple, reach.changes))


# -- one test for each wrong answer that there has been --------------------------------


def test_at_most_the_least_value_is_true_there():
    actions = ActionSet(
        {"retired": Feature("binary"), "income": Feature("real", 0, 9000)},
        [IfThen(("retired", "==", 1), ("income", "<=", 0))],
    )
    x = {"retired": 0, "income": 500.0}
    wanted = {"retired": 1, "income": 0}
    assert check_feasibility(actions, x, wanted) is Outcome.FEASIBLE
    found = reachable_set(actions, x, "retired", max_points=5, random_state=0)
    assert found.points["income"].tolist() == [0.0] * 5


def test_an_effect_that_can_be_taken_back_leaves_its_target_alone():
    """Under `minimal` the income stays where it is, and the search ends."""
    actions = ActionSet(
        {
            "years": Feature("integer", 0, 7, direction="increase", max_increase=2),
            "income": Feature("real", 0, 20_000),
            "savings": Feature("real", 0, 20_000),
        },
        [Linkage("years", {"income": 1000}), Linkage("income", {"savings": 0.1})],
    )
    x = {"years": 3, "income": 5000.0, "savings": 10_000.0}
    for name in actions.names:
        found = reachable_set(actions, x, name, max_points=4, random_state=0)
        assert len(found) == (2 if name == "years" else 4)
        for other in set(actions.names) - {name}:
            assert (found.points[other] == x[other]).all()


def test_whole_numbers_get_no_benefit_of_rounding():
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 700_000_000, max_increase=3, max_decrease=0),
            "b": Feature("integer", actionable=False),
        },
        [Linear({"a": 1, "b": -1}, upper=0)],
    )
    assert len(reachable_set(actions, {"a": 600_000_000, "b": 600_000_000}, "a")) == 0


def test_fractions_that_add_up_do_get_it():
    actions = ActionSet(
        {"a": Feature("integer", 0, 5), "r": Feature("real", actionable=False)},
        [Linkage("a", {"r": 0.1}), IfThen(("a", ">=", 0), ("r", "<=", 0.3))],
    )
    points = reachable_set(actions, {"a": 0, "r": 0.0}, "a").points
    assert points["a"].tolist() == [1, 2, 3]


def test_a_real_that_moves_by_effects_only_is_listed_by_the_solver_too():
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 3),
            "r": Feature("real", 0, 10, direction="increase"),
        },
        [Linkage("a", {"r": 0.5})],
    )
    for method in ("grid", "highs"):
        found = reachable_set(actions, {"a": 0, "r": 10.0}, "r", method=method)
        assert found.complete
        assert sorted(found.points["r"]) == [10.5, 11.0, 11.5]


def test_feasibility_speaks_of_labels_and_of_features_that_never_change():
    actions = ActionSet(
        {
            "a": Feature("binary"),
            "age": Feature("integer", actionable=False),
            "s": Feature("categorical", categories=["x", "y"]),
        }
    )
    x = {"a": 0, "age": 30, "s": "x"}
    for reached, wanted in [
        ({"age": 30}, Outcome.FEASIBLE),
        ({"age": 0}, Outcome.INFEASIBLE),
        ({"s": "y", "a": 1}, Outcome.FEASIBLE),
        ({"s": "x"}, Outcome.FEASIBLE),
    ]:
        assert check_feasibility(actions, x, reached) is wanted
    with pytest.raises(
        ValueError, match="'z' is not a value of the categorical feature"
    ):
        check_feasibility(actions, x, {"s": "z"})


@pytest.mark.parametrize("how", ["minimal", "joint"])
@pytest.mark.parametrize("feature", ["n", "r", None])
def test_a_huge_integer_tied_to_a_real_is_drawn_from(feature, how):
    actions = ActionSet(
        {"n": Feature("integer", 0, 3_000_000), "r": Feature("real", 0, 10)},
        [Linear({"n": 1, "r": 1}, upper=3_000_005)],
    )
    found = reachable_set(
        actions,
        {"n": 3, "r": 1.0},
        feature,
        interventions=how,
        max_points=5,
        random_state=0,
    )
    assert len(found) == 5
    assert (found.points["n"] + found.points["r"] <= 3_000_005 + 1e-6).all()


def test_a_part_with_hardly_a_feasible_point_ends_and_says_how_many_were_tried():
    names = [f"n{i}" for i in range(16)]
    groups = names, names[:8], names[::2]
    actions = ActionSet(
        {name: Feature("integer", 0, 9) for name in names},
        [Linear(dict.fromkeys(g, 1), 5 * len(g), 5 * len(g)) for g in groups],
    )
    found = reachable_set(
        actions, np.full(16, 5), method="sample", max_points=5, random_state=0
    )
    assert found.n_tried > 0
    assert (np.asarray(found.points)[0] == 5).all(), "the current point is included"


def test_many_supports_do_not_take_forever():
    names = [f"b{i}" for i in range(16)]
    actions = ActionSet(
        {name: Feature("binary") for name in names},
        [OneHot(names, limit=15, at_most=True)],
    )
    found = reachable_set(actions, np.zeros(16, dtype=int), "b0")
    assert np.asarray(found.points).tolist() == [[1] + [0] * 15]


def test_the_solver_gives_up_on_too_many_sets_of_partners():
    names = [f"n{i}" for i in range(30)]
    features = {
        n: Feature("integer", 0, 9, max_increase=1, max_decrease=1) for n in names
    }
    features["n0"] = Feature("integer", 0, 9)
    actions = ActionSet(features, [Linear(dict.fromkeys(names, 1), 150, 150)])
    (part,) = parts_of(actions)
    search = Search(part, np.full(30, 5.0))
    at = search.program.change("n0")
    found, complete = search.supports([row(at, 4, 4)], most=5)
    assert len(found) == 5
    assert not complete


@pytest.mark.parametrize("how", ["minimal", "joint"])
@pytest.mark.parametrize("kind", ["integer", "real"])
def test_nobody_intervenes_on_a_missing_value_through_its_source(how, kind):
    actions = ActionSet(
        {"a": Feature("integer", 0, 3), "b": Feature(kind, 0, 9)},
        [Linkage("a", {"b": 2})],
    )
    (part,) = parts_of(actions)
    x = np.array([1.0, np.nan])
    (reach,) = make_reaches(part, x[None])
    assert len(reach.interventions(0, how)) == 3
    assert len(reach.interventions(1, how)) == 0
    search = Search(part, x)
    find = search.minimal if how == "minimal" else search.changes
    assert len(find(0, 100)[0]) == 3
    assert find(1, 100)[1]
    assert len(find(1, 100)[0]) == 0


def test_a_change_within_rounding_moves_nothing():
    """A change of 1e-17 leaves the value -1 outside of its bounds, so it is allowed."""
    actions = ActionSet(
        {"a": Feature("real", 0, 1, max_increase=0), "b": Feature("real", 0, 1)},
        [Linkage("b", {"a": 1}, keep_bounds=True)],
    )
    person = {"a": -1, "b": 0}
    for name in ("a", "b"):
        found = reachable_set(
            actions,
            person,
            name,
            interventions="joint",
            method="sample",
            max_points=4,
            random_state=0,
        )
        assert (np.abs(found.points[name] - person[name]) > 1e-12).all()


@pytest.mark.parametrize("how", ["minimal", "joint"])
def test_reals_of_a_constraint_with_a_missing_value_are_held(how):
    """Nothing is tried for them, and what pushes them is cancelled exactly."""
    actions = ActionSet(
        {
            "b": Feature("real", 0, 4, max_decrease=0),
            "c": Feature("real", 0, 1),
            "d": Feature("real", 0, 3, direction="decrease"),
        },
        [Linear({"b": -2, "c": 2}, -3, 0), Linkage("d", {"b": 2})],
    )
    (part,) = parts_of(actions)
    x = np.array([1.0, np.nan, 2.5])
    assert part.held(x) == [0]
    rng = np.random.default_rng(0)
    assert sample_interventions(part, x, 0, 50, rng, how).tried == 0
    drawn = sample_interventions(part, x, 2, 50, rng, how).changes
    assert len(drawn) == 50
    assert (drawn[:, 0] == 0).all()
    assert (drawn[:, 2] < 0).all()
    assert len(np.unique(drawn[:, 2])) == 50


def test_a_change_within_rounding_leads_nothing():
    """What is only mutable moves along with a change that somebody makes."""
    actions = ActionSet(
        {
            "e": Feature("real", 0, 1, direction="decrease"),
            "c": Feature("binary", actionable=False, mutable=True),
        },
        [IfThen(("c", "==", 1), ("e", ">=", 0))],
    )
    (part,) = parts_of(actions)
    before = np.array([[0.5, 0.0]] * 3)
    own = np.array([[-1e-12, 1.0], [-1e-6, 1.0], [0.0, 1.0]])
    assert part.feasible(before, own).tolist() == [False, True, False]


@pytest.mark.parametrize("kind", ["integer", "real"])
@pytest.mark.parametrize("value", [1e9, 1e12])
def test_one_unit_of_a_large_number_leads(kind, value):
    actions = ActionSet(
        {
            "n": Feature(kind, 0, 10**13),
            "c": Feature("binary", actionable=False, mutable=True),
        },
        [IfThen(("c", "==", 1), ("n", ">=", 0))],
    )
    (part,) = parts_of(actions)
    before, own = np.array([[value, 0.0]]), np.array([[-1.0, 1.0]])
    assert part.feasible(before, own).all()


@pytest.mark.parametrize("how", ["minimal", "joint"])
@pytest.mark.parametrize(
    ("rule", "x", "name", "reached"),
    [
        # The source moves far enough to reach its bound; its target stays outside.
        (Linkage("a", {"b": -2}), (2.0, 0.0), "a", (1.0, None)),
        # The target reaches its bound only if its source stays put.
        (Linkage("b", {"a": -2}, keep_bounds=True), (2.0, 1.0), "a", (1.0, 1.0)),
        # A real stays put outside of its bounds while another one moves.
        (Linear({"b": 1}, lower=3), (2.0, 3.0), "a", (1.0, 3.0)),
    ],
)
def test_people_outside_the_bounds_have_points(rule, x, name, reached, how):
    actions = ActionSet(
        {"a": Feature("real", 0, 1, max_decrease=1), "b": Feature("real", 0, 1)},
        [rule, IfThen(("a", ">=", 5), ("b", ">=", 5))],
    )
    found = reachable_set(
        actions,
        dict(zip("ab", x, strict=True)),
        name,
        interventions=how,
        method="sample",
        max_points=4,
        random_state=0,
    )
    assert len(found) == 4
    for column, value in zip("ab", reached, strict=True):
        if value is not None:
            assert found.points[column].to_numpy() == pytest.approx(value, abs=1e-8)
