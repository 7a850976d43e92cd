"""Random worlds in which everything that is said is compared with enumeration."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings
from hypothesis import strategies as st

from skresp.reach._cache import shared_cache
from skresp.reach._option_table import shared_tables

from .. import oracle
from . import lattice
from .checks import failures
from .family import PACKAGES
from .twists import TWISTS
from .world import FAMILIES, make_world


@pytest.mark.parametrize("family", FAMILIES)
@settings(
    max_examples=2,
    derandomize=True,
    phases=[Phase.generate],  # a smaller seed makes no smaller world
    suppress_health_check=list(HealthCheck),
)
@given(seed=st.integers(0, 2**32 - 1))
def test_everything_agrees_with_enumeration(family, seed):
    # Fine lines take their time: texts and company are compared with `--family`.
    if family in PACKAGES:
        pytest.importorskip(PACKAGES[family])
    is_peaked = FAMILIES[family].peak
    world = make_world(seed, family, people=3 if is_peaked else 4)
    assume(world is not None)
    note(f"{family}, {world.interventions}, {world.actions}\n{world.people}")
    shared_cache.clear()
    shared_tables.clear()
    assert not list(failures(world, quick=is_peaked))


@pytest.mark.parametrize("twist", TWISTS)
@settings(
    max_examples=3,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(
    seed=st.integers(0, 2**32 - 1), family=st.sampled_from(["tree", "LR", "RF", "NB"])
)
def test_twisted_worlds_agree_with_enumeration(twist, family, seed):
    world = make_world(seed, family, people=4, twist=twist)
    assume(world is not None)
    note(f"{family}, {world.interventions}, {world.actions}\n{world.people}")
    shared_cache.clear()
    shared_tables.clear()
    assert not list(failures(world))


@settings(max_examples=60, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_lattice_is_the_oracle(seed):
    """Two readings of the meanings, written apart, give the same points."""
    world = make_world(seed, "tree", people=2)
    assume(world is not None and not world.has_missing)
    kinds = {f.kind for f in world.actions.features.values()}
    assume("real" not in kinds)
    row = world.row(0)
    for names in lattice.components(world.actions):
        found = lattice.options_on(world.actions, names, row)
        assume(len(found) < 2_000)
        for t in range(len(found)):
            after = row | {n: v[t] for n, v in found.values.items()}
            assert oracle.move_ok(world.actions, row, after)
    if all(
        f.kind != "integer" or f.upper < 10 for f in world.actions.features.values()
    ):
        parts = [
            lattice.options_on(world.actions, names, row)
            for names in lattice.components(world.actions)
        ]
        assume(sum(1 for _ in oracle.candidates(world.actions, row)) < 20_000)
        many = len(oracle.all_points(world.actions, row))
        product = 1
        for part in parts:
            product *= len(part)
        assert many == product
