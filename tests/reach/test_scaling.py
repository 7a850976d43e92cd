"""Feasibility on ranges from 10 to 1e12: the solver's answer is the meaning's."""

from __future__ import annotations

import itertools
import random
from unittest import mock

import highspy
import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linear, Linkage, OneHot, Switch
from skresp.constraints._program import Row
from skresp.reach import Outcome, check_feasibility, reachable_set
from skresp.reach import _highs as _solver
from skresp.reach._part import parts_of
from skresp.reach._scaling import Box, scaled_model, tighten
from skresp.reach._solver_search import Search
from tests import oracle

ROLES = [{}, {}, {}, {"actionable": False}, {"actionable": False, "mutable": True}]
WAYS = [None, None, None, "increase", "decrease"]


def outcome(feasible):
    return Outcome.FEASIBLE if feasible else Outcome.INFEASIBLE


class Case:
    """A random action set over wide ranges, and a valid person."""

    def __init__(self, seed, *, unit=1, reals=False):
        self.r = r = random.Random(seed)
        self.unit = unit
        names = "abcd"[: r.randint(2, 4)]
        kinds = ["binary", *["integer"] * 3, *["real"] * (2 * reals)]
        self.features, self.top = {}, {}
        for name in names:
            kind = r.choice(kinds)
            self.top[name] = 1 if kind == "binary" else self._top()
            limits = {} if kind == "binary" else {"lower": 0, "upper": self.top[name]}
            if kind == "integer" and unit > 1:
                limits["step"] = unit
            self.features[name] = Feature(
                kind, direction=r.choice(WAYS), **r.choice(ROLES), **limits
            )
        rules = [self._rule(list(names)) for _ in range(r.randint(1, 3))]
        try:
            self.actions = ActionSet(self.features, [x for x in rules if x])
        except ValueError:  # a cycle of linkages
            self.actions = ActionSet(self.features)
        people = ({n: self._person(n) for n in names} for _ in range(20))
        ok = (p for p in people if oracle.move_ok(self.actions, p, p))
        self.person = next(ok, None)
        if self.person is None:
            self.actions = ActionSet(self.features)
            self.person = {n: self._person(n) for n in names}

    def _top(self):
        if self.unit > 1:
            return self.unit * self.r.randint(1, 4)
        return 10 ** self.r.choice([1, 3, 6, 9, 10, 11, 12])

    def _person(self, name):
        top = self.top[name]
        if self.unit > 1 and top > 1:
            return self.unit * self.r.randint(0, top // self.unit)
        return self.r.choice([0, top, self.r.randint(0, top), min(500, top)])

    def value(self, name):
        """A value that conditions and questions name."""
        top = self.top[name]
        if top == 1:
            return self.r.randint(0, 1)
        if self.unit > 1:
            return self._person(name) + self.r.choice([0, 0, 1, -1])
        return self.r.choice([0, 1, 5, 500, top // 2, top - 1, self._person(name)])

    def _rule(self, names):
        r = self.r
        a, b, *rest = r.sample(names, len(names))
        kind = r.choice(["if", "if", "linear", "linkage", "switch"])
        if kind == "if":
            conditions = [
                (n, r.choice(["<=", ">=", "==", "!="]), self.value(n)) for n in (a, b)
            ]
            return IfThen(*conditions)
        if kind == "linear":
            terms = {n: r.choice([-2, -1, 1, 1, 3]) for n in (a, b, *rest[:1])}
            most = sum(abs(w) * self.top[n] for n, w in terms.items())
            low, high = sorted(r.randint(-most, most) for _ in range(2))
            return Linear(terms, *r.choice([(low, high), (None, high), (low, low)]))
        if self.features[a].kind == "real":
            return None
        if kind == "linkage":
            return Linkage(a, {b: r.choice([-1, 1, 2])}, r.choice([False, True]))
        return Switch(a, [b, *rest[:1]], self.value(a), r.choice([False, True]))

    def near_points(self, most):
        """Points at and beside the values that the constraints name."""
        columns = {}
        for name in self.actions.effect_order:
            if self.top[name] == 1:
                columns[name] = {0, 1}
                continue
            found = {self.person[name], 0, 1, self.top[name], self.top[name] - 1}
            for rule in self.actions.constraints:
                if isinstance(rule, IfThen):
                    for at in (rule.if_, rule.then):
                        if at.feature == name:
                            found |= {at.value - 1, at.value, at.value + 1}
            for (source, target), scale in self.actions.effects.items():
                if target == name:
                    start = self.person[source]
                    found |= {
                        self.person[name] + scale * (v - start) for v in columns[source]
                    }
            columns[name] = found
        rows = list(itertools.product(*(sorted(columns[n]) for n in columns)))
        rows = self.r.sample(rows, min(most, len(rows)))
        return [dict(zip(columns, row, strict=True)) for row in rows]


@given(seed=st.integers(0, 10**9), unit=st.sampled_from([10, 10**6, 10**9, 10**11]))
@settings(max_examples=120)
def test_any_values_asked_for_are_feasible_where_some_listed_point_has_them(seed, unit):
    """In steps of a unit the grid lists every point, however wide the range."""
    case = Case(seed, unit=unit)
    note(f"{case.actions.to_dict()} {case.person}")
    found = reachable_set(case.actions, case.person, method="grid").points
    points = found.to_dict("records")
    for _ in range(5):
        names = case.r.sample(case.actions.names, case.r.randint(1, len(found.columns)))
        source = case.r.choice(points)
        asked = {
            n: int(source[n]) if case.r.random() < 0.7 else case.value(n) for n in names
        }
        note(str(asked))
        wanted = any(all(p[n] == v for n, v in asked.items()) for p in points)
        assert check_feasibility(case.actions, case.person, asked) is outcome(wanted)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=80)
def test_whole_points_next_to_the_borders_are_judged_to_the_unit(seed):
    case = Case(seed)
    note(f"{case.actions.to_dict()} {case.person}")
    good = []
    for point in case.near_points(12):
        wanted = oracle.move_ok(case.actions, case.person, point)
        note(str(point))
        assert check_feasibility(case.actions, case.person, point) is outcome(wanted)
        good += [point] if wanted else []
    for point in good[:4]:
        names = case.r.sample(case.actions.names, case.r.randint(1, len(point)))
        asked = {n: point[n] for n in names}
        note(str(asked))
        found = check_feasibility(case.actions, case.person, asked)
        assert found is Outcome.FEASIBLE


@given(seed=st.integers(0, 10**9))
@settings(max_examples=80)
def test_reals_on_wide_ranges_are_never_called_what_they_are_not(seed):
    case = Case(seed, reals=True)
    note(f"{case.actions.to_dict()} {case.person}")
    for point in case.near_points(12):
        note(str(point))
        # To the last unit, without the oracle's allowance for rounding.
        with mock.patch.object(oracle, "rounding", return_value=0):
            if not oracle.move_ok(case.actions, case.person, point):
                continue
        found = check_feasibility(case.actions, case.person, point)
        assert found is Outcome.FEASIBLE
        names = case.r.sample(case.actions.names, case.r.randint(1, len(point)))
        asked = {n: point[n] for n in names}
        found = check_feasibility(case.actions, case.person, asked)
        assert found is not Outcome.INFEASIBLE


@pytest.mark.parametrize("kind", ["integer", "real"])
def test_a_value_far_below_the_solvers_tolerance_is_not_taken_for_another(kind):
    """500 of 1e12 is less than HiGHS can tell from 0."""
    actions = ActionSet(
        {"s": Feature("binary"), "n": Feature(kind, 0, 10**12)},
        [IfThen(("s", "==", 1), ("n", "<=", 5))],
    )
    person = {"s": 0, "n": 0}
    for asked, feasible in [
        ({"n": 500}, True),
        ({"n": 500, "s": 1}, False),
        ({"n": 6, "s": 1}, False),
        ({"n": 5, "s": 1}, True),
        ({"s": 1}, True),
        ({"n": 10**12}, True),
        ({"n": 10**12 + 2000}, False),
        ({"n": -1}, False),
    ]:
        assert check_feasibility(actions, person, asked) is outcome(feasible), asked


@pytest.mark.parametrize("top", [10**k for k in (3, 6, 9, 10, 11, 12)])
def test_integers_of_any_range_beside_a_condition_are_decided(top):
    actions = ActionSet(
        {
            "s": Feature("binary"),
            "n": Feature("integer", 0, top),
            "m": Feature("integer", 0, top),
        },
        [
            IfThen(("s", "==", 1), ("n", ">=", top - 3)),
            Linear({"n": 1, "m": 1}, upper=top),
        ],
    )
    person = {"s": 0, "n": 7, "m": 5}
    for asked, feasible in [
        ({"s": 1}, True),
        ({"s": 1, "m": 3}, True),
        ({"s": 1, "m": 4}, False),
        ({"m": top}, True),
        ({"m": top, "n": 1}, False),
    ]:
        assert check_feasibility(actions, person, asked) is outcome(feasible), asked


def test_a_solution_without_the_values_asked_for_is_not_feasible(monkeypatch):
    """A solver that answers 'staying put' to every question."""
    monkeypatch.setattr(
        _solver,
        "_run",
        lambda model, presolve, time_limit: (
            highspy.HighsModelStatus.kOptimal,
            np.zeros(model[0]),
        ),
    )
    names = list("abc")
    actions = ActionSet({n: Feature("binary") for n in names}, [OneHot(names)])
    person = {"a": 1, "b": 0, "c": 0}
    assert check_feasibility(actions, person, {"b": 1}) is Outcome.UNDECIDED
    assert check_feasibility(actions, person, {"b": 0}) is Outcome.FEASIBLE


@pytest.mark.parametrize("answer", [[np.nan] * 2, [], [0.0] * 9])
def test_a_solution_that_is_none_is_undecided(monkeypatch, answer):
    monkeypatch.setattr(
        _solver,
        "_run",
        lambda *_: (highspy.HighsModelStatus.kOptimal, np.array(answer)),
    )
    actions = ActionSet(
        {"a": Feature("real", 0, 9), "b": Feature("real", 0, 9)},
        [Linear({"a": 1, "b": 1}, upper=10)],
    )
    (part,) = parts_of(actions)
    search = Search(part, np.array([5.0, 4.0]))
    assert search.feasible({0: 8.0}) is Outcome.UNDECIDED


# -- the arithmetic --------------------------------------------------------------------


def random_rows(rng, columns):
    rows: list[Row] = []
    for _ in range(rng.integers(1, 4)):
        weights = {
            int(c): float(rng.integers(1, 5) * rng.choice([-1, 1]))
            for c in rng.choice(columns, rng.integers(1, columns + 1), replace=False)
        }
        low = float(rng.integers(-8, 8))
        rows.append((weights, low, low + float(rng.integers(0, 6))))
    return rows


@pytest.mark.parametrize("unit", [1, 10**6, 10**11])
def test_tightening_keeps_every_solution(unit):
    """Compared with all integer points of a small box, in units of any size."""
    rng = np.random.default_rng(0)
    empty = 0
    for _ in range(300):
        rows = [
            (w, low * unit, high * unit) for w, low, high in random_rows(rng, columns=3)
        ]
        box = Box(
            np.full(3, -3.0 * unit),
            np.full(3, 3.0 * unit),
            np.ones(3, dtype=bool),
            np.zeros(3),
        )
        tight = tighten(rows, box)
        points = unit * np.array(list(itertools.product(range(-3, 4), repeat=3)))
        ok = np.ones(len(points), dtype=bool)
        for weights, low, high in rows:
            value = sum(w * points[:, c] for c, w in weights.items())
            ok &= (value >= low) & (value <= high)
        if tight is None:
            empty += 1
            assert not ok.any()
        else:
            inside = (points >= tight.lower) & (points <= tight.upper)
            assert inside[ok].all()
    assert empty > 20


def test_the_solvers_units_lose_no_solution():
    """Points of a program are solutions of the model in scaled units, and back."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        size = 10.0 ** rng.integers(0, 13, 4)
        integer = rng.random(4) < 0.5
        point = np.rint(rng.uniform(-size, size))
        box = Box(
            np.minimum(np.rint(point - rng.uniform(0, size)), 0),
            np.maximum(np.rint(point + rng.uniform(0, size)), 1),
            integer,
            np.zeros(4),
        )
        rows = []
        for _ in range(3):
            weights = dict(enumerate(rng.integers(1, 9, 4).astype(float).tolist()))
            value = float(sum(w * point[c] for c, w in weights.items()))
            rows.append((weights, value, value))
        model = scaled_model(box, rows, _solver.Expression())
        units = (point - model.shift) / model.scale
        _, low, high, at_least, at_most, starts, index, w, _ = model.arrays
        assert ((units >= low) & (units <= high)).all()
        for i in range(len(rows)):
            some = slice(starts[i], starts[i + 1])
            value = (w[some] * units[index[some]]).sum()
            assert np.abs(w[some]).max() <= 1
            assert np.abs(w[some]).min() >= 1e-9
            assert at_least[i] - 1e-9 <= value <= at_most[i] + 1e-9
        assert model.holds(units, 1e-9)
        assert not model.holds(units + 10, 1e-9)
