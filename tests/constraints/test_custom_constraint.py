"""A constraint that is defined here works everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from skresp import ActionSet, Feature
from skresp._actions._constraint import Constraint
from skresp.constraints._expression import total
from skresp.reach import reachable_set


@pytest.fixture
def at_most_moves():
    @dataclass(frozen=True)
    class AtMostMoves(Constraint):
        """At most `most` of the features change."""

        type = "at_most_moves"
        features: tuple[str, ...]
        most: int = 1

        def __post_init__(self):
            object.__setattr__(self, "features", tuple(self.features))

        def check_features(self, features):
            pass

        def holds(self, before, after):
            return (before != after).sum(axis=1) <= self.most

        def encode(self, program):
            moved = total(program.changed(name) for name in self.features)
            program.require(moved, upper=self.most)

        def describe(self):
            return f"At most {self.most} of {', '.join(self.features)} change."

    yield AtMostMoves
    del Constraint.types["at_most_moves"]


def test_it_is_listed_solved_and_written_down(at_most_moves, tmp_path):
    features = {name: Feature("integer", 0, 2) for name in "abc"}
    actions = ActionSet(features, [at_most_moves("abc")])
    x = np.array([1, 1, 1])
    grid = reachable_set(actions, x, method="grid")
    highs = reachable_set(actions, x, method="highs")
    assert sorted(map(tuple, grid.points)) == sorted(map(tuple, highs.points))
    assert len(grid) == 1 + 3 * 2
    actions.to_file(tmp_path / "actions.yaml")
    assert ActionSet.from_file(tmp_path / "actions.yaml") == actions
    assert "At most 1 of a, b, c change." in str(actions)
