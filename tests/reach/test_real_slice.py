"""Draws from real slices: uniform, also where the slice is thin or has no volume."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linear, Linkage
from skresp.reach import _real_slice
from skresp.reach._allowance import allow
from skresp.reach._deadline import NEVER, LimitError
from skresp.reach._part import parts_of
from skresp.reach._real_slice import Slice, draw_slice
from skresp.reach._sampling import _draw_choices, sample_joint, sample_minimal
from skresp.reach._solver_search import Search
from tests.faults import Fault


def reached(features, constraints, person, n=4_000, j=0):
    (part,) = parts_of(ActionSet(features, constraints))
    before = np.array([float(person[name]) for name in part.names])
    drawn = sample_joint(part, before, j, n, np.random.default_rng(0))
    assert drawn.uniform
    assert len(drawn.changes) == n
    own = part.own(drawn.changes)
    assert part.feasible(np.broadcast_to(before, own.shape), own).all()
    return dict(zip(part.names, (before + drawn.changes).T, strict=True))


def near(share, wanted, n=4_000):
    """Within four standard errors."""
    return abs(share - wanted) <= 4 * np.sqrt(wanted * (1 - wanted) / n)


def test_draws_on_an_equality_are_uniform_over_it():
    """x + y + z = 10: a triangle, a quarter of which has x >= 5."""
    after = reached(
        {name: Feature("real", 0, 10) for name in "xyz"},
        [Linear({"x": 1, "y": 1, "z": 1}, lower=10, upper=10)],
        {"x": 4, "y": 3, "z": 3},
    )
    for name in "xyz":
        assert near((after[name] >= 5).mean(), 0.25)


def test_draws_on_two_equalities_with_effects_are_uniform():
    """u + v = 4 and w = 3 u after the effect of v: one degree of freedom."""
    after = reached(
        {name: Feature("real", -50, 50) for name in "uvw"},
        [
            Linkage("v", {"w": 2}),
            Linear({"u": 1, "v": 1}, lower=4, upper=4),
            Linear({"u": 3, "w": -1}, lower=0, upper=0),
        ],
        {"u": 1, "v": 3, "w": 3},
    )
    # The own change of w is five times that of u, and within [-53, 47].
    change = after["u"] - 1
    assert -10.6 <= change.min() < -10.5
    assert 9.3 < change.max() <= 9.4
    assert near((change >= -0.6).mean(), 0.5)


@pytest.mark.parametrize("count", [6, 12])
def test_draws_from_a_thin_slice_are_uniform_over_it(count):
    """A simplex in many dimensions, which a box around it hardly ever hits."""
    names = [f"x{k}" for k in range(count)]
    after = reached(
        {name: Feature("real", 0, 10) for name in names},
        [Linear(dict.fromkeys(names, 1), upper=10)],
        dict.fromkeys(names, 0.5),
        n=1_000,
    )
    assert near((after["x0"] >= 1).mean(), 0.9**count, 1_000)


def test_draws_from_a_slice_in_two_pieces_reach_both():
    after = reached(
        {"a": Feature("real", 0, 10), "b": Feature("real", 0, 10)},
        [IfThen(("a", ">=", 1), ("a", ">=", 9)), Linear({"a": 1, "b": 1}, upper=20)],
        {"a": 0.5, "b": 5},
    )
    assert near((after["a"] >= 9).mean(), 0.5)


@pytest.mark.parametrize("j", [0, 1, None])
def test_a_constraint_on_what_a_real_affects_excludes_no_configuration(j):
    """b = 1 needs z >= 5, and only the effect of r moves z: r does, on half of them."""
    after = reached(
        {
            "b": Feature("binary"),
            "r": Feature("real", 0, 10),
            "z": Feature("real", 0, 10, actionable=False),
        },
        [Linkage("r", {"z": 1}), IfThen(("b", "==", 1), ("z", ">=", 5))],
        {"b": 0, "r": 0, "z": 0},
        j=j,
    )
    if j == 0:
        assert (after["b"] == 1).all()
    else:
        assert near(after["b"].mean(), 0.5)
        assert near((after["z"] >= 5).mean(), 0.75)  # all with b = 1, half without


def test_a_feature_outside_a_minimal_set_stays_in_all_draws():
    """j moves r, and only with s can c keep its bounds: it can also keep its value."""
    (part,) = parts_of(
        ActionSet(
            {
                "j": Feature("integer", 0, 1),
                "r": Feature("real", 0, 10),
                "s": Feature("real", 0, 10),
                "c": Feature("real", 0, 6, actionable=False),
            },
            [
                Linkage("j", {"r": 8}, keep_bounds=True),
                Linkage("r", {"c": 1}, keep_bounds=True),
                Linkage("s", {"c": -1}, keep_bounds=True),
            ],
        )
    )
    person = np.array([0.0, 5, 3, 5])
    rng = np.random.default_rng(0)
    drawn = sample_minimal(part, person, 0, 400, rng).changes
    assert len(drawn) == 400
    assert part.feasible(np.broadcast_to(person, drawn.shape), part.own(drawn)).all()
    assert ((drawn != 0) == [True, True, True, False]).all()
    assert np.ptp(drawn[:, 1]) > 1.9  # r and s have their range, from 3 to 5


@pytest.mark.parametrize("fault", ["suboptimal", "lower", "upper", "zeros", "random"])
def test_a_wrong_optimum_does_not_narrow_the_draws(fault, monkeypatch):
    """The ends of the range that is drawn from are bounds, not the solver's points."""
    (part,) = parts_of(
        ActionSet(
            {"a": Feature("real", 0, 10), "b": Feature("real", 0, 10)},
            [Linear({"a": 1, "b": 1}, upper=15)],
        )
    )
    Fault(fault).inject(monkeypatch)
    search = Search(part, np.array([1.0, 1.0]))
    drawn = draw_slice(search, Slice({}, [], [0, 1]), 500, np.random.default_rng(0))
    first = 1 + np.array(drawn)[:, 0]
    assert len(drawn) == 500
    assert first.min() < 0.5
    assert first.max() > 9.5


def test_a_real_that_something_else_moves_too_has_all_its_draws():
    """Nothing else has to move: no solver, and as many draws as were asked for."""
    (part,) = parts_of(
        ActionSet(
            {"j": Feature("binary"), "r": Feature("real", 0, 10, direction="increase")},
            [Linkage("j", {"r": 1})],
        )
    )
    before = np.zeros(2)
    drawn = sample_minimal(
        part, before, part.names.index("r"), 500, np.random.default_rng(0)
    )
    assert len(drawn.changes) == 500


def test_a_slice_of_single_points_keeps_the_limit(monkeypatch):
    """Effects keep `b` within its bounds, which leaves it one or two values."""
    features = {
        "a": Feature(
            "integer", 0, 267, actionable=False, mutable=True, direction="decrease"
        ),
        "b": Feature("real", 0, 1, max_increase=1),
        "e": Feature("integer", 0, 1),
    }
    rules = [Linkage("e", {"a": -2, "b": -1}, keep_bounds=True)]
    (part,) = parts_of(ActionSet(features, rules))
    before = np.array([125.0, 1.5, 2.0])
    tries = []
    contains = _real_slice._Region.contains

    def counted(self, points):
        tries.append(len(points))
        return contains(self, points)

    monkeypatch.setattr(_real_slice._Region, "contains", counted)
    with allow(NEVER, 30_000) as given:
        drawn = sample_joint(part, before, 1, 500, np.random.default_rng(0))
    assert 30 < len(drawn.changes) < 500
    own = part.own(drawn.changes)
    assert part.feasible(np.broadcast_to(before, own.shape), own).all()
    assert sum(tries) < given.spent <= 30_000


def test_points_where_the_feature_stays_put_take_no_draws():
    """`a` moves to 1 alone, or back to 2 together with `b`: two single points."""
    (part,) = parts_of(
        ActionSet(
            {"a": Feature("real", 0, 1, max_decrease=1), "b": Feature("real", 0, 1)},
            [Linkage("b", {"a": -2}, keep_bounds=True)],
        )
    )
    for seed in range(20):
        rng = np.random.default_rng(seed)
        drawn = sample_joint(part, np.array([2.0, 1.0]), 0, 4, rng)
        assert drawn.changes == pytest.approx(np.array([[-1.0, 0.0]] * 4), abs=1e-8)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_random_walks_through_a_thin_slice_are_uniform(dimensions):
    """The first real follows another one closely; all add up to 1 at most."""
    names = [f"x{i}" for i in range(dimensions + 1)]
    near_by = Linear({"x0": 1, "x1": -1}, -1e-5, 1e-5)
    weights = dict.fromkeys(names[1:], 1)
    (part,) = parts_of(
        ActionSet(
            {name: Feature("real", 0, 1) for name in names},
            [near_by, Linear(weights, upper=1)],
        )
    )
    search = Search(part, np.full(dimensions + 1, 0.1))
    region = Slice({}, [], range(dimensions + 1))
    drawn = draw_slice(search, region, 2_000, np.random.default_rng(0))
    after = search.before + np.array(drawn)
    exact = np.random.default_rng(1).exponential(size=(20_000, dimensions + 1))
    exact /= exact.sum(axis=1, keepdims=True)
    worst = min(
        ks_2samp(after[:, k + 1], exact[:, k]).pvalue for k in range(dimensions)
    )
    assert worst > 1e-3


BANDS = ActionSet(
    {name: Feature("real", 0, 1) for name in "abc"},
    [
        Linear({"a": 1, "b": -1}, -0.02, 0.02),
        Linear({"b": 1, "c": -1}, -0.05, 0.05),
    ],
)


@pytest.mark.parametrize(
    ("points", "least"), [(33_333, 400), (10_000, 100), (4_000, 1)]
)
def test_a_limit_leaves_the_draws_that_were_made(points, least):
    """A few hundred points of a box are inside. The rest is walked, or left out."""
    (part,) = parts_of(BANDS)
    with allow(NEVER, points) as given:
        drawn = sample_joint(part, np.full(3, 0.5), 0, 500, np.random.default_rng(0))
    assert least <= len(drawn.changes) <= 500
    assert given.spent <= points


def test_draws_of_earlier_slices_survive_a_limit():
    """The second slice needs the solver, which the limit no longer allows."""
    (part,) = parts_of(BANDS)
    search = Search(part, np.full(3, 0.5))
    narrow = Slice({0: 1.0, 1: 0.0}, [], [2])  # too far apart: no point
    choices = [Slice({}, [], [0, 1, 2]), narrow]
    changes = []
    with allow(NEVER, 400), pytest.raises(LimitError):
        _draw_choices(search, choices, 2, np.random.default_rng(1), changes)
    assert len(changes) == 1


@pytest.mark.parametrize(
    ("pinned", "own", "seed"), [(0.623, 0.27, 0), (0.166, 0.499, 11)]
)
def test_pieces_without_volume_take_hardly_any_draws(pinned, own, seed):
    """Where `a` is large, `c` has one value, so that part of a strip is flat."""
    (part,) = parts_of(
        ActionSet(
            {name: Feature("real", 0, 1) for name in "abc"},
            [
                Linear({"a": 1, "b": -1}, -1e-6, 1e-6),
                IfThen(("a", ">=", 0.3), ("c", "==", pinned)),
            ],
        )
    )
    search = Search(part, np.array([0.1, 0.1, own]))
    region = Slice({}, [], [0, 1, 2], moving=0)
    drawn = draw_slice(search, region, 500, np.random.default_rng(seed))
    after = search.before + np.array(drawn)
    assert len(after) == 500
    assert (after[:, 0] > 0.3001).mean() < 0.02
