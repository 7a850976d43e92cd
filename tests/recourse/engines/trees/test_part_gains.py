"""Gains of changes, by masks of leaves, by a walk together, and by walks alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._recourse.engines.trees import _change_search, _engine, _part_gains
from skresp._recourse.engines.trees._part_gains import PartGains, RankedForest
from tests.small_models import lightgbm, xgboost

MODELS = {
    "boosting": lambda: GradientBoostingClassifier(n_estimators=15, random_state=0),
    "small and large trees": lambda: RandomForestClassifier(
        12, max_leaf_nodes=70, random_state=0
    ),
    "missing values": lambda: HistGradientBoostingClassifier(max_iter=8),
    "labels": lambda: lightgbm(n_estimators=8, num_leaves=8, min_data_per_group=5),
    "sets of labels": lambda: xgboost(
        n_estimators=8, max_depth=4, enable_categorical=True, max_cat_to_onehot=1
    ),
}


def _data(name, n=300):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({c: rng.integers(0, 5, n) for c in "abcd"}).astype(float)
    X["e"] = rng.normal(size=n)
    signal = X.a * X.b + X.c * (X.e > 0) + rng.normal(0, 2, n)
    if name == "missing values":
        X.loc[rng.random(n) < 0.2, "c"] = np.nan
    if "labels" in name:
        X["f"] = pd.Categorical(rng.choice(list("pqrs"), n))
        signal += 3 * (X.f == "p")
    if name == "three classes":
        return X, np.digitize(signal, [5, 9])
    return X, (signal > 8).astype(int)


def _actions(X):
    features = {c: Feature("integer", lower=0, upper=4, max_increase=2) for c in "abcd"}
    features["e"] = Feature("real", actionable=False)
    if "f" in X:
        features["f"] = Feature("categorical", categories=list("pqrs"))
    return ActionSet(features)


@pytest.mark.parametrize("name", [*MODELS, "three classes"])
@pytest.mark.parametrize("has_table", [True, False])
def test_masks_and_walks_give_the_same_gains(name, has_table, monkeypatch):
    X, y = _data(name)
    model = MODELS.get(name, MODELS["boosting"])().fit(X, y)
    if not has_table:
        monkeypatch.setattr(_part_gains, "_MAX_TABLE", 0)
    gains = []
    part_gains = _change_search.ChangeSearch._part_gains

    def noted(self, people, changes, index):
        usual = self.gains_of
        trees = self.engine.trees
        nothing_small = np.zeros(len(trees.roots), dtype=bool)
        large = PartGains(RankedForest.of(trees, nothing_small), usual.changes)
        rounds = large.rounds(len(self.rows))
        assert usual.forest.masks is not None
        assert (rounds is not None) == has_table
        found = []
        usual_rounds = self.rounds
        for forms in ((large, rounds), (large, None), (usual, usual_rounds)):
            self.gains_of, self.rounds = forms
            found.append(part_gains(self, people, changes, index))
        gains.append(found)
        return found[-1]

    monkeypatch.setattr(_change_search.ChangeSearch, "_part_gains", noted)
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), _actions(X), target=1, missing="hold"
    ).fit(X)
    explainer.verify(X)
    assert len(gains) > 1  # of single changes, and of steps after them
    for (stay, gain), (stay_alone, gain_alone), (stay_usual, gain_usual) in gains:
        np.testing.assert_array_equal(stay, stay_alone)
        np.testing.assert_array_equal(gain, gain_alone)
        np.testing.assert_allclose(stay, stay_usual, atol=1e-12)
        np.testing.assert_allclose(gain, gain_usual, atol=1e-12)


@pytest.mark.parametrize("name", [*MODELS, "three classes"])
def test_verdicts_are_the_same_without_masks(name, monkeypatch):
    X, y = _data(name)
    model = MODELS.get(name, MODELS["boosting"])().fit(X, y)
    found = []
    for use in (True, False):
        if not use:
            monkeypatch.setattr(
                _engine, "small_trees", lambda trees: np.zeros(len(trees.roots), bool)
            )
        explainer = ResponsivenessExplainer(
            FrozenEstimator(model), _actions(X), target=1, missing="hold"
        ).fit(X)
        found.append(explainer.verify(X))
    np.testing.assert_array_equal(found[0].status, found[1].status)
    np.testing.assert_array_equal(found[0].proof, found[1].proof)
    assert {"joint", "fixed"} & set(found[0].status)
