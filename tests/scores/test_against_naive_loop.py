"""Scores equal a naive loop: one person, one feature, one point at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator

from skresp import ResponsivenessExplainer
from skresp._actions._encoding import encode
from skresp.datasets import fetch_german, fetch_heloc
from tests import oracle
from tests.small_models import REAL_DATA_MODELS, HashModel
from tests.strategies import cases, people


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
    model = HashModel(data.draw(st.integers(0, 99)), actions.names)
    explainer = ResponsivenessExplainer(model, actions, interventions=how).fit(X)
    explanation = explainer.explain(X)
    assert explanation.exact.all()
    for i, row in enumerate(rows + rows[:1]):
        assert explanation.at_target[i] == (model.answer(row) == "yes")
        for j, name in enumerate(actions.names):
            wanted, count = naive_score(actions, row, name, how, model)
            assert explanation.values[i, j] == wanted
            assert explanation.n_reachable[i, j] == count


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("how", ["minimal", "joint"])
@pytest.mark.parametrize("name", REAL_DATA_MODELS)
@pytest.mark.parametrize("fetch", [fetch_german, fetch_heloc])
def test_real_data(raw_data, fetch, name, how):
    bunch = fetch(data_home=raw_data)
    actions, X = bunch.action_set, bunch.data
    model = REAL_DATA_MODELS[name]().fit(X, bunch.target)
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
