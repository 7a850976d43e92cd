"""Witnesses with the proof `cheapest`: no other of the same status costs less."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature
from skresp._actions._encoding import decode, encode
from skresp._recourse._cost import SHARE_WEIGHT
from skresp.constraints import IfThen, Linear, Linkage
from skresp.reach._interventions import minimal_interventions
from skresp.reach._own_changes import own_changes, own_count
from skresp.reach._part import parts_of
from tests.recourse.explainers import explainer_of
from tests.small_models import fitted
from tests.strategies import cases, real_cases

# What a witness may cost more than the cheapest point, as a share of the largest
# change: the ends of pieces are known to 1e-9 of the numbers there, borders of
# constraints that are open to 1e-6.
TOLERANCE = 1e-5


def price(cost, actions, part, own):
    """Return the cost of own changes on a part, as the docstring defines it."""
    total = np.zeros(len(own))
    for k, name in enumerate(part.names):
        feature, change = part.features[k], own[:, k]
        if cost != "fewest":
            up, down = np.broadcast_to(cost.get(name, 0.0), 2)
            total += np.where(change > 0, up * change, -down * change)
            continue
        span = 1.0
        if feature.kind != "categorical" and feature.can_change:
            span = feature.bounds[1] - feature.bounds[0]
        share = np.abs(change) / span
        if feature.kind == "categorical":
            share = (change != 0) * 1.0
        total += (change != 0) + SHARE_WEIGHT * share / (len(actions.names) + 1)
    return total


def grid_of(actions, codes, how, step=1 / 16):
    """Feasible changes of each part on a fine grid: total, own, whether single."""
    out = []
    for part in parts_of(actions):
        x = codes[[actions.names.index(n) for n in part.names]]
        lists = []
        for k, f in enumerate(part.features):
            if np.isinf(own_count(f, x[k])):
                low, high = f.own_limits(x[k])
                grid = np.arange(low, high + step, step)
                lists.append(np.unique(np.r_[0.0, grid[grid <= high], high]))
            else:
                lists.append(own_changes(f, x[k]))
        if np.prod([float(len(each)) for each in lists]) > 30_000:
            return None
        own = np.array(list(itertools.product(*lists)))
        if not part.actionable:
            own = own[:0]
        own = own[part.feasible(np.broadcast_to(x, own.shape), own)]
        change = part.total(own)
        marks = change != 0
        if how == "minimal":
            marks = minimal_interventions(change, np.array([0, len(change)]))
        out.append((part, change, own, marks[:, part.actionable].any(axis=1)))
    return out


def cheapest_on_grid(model, actions, person, cost, status, how, target):
    """The least cost of a point of the grid that has the status and reaches it."""
    codes = encode(actions, pd.DataFrame([person]))[0]
    grid = grid_of(actions, codes, how)
    if grid is None:
        return None
    changes, costs = [np.zeros((0, len(codes)))], [np.zeros(0)]
    if status == "single":
        for part, change, own, single in grid:
            here = np.zeros((int(single.sum()), len(codes)))
            here[:, [actions.names.index(n) for n in part.names]] = change[single]
            changes.append(here)
            costs.append(price(cost, actions, part, own[single]))
    else:
        grid = [each for each in grid if len(each[1])]
        sizes = [len(change) for _, change, _, _ in grid]
        if np.prod([float(s) for s in sizes]) > 30_000:
            return None
        picks = np.unravel_index(np.arange(int(np.prod(sizes))), sizes)
        here = np.zeros((len(picks[0]), len(codes)))
        spent = np.zeros(len(here))
        for (part, change, own, _), pick in zip(grid, picks, strict=True):
            here[:, [actions.names.index(n) for n in part.names]] = change[pick]
            spent += price(cost, actions, part, own)[pick]
        changes.append(here)
        costs.append(spent)
    change, spent = np.concatenate(changes), np.concatenate(costs)
    if not len(change):
        return np.inf
    before = np.repeat(codes[None], len(change), axis=0)
    table = pd.DataFrame([person] * len(change))
    hit = model.predict(decode(actions, table, before, before + change)) == target
    return spent[hit].min(initial=np.inf)


def cost_of_witness(actions, verdicts, cost):
    change = verdicts._arrays.change[0]
    total = 0.0
    for part in parts_of(actions):
        mine = change[[actions.names.index(n) for n in part.names]][None]
        own = part.own(mine)
        own[np.abs(own) < 1e-9] = 0.0
        total += float(price(cost, actions, part, own)[0])
    return total


def check(kind, case, seed, cost_of, how):
    actions, person = case
    person = {
        name: float(value) if actions.features[name].kind == "real" else value
        for name, value in person.items()
    }
    note(str(actions))
    note(str(person))
    model, X = fitted(kind, actions, seed)
    cost = cost_of(actions)
    note(str(cost))
    target = 1 - int(model.predict(pd.DataFrame([person]))[0])
    explainer = explainer_of(model, actions, X, target=target, interventions=how)
    verdicts = explainer.verify(pd.DataFrame([person]), cost=cost)
    status, proof = verdicts.status[0], verdicts.proof[0]
    if status not in ("single", "joint"):
        return
    assert model.predict(verdicts.witness)[0] == target
    assert proof in ("cheapest", "cheapest found")
    spent = cost_of_witness(actions, verdicts, cost)
    least = cheapest_on_grid(model, actions, person, cost, status, how, target)
    note(f"{status} ({proof}): {spent}, on the grid {least}")
    if least is None:
        return
    # At most one real is free in each part: single changes are all compared.
    if status == "single":
        assert proof == "cheapest"
    if proof == "cheapest":
        scale = SHARE_WEIGHT if cost == "fewest" else max(1.0, least)
        assert spent <= least + TOLERANCE * scale


def prices(seed):
    def of(actions):
        if seed % 3 == 0:
            return "fewest"
        rng = np.random.default_rng(seed)
        names = [n for n, f in actions.features.items() if f.kind != "categorical"]
        return {name: tuple(rng.integers(1, 9, 2).tolist()) for name in names}

    return of


def one_free_real(case):
    """At most one real of each part is free."""
    actions, person = case
    return all(
        sum(
            np.isinf(own_count(f, float(person[n])))
            for n, f in zip(part.names, part.features, strict=True)
            if f.kind == "real"
        )
        <= 1
        for part in parts_of(actions)
    )


@pytest.mark.parametrize("how", ["minimal", "joint"])
@pytest.mark.parametrize("kind", ["LR", "ridge", "tree", "RF", "XGB", "LGBM"])
@given(case=real_cases().filter(one_free_real), seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_nothing_on_a_fine_grid_is_cheaper(kind, how, case, seed):
    check(kind, case, seed, prices(seed), how)


@pytest.mark.parametrize("kind", ["LR", "RF"])
@given(case=cases(), seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_discrete_changes_are_all_compared(kind, case, seed):
    check(kind, case, seed, prices(seed), "minimal")


def test_the_near_end_of_a_long_piece_is_cheaper_than_a_short_piece():
    X = pd.DataFrame({"x": np.linspace(-10, 10, 2001).round(2)})
    y = ((X.x > 0.5) | ((X.x > -3.1) & (X.x < -3))).astype(int)
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    actions = ActionSet({"x": Feature("real", -10, 10)})
    explainer = explainer_of(tree, actions, X)
    person = pd.DataFrame({"x": [0.0]})
    for cost in ("fewest", {"x": 1.0}):
        verdicts = explainer.verify(person, cost=cost)
        assert verdicts.proof[0] == "cheapest"
        assert 0.5 < verdicts.witness.x[0] < 0.51
        assert tree.predict(verdicts.witness - 1e-6)[0] == 0
    # Down is ten times cheaper than up: the near end of the short piece.
    verdicts = explainer.verify(person, cost={"x": (10.0, 1.0)})
    assert verdicts.witness.x[0] == pytest.approx(-3.005, abs=1e-3)
    assert tree.predict(verdicts.witness + 1e-6)[0] == 0
    assert explainer.verify(person).proof[0] == "witness"


MODELS = {
    "LR": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "RF": lambda: RandomForestClassifier(20, max_depth=4, random_state=0),
    "GB": lambda: GradientBoostingClassifier(n_estimators=20, random_state=0),
}


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("sort", ["real", "integer"])
def test_a_linked_number_moves_no_further_than_needed(kind, linked, sort):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"pay": rng.uniform(0, 10000, 500), "bill": rng.uniform(0, 20000, 500)}
    ).round(0 if sort == "integer" else 9)
    y = (X.pay - 0.2 * X.bill > 2000).astype(int)
    model = MODELS[kind]().fit(X, y)
    step = {"step": 10} if sort == "integer" else {}
    features = {
        "pay": Feature(sort, 0, 10000, direction="increase", **step),
        "bill": Feature("real", actionable=False),
    }
    rules = [Linkage("pay", {"bill": -1})] if linked else []
    few = X[model.predict(X) == 0].iloc[:15]
    explainer = explainer_of(model, ActionSet(features, rules), X)
    for cost in ("fewest", {"pay": 1.0}):
        verdicts = explainer.verify(few, cost=cost)
        assert set(verdicts.proof[verdicts.has_witness]) == {"cheapest"}
        for i, row in enumerate(verdicts.witness.itertuples()):
            person = few[verdicts.has_witness].iloc[i]
            most = np.floor((10000 - person.pay) / 10) * 10
            grid = np.arange(10, most + 1, 10)
            points = pd.DataFrame(
                {
                    "pay": person.pay + grid,
                    "bill": person.bill - grid * linked,
                }
            )
            hits = model.predict(points) == 1
            if hits.any():
                assert row.pay - person.pay <= grid[hits].min() + 1e-6


def test_where_not_all_changes_are_compared_the_proof_is_cheapest_found():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 10, (300, 2)), columns=["a", "b"])
    y = (X.a + X.b > 12).astype(int)
    free = ActionSet({k: Feature("real", 0, 10, max_increase=3) for k in "ab"})
    model = LogisticRegression().fit(X, y)
    few = X[model.predict(X) == 0]

    def proofs(model, actions, cost):
        explainer = explainer_of(model, actions, X)
        verdicts = explainer.verify(few, cost=cost)
        shown = verdicts.has_witness
        assert (model.predict(verdicts.witness) == 1).all()
        shown = shown & (verdicts.status != "unknown")
        pairs = zip(verdicts.status[shown], verdicts.proof[shown], strict=True)
        return set(pairs)

    # Two numbers may each move partly; changes of one number are compared.
    found = proofs(model, free, {"a": 1.0, "b": 2.0})
    assert found == {("single", "cheapest"), ("joint", "cheapest found")}

    # Nothing is known of a function between the options.
    def squares(before, after):
        return ((after - before) ** 2).sum(axis=1).to_numpy()

    found = proofs(model, free, squares)
    assert {proof for _, proof in found} == {"cheapest found"}
    # Several numbers of one part, and a black box.
    tied = ActionSet(free.features, [Linear({"a": 1, "b": 1}, upper=30)])
    assert {p for _, p in proofs(model, tied, "fewest")} <= {"cheapest found"}
    black = MLPClassifier((4,), max_iter=800, random_state=0).fit(X, y)
    few = few[black.predict(few) == 0]
    assert {p for _, p in proofs(black, free, "fewest")} == {"cheapest found"}


def test_single_changes_of_a_black_box_are_compared_where_listed():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 10, (300, 2)), columns=["a", "b"])
    black = MLPClassifier((6,), max_iter=800, random_state=0).fit(X, X.a + X.b > 11)
    actions = ActionSet({k: Feature("integer", 0, 9, max_increase=3) for k in "ab"})

    def squares(before, after):
        return ((after - before) ** 2).sum(axis=1).to_numpy()

    verdicts = explainer_of(black, actions, X).verify(X, cost=squares)
    single = verdicts.status == "single"
    assert single.any()
    assert set(verdicts.proof[single]) == {"cheapest"}
    assert set(verdicts.proof[verdicts.status == "joint"]) <= {"cheapest found"}


def test_the_cheapest_witness_lies_close_to_an_open_border():
    """Above 5 the other number is capped, so the cheap way up ends before."""
    X = pd.DataFrame(
        list(itertools.product(np.arange(0, 10.5, 0.5), [0, 1])), columns=["p", "b"]
    )
    tree = DecisionTreeClassifier(random_state=0).fit(X, (X.p > 3.2).astype(int))
    actions = ActionSet(
        {"p": Feature("real", 0, 10), "b": Feature("binary", actionable=False)},
        [IfThen(("p", "<=", 6), ("b", "==", 0))],
    )
    person = pd.DataFrame({"p": [7.0, 2.0], "b": [1, 0]})
    up = explainer_of(tree, actions, X)
    down = explainer_of(tree, actions, X, target=0)
    assert up.verify(person, cost="fewest").witness.p.tolist() == pytest.approx(
        [3.25], abs=1e-5
    )
    assert down.verify(person, cost="fewest").status.tolist() == ["fixed", "approved"]


def test_values_just_above_a_bound_that_does_not_reach_the_target():
    """The bound itself does not reach the target, everything above it does."""
    X = pd.DataFrame({"a": [0, 1, 2, 3] * 2, "b": [0.0] * 4 + [1.0] * 4})
    y = ((X.a <= 1) | (X.b > 0.5)).astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    actions = ActionSet({"a": Feature("integer", 0, 3), "b": Feature("real", 0.5, 3.5)})
    people = pd.DataFrame({"a": [2], "b": [0.0]})
    explainer = explainer_of(model, actions, X)
    found = explainer.verify(people, cost={"a": 1.0, "b": 1.0})
    assert found.proof.tolist() == ["cheapest"]
    assert found.witness.a.tolist() == [2]
    assert 0.5 < found.witness.b.item() < 0.5001


def test_fewest_adds_up_shares_of_ranges():
    """Two half ranges cost less than a whole range and a twentieth of another."""
    X = pd.DataFrame([(i, k) for i in range(21) for k in range(21)], columns=["a", "b"])
    y = (((X.a == 10) & (X.b == 10)) | ((X.a == 20) & (X.b == 1))).astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    actions = ActionSet({n: Feature("integer", 0, 20) for n in X})
    explainer = explainer_of(model, actions, X)
    found = explainer.verify(pd.DataFrame({"a": [0], "b": [0]}), cost="fewest")
    assert found.witness.to_numpy().tolist() == [[10, 10]]
    assert found.proof.tolist() == ["cheapest"]


@pytest.mark.parametrize("how", ["minimal", "joint"])
@pytest.mark.parametrize("cost", [None, "fewest", {"d": 2.0}])
def test_the_tolerance_of_a_constraint_allows_no_change(how, cost):
    """For `c` to change, `d` would have to change by no more than rounding."""
    actions = ActionSet(
        {
            "c": Feature("binary", actionable=False, mutable=True),
            "d": Feature("real", 0, 1),
        },
        [Linkage("c", {"d": -1}, keep_bounds=True)],
    )
    X = pd.DataFrame({"c": [0, 1] * 20, "d": np.linspace(-1, 2, 40)})
    model = DecisionTreeClassifier(random_state=0).fit(X, (X.c == 1) & (X.d < 0.3))
    explainer = explainer_of(model, actions, X, interventions=how)
    people = pd.DataFrame({"c": [0], "d": [1.0]})
    assert explainer.verify(people, cost=cost).status.tolist() == ["fixed"]
