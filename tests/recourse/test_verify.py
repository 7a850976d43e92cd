"""`verify`: arguments, witnesses, targets, containers and invalid rows."""

from __future__ import annotations

import pickle

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
from tests.recourse.explainers import explainer_of
from tests.small_models import encoded, fitted
from tests.strategies import cases


def price_of(cost, actions, before, after):
    """Return the cost of a point by its definition, without the shares of "fewest"."""
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
def test_no_reachable_point_is_cheaper_than_the_cheapest_witness(kind, data):
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
    explainer = explainer_of(model, actions, X)
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


def test_a_function_as_cost_keeps_statuses_and_is_validated(credit, forest):
    def months(before, after):
        return np.abs(after - before).sum(axis=1).to_numpy()

    free = forest.verify(credit.data)
    costly = forest.verify(credit.data, cost=months)
    np.testing.assert_array_equal(free.status, costly.status)
    assert (forest.predict(costly.witness) == 1).all()
    with pytest.raises(ValueError, match="one finite non-negative number"):
        forest.verify(credit.data, cost=lambda before, after: -months(before, after))


@pytest.mark.parametrize(
    ("arguments", "message"),
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
def test_invalid_arguments_raise(credit, forest, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        forest.verify(credit.data, **arguments)


def test_changed_names_the_features_that_differ_in_the_witness(credit, forest):
    verdicts = forest.verify(credit.data)
    witness = verdicts.witness
    rows = np.flatnonzero(verdicts.has_witness)
    assert list(witness.index) == [credit.data.index[i] for i in rows]
    for k, i in enumerate(rows):
        before, after = credit.data.iloc[i], witness.iloc[k]
        moved = [name for name in credit.data if before[name] != after[name]]
        assert sorted(moved) == sorted(verdicts.changed(int(i)))
    assert credit.action_set.check(witness).empty


def assert_same(a, b):
    np.testing.assert_array_equal(a.status, b.status)
    np.testing.assert_array_equal(a._arrays.change, b._arrays.change)
    np.testing.assert_array_equal(a.proof, b.proof)


def test_verdicts_do_not_depend_on_n_jobs_order_or_other_rows(credit, forest):
    alone = forest.verify(credit.data)
    forest.set_params(n_jobs=2)
    assert_same(alone, forest.verify(credit.data))
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
    assert_same(alone, forest.verify(credit.data[columns]))


def test_an_unpickled_explainer_gives_the_same_verdicts(credit, forest):
    verdicts = forest.verify(credit.data[:60])
    again = pickle.loads(pickle.dumps(forest)).verify(credit.data[:60])
    assert_same(verdicts, again)


def test_witness_and_frame_have_the_container_of_the_data(make_frame, whole_numbers):
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
    assert_same(verdicts, array.verify(X.to_numpy()))
    assert isinstance(array.verify(X.to_numpy()).witness, np.ndarray)


def test_best_score_of_a_regressor_for_at_least_and_at_most(whole_numbers):
    X, _, actions = whole_numbers
    y = 2 * X["a"] - X["b"] + 0.5 * X["c"]
    for model in (LinearRegression(), RandomForestRegressor(5, random_state=0)):
        model.fit(X, y)
        high = explainer_of(model, actions, X, target=AtLeast(6.0))
        low = explainer_of(model, actions, X, target=AtMost(-3.0))
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
    a = explainer_of(wrapped, credit.action_set, credit.data)
    b = explainer_of(wrapped.estimator_, credit.action_set, credit.data, threshold=0.8)
    assert_same(a.verify(credit.data), b.verify(credit.data))


def test_rows_that_break_a_constraint_raise_or_are_invalid():
    actions = ActionSet(
        {name: Feature("binary") for name in "ab"}, [OneHot(["a", "b"])]
    )
    X = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]})
    model = DecisionTreeClassifier().fit(X, [0, 1, 0])
    explainer = explainer_of(model, actions, X)
    with pytest.raises(ValueError, match="row 2"):
        explainer.verify(X)
    explainer.set_params(invalid_rows="nan")
    verdicts = explainer.verify(X)
    assert verdicts.status.tolist() == ["single", "approved", "invalid"]
    assert verdicts.counts()["invalid"] == 1
    assert "1 invalid" in repr(verdicts)


def test_a_missing_value_holds_its_feature(whole_numbers):
    X, y, actions = whole_numbers
    gaps = X.astype(float)
    gaps.loc[::3, "a"] = np.nan
    tree = DecisionTreeClassifier(max_depth=5, random_state=0).fit(gaps, y)
    explainer = explainer_of(tree, actions, gaps, missing="hold")
    verdicts = explainer.verify(gaps)
    held = verdicts.witness["a"].isna()
    assert held.any()
    assert (gaps.loc[verdicts.witness.index, "a"].isna() == held).all()
    frozen = actions.replace(features={"a": Feature("integer", actionable=False)})
    still = explainer_of(tree, frozen, gaps).verify(gaps[::3])
    np.testing.assert_array_equal(still.status, verdicts.status[::3])


def test_no_rows_and_one_row_are_accepted(credit, forest):
    assert len(forest.verify(credit.data[:0])) == 0
    assert forest.verify(credit.data[:0]).best_score.shape == (0,)
    assert len(forest.verify(credit.data[:1]).to_frame()) == 1


def test_frame_and_reprs_of_verdicts(credit, forest):
    verdicts = forest.verify(credit.data)
    table = verdicts.to_frame()
    assert list(table.columns) == ["status", "proof", "changed", "used"]
    assert (table["changed"] != "").sum() == verdicts.has_witness.sum()
    assert f"Verdicts of {len(credit.data)} rows" in repr(verdicts)
    assert "<script" not in verdicts._repr_html_()
    with pytest.raises(IndexError, match="row must be a position"):
        verdicts.changed(10_000)


@pytest.mark.parametrize("kind", ["LR", "tree"])
def test_a_witness_moves_a_number_no_further_than_needed(kind):
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
    explainer = explainer_of(model, actions, X)
    verdicts = explainer.verify(X)
    rows = np.flatnonzero(verdicts.status == "single")
    assert len(rows) > 50
    change = verdicts._arrays.change[rows]
    assert ((change != 0).sum(axis=1) == 1).all()
    witness = X.iloc[rows].reset_index(drop=True) + change
    assert (model.predict(witness) == 1).all()
    # Nine tenths of the change are not enough, where the model has one border.
    less = X.iloc[rows].reset_index(drop=True) + 0.9 * change
    if kind == "LR":
        assert (model.predict(less) == 0).all()
