"""Kernels change nothing: every result is the same, bit by bit, without them."""

from __future__ import annotations

import pytest

from ..fuzz.checks import make_explainer
from ..fuzz.family import PACKAGES
from ..fuzz.world import FAMILIES, make_world
from .compare import Differences
from .large_worlds import KINDS, large_case


@pytest.mark.parametrize("family", FAMILIES)
def test_kernels_change_no_result_of_random_worlds(family):
    if family in PACKAGES:
        pytest.importorskip(PACKAGES[family])
    found = Differences()
    for seed in range(40):
        world = make_world(seed, family, people=8)
        if world is None:
            continue
        explainer = make_explainer(world, n_samples=20)
        found.add(f"seed {seed}", explainer, world.people, alone=0)
        break
    assert found.counts["models"]
    assert not found.places


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_change_no_result_of_large_models_at_their_cut_points(kind):
    found = Differences()
    scored = found.add(*large_case(1, kind, people=12), alone=1)
    assert not found.places
    # Several classes, native labels, missing values and more than 64 leaves or options
    # are no reason to ask the model.
    assert scored > 0.7 * found.counts["all"]
