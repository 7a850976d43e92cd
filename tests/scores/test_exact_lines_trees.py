"""Trees along a line: what is called exact is exact."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._families import own_scores
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._kernel_use import kernels
from skresp._model._row_batch import RowBatch
from skresp._model._target import AtLeast, make_target_rule
from skresp._model.lines._line_ends import LineEnds
from skresp._model.lines._score_lines import score_pieces
from skresp._model.lines._tree_pieces import PositionLines, tree_pieces
from skresp._model.trees._raw_trees import RawTrees
from tests.scores.lines import CLASSIFIERS, dense, explain
from tests.small_models import lightgbm, xgboost


def fitted_model(model, X, target=1):
    rule = make_target_rule(model, target, None)
    input_format = InputFormat.of(model, X, trained=True)
    return FittedModel(rule, input_format, ActionSet.infer(X))


@pytest.mark.parametrize("name", ["RF", "tree", "XGB", "LightGBM", "HistGB", "GB"])
@pytest.mark.parametrize("classes", [2, 3])
def test_pieces_of_lines_have_the_scores_of_the_model(name, classes, data):
    X, y = data
    y = y + (X["debt"] > 1.2) if classes == 3 else y
    model = CLASSIFIERS[name]().fit(X, y)
    known = fitted_model(model, X).score_function
    start = X[:40].to_numpy(dtype=float)
    rate = np.zeros_like(start)
    rate[:, 0], rate[:, 1] = 1000.0, -0.3
    low, high = np.full(40, -2.0), np.full(40, 3.0)
    ends = (start + t[:, None] * rate for t in (low, high))
    pieces = score_pieces(known, LineEnds(*ends, low, high), 2e-16)
    np.testing.assert_array_equal(np.unique(pieces.line), np.arange(40))
    opens = np.r_[True, pieces.line[1:] != pieces.line[:-1]]
    closes = np.r_[opens[1:], True]
    np.testing.assert_array_equal(pieces.low[opens], low)
    np.testing.assert_array_equal(pieces.high[closes], high)
    np.testing.assert_array_equal(pieces.low[~opens], pieces.high[~closes])
    middle = start[pieces.line] + rate[0] * ((pieces.low + pieces.high) / 2)[:, None]
    wide = pieces.high - pieces.low > 1e-5
    np.testing.assert_allclose(
        pieces.scores[wide], known.scores(middle)[wide], atol=1e-9
    )


def test_a_line_through_a_very_deep_tree():
    """Node 2k splits at n - k: its left child is the next split, its right a leaf."""
    n = 3_000
    column = np.r_[np.tile([0, -1], n), -1].astype(np.int32)
    left = np.where(column == 0, np.arange(2 * n + 1) + 2, -1).astype(np.int32)
    right = np.where(column == 0, left - 1, -1).astype(np.int32)
    threshold = np.repeat(n - np.arange(n + 1.0), 2)[:-1]
    zero, no = np.zeros(1, dtype=np.int32), np.zeros((0, 1), dtype=bool)
    trees = RawTrees(
        roots=zero,
        output=zero,
        column=column,
        threshold=threshold,
        left=left,
        right=right,
        missing_left=column == 0,
        leaves=threshold[:, None],
        is_listed=np.zeros(1, dtype=bool),
        goes_left=no,
        edges={},
    )
    ends = np.zeros(1), np.full(1, n + 1.0)
    lines = PositionLines(np.zeros((1, 1)), np.ones((1, 1)), *ends)
    pieces = tree_pieces(trees, 1, lines)
    np.testing.assert_array_equal(pieces.low, np.arange(n + 1))
    np.testing.assert_allclose(pieces.scores, trees.sums(pieces.high[:, None], 1))


def test_lines_that_move_in_no_column_of_the_trees(data):
    X, y = data
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    (group,) = fitted_model(model, X).score_function.groups
    start = X[:30].to_numpy(dtype=float)
    ends = np.zeros(30), np.ones(30)
    lines = PositionLines(start.T, np.zeros_like(start.T), *ends)
    pieces = tree_pieces(group.trees, len(group.base), lines)
    np.testing.assert_array_equal(pieces.line, np.arange(30))
    np.testing.assert_array_equal(pieces.high, ends[1])
    expected = group.trees.sums(start, len(group.base))
    np.testing.assert_allclose(pieces.scores, expected)


def test_sums_along_a_line_do_not_depend_on_other_lines(data):
    X, y = data
    model = xgboost(n_estimators=60).fit(X, y)
    (group,) = fitted_model(model, X).score_function.groups
    start = np.ascontiguousarray(np.tile(X.to_numpy(dtype=float), (3, 1))[:700].T)
    rate = np.zeros_like(start)
    rate[0], rate[1] = 1000.0, -0.3
    ends = np.full(700, -2.0), np.full(700, 3.0)
    whole = tree_pieces(group.trees, 1, PositionLines(start, rate, *ends))
    for i in (0, 255, 256, 699):
        some = slice(i, i + 1)
        one = PositionLines(start[:, some], rate[:, some], ends[0][some], ends[1][some])
        alone, mine = tree_pieces(group.trees, 1, one), whole.line == i
        np.testing.assert_array_equal(alone.low, whole.low[mine])
        np.testing.assert_array_equal(alone.high, whole.high[mine])
        np.testing.assert_array_equal(alone.scores, whole.scores[mine])


def test_missing_values_walk_as_the_model_sends_them(data):
    X, y = data
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    for model in (
        RandomForestClassifier(10, random_state=0),
        HistGradientBoostingClassifier(max_iter=10),
        xgboost(n_estimators=40),
        lightgbm(n_estimators=40),
    ):
        known = fitted_model(model.fit(X, y), X).score_function
        own = own_scores(model, X)
        np.testing.assert_allclose(known.scores(X.to_numpy()), own, atol=1e-5)


def test_an_ensemble_that_does_not_add_up_is_not_used(data):
    X, y = data
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    model.estimators_[0].tree_.value[:] = 0.5
    broken = RandomForestClassifier(5, random_state=0).fit(X, y)
    broken.predict_proba = lambda X: np.random.default_rng(0).random((len(X), 2))
    known = fitted_model(model, X).score_function
    assert known is not None, "changed trees are still trees"
    assert fitted_model(broken, X).score_function is None


RULES = {
    "probability": ({"threshold": 0.3}, 1),
    "the other label": ({"threshold": 0.3}, 0),
    "positive is the first": ({"threshold": 0.7, "pos_label": 0}, 1),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "inner", [RandomForestClassifier(5, random_state=0), LogisticRegression()]
)
def test_the_rule_of_a_threshold_classifier_is_known(data, rule, inner):
    X, y = data
    settings, target = RULES[rule]
    model = FixedThresholdClassifier(inner, **settings).fit(X, y)
    target_rule = make_target_rule(model, target, None)
    score_function = fitted_model(model, X, target).score_function
    scores = score_function.scores(X.to_numpy(dtype=float))
    sure = ~score_function.decision.unsure(scores)
    reached = score_function.decision.gap(scores) > 0
    assert sure.sum() > len(X) / 2
    assert 0 < reached.sum() < len(X)
    np.testing.assert_array_equal(reached[sure], target_rule.reached(X)[sure])


def boosted(**fields):
    return GradientBoostingClassifier(n_estimators=20, random_state=0, **fields)


def gradient(kind, **fields):
    xgb = pytest.importorskip("xgboost")
    return getattr(xgb, kind)(n_estimators=20, n_jobs=1, **fields)


def light(kind, **fields):
    lgb = pytest.importorskip("lightgbm")
    return getattr(lgb, kind)(n_estimators=20, n_jobs=1, verbose=-1, **fields)


ODD = {
    "exponential loss": (lambda: boosted(loss="exponential"), {"threshold": 0.7}),
    "a start that moves": (lambda: boosted(init=LogisticRegression(max_iter=5000)), {}),
    "sigmoid 2": (lambda: light("LGBMClassifier", sigmoid=2.0), {"threshold": 0.7}),
    "linear leaves": (lambda: light("LGBMClassifier", linear_tree=True), {}),
    "raw logits": (
        lambda: gradient("XGBClassifier", objective="binary:logitraw"),
        {},
    ),
    "0 is missing": (lambda: gradient("XGBClassifier", missing=0.0), {}),
    "xgb counts": (
        lambda: gradient("XGBRegressor", objective="count:poisson"),
        {"target": AtLeast(0.6)},
    ),
    "xgb shares": (
        lambda: gradient("XGBRegressor", objective="reg:logistic"),
        {"target": AtLeast(0.6)},
    ),
    "lgb counts": (
        lambda: light("LGBMRegressor", objective="poisson"),
        {"target": AtLeast(0.6)},
    ),
    "hist counts": (
        lambda: HistGradientBoostingRegressor(loss="poisson", max_iter=20),
        {"target": AtLeast(0.6)},
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ODD)
def test_odd_losses_links_and_leaves_are_never_wrongly_exact(name, data):
    X, y = data
    X = X[["income", "debt", "rent"]].assign(zero=0.0)
    make, arguments = ODD[name]
    model = make().fit(X, y)
    actions = ActionSet.infer(X, immutable=["zero"])
    denied = X[model.predict(X) < 0.5][:4]
    for people in (denied[:1], denied):
        some = explain(model, actions, X, people, random_state=0, **arguments)
        drawn = explain(
            model,
            actions,
            X,
            people,
            method="sample",
            n_samples=3_000,
            alpha=1e-7,
            random_state=0,
            **arguments,
        )
        assert (drawn.lower <= some.upper + 1e-9).all()
        assert (some.lower <= drawn.upper + 1e-9).all()
    alone = explain(model, actions, X, denied[:1], random_state=0, **arguments)
    np.testing.assert_array_equal(alone.values, some.values[:1])
    np.testing.assert_array_equal(alone.exact, some.exact[:1])


@pytest.mark.parametrize("encoder", ["ordinal", "one hot"])
def test_a_number_that_is_encoded_is_no_line(encoder):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"k": rng.integers(0, 200, 2_000), "z": rng.random(2_000)})
    y = (np.sin(X["k"]) + X["z"] > 0.5).astype(int)
    step = (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        if encoder == "ordinal"
        else OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    )
    model = make_pipeline(
        make_column_transformer((step, ["k"]), remainder="passthrough"),
        RandomForestClassifier(10, random_state=0),
    ).fit(X, y)
    actions = ActionSet.infer(X, immutable=["z"])
    explanation = explain(model, actions, X, X[:5])
    listed = explain(model, actions, X, X[:5], method="grid")
    assert explanation.exact.all()
    np.testing.assert_array_equal(explanation.values, listed.values)


def test_large_values_are_cut_where_float32_rounds():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": 1.7e9 + rng.normal(0, 400, 500), "b": rng.random(500)})
    y = (np.sin(X["a"] / 300) + X["b"] > 0.5).astype(int)
    actions = ActionSet.infer(X, immutable=["b"])
    for model in (xgboost(n_estimators=40), RandomForestClassifier(5, random_state=0)):
        model.fit(X, y)
        exact = explain(model, actions, X, X[:6])
        assert exact.exact.all()
        for i in range(6):
            wanted = dense(model, actions, X.iloc[[i]], "a", {}, 1, points=40_001)
            assert exact.values[i, 0] == pytest.approx(wanted, abs=2e-3)


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_scores_of_slopes_and_trees_do_not_depend_on_other_rows(rows):
    """Not even in the last digit, although sums of trees decide where slopes cross."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    y = X.a + X.b.round() + rng.normal(0, 0.3, 300)
    model = VotingRegressor(
        [
            ("linear", LinearRegression()),
            ("forest", RandomForestRegressor(9, random_state=0)),
        ]
    ).fit(X, y)
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), ActionSet.infer(X), target=AtLeast(1.0)
    ).fit(X)
    together = explainer.explain(X)
    assert together.exact.all()
    for start in range(0, 60, rows):
        some = explainer.explain(X[start : start + rows])
        np.testing.assert_array_equal(
            some.values, together.values[start : start + rows]
        )


def test_the_model_is_asked_once_about_the_pieces_in_doubt(data, actions, monkeypatch):
    """Half of the trees is the threshold on some pieces, along every feature."""
    X, y = data
    forest = RandomForestClassifier(10, random_state=0)
    model = FixedThresholdClassifier(forest, threshold=0.5).fit(X, y)
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    explainer.fit(X)
    with kernels("never"):
        expected = explainer.explain(X[:40])
    asked = []
    monkeypatch.setattr(RowBatch, "first_answers", spy(RowBatch.first_answers, asked))
    found = explainer.explain(X[:40])
    segments = [segment for _, some in asked for segment in some]
    assert len(segments) == len(actions.actionable)
    assert len([some for _, some in asked if some]) == 1
    assert 0 < sum(len(rows) for rows, _ in asked) < found.n_reachable.sum() / 2
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(found.n_reachable, expected.n_reachable)


def spy(function, asked):
    """Return the method, noting the rows and segments of each call."""

    def method(self, rows, segments=(), final=False):
        asked.append((rows, segments))
        return function(self, rows, segments, final)

    return method


@pytest.mark.parametrize("name", ["RF", "extra trees", "tree"])
def test_one_score_decides_between_two_classes(name, data):
    X, y = data
    model = CLASSIFIERS[name]().fit(X, y)
    known = fitted_model(model, X, target=0).score_function
    codes = X.to_numpy(dtype=float)
    gap = known.of_gap.scores(codes)
    assert gap.shape == (len(X), 1)
    np.testing.assert_allclose(gap[:, 0], known.decision.gap(known.scores(codes)))
    reached, sure = known.of_gap.decision.answers(gap)
    assert 0 < reached.sum() < sure.sum()
    np.testing.assert_array_equal(reached[sure], (model.predict(X) == 0)[sure])


def test_scores_with_a_cut_or_several_rivals_stay_as_they_are(data):
    X, y = data
    several = RandomForestClassifier(5, random_state=0).fit(X, y + (X["debt"] > 1.2))
    for model in (several, xgboost(n_estimators=5).fit(X, y)):
        known = fitted_model(model, X).score_function
        assert known.of_gap is known


@pytest.mark.parametrize("seed", [3, 4])
def test_large_leaves_that_cancel_are_left_to_predict(seed):
    """The mean of leaves of 1e8 is 0 up to rounding, which the model itself decides."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 4, (40, 3)).astype(float), columns=list("abc"))
    X += rng.uniform(0, 1, X.shape)
    y = rng.choice([-0.3, -0.2, -0.1, 0.1, 0.2, 0.3], 40) * 1.2345678e9 / 7
    model = ExtraTreesRegressor(6, random_state=seed).fit(X, y)
    actions = ActionSet({name: Feature("real", 0, 4) for name in X})
    found = []
    for use in ("always", "never"):
        with kernels(use):
            found.append(explain(model, actions, X, X, target=AtLeast(0.0)))
    assert found[0].exact.all()
    np.testing.assert_array_equal(found[0].values, found[1].values)


def test_a_threshold_below_all_numbers_is_no_cut():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 2)), columns=["x", "z"])
    y = np.sin(4 * X["x"]) + X["z"] > 0
    lost = rng.random(400) < 0.3
    trained = X.assign(x=X["x"].mask(lost, -np.inf))
    model = lightgbm(n_estimators=10).fit(trained, y | lost)
    assert model.booster_.trees_to_dataframe()["threshold"].min() < -1e299
    actions = ActionSet({"x": Feature("real", -3, 3), "z": Feature("real", -3, 3)})
    found = ResponsivenessExplainer(model, actions, target=True).fit(X).explain(X[:5])
    assert found.exact.all()
    x = np.linspace(-3, 3, 20_001)
    for z, score in zip(X["z"][:5], found.values[:, 0], strict=True):
        hit = model.predict(pd.DataFrame({"x": x, "z": z}))
        assert score == pytest.approx(hit.mean(), abs=1e-3)
