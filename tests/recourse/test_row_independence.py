"""Scores and verdicts of a row do not depend on the other rows of the call.

Every engine examines the same people together, one by one, in another order, in small
batches and with two threads. Rows have labels that are not listed, missing values of
several kinds and columns of mixed dtypes.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skresp import ActionSet, AtLeast, Feature, ResponsivenessExplainer
from skresp._model import _row_batch
from skresp._recourse import _verification_task
from skresp.constraints import IfThen, Linear
from skresp.datasets import fetch_german
from skresp.reach import _grid
from skresp.reach._cache import shared_cache
from skresp.reach._option_table import shared_tables
from skresp.scores import _exact_lines, _line_shares, _score_task
from tests.recourse.explainers import (
    explainer_of,
    linear_regression,
    logistic_regression,
    statuses,
)
from tests.recourse.mixed_rows import (
    fitted_on_mixed_rows,
    mixed_rows,
)
from tests.small_models import ALL, RuleClassifier
from tests.strategies import cases, real_cases


def answers(explainer, X):
    """Return all scores, verdicts and texts of rows, as arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdicts, explanation = explainer.verify(X), explainer.explain(X)
        texts = [explanation.describe(i) for i in range(len(X))]
    verdict_arrays = {
        name: getattr(verdicts._arrays, name)
        for name in ("status", "proof", "used", "has_witness", "change")
    }
    scores = {
        name: getattr(explanation, name)
        for name in ("values", "lower", "upper", "exact", "n_reachable", "at_target")
    }
    return verdict_arrays | scores | {"text": np.array(texts, dtype=object)}


def same(found, wanted, rows):
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array[rows], err_msg=name)


def check(explainer, X, monkeypatch):
    """Compare rows together with rows alone, reordered, in batches, in parallel."""
    wanted = answers(explainer, X)
    order = np.random.default_rng(0).permutation(len(X))
    same(answers(explainer, X.iloc[order]), wanted, order)
    for i in range(len(X)):
        same(answers(explainer, X.iloc[[i]]), wanted, [i])
    with monkeypatch.context() as patch:
        patch.setattr(_verification_task, "_MAX_ROWS", 3)
        patch.setattr(_score_task, "ROWS_AT_ONCE", 3)
        patch.setattr(_score_task, "MAX_DRAWS", 50)
        patch.setattr(_exact_lines, "_MAX_FRAGMENTS", 10)
        patch.setattr(_line_shares, "_MAX_WAITING", 5)
        patch.setattr(_row_batch, "_FIRST_BYTES", 1)
        patch.setattr(_row_batch, "_MAX_BYTES", 1)
        patch.setattr(_row_batch, "_FEWEST_POINTS", 7)
        same(answers(explainer, X), wanted, np.arange(len(X)))
        explainer.set_params(n_jobs=2)
        same(answers(explainer, X), wanted, np.arange(len(X)))


@pytest.mark.parametrize("reals", [False, True])
@pytest.mark.parametrize("kind", ["LR", "SGD", "RF", "HGB", "XGB", "LGBM", "MLP"])
@settings(max_examples=2)
@given(data=st.data())
def test_answers_do_not_depend_on_other_rows(kind, reals, data):
    actions, _ = data.draw(real_cases() if reals else cases())
    seed = data.draw(st.integers(0, 2**16))
    classes = data.draw(st.sampled_from([2, 2, 3]))
    rng = np.random.default_rng(seed)
    model, _ = fitted_on_mixed_rows(kind, actions, rng, classes)
    X = mixed_rows(actions, rng, 6)
    note(f"{actions}\n{X}")
    explainer = explainer_of(
        model,
        actions,
        fitted_on_mixed_rows(kind, actions, rng, classes)[1],
        target=int(classes > 2),
        interventions=data.draw(st.sampled_from(["minimal", "joint"])),
        n_samples=20,
        missing="hold",
        invalid_rows="nan",
    )
    with pytest.MonkeyPatch.context() as patch:
        check(explainer, X, patch)


@pytest.mark.parametrize("kind", ["LR", "RF"])
def test_labels_that_are_not_listed_are_distinguished(kind):
    """The model knows "bad" and "worse"; the action set lists neither."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"job": rng.choice(["fine", "bad", "worse"], 300)})
    X["loans"] = rng.integers(0, 4, 300)
    y = ((X.job == "fine") * 3 + (X.job == "bad") * 2 - X.loans > 0.5).astype(int)
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["job"]), remainder="passthrough"
    )
    actions = ActionSet(
        {
            "job": Feature("categorical", categories=["fine"]),
            "loans": Feature("integer", 0, 3, actionable=False),
        }
    )
    explainer = ResponsivenessExplainer(
        make_pipeline(encode, ALL[kind]()), actions, target=1
    ).fit(X, y)
    people = X[y == 0].drop_duplicates()
    alone = [statuses(explainer, people.iloc[[i]])[0] for i in range(len(people))]
    assert statuses(explainer, people) == alone
    assert statuses(explainer, people[::-1]) == alone[::-1]
    assert {"single", "fixed"} <= set(alone)


@pytest.mark.slow
def test_verdicts_of_raw_german_credit_do_not_depend_on_other_rows(raw_data):
    bunch = fetch_german(variant="raw")
    X, y = bunch.data, bunch.target
    text = make_column_selector(dtype_include=["object", "string", "category"])
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), text),
        remainder="passthrough",
    )
    forest = RandomForestClassifier(
        20, max_depth=7, random_state=0, class_weight="balanced"
    )
    model = make_pipeline(encode, forest).fit(X, y)
    explainer = explainer_of(model, bunch.action_set, X)
    denied = X[model.predict(X) != 1]
    together = statuses(explainer, denied)
    assert "unknown" not in together
    some = np.flatnonzero(np.array(together) != "single")[:10]
    assert [statuses(explainer, denied.iloc[[i]])[0] for i in some] == [
        together[i] for i in some
    ]


def test_none_and_nan_are_distinguished():
    """A model may treat None and NaN differently."""
    X = pd.DataFrame({"job": pd.Series([None, np.nan, "b"], dtype=object), "n": 0})
    model = RuleClassifier(
        lambda X: [v is None or n == 1 for v, n in X[["job", "n"]].values]
    )
    actions = ActionSet(
        {
            "job": Feature("categorical", categories=["a", "b"], actionable=False),
            "n": Feature("binary", direction="decrease"),
        }
    )
    explainer = explainer_of(model, actions, X, missing="hold")
    assert statuses(explainer, X) == ["approved", "fixed", "fixed"]
    assert explainer.explain(X).at_target.tolist() == [True, False, False]


def test_null_and_nan_of_polars_are_distinguished():
    pl = pytest.importorskip("polars")
    X = pl.DataFrame({"a": [None, float("nan"), 1.0], "n": [0, 0, 0]})
    model = RuleClassifier(lambda X: X["a"].is_null().to_numpy())
    actions = ActionSet(
        {"a": Feature("real", 0, 1, actionable=False), "n": Feature("binary")}
    )
    assert statuses(explainer_of(model, actions, X), X) == [
        "approved",
        "fixed",
        "fixed",
    ]


def test_a_missing_integer_does_not_change_verdicts_of_other_rows():
    """Integers beside None have dtype object, which trees cannot be read on."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (200, 3)), columns=list("abc"))
    y = (X.a + X.b * X.c > 30).astype(int)
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 8, max_increase=2),
            "b": Feature("integer", 0, 400),
            "c": Feature("integer", 0, 8, actionable=False),
        }
    )
    explainer = ResponsivenessExplainer(
        ALL["HGB"](), actions, target=1, missing="hold"
    ).fit(X, y)
    people = X[:20].astype(object)
    people.iloc[3, 2] = None
    people.iloc[4, 1] = None
    with pytest.MonkeyPatch.context() as patch:
        check(explainer, people, patch)
    assert "unknown" not in statuses(explainer, people)


def test_random_choices_of_a_black_box_do_not_depend_on_other_rows():
    """Only the second person can move `late`; not all points can be evaluated."""
    names = [f"x{i}" for i in range(8)]
    numbers = {name: Feature("integer", 0, 5, direction="increase") for name in names}
    actions = ActionSet(
        {"late": Feature("integer", 0, 2, direction="decrease"), **numbers}
    )
    X = pd.DataFrame(0, index=range(2), columns=list(actions.names))
    X.loc[1, "late"] = 2
    model = RuleClassifier(lambda X: X[names].sum(axis=1) % 23 == 22)
    explainer = explainer_of(model, actions, X)
    together, alone = explainer.verify(X), explainer.verify(X[:1])
    assert together.has_witness.all()
    np.testing.assert_array_equal(together._arrays.change[:1], alone._arrays.change)


def test_people_with_many_changes_get_the_same_verdicts_in_smaller_batches(monkeypatch):
    actions = ActionSet(
        {name: Feature("integer", 0, 9) for name in "ab"}, [Linear({"a": 1, "b": 1}, 0)]
    )
    X = pd.DataFrame(
        np.random.default_rng(0).integers(0, 10, (40, 2)), columns=["a", "b"]
    )
    model = RuleClassifier(lambda X: X.a * X.b == 81)
    explainer = explainer_of(model, actions, X)
    together = statuses(explainer, X)
    assert {"single", "joint"} <= set(together)
    monkeypatch.setattr(_grid, "MAX_TOGETHER", 500)
    shared_cache.clear()
    shared_tables.clear()
    assert statuses(explainer, X) == together


@pytest.mark.parametrize("kind", ["LR", "SGD"])
def test_scores_of_a_linear_model_do_not_depend_on_other_rows_in_any_bit(kind):
    """A matrix product rounds a row differently among other rows."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 13)), columns=list("abcdefghijklm"))
    y = np.digitize(X.sum(axis=1) + rng.normal(size=200), [-1, 1])
    explainer = ResponsivenessExplainer(ALL[kind](), ActionSet.infer(X), target=2)
    explainer.fit(X, y)
    together = explainer.explain(X)
    assert together.exact.all()
    for i in range(25):
        alone = explainer.explain(X[i : i + 1])
        np.testing.assert_array_equal(alone.values[0], together.values[i])


def test_parts_that_only_others_can_move_cost_no_points():
    names = list("abcdeg")
    actions = ActionSet(
        {n: Feature("integer", 0, 9, direction="increase") for n in names}
    )
    rows = pd.DataFrame([[0, 0, 0, 0, 0, 9], [0] * 6], columns=names)
    model = RuleClassifier(lambda X: (X.a >= 5) & (X.b >= 5) & (X.c >= 5))
    explainer = explainer_of(model, actions, rows)
    for max_points in range(100, 130):
        together = explainer.verify(rows, max_points=max_points)
        alone = explainer.verify(rows[:1], max_points=max_points)
        np.testing.assert_array_equal(alone._arrays.change, together._arrays.change[:1])


def statuses_and_proofs(explainer, X):
    found = explainer.verify(X)
    return list(zip(found.status, found.proof, strict=True))


@pytest.mark.parametrize("through", ["nothing", "array", "sparse"])
@pytest.mark.parametrize("big", [-1e8, -1e17])
@pytest.mark.parametrize("make", [linear_regression, logistic_regression])
def test_a_large_number_in_another_row_does_not_round_gains(make, big, through):
    actions = ActionSet(
        {"a": Feature("integer", 0, 3), "z": Feature("real", actionable=False)}
    )
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.integers(0, 4, 50), "z": rng.normal(0, 1e3, 50)})
    target, intercept = (AtLeast(0.3), 0) if make is linear_regression else (1, -0.25)
    if through == "nothing":
        model = make([0.1, 1], intercept, "az")
    else:
        # One column for each value of a, then z.
        encode = make_column_transformer(
            (OneHotEncoder(), ["a"]),
            ("passthrough", ["z"]),
            sparse_threshold=1.0 if through == "sparse" else 0.0,
        ).fit(rows)
        coef = [0, 0.1, 0.2, 3 * 0.1, 1]
        model = make_pipeline(encode, make(coef, intercept))
    explainer = explainer_of(model, actions, rows, target=target)
    X = pd.DataFrame({"a": [0, 0], "z": [big, 0.0]})
    alone = [statuses_and_proofs(explainer, X[i : i + 1])[0] for i in range(2)]
    assert [status for status, _ in alone] == ["fixed", "single"]
    assert statuses_and_proofs(explainer, X) == alone
    assert statuses_and_proofs(explainer, X[::-1]) == alone[::-1]


@pytest.mark.parametrize("big", [1e8, 1e17])
@pytest.mark.parametrize("names", ["ayz", "yaz", "yza", "zay"])
def test_nobody_is_fixed_within_the_rounding_of_the_own_score(names, big):
    """Large terms cancel out, and the model rounds the others between them."""
    features = dict.fromkeys(names, Feature("real", actionable=False))
    actions = ActionSet(features | {"a": Feature("integer", 0, 9)})
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({name: rng.integers(0, 9, 50) * 1.0 for name in names})
    rows["a"] = rows["a"].astype(int)
    model = linear_regression([1, 1, 1], 0, names)
    own = 9 + 4e-9 if big < 1e9 else 10
    explainer = explainer_of(model, actions, rows, target=AtLeast(own))
    X = pd.DataFrame({"a": 0, "y": [big, 0.0], "z": [-big, 0.0]})[list(names)]
    (hard, _), easy = statuses_and_proofs(explainer, X)
    reached = model.predict(pd.concat([X[:1]] * 10).assign(a=range(10))) >= own
    assert hard != "fixed" or not reached.any()
    assert easy == statuses_and_proofs(explainer, X[1:])[0]
    assert statuses_and_proofs(explainer, X[::-1])[0] == easy


def test_used_points_do_not_depend_on_whether_others_can_move():
    """The first person is held by a missing value, the second is not."""
    actions = ActionSet(
        {
            "a": Feature("real", 0, 4, direction="decrease"),
            "b": Feature("real", 0, 1, max_decrease=0),
            "c": Feature("binary", direction="increase"),
        },
        [IfThen(("a", ">=", 0), ("c", "in", [0, 3]))],
    )
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.uniform(0, 4, 200),
            "b": rng.uniform(0, 1, 200),
            "c": rng.integers(0, 2, 200).astype(float),
        }
    )
    X.loc[:20, "c"] = np.nan
    model = RandomForestClassifier(5, max_depth=3, random_state=0)
    model.fit(X, (X["a"] < 1) & (X["b"] > 0.5))
    explainer = explainer_of(model, actions, X, missing="hold")
    people = pd.DataFrame({"a": [4.0, 2.0], "b": [0.0, 0.5], "c": [np.nan, 0.0]})
    together = explainer.verify(people)
    for i in range(2):
        alone = explainer.verify(people.iloc[[i]])
        assert alone.used[0] == together.used[i]
        assert alone.status[0] == together.status[i]
