"""Scores equal a naive loop: one person, one feature, one point at a time."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skresp import ResponsivenessExplainer
from skresp.actions import encode
from skresp.datasets import fetch_german, fetch_heloc

from .. import oracle
from ..strategies import cases, people


class Whim:
    """A model that answers each point by a hash of it: no structure to exploit."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, salt, names):
        self.salt, self.names = salt, names

    def answer(self, row):
        text = "|".join(str(row[name]) for name in self.names)
        return "yes" if zlib.crc32(f"{self.salt}{text}".encode()) % 3 == 0 else "no"

    def predict(self, X):
        return np.array([self.answer(row) for _, row in X.iterrows()])


def naive_score(actions, person, feature, how, model):
    points = oracle.interventions(actions, person, feature, how)
    answers = [model.answer(point) == "yes" for point in points]
    return (np.mean(answers) if answers else 0.0), len(points)


@pytest.mark.parametrize("how", ["minimal", "joint"])
@given(data=st.data())
@settings(max_examples=60)
def test_random_models_and_action_sets(how, data):
    actions, person = data.draw(cases())
    others = data.draw(st.lists(people(actions), max_size=3))
    rows = [person, *(row for row in others if oracle.move_ok(actions, row, row))]
    X = pd.DataFrame(rows + rows[:1])
    note(str(actions))
    note(str(X))
    model = Whim(data.draw(st.integers(0, 99)), actions.names)
    explainer = ResponsivenessExplainer(model, actions, interventions=how).fit(X)
    explanation = explainer.explain(X)
    assert explanation.exact.all()
    for i, row in enumerate(rows + rows[:1]):
        assert explanation.at_target[i] == (model.answer(row) == "yes")
        for j, name in enumerate(actions.names):
            wanted, count = naive_score(actions, row, name, how, model)
            assert explanation.values[i, j] == wanted
            assert explanation.n_reachable[i, j] == count


MODELS = {
    "LR": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(C=np.inf, max_iter=1_000)
    ),
    "RF": lambda: RandomForestClassifier(20, max_depth=8, random_state=0),
    "XGB": lambda: pytest.importorskip("xgboost").XGBClassifier(n_estimators=30),
}


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("how", ["minimal", "joint"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("fetch", [fetch_german, fetch_heloc])
def test_real_data(raw_data, fetch, name, how):
    bunch = fetch(data_home=raw_data)
    actions, X = bunch.action_set, bunch.data
    model = MODELS[name]().fit(X, bunch.target)
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, interventions=how
    ).fit(X)
    explanation = explainer.explain(X)
    rng = np.random.default_rng(0)
    codes = encode(actions, X)
    for i in rng.choice(len(X), size=6, replace=False):
        person = dict(zip(actions.names, codes[i], strict=True))
        for part in actions.parts:
            movable = [n for n in part if actions.features[n].actionable]
            if not movable:
                continue
            points = part_points(actions, part, person)
            for feature in movable:
                found = oracle.interventions(actions, person, feature, how, points)
                hits = 0
                for point in found:
                    row = pd.DataFrame([point])[list(X.columns)].astype(int)
                    hits += int(model.predict(row)[0] == 1)
                j = list(X.columns).index(feature)
                assert explanation.n_reachable[i, j] == len(found)
                assert explanation.values[i, j] == (hits / len(found) if found else 0)


def part_points(actions, part, person):
    """Every reachable row that differs from the person on one part only."""
    out = []
    ranges = [
        [person[n]]
        if not actions.features[n].can_change
        and n != "Age"
        and n != "YearsOfAccountHistory"
        else [0, 1]
        if actions.features[n].kind == "binary"
        else [person[n] + d for d in range(-10, 11)]
        for n in part
    ]
    for values in np.array(np.meshgrid(*ranges)).T.reshape(-1, len(part)):
        row = {**person, **dict(zip(part, values.tolist(), strict=True))}
        if oracle.move_ok(actions, person, row):
            out.append(row)
    return out
