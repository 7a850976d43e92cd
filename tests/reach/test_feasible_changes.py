"""One rule says who has a list of changes and who has a line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear, Linkage
from skresp.reach._feasible_changes import (
    FeasibleChanges,
    features_on_lines,
    has_long_range,
    may_have_long_range,
)
from skresp.reach._options import options_of
from skresp.reach._part import parts_of
from skresp.reach._value_options import OptionSettings
from tests.small_models import RuleClassifier

LIMIT = st.one_of(st.none(), st.integers(0, 8))


@st.composite
def integers(draw):
    """An integer feature in a part of its own."""
    low = draw(st.integers(-5, 5))
    return Feature(
        "integer",
        low,
        low + draw(st.integers(0, 30)),
        direction=draw(st.sampled_from([None, "increase", "decrease"])),
        max_increase=draw(LIMIT),
        max_decrease=draw(LIMIT),
        step=draw(st.sampled_from([None, 2, 5, 7])),
    )


def part_of(feature):
    (part,) = parts_of(ActionSet({"a": feature}))
    return part


def range_of(feature, value):
    """The own changes within the range of a value, one by one."""
    changes = np.arange(-100.0, 101.0)
    allowed = feature.allows(np.full(len(changes), value), changes)
    low, high = feature.bounds
    return changes[allowed & ((changes != 0) | (low <= value <= high))]


@given(feature=integers(), max_listed=st.integers(1, 12), data=st.data())
def test_a_row_has_a_line_if_its_own_range_is_long(feature, max_listed, data):
    part = part_of(feature)
    values = np.arange(-12.0, 45.0)[:, None]
    long = has_long_range(part, values, max_listed)
    counts = [len(range_of(feature, value)) for value in values[:, 0]]
    np.testing.assert_array_equal(long, np.array(counts) > max_listed)
    assert long.any() <= may_have_long_range(part, max_listed)
    some = data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1))
    np.testing.assert_array_equal(
        has_long_range(part, values[some], max_listed), long[some]
    )


@given(feature=integers(), max_listed=st.integers(1, 12))
def test_scores_and_verdicts_list_the_same_rows(feature, max_listed):
    part = part_of(feature)
    values = np.arange(-12.0, 45.0)[:, None]
    feasible = FeasibleChanges.of(part, values, max_listed=max_listed)
    rows = np.arange(len(values))
    settings = OptionSettings(max_listed=max_listed)
    options = options_of(part, values, rows, rows, settings)
    np.testing.assert_array_equal(options.listed, feasible.which >= 0)
    np.testing.assert_array_equal(options.covers_all, options.listed)


def test_features_on_lines_are_free_reals_long_integers_and_what_follows():
    long, short = Feature("integer", 0, 500), Feature("integer", 0, 500, step=50)
    still = Feature("real", actionable=False)
    actions = ActionSet(
        {
            "long": long,
            "short": short,
            "limited": Feature("integer", 0, 500, max_increase=9, max_decrease=9),
            "tied": long,
            "beside": Feature("integer", 0, 3),
            "real": Feature("real", 0, 1),
            "after": still,
            "still": still,
            "unmoved": Feature("real", 0, 1, actionable=False, mutable=True),
        },
        [Linear({"tied": 1, "beside": 1}, upper=400), Linkage("real", {"after": 2})],
    )
    assert features_on_lines(actions, 100) == {"long", "real", "after"}
    all_long = {"long", "short", "limited", "real", "after"}
    assert features_on_lines(actions, 10) == all_long
    assert features_on_lines(actions, 10_000) == {"real", "after"}


def explainer_of(model, features, X, **fields):
    return ResponsivenessExplainer(
        FrozenEstimator(model), ActionSet(features), target=1, random_state=0, **fields
    ).fit(X)


def test_a_short_range_is_listed_although_the_bounds_are_far_apart():
    """Verdicts asked about the bounds, and tried some points of a line."""
    X = pd.DataFrame({"a": [10, 20_000, 49_990]})
    model = RuleClassifier(lambda X: X["a"] < 0)
    limited = {"a": Feature("integer", 0, 50_000, max_increase=30, max_decrease=0)}
    explainer = explainer_of(model, limited, X)
    explanation, verdicts = explainer.explain(X), explainer.verify(X)
    assert explanation.exact.all()
    assert explanation.n_reachable[:, 0].tolist() == [30, 30, 10]
    assert verdicts.status.tolist() == ["fixed"] * 3


def test_a_long_step_makes_a_range_short():
    """The model was read although nobody has a line."""
    X = pd.DataFrame({"a": [0, 20_000, 45_000]})
    model = RandomForestClassifier(5, random_state=0).fit(X, [0, 1, 0])
    explainer = explainer_of(model, {"a": Feature("integer", 0, 50_000, step=5_000)}, X)
    explanation = explainer.explain(X)
    assert explanation.n_reachable[:, 0].tolist() == [10, 10, 10]
    assert "_reading" not in vars(explainer._fitted_model)


def test_a_feature_without_a_line_may_be_binned():
    """Scores asked that the model is known along the lines of every feature."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 1, 200), "b": rng.integers(0, 9, 200)})
    bins = KBinsDiscretizer(3, encode="onehot-dense", strategy="uniform")
    encode = make_column_transformer((bins, ["b"]), remainder="passthrough")
    model = make_pipeline(encode, RandomForestClassifier(20, random_state=0))
    model.fit(X, X["a"] + X["b"] / 9 > 1)
    explainer = explainer_of(
        model, {"a": Feature("real", 0, 1), "b": Feature("integer", 0, 8)}, X
    )
    explainer.set_params(target=True).fit(X)
    people = X[:5].reset_index(drop=True)
    explanation = explainer.explain(people)
    assert explanation.exact.all()
    grid = np.linspace(0, 1, 20_001)
    for i in range(len(people)):
        points = people.iloc[[i] * len(grid)].assign(a=grid)
        share = model.predict(points).mean()
        assert explanation.values[i, 0] == pytest.approx(share, abs=1e-3)


@pytest.mark.parametrize("kind", ["trees", "black box"])
def test_answers_do_not_depend_on_rows_with_other_ranges(kind):
    """Near the upper bound the range is short, elsewhere it is long."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.integers(0, 20_000, 80), "b": rng.integers(0, 3, 80)})
    model = RuleClassifier(lambda X: (X["a"] > 15_000) & (X["b"] > 1))
    if kind == "trees":
        model = RandomForestClassifier(10, random_state=0).fit(X, model.predict(X))
    up = Feature("integer", 0, 20_000, direction="increase")
    explainer = explainer_of(model, {"a": up, "b": Feature("integer", 0, 2)}, X)
    people = pd.DataFrame({"a": [0, 14_990, 19_950, 19_995, 20_000], "b": 0})
    explanation, verdicts = explainer.explain(people), explainer.verify(people)
    for i in range(len(people)):
        alone = people.iloc[[i]]
        one = explainer.explain(alone)
        np.testing.assert_array_equal(one.values[0], explanation.values[i])
        np.testing.assert_array_equal(one.exact[0], explanation.exact[i])
        verdict = explainer.verify(alone)
        assert verdict.status[0] == verdicts.status[i]
        assert verdict.used[0] == verdicts.used[i]
