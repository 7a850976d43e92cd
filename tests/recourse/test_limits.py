"""Limits of `verify`: the clock, and the points of a person."""

from itertools import pairwise
from time import perf_counter, process_time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear, Linkage
from skresp.reach._deadline import Deadline, OutOfTimeError

MODELS = {
    "forest": lambda: RandomForestClassifier(20, random_state=0),
    "linear": LogisticRegression,
    "neighbours": lambda: KNeighborsClassifier(3),
}


def _took(call):
    """What a call returns, and the least of its wall and CPU time."""
    wall, cpu = perf_counter(), process_time()
    found = call()
    return found, min(perf_counter() - wall, process_time() - cpu)


def test_slices_cover_everything_once_and_end_in_time():
    assert list(Deadline.after(None).slices(7)) == [slice(0, 7)]
    assert list(Deadline.after(None).slices(0)) == []
    covered = [i for s in Deadline.after(60).slices(1_000) for i in range(1_000)[s]]
    assert covered == list(range(1_000))
    few = [s.stop - s.start for s in Deadline.after(60).slices(1_000, most=10)]
    assert few[0] == 1
    assert max(few) == 10
    with pytest.raises(OutOfTimeError):
        list(Deadline.after(0.0).slices(3))


def _whole(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 6, (rows, 6)), columns=list("abcdef"))
    y = (X.sum(axis=1) + rng.normal(0, 2, rows) > 17).astype(int)
    return X, y


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("cost", [None, "fewest"])
@pytest.mark.parametrize("most", [0, 1, 7, 30, 31, 60, 400])
def test_no_more_points_are_used_than_allowed(name, cost, most):
    X, y = _whole(300)
    model = MODELS[name]().fit(X, y)
    actions = ActionSet({n: Feature("integer", 0, 5) for n in X})
    explainer = ResponsivenessExplainer(model, actions, target=1, random_state=0).fit(X)
    people = X[model.predict(X) == 0].iloc[:12]
    found = explainer.verify(people, max_points=most, cost=cost)
    assert (found.used <= most).all()
    if most == 0:
        assert set(found.status) == {"unknown"}
    sure = explainer.verify(people)
    decided = np.isin(found.status, ["single", "joint", "fixed"])
    assert (found.status[decided] == sure.status[decided]).all()
    alone = [
        explainer.verify(people.iloc[[i]], max_points=most, cost=cost).status[0]
        for i in range(len(people))
    ]
    assert found.status.tolist() == alone


def test_a_model_is_asked_no_more_than_allowed():
    X, y = _whole(300)
    model = KNeighborsClassifier(3).fit(X, y)
    actions = ActionSet({n: Feature("integer", 0, 5) for n in X})
    explainer = ResponsivenessExplainer(model, actions, target=1, random_state=0).fit(X)
    people = X[model.predict(X) == 0].iloc[:5]
    asked = []
    predict = model.predict
    model.predict = lambda rows: asked.append(len(rows)) or predict(rows)
    explainer.verify(people, max_points=50)
    # The rows themselves, and each witness once more.
    assert sum(asked) <= len(people) * (50 + 2)


@pytest.mark.parametrize("name", MODELS)
def test_time_limit_keeps_what_was_decided(name):
    X, y = _whole(400)
    model = MODELS[name]().fit(X, y)
    actions = ActionSet({n: Feature("integer", 0, 5) for n in X})
    explainer = ResponsivenessExplainer(model, actions, target=1, random_state=0).fit(X)
    sure = explainer.verify(X)
    for limit in (0.0, 0.05, 600.0):
        found = explainer.verify(X, time_limit=limit)
        decided = found.status != "unknown"
        assert (found.status[decided] == sure.status[decided]).all()
        late = found.proof == "out of budget"
        assert late.all() if limit == 0.0 else not (limit == 600.0 and late.any())


def _cases():
    rng = np.random.default_rng(0)
    X, y = make_classification(300, 600, n_informative=20, random_state=0)
    yield "wide", RandomForestClassifier(20, random_state=0), ActionSet.infer(X), X, y
    names = [f"r{i}" for i in range(12)]
    X = pd.DataFrame(rng.uniform(0, 1, (300, 12)), columns=names)
    y = (X.sum(axis=1) > 6).astype(int)
    chain = [Linkage(a, {b: 0.5}) for a, b in pairwise(names)]
    actions = ActionSet(
        {name: Feature("real", 0, 1) for name in names},
        [*chain, Linear(dict.fromkeys(names, 1.0), upper=12.0)],
    )
    yield "chain", RandomForestClassifier(20, random_state=0), actions, X, y
    yield "chain, asked", KNeighborsClassifier(), actions, X, y
    X, y = make_classification(4_000, 10, n_informative=8, flip_y=0.2, random_state=0)
    forest = RandomForestClassifier(100, random_state=0)
    yield "unpruned", forest, ActionSet.infer(X), X, y


@pytest.mark.slow
@pytest.mark.parametrize("case", range(4))
def test_time_limit_is_kept(case):
    name, model, actions, X, y = list(_cases())[case]
    model.fit(X, y)
    explainer = ResponsivenessExplainer(model, actions, target=1, random_state=0)
    explainer.fit(X)
    people = X[model.predict(X) == 0][:20]
    explainer.verify(people[:1], time_limit=2.0)  # compiles
    for limit in (0.3, 1.0):
        explainer._engine = None
        _, took = _took(lambda limit=limit: explainer.verify(people, time_limit=limit))
        assert took <= 1.3 * limit + 0.5, (name, limit, took)
