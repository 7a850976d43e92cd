"""The best change of a part for a linear model, against linear programs by scipy."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

from skresp import ActionSet, Feature
from skresp._recourse.engines.linear._optimum import best_change
from skresp.constraints import Linear, Linkage
from skresp.reach._part import parts_of
from tests.recourse.explainers import explainer_of


def part_of(seed):
    """Two reals, and an integer under two sums, and a person."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(2, 3)).round(2)
    x = np.array([*rng.uniform(0, 10, 2).round(1), rng.integers(0, 6)])
    names = ["p", "q", "n"]
    features = {
        "p": Feature("real", 0, 10, max_increase=4),
        "q": Feature("real", 0, 10, max_decrease=5),
        "n": Feature("integer", 0, 5),
    }
    room = rng.uniform(0, 3, 2)
    rules = [
        Linear(dict(zip(names, each, strict=True)), upper=float(each @ x + r))
        for each, r in zip(w, room, strict=True)
    ]
    (part,) = parts_of(ActionSet(features, rules))
    return part, x, w, w @ x + room, rng


@pytest.mark.parametrize("straight", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_the_optimum_of_the_mixed_program(seed, straight):
    part, x, w, limit, rng = part_of(seed)
    slope = rng.normal(size=2)
    table = np.arange(6) * rng.normal() if straight else rng.normal(0, 3, 6)

    def gain(changes):
        n = (x[2] + changes[:, 2]).clip(0, 5).astype(int)
        return changes[:, :2] @ slope + table[n] - table[int(x[2])]

    best = -np.inf
    own = [part.features[k].own_limits(x[k]) for k in range(2)]
    for n in range(6):
        step = n - x[2]
        found = linprog(-slope, w[:, :2], limit - w @ x - w[:, 2] * step, bounds=own)
        if found.success:
            best = max(best, -found.fun + table[n] - table[int(x[2])])
    optimum = best_change(part, x, gain)
    assert optimum.bound >= best - 1e-9
    assert optimum.bound == pytest.approx(best, abs=1e-5)
    assert gain(optimum.change[None])[0] == pytest.approx(best, abs=1e-5)


def test_there_is_no_bound_where_a_gain_cannot_be_expressed():
    features = {
        "p": Feature("real", 0, 10),
        "n": Feature("integer", 0, 1_000),
        "m": Feature("integer", 0, 100_000),
    }
    for name in "nm":
        (part,) = parts_of(
            ActionSet(
                {k: features[k] for k in ("p", name)},
                [Linear({"p": 1, name: 1}, upper=5_000)],
            )
        )
        answer = best_change(part, np.zeros(2), lambda c: c[:, 0] + np.sin(c[:, 1]))
        assert answer.change is None
        assert answer.bound == np.inf


def test_nobody_is_fixed_where_an_integer_moves_a_binned_real():
    """The model jumps between the ends of `age`, which only `years` moves."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "p": rng.uniform(0, 10, 400),
            "q": rng.uniform(0, 10, 400),
            "years": rng.integers(0, 10, 400),
            "age": rng.integers(20, 30, 400) * 1.0,
        }
    )
    y = X.age.between(24, 26)
    bins = KBinsDiscretizer(5, encode="onehot-dense", strategy="uniform")
    encode = make_column_transformer((bins, ["age"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression(C=100, max_iter=2000)).fit(X, y)
    actions = ActionSet(
        {
            "p": Feature("real", 0, 10),
            "q": Feature("real", 0, 10),
            "years": Feature("integer", 0, 9, direction="increase"),
            "age": Feature("real", actionable=False),
        },
        [Linkage("years", {"age": 1}), Linear({"p": 1, "q": 1, "years": 1}, upper=40)],
    )
    few = X[(X.age == 20) & (X.years == 0)]
    found = explainer_of(model, actions, X).verify(few)
    assert "fixed" not in set(found.status)


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_of_several_classes_agree_with_a_grid(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(0, 10, (300, 3)), columns=list("abc"))
    y = np.digitize(X.a + 0.6 * X.b - X.c + rng.normal(0, 1, 300), [2, 7])
    model = LogisticRegression(max_iter=2000).fit(X, y)
    actions = ActionSet(
        {
            "a": Feature("real", 0, 10, max_increase=2),
            "b": Feature("real", 0, 10, max_increase=2),
            "c": Feature("real", actionable=False),
        },
        [Linear({"a": 1, "b": 1}, upper=14)],
    )
    X = X[X.a + X.b <= 14]
    for target in (0, 1, 2):
        few = X[model.predict(X) != target].iloc[:12]
        explainer = explainer_of(model, actions, X, target=target)
        found = explainer.verify(few)
        for i, status in enumerate(found.status):
            a, b, c = few.iloc[i]
            grid = [
                (s, t, c)
                for s, t in itertools.product(
                    np.linspace(0, min(a + 2, 10), 60),
                    np.linspace(0, min(b + 2, 10), 60),
                )
                if s + t <= 14
            ]
            hit = (
                model.predict(pd.DataFrame(grid, columns=list("abc"))) == target
            ).any()
            if hit:
                assert status != "fixed"
            if status == "fixed":
                assert found.proof[i] == "bound"
        if target == 2:
            assert "fixed" in set(found.status)
