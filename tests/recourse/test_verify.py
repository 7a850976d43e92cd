"""Verdicts: budgets, witnesses, costs, thresholds, containers."""

from __future__ import annotations

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
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, AtLeast, AtMost, Feature, ResponsivenessExplainer
from skresp.constraints import Linear, Linkage, OneHot, Switch
from skresp.datasets import make_credit

from .. import oracle
from ..metrics.test_summaries import pipeline
from ..scores.test_naive import Whim
from ..strategies import cases
from .models import fitted


@pytest.fixture(scope="module")
def credit():
    return make_credit(250, random_state=0)


@pytest.fixture(scope="module")
def forest(credit):
    model = pipeline(RandomForestClassifier(20, random_state=0, min_samples_leaf=3))
    return ResponsivenessExplainer(model, credit.action_set).fit(
        credit.data, credit.target
    )


# -- any model -------------------------------------------------------------------------


def doubled(X):
    return X * 2


BLACK_BOXES = {
    "MLP": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((8,), random_state=0, max_iter=300)
    ),
    "lambda": lambda: make_pipeline(
        FunctionTransformer(doubled), LogisticRegression(max_iter=500)
    ),
}


@pytest.fixture(scope="module")
def whole_numbers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 5, (300, 4)), columns=list("abcd"))
    y = (X["a"] + X["b"] * X["c"] - X["d"] + rng.normal(0, 1, 300) > 8).astype(int)
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 4, max_increase=1),
            "b": Feature("integer", 0, 4, max_increase=1),
            "c": Feature("integer", 0, 4, max_increase=2, max_decrease=0),
            "d": Feature("integer", 0, 4, actionable=False),
        }
    )
    return X, y, actions


@pytest.mark.parametrize("kind", BLACK_BOXES)
def test_a_black_box_is_fixed_only_where_all_was_seen(whole_numbers, kind):
    X, y, actions = whole_numbers
    model = BLACK_BOXES[kind]().fit(X, y)
    explainer = ResponsivenessExplainer(model, actions).fit(X)
    verdicts = explainer.verify(X)
    assert set(verdicts.status) == {"approved", "single", "joint", "fixed"}
    assert (model.predict(verdicts.witness) == 1).all()
    for i in np.random.default_rng(0).choice(len(X), 40, replace=False):
        points = oracle.all_points(actions, X.iloc[i].to_dict())
        hit = (model.predict(pd.DataFrame(points)) == 1).any()
        assert (verdicts.status[i] == "fixed") == (not hit)
        if verdicts.status[i] == "fixed":
            assert verdicts.proof[i] in ("exhaustion", "no feasible change")
            assert verdicts.used[i] == len(points) - 1
    short = explainer.verify(X, max_points=3)
    assert (short.status == "unknown").any()
    assert (short.used <= 3).all()
    # A budget changes what is known, never what is true.
    known = short.status != "unknown"
    np.testing.assert_array_equal(short.status[known], verdicts.status[known])


def test_a_black_box_with_a_real_is_never_called_fixed(whole_numbers):
    X, y, _ = whole_numbers
    actions = ActionSet(
        {
            "a": Feature("real", 0, 4, max_increase=1),
            "b": Feature("integer", 0, 4, max_increase=1),
            "c": Feature("integer", actionable=False),
            "d": Feature("integer", actionable=False),
        }
    )
    model = BLACK_BOXES["MLP"]().fit(X.astype(float), y)
    verdicts = ResponsivenessExplainer(model, actions).fit(X.astype(float)).verify(X)
    assert set(verdicts.status) == {"approved", "single", "possible", "unknown"}
    unknown = verdicts.status == "unknown"
    assert (verdicts.proof[unknown] == "not all changes can be gone through").all()
    assert (verdicts.proof[verdicts.status == "possible"] == "witness").all()
    # A way is known where, and only where, the status says so.
    ways = np.isin(verdicts.status, ["single", "joint", "possible"])
    np.testing.assert_array_equal(verdicts.has_witness, ways)
    assert (model.predict(verdicts.witness.astype(float)) == 1).all()


# -- budgets ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["RF", "LR", "whim"])
def test_a_budget_of_zero(kind):
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 3),
            "b": Feature("integer", 0, 3, direction="increase"),
        }
    )
    model, X = (
        fitted(kind, actions, 1)
        if kind != "whim"
        else (Whim(1, ("a", "b")), pd.DataFrame({"a": [0, 1, 2], "b": [0, 3, 1]}))
    )
    target = "yes" if kind == "whim" else 1
    explainer = ResponsivenessExplainer(model, actions, target=target).fit(X)
    full = explainer.verify(X)
    nothing = explainer.verify(X, max_points=0)
    known = nothing.status != "unknown"
    np.testing.assert_array_equal(nothing.status[known], full.status[known])
    assert (nothing.status[full.status == "approved"] == "approved").all()
    if kind != "LR":  # a linear model needs no search
        assert (nothing.status[full.status != "approved"] == "unknown").all()
    late = explainer.verify(X, time_limit=0.0)
    known = late.status != "unknown"
    np.testing.assert_array_equal(late.status[known], full.status[known])


@pytest.mark.parametrize("max_points", [0, 100])
@pytest.mark.parametrize("kind", ["tree", "LR", "whim"])
def test_a_person_with_a_single_feasible_point_is_fixed(kind, max_points):
    actions = ActionSet(
        {
            "a": Feature("binary", direction="increase"),
            "b": Feature("binary", direction="increase"),
        },
        [OneHot(["a", "b"])],
    )
    X = pd.DataFrame({"a": [1, 0], "b": [0, 1]})
    model = Whim(0, ("a", "b")) if kind == "whim" else fitted(kind, actions, 3)[0]
    answers = model.predict(X)
    target = next(label for label in model.classes_ if label != answers[0])
    explainer = ResponsivenessExplainer(model, actions, target=target).fit(X)
    verdicts = explainer.verify(X[:1], max_points=max_points)
    assert verdicts.status[0] == "fixed"
    assert verdicts.proof[0] == "no feasible change"


def hypotenuse(X):
    """Says yes where two numbers are just so."""
    return (np.asarray(X)[:, 0] == 777) & (np.asarray(X)[:, 1] == 222)


class Needle:
    classes_ = np.array([False, True])

    def predict(self, X):
        return hypotenuse(X)


def test_a_part_with_a_million_changes():
    actions = ActionSet(
        {"a": Feature("integer", 0, 1000), "b": Feature("integer", 0, 1000)},
        [Linear({"a": 1, "b": 1}, upper=1000)],
    )
    X = pd.DataFrame({"a": [0, 3, 500, 10], "b": [0, 4, 400, 900]})
    rng = np.random.default_rng(0)
    many = pd.DataFrame(rng.integers(0, 1001, (400, 2)), columns=["a", "b"])
    far = (many["a"] > 650) & (many["b"] > 250)
    tree = DecisionTreeClassifier(random_state=0).fit(many, far)
    explainer = ResponsivenessExplainer(tree, actions).fit(many)
    verdicts = explainer.verify(X, max_points=2_000_000)
    # From (500, 400) raising one number forces the other down: an intervention on it.
    assert verdicts.status.tolist() == ["joint", "joint", "single", "single"]
    assert (verdicts.witness.sum(axis=1) <= 1000).all()
    impossible = (many["a"] > 650) & (many["b"] > 450)
    tree = DecisionTreeClassifier(random_state=0).fit(many, impossible)
    inner = tree.predict(pd.DataFrame({"a": [700], "b": [300]}))[0]
    assert not inner
    explainer = ResponsivenessExplainer(tree, actions).fit(many)
    found = explainer.verify(X, max_points=2_000_000)
    assert found.status.tolist() == ["fixed"] * 4
    few = explainer.verify(X, max_points=1_000)
    assert few.status.tolist() == ["unknown"] * 4, "not all was gone through"
    assert (few.used <= 1_000).all()
    needle = ResponsivenessExplainer(Needle(), actions).fit(many)
    assert needle.verify(X, max_points=1_000).status.tolist() == ["unknown"] * 4
    found = needle.verify(X[:1], max_points=2_000_000)
    assert found.status.tolist() == ["joint"]
    assert found.witness.to_numpy().tolist() == [[777, 222]]


# -- witnesses -------------------------------------------------------------------------


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
    with pytest.raises(ValueError, match="one finite number that is not negative"):
        forest.verify(credit.data, cost=lambda before, after: -months(before, after))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"cost": {"shoes": 1}}, "'shoes', which is no feature"),
        ({"cost": {"income": -1}}, "not negative"),
        ({"cost": {"income": np.inf}}, "finite number"),
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


# -- the same whatever ----------------------------------------------------------------


def same(a, b):
    np.testing.assert_array_equal(a.status, b.status)
    np.testing.assert_array_equal(a.judged.change, b.judged.change)
    np.testing.assert_array_equal(a.proof, b.proof)


def test_neither_jobs_nor_company_change_a_verdict(credit, forest):
    alone = forest.verify(credit.data)
    forest.set_params(n_jobs=2)
    same(alone, forest.verify(credit.data))
    forest.set_params(n_jobs=None)
    order = np.random.default_rng(0).permutation(len(credit.data))
    turned = forest.verify(credit.data.iloc[order])
    np.testing.assert_array_equal(alone.status[order], turned.status)
    np.testing.assert_array_equal(alone.judged.change[order], turned.judged.change)
    one = [forest.verify(credit.data[i : i + 1]).status[0] for i in range(20)]
    assert one == alone.status[:20].tolist()
    twice = forest.verify(pd.concat([credit.data, credit.data]))
    np.testing.assert_array_equal(twice.status, np.tile(alone.status, 2))
    columns = list(credit.data.columns)[::-1]
    same(alone, forest.verify(credit.data[columns]))


def test_verdicts_and_explainers_survive_a_pickle(credit, forest):
    verdicts = forest.verify(credit.data[:60])
    copy = pickle.loads(pickle.dumps(verdicts))
    same(verdicts, copy)
    np.testing.assert_array_equal(verdicts.best_score, copy.best_score)
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


def test_without_numba_the_same_source_runs():
    script = textwrap.dedent(
        """
        import sys
        if sys.argv[1] == "plain":
            sys.modules["numba"] = None
        import numpy as np
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
        from skresp import ActionSet, Feature, ResponsivenessExplainer
        from skresp.scores import COMPILED
        assert COMPILED == (sys.argv[1] != "plain")
        rng = np.random.default_rng(0)
        X = rng.integers(0, 4, (120, 4))
        y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(0, 1, 120) > 6).astype(int)
        features = {n: Feature("integer", 0, 3, max_increase=2) for n in "abcd"}
        model = RandomForestClassifier(6, random_state=0)
        explainer = ResponsivenessExplainer(model, ActionSet(features)).fit(X, y)
        verdicts = explainer.verify(X[:40], cost="fewest")
        print(verdicts.status.tolist(), verdicts.best_score.round(9).tolist())
        """
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", script, how],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for how in ("plain", "compiled")
    ]
    assert told[0] == told[1]
    assert "joint" in told[0]


# -- targets ---------------------------------------------------------------------------


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
    inner = pipeline(RandomForestClassifier(15, random_state=0))
    inner.fit(credit.data, credit.target)
    wrapped = FixedThresholdClassifier(inner, threshold=0.8)
    wrapped.fit(credit.data, credit.target)
    a = ResponsivenessExplainer(wrapped, credit.action_set).fit(credit.data)
    b = ResponsivenessExplainer(
        wrapped.estimator_, credit.action_set, threshold=0.8
    ).fit(credit.data)
    same(a.verify(credit.data), b.verify(credit.data))


def test_a_curve_needs_scores(credit, whole_numbers):
    X, y, actions = whole_numbers
    explainer = ResponsivenessExplainer(BLACK_BOXES["MLP"]().fit(X, y), actions).fit(X)
    with pytest.raises(ValueError, match=r"best score of .* rows is not known"):
        explainer.verify(X).curve()


# -- rows as they are ------------------------------------------------------------------


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


def test_a_switch_with_a_real_behind_it():
    """Two reals behind one switch: what cannot be told is not told."""
    actions = ActionSet(
        {
            "open": Feature("binary"),
            "x": Feature("real", 0, 10),
            "y": Feature("real", 0, 10),
        },
        [Switch("open", ["x", "y"], on_value=0)],
    )
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "open": rng.integers(0, 2, 200),
            "x": rng.uniform(0, 10, 200),
            "y": rng.uniform(0, 10, 200),
        }
    )
    tree = DecisionTreeClassifier(random_state=0).fit(X, X["x"] + X["y"] > 17)
    verdicts = ResponsivenessExplainer(tree, actions).fit(X).verify(X[:60])
    assert "fixed" not in set(verdicts.status), "both can be raised at will"
    assert (tree.predict(verdicts.witness) == 1).all()


@pytest.mark.parametrize("limit", [6.0, 9.0, 30.0])
def test_tied_reals_of_a_linear_model_are_decided(limit):
    """Two reals under one budget: the best point is a corner that no list holds."""
    actions = ActionSet(
        {
            "x": Feature("real", 0, 10),
            "y": Feature("real", 0, 10),
            "z": Feature("integer", 0, 2),
        },
        [Linear({"x": 1, "y": 1, "z": 1}, upper=limit)],
    )
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "x": rng.uniform(0, 10, 300),
            "y": rng.uniform(0, 10, 300),
            "z": rng.integers(0, 3, 300),
        }
    )
    model = LogisticRegression(max_iter=500)
    model.fit(X, 2 * X["x"] + X["y"] + X["z"] > 24)
    few = X[(X.sum(axis=1) < limit) & ~model.predict(X)].iloc[:15]
    verdicts = ResponsivenessExplainer(model, actions).fit(X).verify(few)
    ((a, b, c),) = model.coef_
    grid = [
        (x, min(10.0, limit - x - z), z)
        for x in np.linspace(0, min(10, limit), 201)
        for z in range(3)
        if limit - x - z >= 0
    ]
    best = max(a * x + b * y + c * z for x, y, z in grid) + model.intercept_[0]
    if best < 0:
        assert set(verdicts.status) == {"fixed"}
        assert set(verdicts.proof) == {"bound"}
    else:
        assert verdicts.has_witness.all()
        assert "fixed" not in set(verdicts.status)
        assert (model.predict(verdicts.witness)).all()


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
    change = verdicts.judged.change[rows]
    assert ((change != 0).sum(axis=1) == 1).all()
    witness = X.iloc[rows].reset_index(drop=True) + change
    assert (model.predict(witness) == 1).all()
    # Nine tenths of the change are not enough, for a model with one border.
    less = X.iloc[rows].reset_index(drop=True) + 0.9 * change
    if kind == "LR":
        assert (model.predict(less) == 0).all()


def test_large_numbers_do_not_make_trees_doubtful():
    """What stands at the splits of a tree is no part of its scores."""
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"income": rng.uniform(0, 3e6, 300), "age": rng.uniform(20, 70, 300)}
    )
    actions = ActionSet(
        {
            "income": Feature("real", 0, 3e6, max_increase=1e5),
            "age": Feature("real", actionable=False),
        }
    )
    model = xgboost.XGBClassifier(n_estimators=40, n_jobs=1)
    model.fit(X, (X["income"] > 1.5e6 - 1e4 * X["age"]).astype(int))
    verdicts = ResponsivenessExplainer(model, actions).fit(X).verify(X)
    assert set(verdicts.status) == {"approved", "single", "fixed"}
