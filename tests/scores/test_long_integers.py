"""Long integer ranges: every value is counted once, as `predict` decides it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, AtLeast, Feature, ResponsivenessExplainer
from skresp._model.lines._score_pieces import ScorePieces
from skresp.scores._exact_lines import _whole_units
from tests.scores.scaled_models import LINEAR, SCALERS, TREES

MODELS = TREES | LINEAR


def people_and_model(seed, top, model, scaler, offset=0, dtype="int64", coarse=False):
    rng = np.random.default_rng(seed)
    amount = rng.integers(0, top, 300)
    if coarse:  # thresholds half way between round numbers are whole numbers
        amount = rng.integers(0, 12, 300) * (top // 12)
    X = pd.DataFrame(
        {"amount": (offset + amount).astype(dtype), "other": rng.normal(size=300)}
    )
    y = (np.sin(6 * amount / top) + 0.5 * X["other"] > 0.2).astype(int)
    final = MODELS[model]()
    fitted = final if scaler is None else make_pipeline(scaler(), final)
    return X, fitted.fit(X, y)


def explained(model, feature, X, people, **fields):
    actions = ActionSet({"amount": feature, "other": Feature("real", actionable=False)})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, **fields
    )
    return explainer.fit(X).explain(people)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MODELS)
def test_scores_equal_a_count_of_all_values(name, seed):
    rng = np.random.default_rng([seed, list(MODELS).index(name)])
    scaler = SCALERS[rng.integers(len(SCALERS))]
    if scaler is None and name in LINEAR:
        scaler = StandardScaler
    top = int(rng.choice([3_000, 20_000]))
    offset = int(rng.choice([0, -top // 2, 10**6]))
    step = int(rng.choice([1, 1, 3]))
    dtype = rng.choice(["int64", "float64", "float32"])
    X, model = people_and_model(
        seed, top, name, scaler, offset, dtype, rng.random() < 0.5
    )
    people = X[:4].reset_index(drop=True)
    feature = Feature("integer", offset, offset + top, step=step)
    explanation = explained(model, feature, X, people)
    assert explanation.exact.all()
    for i in range(len(people)):
        now = int(people["amount"][i])
        values = np.arange(offset, offset + top + 1)
        values = values[((values - now) % step == 0) & (values != now)]
        points = people.iloc[[i] * len(values)].assign(amount=values.astype(dtype))
        reached = model.predict(points) == 1
        assert explanation.n_reachable[i, 0] == len(values)
        assert explanation.values[i, 0] == reached.sum() / len(values)


@pytest.mark.parametrize("top", [10**5, 10**6, 10**7, 10**8, 10**9])
@pytest.mark.parametrize("name", ["XGB", "LightGBM", "tree", "LR"])
def test_intervals_hold_all_that_the_score_counts(name, top):
    """A unit near a cut was counted twice and cut its interval off to that unit."""
    for seed, scaler in enumerate([MinMaxScaler, StandardScaler]):
        X, model = people_and_model(seed, top, name, scaler)
        denied = X[model.predict(X) == 0][:20].reset_index(drop=True)
        explanation = explained(model, Feature("integer", 0, top), X, denied)
        assert explanation.exact.all()
        assert (explanation.n_reachable[:, 0] == top).all()
        for i in range(len(denied)):
            ranges = explanation.intervals(i, "amount")
            count = sum(high - low + 1 for low, high in ranges)
            assert count == pytest.approx(explanation.values[i, 0] * top, abs=1e-3)
            ends = np.array([end for pair in ranges for end in pair], dtype=int)
            beyond = np.array([[low - 1, high + 1] for low, high in ranges]).ravel()
            beyond = beyond[(beyond >= 0) & (beyond <= top)].astype(int)
            for values, wanted in ((ends, 1), (beyond, 0)):
                points = denied.iloc[[i] * len(values)].assign(amount=values)
                if len(values):
                    assert (model.predict(points) == wanted).all()


@given(
    cuts=st.lists(
        st.one_of(st.integers(-9, 19), st.floats(-9, 19)), min_size=0, max_size=6
    ),
    error=st.sampled_from([0.0, 1e-9, 0.3, 2.5]),
    low=st.integers(-9, 3),
    length=st.integers(1, 16),
    asked=st.tuples(st.booleans(), st.booleans()),
)
def test_every_unit_belongs_to_one_run(cuts, error, low, length, asked):
    """Two lines, the second with the cuts of the first moved by a third."""
    line, edges = [], []
    for k in (0, 1):
        inner = sorted({c + k / 3 for c in cuts if low < c + k / 3 < low + length})
        ends = [low, *inner, low + length]
        edges += list(pairwise(ends))
        line += [k] * (len(inner) + 1)
    first, last = np.array(edges, dtype=float).T
    scores = np.arange(len(line), dtype=float)[:, None]
    pieces = ScorePieces(np.array(line), first, last, scores)
    start, stop = np.full(2, float(low)), np.full(2, float(low + length))
    at_ends = tuple(np.array([end, not end]) for end in asked)
    runs, place, size = _whole_units(pieces, start, stop, np.full(2, error), at_ends)
    for k in (0, 1):
        seen = []
        for i in np.flatnonzero(runs.line == k):
            units = np.arange(runs.low[i], runs.high[i] + 1)
            seen += [u for u in units if u != 0]
            assert size[i] == (units != 0).sum()
            assert place[i] in units[units != 0]
            if np.isnan(runs.scores[i, 0]):
                assert len(units) == 1
                continue
            mine = int(runs.scores[i, 0])
            assert ((first[mine] <= units) & (units <= last[mine])).all()
            inner = [c for c in last[pieces.line == k] if c < low + length]
            assert all(np.abs(units - c).min() > error for c in inner)
        assert seen == [u for u in range(low, low + length + 1) if u != 0]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("border", [148, 150, 152, 290])
@pytest.mark.parametrize("kind", ["bins", "linear"])
def test_a_border_right_at_an_end_does_not_move_the_unit_there(kind, border, sign):
    """The unit at the end of a line was counted with those beyond the border."""
    X = pd.DataFrame({"amount": np.arange(291)})
    if kind == "bins":
        # The value at an edge belongs to the bin above it.
        bins = KBinsDiscretizer(2, encode="ordinal", strategy="uniform", subsample=None)
        signed = FunctionTransformer(np.negative if sign < 0 else None)
        model = make_pipeline(signed, bins, DecisionTreeClassifier())
        model.fit(X, X["amount"] > 145)
        bins.bin_edges_[0][1] = sign * border
        model[-1].fit(np.array([[0.0], [1.0]]), [False, True])
        target = True
    else:
        model = LinearRegression().fit(X, X["amount"])
        model.coef_, model.intercept_ = np.array([float(sign)]), 0.0
        target = AtLeast(float(sign * border))
    actions = ActionSet({"amount": Feature("integer", 0, 290, max_decrease=2)})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=target
    ).fit(X)
    assert explainer.structure_.exact_scores == "all"
    explanation = explainer.explain(X[150:151])
    values = np.r_[148:150, 151:291]
    reached = sign * values >= sign * border
    assert explanation.exact.all()
    assert explanation.values[0, 0] == reached.mean()


def test_a_range_of_more_values_than_int32_holds_is_counted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": rng.integers(0, 10**11, 300), "other": 0.0})
    model = DecisionTreeClassifier().fit(X, X["amount"] > 4 * 10**10)
    actions = ActionSet(
        {
            "amount": Feature("integer", 0, 10**11),
            "other": Feature("real", actionable=False),
        }
    )
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=True)
    explanation = explainer.fit(X).explain(X[X["amount"] < 10**10])
    assert (explanation.n_reachable[:, 0] > 0).all()
    assert explanation.values[:, 0] == pytest.approx(0.6, abs=0.01)
