"""Bounds recomputed from the solver's multipliers: valid whatever it answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from skresp import ActionSet, Feature
from skresp._actions._encoding import encode
from skresp.constraints import Linear
from skresp.constraints._expression import total
from skresp.reach._cache import make_reaches
from skresp.reach._part import parts_of
from skresp.reach._sampling import sample_joint
from skresp.reach._upper_bound import upper_bound
from tests.faults import NAMES, Fault
from tests.strategies import cases, real_cases


def weighted(part, program, rng):
    """A random objective over the changes of a part, as expression and weights."""
    weights = np.array(
        [0.0 if f.kind == "categorical" else rng.normal() for f in part.features]
    )
    pairs = zip(weights, part.names, strict=True)
    return total(float(w) * program.change(name) for w, name in pairs), weights


@given(case=cases(), seed=st.integers(0, 10_000))
@settings(max_examples=60)
def test_the_bound_of_a_discrete_part_is_its_optimum(case, seed):
    actions, person = case
    note(str(actions))
    codes = encode(actions, pd.DataFrame([person]))[0]
    rng = np.random.default_rng(seed)
    for part in parts_of(actions):
        x = codes[[actions.names.index(name) for name in part.names]]
        program = part.program(x)
        objective, weights = weighted(part, program, rng)
        (reach,) = make_reaches(part, x[None])
        most = (reach.changes @ weights).max()
        bound, nodes = upper_bound(program, [], objective)
        assert most <= bound
        assert bound == pytest.approx(most, abs=1e-5)
        assert nodes >= (len(program.column_lower) > 0)


@pytest.mark.parametrize("name", NAMES)
@given(case=st.one_of(cases(), real_cases()), seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_no_answer_of_the_solver_makes_a_bound_too_small(name, case, seed):
    actions, person = case
    note(str(actions))
    codes = encode(actions, pd.DataFrame([person]))[0]
    rng = np.random.default_rng(seed)
    for part in parts_of(actions):
        x = codes[[actions.names.index(name) for name in part.names]]
        (reach,) = make_reaches(part, x[None])
        changes = reach.changes
        if reach.refused is not None:
            changes = sample_joint(part, x, None, 20, rng).changes
        program = part.program(x)
        objective, weights = weighted(part, program, rng)
        most = max((changes @ weights).max(initial=0.0), 0.0)
        with pytest.MonkeyPatch.context() as patch:
            Fault(name, seed).inject(patch)
            bound, _ = upper_bound(program, [], objective, most=50)
        assert most <= bound + 1e-12


def test_a_bound_out_of_budget_is_still_a_bound():
    rng = np.random.default_rng(0)
    names = [f"b{i}" for i in range(12)]
    weights = rng.uniform(1, 2, 12).round(3)
    actions = ActionSet(
        {name: Feature("binary") for name in names},
        [Linear(dict(zip(names, weights, strict=True)), upper=7.77)],
    )
    (part,) = parts_of(actions)
    x = np.zeros(12)
    program = part.program(x)
    worth = weights + rng.uniform(0, 0.1, 12)
    objective = total(
        float(w) * program.change(n) for w, n in zip(worth, names, strict=True)
    )
    (reach,) = make_reaches(part, x[None])
    most = (reach.changes @ worth).max()
    bounds = [upper_bound(program, [], objective, most=n) for n in (1, 5, 25, 10_000)]
    assert [bound.nodes for bound in bounds[:3]] == [1, 5, 25]
    assert all(bound.value >= most for bound in bounds)
    assert all(np.diff([bound.value for bound in bounds]) <= 0)
    assert bounds[0].value > most + 1e-3, "the relaxation alone is too weak"
    assert bounds[-1].value == pytest.approx(most)
    late = upper_bound(program, [], objective, deadline=0.0)
    assert late.nodes == 1
    assert late.value >= most
