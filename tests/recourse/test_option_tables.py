"""Options that are kept from call to call change no verdict."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linkage, Thermometer
from skresp.reach import _grid, _option_table
from skresp.reach._cache import shared_cache
from skresp.reach._option_table import shared_tables
from skresp.reach._part import parts_of

ACTIONS = ActionSet(
    {
        "a": Feature("integer", 0, 6, max_increase=2),
        "b": Feature("integer", 0, 9, actionable=False),
        "u1": Feature("binary"),
        "u2": Feature("binary"),
        "c": Feature("integer", 0, 3),
    },
    constraints=[Linkage("a", {"b": 1}), Thermometer(["u1", "u2"])],
)
MODELS = {
    "trees": lambda: XGBClassifier(n_estimators=20, max_depth=3, n_jobs=1),
    "linear": lambda: LogisticRegression(),
}


def _data(n=300):
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 7, n),
            "b": rng.integers(0, 10, n),
            "u1": (level > 0).astype(int),
            "u2": (level > 1).astype(int),
            "c": rng.integers(0, 4, n),
        }
    )
    y = X.a + X.b - 2 * X.c + 3 * X.u2 + rng.normal(0, 1, n) > 11
    return X, y.astype(int)


def _explainer(name, X, y, **options):
    model = FrozenEstimator(MODELS[name]().fit(X, y))
    return ResponsivenessExplainer(model, ACTIONS, target=1, **options).fit(X)


def _assert_same(found, wanted):
    for name, values in vars(wanted._arrays).items():
        np.testing.assert_array_equal(getattr(found._arrays, name), values, name)


@pytest.mark.parametrize("cost", [None, "fewest"])
@pytest.mark.parametrize("interventions", ["minimal", "joint"])
@pytest.mark.parametrize("name", MODELS)
def test_verdicts_are_those_without_tables(name, interventions, cost, monkeypatch):
    X, y = _data()
    shared_tables.clear()
    explainer = _explainer(name, X, y, interventions=interventions)
    parts = [X[:1], X[1:2], X[:50], X, X.astype(np.float32), X[:1]]
    kept = [explainer.verify(part, cost=cost) for part in parts]
    assert len(shared_tables._tables) == 3  # a table for each part
    assert {"single", "joint", "fixed"} <= set(kept[3].status)
    monkeypatch.setattr(_option_table.OptionTables, "get", lambda *args: None)
    other = _explainer(name, X, y, interventions=interventions)
    for part, found in zip(parts, kept, strict=True):
        _assert_same(found, other.verify(part, cost=cost))


@pytest.mark.parametrize("name", MODELS)
def test_an_invalid_value_in_a_table_stays_invalid(name):
    X, y = _data()
    broken = X[:20].copy()
    broken.loc[3, ["u1", "u2"]] = [0, 1]
    shared_tables.clear()
    explainer = _explainer(name, X, y, invalid_rows="nan")
    wanted = explainer.verify(X[:20]).status
    for _ in range(2):
        status = explainer.verify(broken).status
        assert status[3] == "invalid"
        np.testing.assert_array_equal(np.delete(status, 3), np.delete(wanted, 3))


@pytest.mark.parametrize("name", MODELS)
def test_a_full_table_takes_no_more_values(name, monkeypatch):
    X, y = _data()
    wanted = _explainer(name, X, y).verify(X)
    shared_tables.clear()
    monkeypatch.setattr(_option_table, "MAX_OPTIONS", 12)
    explainer = _explainer(name, X, y)
    _assert_same(explainer.verify(X), wanted)
    assert all(len(t.options.changes) <= 12 for t in shared_tables._tables.values())


@pytest.mark.parametrize("name", MODELS)
def test_values_that_are_too_many_to_list_together_have_no_table(name, monkeypatch):
    X, y = _data()
    wanted = _explainer(name, X, y).verify(X)
    shared_tables.clear()
    shared_cache.clear()
    monkeypatch.setattr(_grid, "MAX_TOGETHER", 15)
    _assert_same(_explainer(name, X, y).verify(X), wanted)
    assert len(shared_tables._tables) < 3


def test_a_table_has_the_options_of_its_values():
    shared_tables.clear()
    part = next(part for part in parts_of(ACTIONS) if "c" in part.names)
    first, at = shared_tables.get(part, "minimal", np.array([[2.0]]))
    table, both = shared_tables.get(part, "minimal", np.array([[0.0], [2.0]]))
    assert (at.tolist(), both.tolist()) == ([0], [1, 0])
    assert first.options.changes.ravel().tolist() == [0.0, -2.0, -1.0, 1.0]
    assert table.options.changes.ravel().tolist() == [0, -2, -1, 1, 0, 1, 2, 3]
    assert table.feasible.all()
    assert table.options.covers_all.all()


@pytest.mark.parametrize("name", MODELS)
def test_a_pickle_leaves_out_what_was_made_of_tables(name):
    X, y = _data()
    explainer = _explainer(name, X, y)
    verdicts = explainer.verify(X)
    assert explainer._engine._kept
    copy = pickle.loads(pickle.dumps(explainer))
    assert not copy._engine._kept
    _assert_same(copy.verify(X), verdicts)
