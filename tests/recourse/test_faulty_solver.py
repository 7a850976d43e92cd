"""A faulty solver may leave people undecided; it never causes a wrong verdict."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linear, Linkage, OneHot, Switch
from skresp.reach._errors import EnumerationError
from tests.faults import NAMES, Fault
from tests.recourse.explainers import explainer_of


def table(names, low=0, high=10, n=160, kind=float):
    rng = np.random.default_rng(0)
    return pd.DataFrame({k: rng.integers(low, high + 1, n) for k in names}).astype(kind)


def reals():
    X = table("pqr")
    features = {k: Feature("real", 0, 10, max_increase=3, max_decrease=3) for k in X}
    rule = Linear({"p": 1, "q": 1, "r": 1}, upper=30)
    return X, ActionSet(features, [rule]), 1.2 * X.p + X.q - X.r > 14


def integers():
    """Too many to be listed."""
    X = table("pqr", 0, 3000, kind=int)
    features = {k: Feature("integer", 0, 3000, max_increase=900) for k in X}
    features["r"] = Feature("integer", 0, 3000, max_decrease=900)
    rule = Linear({"p": 1, "q": 2, "r": -1}, upper=4000)
    X = X[X.p + 2 * X.q - X.r <= 4000]
    return X, ActionSet(features, [rule]), X.p + X.q - X.r > 2200


def tight_integers():
    """No change drawn at random keeps the sum."""
    X = table("pqr", 0, 3000, kind=int)
    X["r"] = 8000 - X.p - X.q
    features = {k: Feature("integer", 0, 3000) for k in "pq"}
    features["r"] = Feature("integer", 2000, 8000)
    rule = Linear({"p": 1, "q": 1, "r": 1}, lower=8000, upper=8000)
    return X, ActionSet(features, [rule]), X.p + 0.5 * X.q - X.r > 200


def switched():
    X = table("pq").assign(s=lambda z: (z.p > 5).astype(float))
    features = {
        "p": Feature("real", 0, 10, max_increase=2),
        "q": Feature("real", 0, 10, max_increase=3),
        "s": Feature("binary"),
    }
    rules = [Linkage("p", {"q": 0.5}), Switch("s", ["p"])]
    return X, ActionSet(features, rules), X.p + X.q > 13


def conditions():
    X = table("pqr").assign(a=lambda z: (z.p > 5).astype(float))
    features = {k: Feature("real", 0, 10, max_increase=4) for k in "pqr"}
    features["a"] = Feature("binary")
    X.loc[X.a == 1, "q"] = X.q[X.a == 1].clip(lower=5)
    rules = [
        IfThen(("a", "==", 1), ("q", ">=", 5)),
        Linear({"p": 1, "q": 1, "r": -1}, upper=15),
        Linear({"p": 1, "a": -9}, upper=6),
    ]
    X = X[(X.p + X.q - X.r <= 15) & (X.p - 9 * X.a <= 6)]
    return X, ActionSet(features, rules), X.p + X.q + X.a > 12


CASES = {
    "reals": reals,
    "integers": integers,
    "switch and linkage": switched,
    "conditions": conditions,
}


MODELS = {
    "LR": lambda: LogisticRegression(max_iter=5000),
    "GB": lambda: GradientBoostingClassifier(n_estimators=10, random_state=0),
    "MLP": lambda: MLPClassifier((4,), max_iter=5, random_state=0),
}


def verdicts(case, kind="LR", people=8):
    X, actions, y = case()
    model = MODELS[kind]()
    model.fit(X, np.asarray(y).astype(int))
    few = X[model.predict(X) == 0].tail(people)
    explainer = explainer_of(model, actions, X)
    return model, explainer.verify(few, max_points=2000)


@pytest.fixture(scope="module")
def honest():
    return {case: verdicts(make)[1].status for case, make in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_the_solver_without_faults_decides(honest, case):
    assert "fixed" in set(honest[case])
    assert set(honest[case]) - {"fixed"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
def test_no_fault_makes_a_wrong_fixed(honest, case, name, monkeypatch):
    fault = Fault(name)
    fault.inject(monkeypatch)
    model, found = verdicts(CASES[case])
    assert fault.calls
    wrong = (found.status == "fixed") & (honest[case] != "fixed")
    assert not wrong.any()
    if found.has_witness.any():
        assert (model.predict(found.witness) == 1).all()


@pytest.mark.parametrize("name", ["infeasible", "error", "nan", "empty", "random"])
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_a_solver_that_finds_nothing_is_no_proof(kind, name, monkeypatch):
    """No change drawn at random is feasible, and the solver finds none."""
    fault = Fault(name)
    fault.inject(monkeypatch)
    _, found = verdicts(tight_integers, kind, people=2)
    assert fault.calls
    assert ((found.status == "unknown") | found.has_witness).all()


@pytest.fixture(scope="module")
def dummies():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 2, (80, 6)), columns=list("abcdef"))
    X["b"] = 1 - X["a"]
    features = {k: Feature("binary") for k in X}
    features["e"] = Feature("binary", direction="increase")
    rules = [OneHot(["a", "b"]), Linear(dict.fromkeys("bcdef", 1), upper=4)]
    X = X[X[list("bcdef")].sum(axis=1) <= 4]
    return X, ActionSet(features, rules), X.sum(axis=1) >= 4


@pytest.mark.parametrize("interventions", ["minimal", "joint"])
@pytest.mark.parametrize("name", NAMES)
def test_no_fault_makes_an_exact_score_wrong(dummies, name, interventions, monkeypatch):
    """A list of changes from the solver is complete and right, or there is none."""
    X, actions, y = dummies
    model = LogisticRegression().fit(X, y)
    few = X[model.predict(X) == 0].tail(3)

    def scores(method):
        explainer = explainer_of(
            model, actions, X, method=method, interventions=interventions
        )
        return explainer.explain(few)

    right = scores("grid")
    fault = Fault(name)
    fault.inject(monkeypatch)
    with suppress(EnumerationError):  # the solver could not decide
        found = scores("highs")
        np.testing.assert_array_equal(
            found.values[found.exact], right.values[found.exact]
        )
    assert fault.calls
