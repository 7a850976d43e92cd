"""Every model of the catalogue: its score function says what the model says."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skresp import ActionSet
from skresp._model._codes import batch_codes
from skresp._model._families import read_model
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._point_builder import PointBuilder
from skresp._model._raw_rows import RawRows
from skresp._model._score_function import ScoreFunction
from skresp._model._target import make_target_rule
from skresp._model.trees import _sklearn
from tests.model.catalogue import CATALOGUE, fitted, people

every_model = pytest.mark.parametrize("name", CATALOGUE)


def _read(name: str) -> tuple[FittedModel, ScoreFunction]:
    model = fitted(name)
    assert model.score_function is not None, model.unread_reason
    return model, model.score_function


def _rows(model: FittedModel, codes: Any) -> Any:
    known = model.score_function
    assert known is not None
    return RawRows(model.input_format, model.features, known.columns)(codes)


def _own_scores(model: FittedModel, rows: Any) -> Any:
    return read_model(model.estimator).own_scores(rows)


def _near(model: FittedModel) -> float:
    """Return the rounding of a model's own scores."""
    is_float32 = read_model(model.estimator).is_float32
    is_float32 |= "float32" in map(str, model.input_format.dtypes)
    return 2e-5 if is_float32 else 1e-9


def _flickers(model: FittedModel, row: Any) -> bool:
    """Return whether a model's own scores change and change back within a few floats.

    Splines are rounded so that they fall where they rise, and no cut tells that.
    """
    known = model.score_function
    assert known is not None
    for i, column in enumerate(known.columns):
        if column.labels is None:
            near = [row[i]]
            for _ in range(8):
                near = [np.nextafter(near[0], -np.inf), *near]
                near.append(np.nextafter(near[-1], np.inf))
            codes = np.tile(row, (len(near), 1))
            codes[:, i] = near
            own = _own_scores(model, _rows(model, codes))
            if (own[1:] != own[:-1]).any(axis=1).sum() > 1:
                return True
    return False


def _assert_own_scores(model: FittedModel, scores: Any, rows: Any) -> None:
    near = _near(model)
    assert_allclose(scores, _own_scores(model, rows), rtol=near, atol=near)


def _random_codes(known: ScoreFunction, model: FittedModel, n: int, seed: int) -> Any:
    """Return codes of rows; numbers also lie at cuts and next to them."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n, len(known.columns)))
    for i, column in enumerate(known.columns):
        summary = model.input_format.summaries[i]
        if column.labels is not None:
            codes[:, i] = rng.integers(len(column.labels), size=n)
            continue
        span = summary.high - summary.low
        values = rng.uniform(summary.low - span / 4, summary.high + span / 4, n)
        if len(known.cuts(i)):
            at = rng.choice(known.cuts(i), size=n)
            near = rng.integers(-1, 3, size=n)
            at = np.where(near < 0, np.nextafter(at, -np.inf), at)
            at = np.where(near > 0, np.nextafter(at, np.inf), at)
            values = np.where(rng.random(n) < 0.5, at, values)
        if summary.has_missing:
            values[rng.random(n) < 0.1] = np.nan
        codes[:, i] = np.clip(values, column.lower, column.upper)
    rows = RawRows(model.input_format, model.features, known.columns)
    return rows.received(codes)


@every_model
def test_scores_equal_those_of_the_model(name: str) -> None:
    model, known = _read(name)
    codes = _random_codes(known, model, 300, 0)
    own = _own_scores(model, _rows(model, codes))
    near = np.isclose(known.scores(codes), own, rtol=_near(model), atol=_near(model))
    others = codes[~near.all(axis=1)]
    assert len(others) <= 2
    assert all(_flickers(model, row) for row in others)


@every_model
def test_scores_of_people_equal_those_of_the_model(name: str) -> None:
    model, known = _read(name)
    X = CATALOGUE[name].people()[0]
    table: Any = X.to_numpy(dtype=float) if not model.input_format.has_names else X
    builder = PointBuilder(model.input_format, model.features, table)
    same, codes = batch_codes(known, builder)
    assert same is known
    own = _own_scores(model, model.rows(table))
    assert_allclose(known.scores(codes), own, rtol=_near(model), atol=_near(model))


@every_model
def test_the_decision_is_that_of_predict(name: str) -> None:
    model, known = _read(name)
    assert known.decision is not None
    codes = _random_codes(known, model, 300, 1)
    scores = known.scores(codes)
    reached = model.target_rule.reached(_rows(model, codes))
    sure = ~known.decision.unsure(scores)
    assert sure.mean() > 0.5
    others = codes[sure & ((known.decision.gap(scores) > 0) != reached)]
    assert len(others) <= 2
    assert all(_flickers(model, row) for row in others)
    assert 0 < reached.mean() < 1


@every_model
def test_scores_jump_at_cuts_and_nowhere_else(name: str) -> None:
    model, known = _read(name)
    rng = np.random.default_rng(2)
    for i in range(len(known.columns)):
        cuts = known.cuts(i)
        assert (np.diff(cuts) > 0).all()
        if not len(cuts) or known.shape(i) != "constant":
            continue
        some = cuts if len(cuts) < 40 else np.sort(rng.choice(cuts, 40, replace=False))
        some = np.unique(np.clip(some, known.columns[i].lower, known.columns[i].upper))
        # Both ends of the piece before each cut, and the first float after it.
        before = cuts[np.maximum(np.searchsorted(cuts, some) - 1, 0)]
        start = np.where(before < some, np.nextafter(before, np.inf), some)
        codes = _random_codes(known, model, len(some), 3 + i)
        ends = []
        for values in (start, some, np.nextafter(some, np.inf)):
            codes[:, i] = values
            ends.append(_own_scores(model, _rows(model, codes)))
            assert_allclose(
                known.scores(codes), ends[-1], rtol=_near(model), atol=_near(model)
            )
        assert_array_equal(ends[0], ends[1])


@every_model
def test_bounds_enclose_the_scores_of_boxes(name: str) -> None:
    model, known = _read(name)
    rng = np.random.default_rng(4)
    near = 1e-9
    a, b = (_random_codes(known, model, 30, seed) for seed in (5, 6))
    lower, upper = np.minimum(a, b), np.maximum(a, b)  # missing if one of them is
    sets = {}
    for i, column in enumerate(known.columns):
        if column.labels is not None:
            allowed = rng.random((30, column.n_labels + 1)) < 0.5
            allowed[:, -1] = False
            allowed[~allowed.any(axis=1), 0] = True
            sets[i] = allowed
    low, high = known.bounds(lower, upper, sets)
    for _ in range(10):
        codes = lower + rng.random(lower.shape) * (upper - lower)
        codes = np.where(rng.random(codes.shape) < 0.3, lower, codes)
        codes = np.where(rng.random(codes.shape) < 0.3, upper, codes)
        for i, allowed in sets.items():
            codes[:, i] = [rng.choice(np.flatnonzero(row)) for row in allowed]
        scores = known.scores(codes)
        size = near * (1 + np.abs(scores))
        assert (scores >= low - size).all()
        assert (scores <= high + size).all()


@every_model
def test_bounds_of_a_point_are_its_scores(name: str) -> None:
    model, known = _read(name)
    codes = _random_codes(known, model, 30, 7)
    low, high = known.bounds(codes, codes)
    assert_allclose(low, known.scores(codes), rtol=1e-9, atol=1e-9)
    assert_allclose(high, known.scores(codes), rtol=1e-9, atol=1e-9)


def _has_one_summand(known: ScoreFunction, column: int) -> bool:
    """Return whether a column counts in one term, or in one tree by thresholds."""
    count = 0
    for group in known.groups:
        if group.trees is not None:
            count += len(group.trees.roots) + int(group.trees.is_listed[column])
        if group.terms is not None:
            count += int(group.terms.slopes[column].any())
            terms = group.terms
            count += sum(term.column == column for term in terms.tables)
            count += sum(len(t.transformed) for t in terms.maps if t.column == column)
    return count < 2


@every_model
def test_bounds_in_one_column_are_reached_where_it_has_one_summand(name: str) -> None:
    model, known = _read(name)
    codes = _random_codes(known, model, 20, 8)
    codes = codes[~np.isnan(codes).any(axis=1)]
    for i, column in enumerate(known.columns):
        if column.labels is not None or not _has_one_summand(known, i):
            continue
        lower, upper = codes.copy(), codes.copy()
        upper[:, i] = codes[::-1, i]
        lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
        low, high = known.bounds(lower, upper)
        cuts = known.cuts(i)
        for k in range(len(codes)):
            inside = cuts[(cuts >= lower[k, i]) & (cuts < upper[k, i])]
            at = np.r_[lower[k, i], inside, np.nextafter(inside, np.inf), upper[k, i]]
            points = np.repeat(lower[[k]], len(at), axis=0)
            points[:, i] = at
            scores = known.scores(points)
            assert_allclose(scores.min(axis=0), low[k], rtol=1e-9, atol=1e-9)
            assert_allclose(scores.max(axis=0), high[k], rtol=1e-9, atol=1e-9)


@every_model
def test_the_shape_is_true_between_cuts(name: str) -> None:
    model, known = _read(name)
    codes = _random_codes(known, model, 10, 9)
    for i, column in enumerate(known.columns):
        if column.labels is not None:
            assert known.shape(i) == "constant"
            continue
        summary = model.input_format.summaries[i]
        edges = np.r_[summary.low, known.cuts(i), summary.high]
        edges = np.unique(np.clip(edges, column.lower, column.upper))[:20]
        for a, b in pairwise(edges):
            first = np.nextafter(a, np.inf)
            if not first < b:
                continue
            share = np.linspace(0.0, 1.0, 9)
            points = np.repeat(codes, len(share), axis=0)
            at = np.clip(first + share * (b - first), first, b)
            points[:, i] = np.tile(at, len(codes))
            scores = known.scores(points).reshape(len(codes), len(share), -1)
            steps = np.diff(scores, axis=1)
            near = 1e-9 * (1 + np.abs(scores).max())
            shape = known.shape(i)
            if shape == "constant":
                assert_array_equal(steps, 0.0)
            elif shape == "linear":
                assert_allclose(steps, steps[:, :1] + 0 * steps, atol=near)
            elif shape == "monotone":
                rising = (steps >= -near).all(axis=1)
                falling = (steps <= near).all(axis=1)
                assert (rising | falling).all()


@every_model
def test_an_unpickled_score_function_is_the_same(name: str) -> None:
    model, known = _read(name)
    codes = _random_codes(known, model, 50, 10)
    copy = pickle.loads(pickle.dumps(known))
    assert_array_equal(copy.scores(codes), known.scores(codes))


@every_model
def test_a_row_has_the_same_scores_in_any_company(name: str) -> None:
    model, known = _read(name)
    codes = _random_codes(known, model, 40, 13)
    together = known.scores(codes)
    alone = np.concatenate([known.scores(row[None]) for row in codes])
    assert_array_equal(alone, together)


@pytest.mark.parametrize("kind", ["logistic", "forest"])
@pytest.mark.parametrize(
    "encoder", ["ordinal encoder", "target encoder", "rare labels", "ignoring encoder"]
)
def test_a_label_that_was_never_seen_is_scored_as_the_model_does(
    kind: str, encoder: str
) -> None:
    model, known = _read(f"{encoder}, {kind}")
    X = people()[0][CATALOGUE[f"{encoder}, {kind}"].columns].head(20).copy()
    X["job"] = X["job"].astype(object)
    X.loc[3, "job"] = "astronaut"
    X.loc[5, "job"] = "baker"
    builder = PointBuilder(model.input_format, model.features, X)
    wider, codes = batch_codes(known, builder)
    job = model.input_format.names.index("job")
    assert wider.columns[job].labels[-2:] == ("astronaut", "baker")
    assert np.isnan(known.scores(codes)[[3, 5]]).all()
    own = _own_scores(model, model.rows(X))
    assert_allclose(wider.scores(codes), own, rtol=1e-9, atol=1e-9)


def test_a_label_that_the_model_rejects_has_no_score() -> None:
    model, known = _read("forest behind encoders")
    X = people()[0][CATALOGUE["forest behind encoders"].columns].head(5).copy()
    X["job"] = X["job"].astype(object)
    X.loc[2, "job"] = "astronaut"
    builder = PointBuilder(model.input_format, model.features, X)
    wider, codes = batch_codes(known, builder)
    assert_array_equal(np.isnan(wider.scores(codes)).any(axis=1), np.arange(5) == 2)


def _unread(model: Any, X: Any, y: Any) -> FittedModel:
    model.fit(X, y)
    rule = make_target_rule(model, 1, None)
    input_format = InputFormat.of(model, X, trained=True)
    return FittedModel(rule, input_format, ActionSet.infer(X))


def test_other_models_have_no_score_function_but_a_reason() -> None:
    X, y = people()
    X = X[["income", "age"]]
    black_box = _unread(KNeighborsClassifier(), X, y)
    assert black_box.score_function is None
    assert "KNeighborsClassifier" in black_box.unread_reason
    bent = make_pipeline(FunctionTransformer(np.sin), RandomForestClassifier(5))
    assert "neither rises nor falls" in _unread(bent, X, y).unread_reason


def test_numbers_outside_of_the_steps_domain_have_no_score() -> None:
    X, y = people()
    X = pd.DataFrame({"income": X["income"]})
    model = _unread(
        make_pipeline(FunctionTransformer(np.log), LogisticRegression()), X, y
    )
    known = model.score_function
    assert known is not None
    scores = known.scores(np.array([[-5.0], [20_000.0]]))
    assert_array_equal(np.isnan(scores[:, 0]), [True, False])


def test_a_reading_that_differs_from_the_model_is_dropped(monkeypatch: Any) -> None:
    model = fitted("tree on numbers")
    again = FittedModel(model.target_rule, model.input_format, model.features)
    original = _sklearn.tree_nodes

    def wrong(tree: Any, scale: float) -> Any:
        read = original(tree, scale)
        return read._replace(threshold=np.nextafter(read.threshold, np.inf))

    monkeypatch.setattr(_sklearn, "tree_nodes", wrong)
    assert again.score_function is not None  # both are rounded to the same float32
    again = FittedModel(model.target_rule, model.input_format, model.features)

    def worse(tree: Any, scale: float) -> Any:
        read = original(tree, scale)
        after = np.nextafter(np.float32(read.threshold), np.float32(np.inf))
        return read._replace(threshold=after.astype(float))

    monkeypatch.setattr(_sklearn, "tree_nodes", worse)
    assert again.score_function is None
    assert "differ from the model's own" in again.unread_reason
