"""Interventions in which one real moves along: the solver's answers, without it."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from scipy.stats import kstest

from skresp import ActionSet, Feature
from skresp._actions._encoding import encode
from skresp.constraints import IfThen, Linear, Linkage
from skresp.reach import _solver_search
from skresp.reach._allowance import allow
from skresp.reach._configurations import changes_without_reals, discrete_positions
from skresp.reach._deadline import NEVER
from skresp.reach._interventions_by_amount import minimal_by_amount, movable_reals
from skresp.reach._minimal_list import list_minimal
from skresp.reach._own_changes import own_changes, own_count
from skresp.reach._part import parts_of
from skresp.reach._sampling import _choices, sample_minimal
from skresp.reach._second_real import with_second_real
from skresp.reach._solver_search import Search
from tests.strategies import mixed_cases


def amounts_of(feature, value):
    """A few own changes of a feature."""
    if np.isinf(own_count(feature, value)):
        ends = feature.own_limits(value)
        return np.unique(np.random.default_rng(0).uniform(*ends, size=6))
    return own_changes(feature, value)[1:7]


def kinds(search, changes, j):
    """The discrete values and the reals that move, for each change."""
    reals = movable_reals(search.part, search.before)
    discrete = discrete_positions(search)
    return sorted(
        (
            tuple((search.before + change)[discrete].tolist()),
            tuple(k for k in reals if change[k] and k != j),
        )
        for change in changes
    )


def by_solver(search, j, amount, known):
    """The same from the solver; None where it does not know."""
    grid = partial(changes_without_reals, search.part, search.before)
    choices, complete = _choices(search, j, amount, known, grid, thorough=True)
    if not complete:
        return None
    slices = choices[len(known) :]
    return sorted(
        kinds(search, known, j)
        + [
            (
                tuple(each.fixed[k] for k in discrete_positions(search)),
                tuple(sorted(each.free)),
            )
            for each in slices
        ]
    )


@given(case=mixed_cases())
@settings(max_examples=150, deadline=None)
def test_the_solver_finds_the_same_sets_and_configurations(case):
    actions, person = case
    note(f"{actions} {person}")
    codes = encode(actions, pd.DataFrame([person]))[0]
    for part in parts_of(actions):
        x = codes[[actions.names.index(name) for name in part.names]]
        if not part.valid(x[None])[0]:
            continue
        for j in part.actionable:
            if part.stays(x, j):
                continue
            search = Search(part, x)
            amounts = amounts_of(part.features[j], float(x[j]))
            by_amount = minimal_by_amount(part, x, j, amounts)
            found = with_second_real(part, x, j, by_amount, search)
            for i in np.flatnonzero(found.known & ~by_amount.known).tolist():
                known = by_amount.of(i)
                wanted = by_solver(search, j, float(amounts[i]), known)
                middle = [
                    part.total(
                        (s.own + (s.low[0] / 2 + s.high[0] / 2) * s.rates)[None]
                    )[0]
                    for s in found.stretches[i]
                ]
                if wanted is not None:
                    assert kinds(search, [*known, *middle], j) == wanted
                for stretches in found.stretches[i]:
                    check_stretches(part, x, stretches)


def check_stretches(part, x, stretches):
    """What is feasible along the line is within the stretches, and the reverse."""
    if not stretches.rates.any():
        return
    moves = part.total(stretches.rates[None])[0] != 0
    (r,) = np.flatnonzero(moves & movable(part, x)).tolist()
    t = np.linspace(*part.features[r].own_limits(float(x[r])), 57)[1:-1] + 1.234e-5
    own = stretches.own + t[:, None] * stretches.rates
    ok = part.feasible(np.broadcast_to(x, own.shape), own)
    ok &= part.total(own)[:, r] != 0
    inside = ((stretches.low < t[:, None]) & (t[:, None] < stretches.high)).any(axis=1)
    assert (ok == inside).all()


def movable(part, x):
    """Which features are reals with a range."""
    counts = [own_count(f, float(v)) for f, v in zip(part.features, x, strict=True)]
    return np.isinf(counts)


def drawn(features, constraints, person, name, n=2_000):
    """Points that interventions on one feature reach, by feature."""
    (part,) = parts_of(ActionSet(features, constraints))
    x = np.array([float(person[name]) for name in part.names])
    j = part.names.index(name)
    sample = sample_minimal(part, x, j, n, np.random.default_rng(0))
    assert sample.uniform
    assert len(sample.changes) == n
    own = part.own(sample.changes)
    assert part.feasible(np.broadcast_to(x, own.shape), own).all()
    return dict(zip(part.names, (x + sample.changes).T, strict=True))


@pytest.fixture
def runs(monkeypatch):
    """The runs of the solver."""
    made = []
    run = _solver_search.solve

    def counted(*args):
        made.append(args)
        return run(*args)

    monkeypatch.setattr(_solver_search, "solve", counted)
    return made


REAL = Feature("real", 0, 10)


@pytest.mark.parametrize(
    ("rules", "low", "high"),
    [
        ([IfThen(("b", "==", 1), ("r", ">=", 4))], 4, 10),
        ([Linear({"b": 8, "r": -1}, upper=0)], 8, 10),
        ([Linear({"b": 3, "r": -1}, lower=-2, upper=-2)], 5, 5),
        ([IfThen(("b", "==", 1), ("r", ">=", 4)), Linkage("b", {"r": 5})], 5, 15),
    ],
)
def test_a_real_that_must_move_is_uniform_and_takes_no_solver(rules, low, high, runs):
    after = drawn({"b": Feature("binary"), "r": REAL}, rules, {"b": 0, "r": 2}, "b")
    if low < high:
        assert kstest(after["r"], "uniform", (low, high - low)).pvalue > 1e-3
    else:
        assert (after["r"] == low).all()
    assert not runs


def test_stretches_of_a_real_are_drawn_by_their_length(runs):
    """r lies within 0.5 and 1, or 7 and 10."""
    after = drawn(
        {"b": Feature("binary"), "r": REAL},
        [
            IfThen(("r", ">=", 1), ("r", ">=", 7)),
            IfThen(("b", "==", 1), ("r", ">=", 0.5)),
        ],
        {"b": 0, "r": 0},
        "b",
    )
    assert abs((after["r"] >= 7).mean() - 3 / 3.5) < 0.04
    assert not runs


def test_amounts_that_need_a_second_real_have_their_share(runs):
    """Above 6 the real r needs the real s; a seventh of its range asks nothing else."""
    after = drawn(
        {"r": Feature("real", 0, 7), "s": REAL},
        [IfThen(("r", ">=", 6), ("s", ">=", 3))],
        {"r": 0, "s": 1},
        "r",
    )
    assert (after["s"][after["r"] < 6] == 1).all()
    assert (after["s"][after["r"] >= 6] >= 3).all()
    assert abs((after["r"] >= 6).mean() - 1 / 7) < 0.04
    assert not runs


def test_one_question_to_the_solver_serves_neighbouring_amounts(runs):
    """Above 6 the real r needs s or t; whether both must move is asked once."""
    after = drawn(
        {"r": Feature("real", 0, 7), "s": REAL, "t": REAL},
        [IfThen(("r", ">=", 6), ("s", ">=", 3)), Linear({"s": 1, "t": 1}, upper=19)],
        {"r": 0, "s": 1, "t": 1},
        "r",
    )
    assert (after["s"][after["r"] >= 6] >= 3).all()
    assert (after["t"] == 1).all()
    assert 1 <= len(runs) <= 2


def test_reals_that_must_move_together_are_left_to_the_solver(runs):
    """Above 6 the real r needs s and t."""
    after = drawn(
        {"r": Feature("real", 0, 7), "s": REAL, "t": REAL},
        [
            IfThen(("r", ">=", 6), ("s", ">=", 3)),
            IfThen(("r", ">=", 6), ("t", ">=", 2)),
        ],
        {"r": 0, "s": 1, "t": 1},
        "r",
        n=200,
    )
    high = after["r"] >= 6
    assert (after["s"][high] >= 3).all()
    assert (after["t"][high] >= 2).all()
    assert 0.05 < high.mean() < 0.3
    assert runs


def test_an_effect_that_a_real_cancels_is_an_intervention_of_its_own():
    """a moves c; b can cancel that: {a, c} and {a, b} are both minimal."""
    after = drawn(
        {name: REAL for name in "ab"} | {"c": Feature("real", 0, 9, actionable=False)},
        [Linkage("a", {"c": -1}), Linkage("b", {"c": -1})],
        {"a": 0, "b": 10, "c": 0},
        "a",
    )
    still = after["c"] == 0
    assert 0.4 < still.mean() < 0.6
    np.testing.assert_allclose(after["b"][still], 10 - after["a"][still])
    assert (after["b"][~still] == 10).all()


def test_a_missing_value_is_no_feature_that_moves():
    """a moves c, which is missing: nothing else has to move, and b gains nothing."""
    after = drawn(
        {"a": REAL, "b": REAL, "c": Feature("real", 0, 9, actionable=False)},
        [Linkage("a", {"c": -1}), Linkage("b", {"c": -1})],
        {"a": 0, "b": 10, "c": np.nan},
        "a",
    )
    assert (after["b"] == 10).all()


def test_a_limit_keeps_the_amounts_that_need_no_solver():
    """Above 6 the real r needs s or t, and there are too few points for the solver."""
    (part,) = parts_of(
        ActionSet(
            {"r": Feature("real", 0, 7), "s": REAL, "t": REAL},
            [
                IfThen(("r", ">=", 6), ("s", ">=", 3)),
                IfThen(("r", ">=", 6), ("t", ">=", 2)),
            ],
        )
    )
    with allow(NEVER, 150):
        sample = sample_minimal(part, np.ones(3), 0, 100, np.random.default_rng(0))
    assert len(sample.changes) > 0


def test_a_list_beside_one_real_takes_no_solver(runs):
    part, *_ = parts_of(
        ActionSet(
            {"b": Feature("binary"), "r": REAL},
            [IfThen(("b", "==", 1), ("r", "<=", 4))],
        )
    )
    assert len(list_minimal(part, np.array([0.0, 3.0]), 0)) == 1
    assert list_minimal(part, np.array([0.0, 5.0]), 0) is None
    assert not runs


def test_rounding_between_two_constraints_hides_no_other_value():
    """Both rules end at 0.1, up to rounding; 9 is a value as good."""
    after = drawn(
        {"b": Feature("binary"), "r": REAL},
        [
            IfThen(("b", "==", 1), ("r", "in", [0.1, 9])),
            Linear({"r": 3}, lower=0.1 * 3),
        ],
        {"b": 0, "r": 2},
        "b",
    )
    assert abs((after["r"] == 9).mean() - 1 / 2) < 0.05


EFFECT = Feature("real", -100, 100, actionable=False)


def test_the_only_point_of_a_real_counts_once_where_it_cancels_an_effect():
    """Either r or m keeps c at 0."""
    after = drawn(
        {"b": Feature("binary"), "r": REAL, "m": Feature("binary"), "c": EFFECT},
        [
            Linkage("b", {"c": 1}),
            Linkage("r", {"c": -1}),
            Linkage("m", {"c": -1}),
            Linear({"c": 1}, lower=0, upper=0),
        ],
        dict.fromkeys("brmc", 0),
        "b",
    )
    assert abs((after["m"] == 1).mean() - 1 / 2) < 0.05


def test_a_list_stays_one_where_a_real_could_move_a_feature_before_it():
    """b needs m, or k with its effect on c; r need not move."""
    features = {"c": EFFECT, "r": REAL, **dict.fromkeys("bmk", Feature("binary"))}
    rules = [
        Linkage("k", {"c": 50}),
        Linkage("r", {"c": 1}),
        Linear({"m": 1, "k": 1, "b": -1}, lower=0),
    ]
    (part,) = parts_of(ActionSet(features, rules))
    assert len(list_minimal(part, np.array([0.0, 5, 0, 0, 0]), 2)) == 2


def test_a_real_outside_its_range_may_be_moved_by_an_effect_alone():
    """With b, r moves to 21 and c stays; an own change of r would move c."""
    after = drawn(
        {"b": Feature("binary"), "r": REAL, "c": EFFECT},
        [Linkage("b", {"r": 1, "c": -1}), Linkage("r", {"c": 1})],
        {"b": 0, "r": 20, "c": 0},
        "b",
        n=20,
    )
    assert (after["r"] == 21).all()
    assert (after["c"] == 0).all()
