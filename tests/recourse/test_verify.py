"""Verdicts: witnesses, costs, targets, containers, rows."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, AtLeast, AtMost, Feature, ResponsivenessExplainer
from skresp.constraints import Linkage, OneHot
from tests import oracle
from tests.small_models import encoded, fitted
from tests.strategies import cases


def price_of(cost, actions, before, after):
    """By the words: fewest features, then their changes as shares of their ranges."""
    own = {}
    for name in actions.names:
        feature = actions.features[name]
        change = (
            float(before[name] != after[name])
            if feature.kind == "categorical"
            else float(after[name] - before[name])
        )
        for rule in actions.constraints:
            if isinstance(rule, Linkage):
                for target, scale in rule.effects:
                    if target == name:
                        change -= scale * (after[rule.source] - before[rule.source])
        own[name] = change
    if cost == "fewest":
        return sum(change != 0 for change in own.values())
    return sum(abs(change) * cost.get(name, 0) for name, change in own.items())


@pytest.mark.parametrize("kind", ["LR", "RF", "XGB"])
@given(data=st.data())
@settings(max_examples=20)
def test_the_cheapest_witness_is_the_cheapest(kind, data):
    actions, person = data.draw(cases())
    numbers = [n for n, f in actions.features.items() if f.kind != "categorical"]
    cost = data.draw(
        st.sampled_from(["fewest", dict.fromkeys(numbers, 1.0) | {numbers[0]: 3.0}])
        if numbers
        else st.just("fewest")
    )
    note(str(actions))
    note(str(person))
    model, X = fitted(kind, actions, data.draw(st.integers(0, 10_000)))
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    verdicts = explainer.verify(pd.DataFrame([person]), cost=cost)
    if not verdicts.has_witness[0]:
        return
    points = oracle.all_points(actions, person)
    if verdicts.status[0] == "single":
        points = [
            point
            for name in actions.names
            for point in oracle.interventions(actions, person, name, "minimal", points)
        ]
    hits = model.predict(pd.DataFrame(points)) == 1
    least = min(
        price_of(cost, actions, person, point)
        for point, hit in zip(points, hits, strict=True)
        if hit
    )
    (witness,) = verdicts.witness.to_dict("records")
    assert price_of(cost, actions, person, witness) == pytest.approx(least)


def test_a_cost_can_be_a_function(credit, forest):
    def months(before, after):
        return np.abs(after - before).sum(axis=1).to_numpy()

    free = forest.verify(credit.data)
    dear = forest.verify(credit.data, cost=months)
    np.testing.assert_array_equal(free.status, dear.status)
    assert (forest.predict(dear.witness) == 1).all()
    with pytest.raises(ValueError, match="one finite non-negative number"):
        forest.verify(credit.data, cost=lambda before, after: -months(before, after))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"cost": {"shoes": 1}}, "'shoes', which is not a feature"),
        ({"cost": {"income": -1}}, "non-negative"),
        ({"cost": {"income": np.inf}}, "finite non-negative"),
        ({"cost": 3}, "cost must be None, 'fewest'"),
        ({"max_points": -1}, "max_points must be a whole number"),
        ({"max_points": 1.5}, "max_points must be a whole number"),
        ({"time_limit": -1}, "time_limit must be a number of seconds"),
    ],
)
def test_bad_questions_are_refused(credit, forest, asked, message):
    with pytest.raises((ValueError, TypeError), match=message):
        forest.verify(credit.data, **asked)


def test_a_witness_changes_no_more_than_it_says(credit, forest):
    verdicts = forest.verify(credit.data)
    witness = verdicts.witness
    rows = np.flatnonzero(verdicts.has_witness)
    assert list(witness.index) == [credit.data.index[i] for i in rows]
    for k, i in enumerate(rows):
        before, after = credit.data.iloc[i], witness.iloc[k]
        moved = [name for name in credit.data if before[name] != after[name]]
        assert sorted(moved) == sorted(verdicts.changed(int(i)))
    assert credit.action_set.check(witness).empty


def same(a, b):
    np.testing.assert_array_equal(a.status, b.status)
    np.testing.assert_array_equal(a._arrays.change, b._arrays.change)
    np.testing.assert_array_equal(a.proof, b.proof)


def test_neither_jobs_nor_company_change_a_verdict(credit, forest):
    alone = forest.verify(credit.data)
    forest.set_params(n_jobs=2)
    same(alone, forest.verify(credit.data))
    forest.set_params(n_jobs=None)
    order = np.random.default_rng(0).permutation(len(credit.data))
    turned = forest.verify(credit.data.iloc[order])
    np.testing.assert_array_equal(alone.status[order], turned.status)
    np.testing.assert_array_equal(alone._arrays.change[order], turned._arrays.change)
    one = [forest.verify(credit.data[i : i + 1]).status[0] for i in range(20)]
    assert one == alone.status[:20].tolist()
    twice = forest.verify(pd.concat([credit.data, credit.data]))
    np.testing.assert_array_equal(twice.status, np.tile(alone.status, 2))
    columns = list(credit.data.columns)[::-1]
    same(alone, forest.verify(credit.data[columns]))


def test_an_unpickled_explainer_gives_the_same_verdicts(credit, forest):
    verdicts = forest.verify(credit.data[:60])
    again = pickle.loads(pickle.dumps(forest)).verify(credit.data[:60])
    same(verdicts, again)


def test_each_container_comes_back(make_frame, whole_numbers):
    X, y, actions = whole_numbers
    frame = make_frame(X.to_dict("list"))
    explainer = ResponsivenessExplainer(
        DecisionTreeClassifier(max_depth=4, random_state=0), actions
    )
    explainer.fit(frame, y.to_numpy())
    verdicts = explainer.verify(frame)
    assert type(verdicts.witness) is type(frame)
    assert type(verdicts.to_frame()) is type(frame)
    array = ResponsivenessExplainer(
        DecisionTreeClassifier(max_depth=4, random_state=0), actions
    )
    array.fit(X.to_numpy(), y.to_numpy())
    same(verdicts, array.verify(X.to_numpy()))
    assert isinstance(array.verify(X.to_numpy()).witness, np.ndarray)


def test_kernels_run_as_python_for_a_debugger():
    script = textwrap.dedent(
        """
        import numpy as np
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from skresp import ActionSet, Feature, ResponsivenessExplainer
        rng = np.random.default_rng(0)
        X = rng.integers(0, 4, (120, 4))
        y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(0, 1, 120) > 6).astype(int)
        features = {n: Feature("integer", 0, 3, max_increase=2) for n in "abcd"}
        features["d"] = Feature("real", 0, 3)
        for model in (RandomForestClassifier(6, random_state=0), LogisticRegression()):
            explainer = ResponsivenessExplainer(model, ActionSet(features)).fit(X, y)
            verdicts = explainer.verify(X[:40], cost="fewest")
            print(verdicts.status.tolist(), verdicts.best_score.round(9).tolist())
            print(explainer.explain(X[:40]).values.round(9).tolist())
        from skresp._model.trees._line_kernel import leaves_met
        from skresp._recourse.engines.trees._box_search import search
        from skresp._recourse.engines.linear._gains import search_sums
        import sys
        kinds = {type(kernel).__name__ for kernel in (leaves_met, search, search_sums)}
        print(*kinds, file=sys.stderr)
        """
    )
    plain, fast = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        )
        for disabled in "10"
    )
    assert plain.stderr.split() == ["function"]
    assert fast.stderr.split() == ["CPUDispatcher"]
    assert plain.stdout == fast.stdout
    assert "joint" in plain.stdout


def test_a_regressor_can_be_wanted_high_or_low(whole_numbers):
    X, _, actions = whole_numbers
    y = 2 * X["a"] - X["b"] + 0.5 * X["c"]
    for model in (LinearRegression(), RandomForestRegressor(5, random_state=0)):
        model.fit(X, y)
        high = ResponsivenessExplainer(model, actions, target=AtLeast(6.0)).fit(X)
        low = ResponsivenessExplainer(model, actions, target=AtMost(-3.0)).fit(X)
        for explainer, sign in ((high, 1), (low, -1)):
            verdicts = explainer.verify(X)
            for i in range(0, 100, 7):
                points = pd.DataFrame(oracle.all_points(actions, X.iloc[i].to_dict()))
                best = (sign * model.predict(points)).max() * sign
                assert verdicts.best_score[i] == pytest.approx(best)
        curve = low.verify(X).curve([-5.0, -3.0, 0.0])
        assert (np.diff(curve["denied"]) <= 0).all()


def test_a_threshold_of_the_model_and_of_the_explainer_agree(credit):
    inner = encoded(RandomForestClassifier(15, random_state=0))
    inner.fit(credit.data, credit.target)
    wrapped = FixedThresholdClassifier(inner, threshold=0.8)
    wrapped.fit(credit.data, credit.target)
    a = ResponsivenessExplainer(wrapped, credit.action_set).fit(credit.data)
    b = ResponsivenessExplainer(
        wrapped.estimator_, credit.action_set, threshold=0.8
    ).fit(credit.data)
    same(a.verify(credit.data), b.verify(credit.data))


def test_rows_that_break_a_constraint():
    actions = ActionSet(
        {name: Feature("binary") for name in "ab"}, [OneHot(["a", "b"])]
    )
    X = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]})
    model = DecisionTreeClassifier().fit(X, [0, 1, 0])
    explainer = ResponsivenessExplainer(model, actions).fit(X)
    with pytest.raises(ValueError, match="row 2"):
        explainer.verify(X)
    explainer.set_params(invalid_rows="nan")
    verdicts = explainer.verify(X)
    assert verdicts.status.tolist() == ["single", "approved", "invalid"]
    assert verdicts.counts()["invalid"] == 1
    assert "1 invalid" in repr(verdicts)


def test_missing_values_hold_a_feature(whole_numbers):
    X, y, actions = whole_numbers
    gaps = X.astype(float)
    gaps.loc[::3, "a"] = np.nan
    tree = DecisionTreeClassifier(max_depth=5, random_state=0).fit(gaps, y)
    explainer = ResponsivenessExplainer(tree, actions, missing="hold").fit(gaps)
    verdicts = explainer.verify(gaps)
    held = verdicts.witness["a"].isna()
    assert held.any()
    assert (gaps.loc[verdicts.witness.index, "a"].isna() == held).all()
    frozen = actions.replace(features={"a": Feature("integer", actionable=False)})
    still = ResponsivenessExplainer(tree, frozen).fit(gaps).verify(gaps[::3])
    np.testing.assert_array_equal(still.status, verdicts.status[::3])


def test_no_rows_and_one_row(credit, forest):
    assert len(forest.verify(credit.data[:0])) == 0
    assert forest.verify(credit.data[:0]).best_score.shape == (0,)
    assert len(forest.verify(credit.data[:1]).to_frame()) == 1


def test_the_words_of_verdicts(credit, forest):
    verdicts = forest.verify(credit.data)
    table = verdicts.to_frame()
    assert list(table.columns) == ["status", "proof", "changed", "used"]
    assert (table["changed"] != "").sum() == verdicts.has_witness.sum()
    assert f"Verdicts of {len(credit.data)} rows" in repr(verdicts)
    assert "<script" not in verdicts._repr_html_()
    with pytest.raises(IndexError, match="row must be a position"):
        verdicts.changed(10_000)


@pytest.mark.parametrize("kind", ["LR", "tree"])
def test_a_witness_moves_a_number_no_further_than_it_takes(kind):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"income": rng.uniform(0, 100, 400), "debt": rng.integers(0, 5_000, 400)}
    )
    y = (X["income"] - X["debt"] / 50 > 20).astype(int)
    model = (
        LogisticRegression(max_iter=1_000) if kind == "LR" else DecisionTreeClassifier()
    ).fit(X, y)
    actions = ActionSet(
        {
            "income": Feature("real", 0, 100, max_increase=40),
            "debt": Feature("integer", 0, 5_000, direction="decrease"),
        }
    )
    explainer = ResponsivenessExplainer(model, actions).fit(X)
    verdicts = explainer.verify(X)
    rows = np.flatnonzero(verdicts.status == "single")
    assert len(rows) > 50
    change = verdicts._arrays.change[rows]
    assert ((change != 0).sum(axis=1) == 1).all()
    witness = X.iloc[rows].reset_index(drop=True) + change
    assert (model.predict(witness) == 1).all()
    # Nine tenths of the change are not enough, for a model with one border.
    less = X.iloc[rows].reset_index(drop=True) + 0.9 * change
    if kind == "LR":
        assert (model.predict(less) == 0).all()
