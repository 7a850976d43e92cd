"""Every bad input is answered with an error that says what to do about it."""

from __future__ import annotations

import numpy as np
import pytest

from .attack import World
from .registry import TOPICS


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    return World(tmp_path_factory.mktemp("hardening"))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(attack, id=f"{topic}: {attack.name}")
        for topic, attacks in TOPICS.items()
        for attack in attacks
    ],
)
def test_attack_is_held(attack, world):
    assert attack.outcome(world) == ""


def test_attacks_are_many_and_different():
    for topic, attacks in TOPICS.items():
        names = [attack.name for attack in attacks]
        assert len(set(names)) == len(names), topic
    assert sum(map(len, TOPICS.values())) >= 200


def test_limits_beyond_all_numbers_are_no_limits(world):
    statuses = world.verdicts.status.tolist()
    for limits in (
        {"max_points": 10**30},
        {"max_points": 2**63},
        {"time_limit": 10**400},
        {"time_limit": float("inf")},
    ):
        assert world.explainer.verify(world.X, **limits).status.tolist() == statuses
    assert world.fit(max_points=10**30).verify(world.X).status.tolist() == statuses
    values = world.explanation.values
    for explanation in (
        world.explainer.explain(world.X, time_limit=10**400),
        world.fit(max_points=10**30, n_jobs=5_000, random_state=0).explain(world.X),
        world.fit(n_samples=10**30, random_state=0).explain(world.X),
    ):
        np.testing.assert_array_equal(explanation.values, values)
