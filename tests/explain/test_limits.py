"""Limits of `explain`: time, and points per person."""

import warnings
from itertools import pairwise
from time import perf_counter, process_time

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

import skresp.reach._highs as solver
from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._cli._arguments import parser
from skresp.constraints import IfThen, Linear, Linkage


def _mixed(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.uniform(0, 10, rows),
            "b": rng.uniform(0, 10, rows),
            "c": rng.integers(0, 4, rows),
            "d": rng.integers(0, 2, rows),
        }
    )
    X.loc[X["d"] == 1, "b"] = X["b"].clip(upper=5)
    y = (X["a"] + X["b"] + X["c"] > 12).astype(int)
    actions = ActionSet(
        {
            "a": Feature("real", 0, 10),
            "b": Feature("real", 0, 10),
            "c": Feature("integer", 0, 3),
            "d": Feature("binary"),
        },
        [IfThen(("d", "==", 1), ("b", "<=", 5))],
    )
    return X, y, actions


def _counted(model):
    asked = []
    predict = model.predict
    model.predict = lambda rows: asked.append(len(rows)) or predict(rows)
    return asked


@pytest.mark.parametrize("most", [3, 40, 1_000])
def test_sampled_scores_propose_no_more_points_than_allowed(most):
    X, y, actions = _mixed()
    model = MLPClassifier((8,), random_state=0, max_iter=50).fit(X, y)
    explainer = ResponsivenessExplainer(
        model, actions, target=1, max_points=most, random_state=0
    ).fit(X)
    asked = _counted(model)
    found = explainer.explain(X[:5])
    drawn = np.where(found.exact, 0, found.n_reachable)
    assert (drawn.sum(axis=1) <= most).all()
    assert (drawn[:, 0] == min(500, most // 3)).all()
    assert sum(asked) <= 5 * (most + 3 + 1)  # listed values of c, and the row itself
    wide = (found.upper - found.lower)[:, 0].mean()
    model.predict = type(model).predict.__get__(model)
    more = ResponsivenessExplainer(
        model, actions, target=1, max_points=50_000, random_state=0
    ).fit(X)
    assert (more.explain(X[:5]).n_reachable[:, 0] == 500).all()
    assert wide > (more.explain(X[:5]).upper - more.explain(X[:5]).lower)[:, 0].mean()
    alone = [explainer.explain(X[i : i + 1]).values[0] for i in range(5)]
    np.testing.assert_array_equal(found.values, np.array(alone))
    again = found.reachable(0, "a")
    assert len(again) == found.n_reachable[0, 0]


def test_a_billion_samples_are_as_many_as_the_points():
    X, y, actions = _mixed()
    model = MLPClassifier((8,), random_state=0, max_iter=50).fit(X, y)
    explainer = ResponsivenessExplainer(
        model, actions, target=1, n_samples=10**9, max_points=3_000, random_state=0
    ).fit(X)
    found = explainer.explain(X[:2])
    assert (found.n_reachable[:, 0] == 1_000).all()


def test_runs_of_the_solver_are_bounded(monkeypatch):
    rng = np.random.default_rng(0)
    names = list("abc")
    X = pd.DataFrame(rng.integers(0, 151, (200, 3)), columns=names)
    X = X[X.sum(axis=1) <= 300]
    model = MLPClassifier((4,), random_state=0, max_iter=20).fit(X, X["a"] > 75)
    actions = ActionSet(
        {n: Feature("integer", 0, 150) for n in names},
        [Linear(dict.fromkeys(names, 1), upper=300)],
    )
    runs = []
    answer = solver._answer
    monkeypatch.setattr(
        solver, "_answer", lambda *given: runs.append(1) or answer(*given)
    )
    explainer = ResponsivenessExplainer(
        model, actions, target=True, max_points=2_000, random_state=0
    ).fit(X)
    first = explainer.explain(X[:2])
    assert len(runs) <= 2 * 2_000 / 100
    again = explainer.explain(X[:2])
    np.testing.assert_array_equal(first.values, again.values)


def test_what_is_not_computed_in_time_is_open():
    X, y, actions = _mixed()
    model = LogisticRegression().fit(X, y)
    explainer = ResponsivenessExplainer(model, actions, target=1, random_state=0)
    explainer.fit(X)
    with pytest.warns(UserWarning, match="240 of 240 scores were not computed within"):
        found = explainer.explain(X, time_limit=0.0)
    assert np.isnan(found.values).all()
    assert (found.lower == 0).all()
    assert (found.upper == 1).all()
    assert not found.exact.any()
    assert (found.n_reachable == 0).all()
    assert "Not computed within the time limit: a, b, c, d." in found.describe(0)
    assert "240 scores were not computed within the time limit" in repr(found)
    with pytest.raises(ValueError, match="not computed within time_limit"):
        found._context.points(X, "a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = explainer.explain(X[:4], time_limit=600.0)
    free = explainer.explain(X[:4])
    for name in ("values", "lower", "upper", "exact", "n_reachable", "at_target"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(free, name))
    for limit in (-1, "soon", True, np.nan):
        with pytest.raises(ValueError, match="time_limit must be a number of seconds"):
            explainer.explain(X, time_limit=limit)


@pytest.mark.parametrize("most", [-1, 2.5, True, "many"])
def test_points_that_make_no_sense_are_refused(most):
    X, y, actions = _mixed()
    model = LogisticRegression().fit(X, y)
    explainer = ResponsivenessExplainer(model, actions, target=1, max_points=most)
    with pytest.raises(ValueError, match="max_points must be a whole number"):
        explainer.fit(X)


def test_verify_uses_the_points_of_the_explainer():
    X, y, actions = _mixed()
    model = MLPClassifier((8,), random_state=0, max_iter=50).fit(X, y)
    people = X[model.predict(X) == 0]
    explainer = ResponsivenessExplainer(
        model, actions, target=1, max_points=10, random_state=0
    ).fit(X)
    assert (explainer.verify(people).used <= 10).all()
    assert explainer.verify(people, max_points=300).used.max() > 10


def test_the_command_line_has_the_defaults_of_python():
    needed = {"model": "m", "data": "d", "actions": "a", "target": "1", "out": "o"}
    options = [word for name, value in needed.items() for word in (f"--{name}", value)]
    given = parser().parse_args(["audit", *options])
    assert given.max_points == ResponsivenessExplainer(None).max_points


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chain", "forest"])
def test_time_limit_is_kept(name):
    rng = np.random.default_rng(0)
    names = [f"r{i}" for i in range(12)]
    X = pd.DataFrame(rng.uniform(0, 1, (2_000, 12)), columns=names)
    y = (X.sum(axis=1) + rng.normal(0, 1, 2_000) > 6).astype(int)
    rules = [Linkage(a, {b: 0.5}) for a, b in pairwise(names)]
    rules.append(Linear(dict.fromkeys(names, 1.0), upper=12.0))
    actions = ActionSet(
        {n: Feature("real", 0, 1) for n in names}, rules if name == "chain" else ()
    )
    model = RandomForestClassifier(60, random_state=0).fit(X, y)
    explainer = ResponsivenessExplainer(model, actions, target=1, random_state=0)
    explainer.fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        explainer.explain(X[:1], time_limit=1.0)  # compiles
        for limit in (0.3, 1.0):
            wall, cpu = perf_counter(), process_time()
            explainer.explain(X[:500], time_limit=limit)
            took = min(perf_counter() - wall, process_time() - cpu)
            assert took <= 1.3 * limit + 0.5
