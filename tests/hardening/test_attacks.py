"""Every bad input is answered with an error that says what to do about it."""

from __future__ import annotations

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
