"""Grid = HiGHS = the meanings read out loud, point for point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, note, settings

from skresp.reach import reachable_set

from .. import oracle
from ..strategies import cases


def rows(points):
    """A frame of points as a sorted list of tuples."""
    return sorted(map(tuple, points.to_numpy(dtype=object).tolist()), key=repr)


def told(actions, points):
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
    assert rows(everything.points) == told(actions, points)
    for name in actions.names:
        for how in ("minimal", "joint"):
            found = reachable_set(
                actions, person, name, interventions=how, method="grid"
            )
            wanted = oracle.interventions(actions, person, name, how, points)
            assert rows(found.points) == told(actions, wanted), (name, how)


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
            assert len(listed) == 0 or drawn.n_tried > 0


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
