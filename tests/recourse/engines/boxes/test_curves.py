"""Models behind logarithms, powers and splines, and naive Bayes, against draws."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import LinearSVC

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._recourse.engines._make_engine import make_engine
from skresp._recourse.engines.boxes._curve_tables import Knots
from skresp._recourse.engines.boxes._curved_solve import CurvedSolver
from skresp._recourse.engines.boxes._engine import BoxEngine
from skresp._recourse.engines.boxes._variables import UnknownValueError
from skresp.constraints import Linear, Linkage
from skresp.reach._deadline import NEVER
from tests.recourse.engines.boxes.cases import Searcher
from tests.recourse.engines.boxes.random_actions import random_action_set
from tests.recourse.engines.boxes.random_models import Kind

KINDS = [Kind(0.0, 10.0), Kind(0.0, 40.0), Kind(labels=3), Kind(0.0, 6.0)]


def _log():
    return make_pipeline(FunctionTransformer(np.log1p), LogisticRegression())


def _soft_voting():
    members = [
        ("log", _log()),
        ("plain", make_pipeline(StandardScaler(), LogisticRegression())),
        ("trees", RandomForestClassifier(4, max_depth=3, random_state=0)),
    ]
    return VotingClassifier(members, voting="soft")


MODELS = {
    "log": _log,
    "root": lambda: make_pipeline(
        StandardScaler(with_mean=False), FunctionTransformer(np.sqrt), LinearSVC()
    ),
    "power": lambda: make_pipeline(PowerTransformer(), LogisticRegression()),
    "quantile": lambda: make_pipeline(QuantileTransformer(n_quantiles=20), LinearSVC()),
    "bayes": GaussianNB,
    "scaled bayes": lambda: make_pipeline(PowerTransformer(), GaussianNB()),
    "voting": _soft_voting,
    "calibrated": lambda: CalibratedClassifierCV(GaussianNB(), cv=2),
    "splines": lambda: make_pipeline(
        StandardScaler(), SplineTransformer(4), LogisticRegression(C=10.0)
    ),
    "splines that jump": lambda: make_pipeline(
        SplineTransformer(8, degree=1, knots="quantile", extrapolation="linear"),
        LogisticRegression(),
    ),
}


def _fitted(rng, name):
    """Return a fitted model over the columns of `KINDS`, and its rows."""
    n = 120
    X = pd.DataFrame({f"f{i}": kind.draw(rng, n) for i, kind in enumerate(KINDS)})
    signal = rng.normal(0, 0.5, n)
    for column in X:
        z = X[column] / X[column].std()
        signal += rng.normal() * z - rng.choice([0.0, 1.0]) * (z - z.mean()) ** 2
    X.loc[:2, "f2"] = np.arange(3.0)  # labels are numbered as they come
    X["f2"] = ("v" + X["f2"].astype(int).astype(str)).astype(object)
    y = (signal > np.quantile(signal, rng.choice([0.6, 0.8, 0.9]))).astype(int)
    encode = make_column_transformer(
        (OneHotEncoder(), ["f2"]), remainder="passthrough", sparse_threshold=0
    )
    return make_pipeline(encode, MODELS[name]()).fit(X, y), X


def _searcher(rng, name, constraints):
    model, X = _fitted(rng, name)
    actions = random_action_set(rng, KINDS, constraints=constraints)
    if actions is None:
        return None
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    function = explainer.fit(X)._fitted_model.score_function
    assert function.columns[2].labels == ("v0", "v1", "v2")
    assert any(g.terms is not None and g.terms.maps for g in function.groups)
    return Searcher.of(function, actions)


def _people(rng, searcher, n):
    """Yield valid people who are not at the target."""
    rows = np.column_stack([kind.draw(rng, 10 * n) for kind in KINDS])
    rows = rows[searcher.gaps(rows) < 0]
    valid = [x for x in rows if searcher.is_valid(x)]
    return valid[:n]


def _check(searcher, rng, x, seen, where):
    """Compare the search of one person with points that were drawn."""
    tolerance = searcher.function.decision.tolerance
    try:
        found = searcher.search(x)
    except UnknownValueError:  # effects lead out of what the steps accept
        return
    if found.witness is not None:
        assert searcher.is_feasible(x, found.witness), where
        assert searcher.gap(x, found.witness) > tolerance, where
        seen["witness"] += 1
    elif found.is_exhausted:
        points = searcher.drawn_points(x, rng)
        assert searcher.gaps(points).max() <= tolerance, where
        seen["fixed"] += 1
    else:
        seen["open"] += 1


@pytest.mark.parametrize("constraints", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_no_drawn_point_contradicts_the_search(name, constraints):
    seen = Counter()
    for seed in range(2):
        rng = np.random.default_rng([list(MODELS).index(name), seed])
        searcher = _searcher(rng, name, constraints)
        if searcher is not None:
            for x in _people(rng, searcher, 8):
                _check(searcher, rng, x, seen, seed)
    # Where a constraint ties numbers right at a jump, a box may stay open.
    assert seen["open"] <= (2 if "jump" in name else 1), seen


def _two_reals(threshold, constraints=()):
    """Return an explainer of a model on logarithms, and rows."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 10, (300, 2)), columns=["a", "b"])
    y = (np.log1p(X["a"]) + np.log1p(X["b"]) > 3.6).astype(int)
    model = _log().fit(X, y)
    actions = ActionSet(
        {"a": Feature("real", 0, 12), "b": Feature("real", 0, 12)}, list(constraints)
    )
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, threshold=threshold
    )
    return explainer.fit(X), model, X


@pytest.mark.parametrize(("off", "status"), [(-1e-6, "joint"), (1e-6, "fixed")])
def test_the_best_end_of_a_range_decides(off, status):
    _, model, X = _two_reals(0.5)
    best = model.predict_proba(pd.DataFrame({"a": [12.0], "b": [12.0]}))[0, 1]
    explainer, _, _ = _two_reals(best + off)
    assert isinstance(make_engine(explainer._fitted_model), BoxEngine)
    assert set(explainer.verify(X[:10]).status) == {status}


@pytest.mark.parametrize(("off", "status"), [(-1e-4, "joint"), (1e-4, "fixed")])
def test_the_best_point_under_a_constraint_decides(off, status):
    limit = [Linear({"a": 1, "b": 2}, upper=20)]
    _, model, X = _two_reals(0.5)
    a = np.linspace(0, 12, 100_001)
    b = np.minimum((20 - a) / 2, 12)
    best = model.predict_proba(pd.DataFrame({"a": a, "b": b}))[:, 1].max()
    explainer, _, _ = _two_reals(best + off, limit)
    rows = X[X["a"] + 2 * X["b"] < 18][:6]
    found = explainer.verify(rows)
    if status == "fixed":
        assert set(found.status) == {"fixed"}
    else:
        assert found.has_witness.all()
        assert (found.witness["a"] + 2 * found.witness["b"] <= 20 + 1e-6).all()


def test_the_verdict_of_a_person_does_not_depend_on_the_others():
    explainer, _, X = _two_reals(0.97, [Linkage("a", {"b": -0.5}, keep_bounds=True)])
    together = explainer.verify(X[:12])
    alone = [explainer.verify(X[i : i + 1]).status[0] for i in range(12)]
    np.testing.assert_array_equal(together.status, alone)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_search_along_one_number_leaves_the_others_as_they_are(sign):
    """A little more than the number can reach, which a step of the other would do."""
    explainer, _, X = _two_reals(0.9)
    fitted = explainer._fitted_model
    function, decision = fitted.score_function, fitted.score_function.decision
    for x in X.to_numpy()[:20]:
        for k in range(2):
            end = x.copy()
            end[k] = 12.0 if sign > 0 else 0.0
            best = float(function.scores(end[None])[0, 0])
            cut = replace(decision, cut=best + sign * 1e-3, sign=sign)
            searcher = Searcher.of(replace(function, decision=cut), fitted.features)
            found = searcher.solver(x).within(k, 5_000, NEVER)
            assert found.witness is None
            assert found.is_exhausted
            assert not found.ties


@pytest.mark.parametrize("step", [0.0, 1.0])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_an_upper_bound_is_never_less_than_a_curve_between_knots(step, sign, seed):
    rng = np.random.default_rng(seed)
    at = np.sort(rng.uniform(0, 9, 12))
    if step:  # whole numbers, some of them neighbours
        at = np.unique(np.rint(at))

    def branches(x):
        rises, falls = np.minimum(x, 4.0) ** 2, -(np.maximum(x, 4.0) ** 2)
        return sign * np.stack([rises, falls], axis=1)

    knots = Knots(at, False, step, 1.0, [branches(at)[:, :, None]])
    x = rng.uniform(at[0], at[-1], 2_000)
    if step:
        x = np.arange(at[0], at[-1] + 1)
    curve = branches(x).sum(axis=1)
    upper = knots.upper(0)[np.searchsorted(knots.edges, x), 0]
    lower = knots.lower(0)[np.searchsorted(knots.lower_edges, x), 0]
    assert (lower <= curve).all()
    assert (curve <= upper).all()
    exact = knots.lower(0)[np.searchsorted(knots.lower_edges, at), 0]
    np.testing.assert_array_equal(exact, branches(at).sum(axis=1))


def test_the_least_value_of_a_long_integer_is_not_ruled_out():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"n": np.floor(np.exp(rng.uniform(0, 11, 1_000))) - 1})
    model = _log().fit(X, (np.log1p(X["n"]) + rng.normal(size=len(X)) < 4).astype(int))
    zero, one = model.predict_proba(pd.DataFrame({"n": [0.0, 1.0]}))[:, 1]
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model),
        ActionSet({"n": Feature("integer", 0, 50_000)}),
        target=1,
        threshold=(zero + one) / 2,
    ).fit(X)
    assert isinstance(make_engine(explainer._fitted_model), BoxEngine)
    found = explainer.verify(pd.DataFrame({"n": [30_000.0, 5.0]}))
    assert found.status.tolist() == ["single", "single"]
    assert found.witness["n"].tolist() == [0.0, 0.0]


def test_a_best_probability_at_the_threshold_is_not_ruled_out():
    """Where rounding decides, a point that the model refuses says nothing of others."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 4, (200, 2)), columns=["a", "b"]).round(3)
    y = ((X["a"] - 2) ** 2 + (X["b"] - 1) ** 2 < 1.2).astype(int)
    model = GaussianNB().fit(X, y)
    actions = ActionSet(
        {"a": Feature("real", 0, 4), "b": Feature("real", actionable=False)}
    )
    for i in range(40):
        low, high = 0.0, 4.0
        for _ in range(9):
            points = pd.DataFrame({"a": np.linspace(low, high, 201), "b": X["b"][i]})
            chance = model.predict_proba(points)[:, 1]
            best = points["a"][chance.argmax()]
            low, high = best - (high - low) / 100, best + (high - low) / 100
        explainer = ResponsivenessExplainer(
            FrozenEstimator(model), actions, target=1, threshold=chance.max()
        ).fit(X)
        assert explainer.verify(X.iloc[[i]]).status[0] != "fixed"


def test_many_classes_do_not_make_tables_that_are_too_deep():
    """Where classes turn at different numbers, no bound is reached at a knot."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 10, (300, 2)), columns=["a", "b"])
    waves = np.sin(X["a"] / 2) + np.cos(X["b"] / 2) + rng.normal(0, 0.3, 300)
    y = np.digitize(waves, [-0.3, 0.6])
    model = make_pipeline(SplineTransformer(4), LogisticRegression(max_iter=1_000))
    actions = ActionSet({"a": Feature("real", 0, 12), "b": Feature("real", 0, 12)})
    seen = Counter()
    for target in range(3):
        explainer = ResponsivenessExplainer(
            FrozenEstimator(model.fit(X, y)), actions, target=target
        )
        fitted = explainer.fit(X)._fitted_model
        searcher = Searcher.of(fitted.score_function, fitted.features)
        for x in X.to_numpy()[:12]:
            if searcher.gaps(x[None])[0] < 0:
                knots = searcher.solver(x).tables.knots
                assert max(len(each.at) for each in knots.values()) < 2**14
                _check(searcher, rng, x, seen, target)
    assert seen["witness"]
    assert not seen["open"]


@pytest.mark.parametrize("seed", range(3))
def test_a_column_with_few_nodes_keeps_its_leaves_beside_a_long_table(seed):
    """The bounds of slabs sample nodes, and may miss a column."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 2, (300, 5)), columns=list("abcde")).astype(float)
    X["e"] = rng.uniform(0, 10, 300)
    waves = np.sin(X["e"]) + X[list("abcd")].sum(axis=1) + rng.normal(0, 0.3, 300)
    model = make_pipeline(SplineTransformer(6), LogisticRegression(max_iter=1_000))
    model.fit(X, np.digitize(waves, [1.5, 2.5]))
    features = {name: Feature("binary") for name in "abcd"}
    actions = ActionSet({**features, "e": Feature("real", 0, 10)})
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    fitted = explainer.fit(X)._fitted_model
    searcher, seen = Searcher.of(fitted.score_function, fitted.features), Counter()
    for x in X.to_numpy()[:20]:
        if searcher.gaps(x[None])[0] < 0:
            _check(searcher, rng, x, seen, seed)
    assert seen["witness"] > 5


def test_points_used_count_every_box_up_to_the_witness(monkeypatch):
    """They must not depend on pauses of the search, which other people may cause."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, (300, 3))
    y = (np.abs(X - 2).max(axis=1) < 1.4).astype(int)
    model = make_pipeline(StandardScaler(), GaussianNB(var_smoothing=1e-3)).fit(X, y)
    actions = ActionSet({name: Feature("real", 0, 4, max_increase=3) for name in "abc"})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, random_state=0
    ).fit(X)
    everything, seen = CurvedSolver.everything, []

    def recorded(self, *given):
        found = everything(self, *given)
        seen.append((found.witness is not None, found.used, int(self.work.counter[1])))
        return found

    monkeypatch.setattr(CurvedSolver, "everything", recorded)
    explainer.verify(X[model.predict(X) == 0][:30])
    with_witness = [(used, boxes) for has, used, boxes in seen if has]
    assert with_witness
    assert all(used >= boxes > 0 for used, boxes in with_witness)
