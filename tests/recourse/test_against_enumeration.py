"""Verdicts equal those from enumerating every combination of changes."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from skresp._actions._encoding import decode, encode
from skresp.datasets import fetch_german, fetch_heloc
from skresp.reach import reachable_set
from skresp.reach._own_changes import own_changes, own_count
from skresp.reach._part import parts_of
from tests import oracle
from tests.recourse.explainers import explainer_of
from tests.small_models import ALL, REAL_DATA_MODELS, HashModel, fitted
from tests.strategies import cases, real_cases


def wanted(actions, person, model, how, target):
    """Return the status by its definition, from all reachable points."""
    points = oracle.all_points(actions, person)
    frame = pd.DataFrame([person, *points])
    hits = np.asarray(model.predict(frame) == target)
    if hits[0]:
        return "approved", points
    if not hits[1:].any():
        return "fixed", points
    for feature in actions.names:
        alone = oracle.interventions(actions, person, feature, how, points)
        if alone and (model.predict(pd.DataFrame(alone)) == target).any():
            return "single", points
    return "joint", points


def check(actions, person, model, X, how, target, **arguments):
    explainer = explainer_of(model, actions, X, interventions=how, target=target)
    row = pd.DataFrame([person])
    verdicts = explainer.verify(row, **arguments)
    status, points = wanted(actions, person, model, how, target)
    note(f"{verdicts.status[0]} ({verdicts.proof[0]}), wanted {status}")
    assert verdicts.status[0] == status
    if status in ("single", "joint"):
        (witness,) = verdicts.witness.to_dict("records")
        assert witness in points
        assert model.predict(verdicts.witness)[0] == target
    else:
        assert not verdicts.has_witness.any()
    return verdicts, points


@pytest.mark.parametrize("kind", ALL)
@given(data=st.data())
@settings(max_examples=15)
def test_verdicts_and_best_scores_equal_enumeration(kind, data):
    actions, person = data.draw(cases())
    how = data.draw(st.sampled_from(["minimal", "joint"]))
    cost = data.draw(st.sampled_from([None, "fewest"]))
    note(str(actions))
    note(str(person))
    model, X = fitted(kind, actions, data.draw(st.integers(0, 10_000)))
    verdicts, points = check(actions, person, model, X, how, 1, cost=cost)
    if hasattr(model, "predict_proba"):
        best = model.predict_proba(pd.DataFrame(points))[:, 1].max()
        assert verdicts.best_score[0] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("kind", ["LR", "RF", "GB", "XGB"])
@given(data=st.data())
@settings(max_examples=20)
def test_verdicts_of_several_classes_equal_enumeration(kind, data):
    actions, person = data.draw(cases(most_features=3))
    note(str(actions))
    note(str(person))
    model, X = fitted(kind, actions, data.draw(st.integers(0, 10_000)), classes=3)
    check(actions, person, model, X, "minimal", data.draw(st.integers(0, 2)))


@pytest.mark.parametrize("how", ["minimal", "joint"])
@given(data=st.data())
@settings(max_examples=60)
def test_verdicts_of_a_black_box_equal_enumeration(how, data):
    actions, person = data.draw(cases())
    note(str(actions))
    note(str(person))
    model = HashModel(data.draw(st.integers(0, 99)), actions.names)
    check(actions, person, model, pd.DataFrame([person]), how, "yes")


# -- reals -----------------------------------------------------------------------------


def fine_points(actions, person, step=1 / 16):
    """Return reachable points on a grid finer than the cuts of the models."""
    codes = encode(actions, pd.DataFrame([person]))[0]
    lists, several = [], False
    for part in parts_of(actions):
        x = codes[[actions.names.index(n) for n in part.names]]
        free = [k for k, f in enumerate(part.features) if np.isinf(own_count(f, x[k]))]
        several |= len(free) > 1
        own = []
        for k, f in enumerate(part.features):
            if k in free:
                low, high = f.own_limits(x[k])
                grid = np.arange(low, high + step, step)
                own.append(np.r_[0.0, grid[grid <= high]])
            else:
                own.append(own_changes(f, x[k]))
        if several:
            return None
        every = np.array(list(itertools.product(*own)))
        ok = part.feasible(np.broadcast_to(x, every.shape), every)
        lists.append((part, np.unique(part.total(every[ok]), axis=0)))
    sizes = [len(changes) for _, changes in lists]
    if np.prod(sizes) > 20_000:
        return None
    picks = np.unravel_index(np.arange(int(np.prod(sizes))), sizes)
    change = np.zeros((len(picks[0]), len(codes)))
    for (part, changes), pick in zip(lists, picks, strict=True):
        change[:, [actions.names.index(n) for n in part.names]] = changes[pick]
    before = np.repeat(codes[None], len(change), axis=0)
    table = pd.DataFrame([person] * len(change))
    return decode(actions, table, before, before + change)


@pytest.mark.parametrize("kind", ALL)
@given(data=st.data())
@settings(max_examples=15)
def test_verdicts_with_reals_equal_a_fine_grid(kind, data):
    actions, person = data.draw(real_cases())
    person = {
        name: float(value) if actions.features[name].kind == "real" else value
        for name, value in person.items()
    }
    note(str(actions))
    note(str(person))
    # Rows of the fit are whole, so that trees cut half way between whole numbers.
    model, X = fitted(kind, actions, data.draw(st.integers(0, 10_000)))
    explainer = explainer_of(model, actions, X)
    verdicts = explainer.verify(pd.DataFrame([person]))
    status = verdicts.status[0]
    points = fine_points(actions, person)
    if points is None:
        assert status != "invalid"
        return
    hit = (model.predict(points) == 1).any()
    note(f"{status} ({verdicts.proof[0]}), a point of the grid: {hit}")
    assert status != "unknown"
    if model.predict(pd.DataFrame([person]))[0] == 1:
        assert status == "approved"
    elif hit:
        assert status in ("single", "joint")
    else:
        # A linear model may just cross its border between two points of the grid.
        assert status == "fixed" or (
            kind in ("LR", "ridge", "SVM", "SGD") and verdicts.has_witness[0]
        )


# -- real data -------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", REAL_DATA_MODELS)
@pytest.mark.parametrize(("fetch", "people"), [(fetch_german, None), (fetch_heloc, 40)])
def test_verdicts_of_real_data_equal_enumeration(raw_data, fetch, people, name):
    bunch = fetch(data_home=raw_data)
    X = bunch.data
    model = REAL_DATA_MODELS[name]().fit(X, bunch.target)
    explainer = explainer_of(model, bunch.action_set, X)
    denied = X[model.predict(X) == 0]
    if people is not None:
        denied = denied.sample(people, random_state=0)
    verdicts = explainer.verify(denied)
    scores = explainer.explain(denied)
    single = (scores.values > 0).any(axis=1)
    for i in range(len(denied)):
        points = reachable_set(
            bunch.action_set, denied.iloc[i], max_points=10**6
        ).points[X.columns]
        chance = model.predict_proba(points)[:, 1].max()
        hit = (model.predict(points) == 1).any()
        expected = "single" if single[i] else "joint" if hit else "fixed"
        assert verdicts.status[i] == expected
        assert verdicts.best_score[i] == pytest.approx(chance, abs=1e-6)
