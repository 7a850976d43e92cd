"""One feature: the changes it allows, and invalid definitions."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skresp import Feature
from skresp.reach._own_changes import own_changes, own_count
from tests import oracle
from tests.strategies import features


@given(features(), st.integers(-2, 6))
def test_own_changes_are_the_changes_that_the_limits_allow(feature, value):
    if feature.kind == "binary":
        value = value % 2
    if feature.kind == "categorical":
        value = value % (len(feature.categories) + 1) - 1
        labels = dict(enumerate(feature.categories)) | {-1: "elsewhere"}
        wanted = [
            code - value
            for code in labels
            if oracle.label_change_ok(feature, labels[value], labels[code])
        ]
    else:
        wanted = [d for d in range(-20, 21) if oracle.own_change_ok(feature, value, d)]
    listed = own_changes(feature, value)
    assert listed[0] == 0
    assert sorted(listed) == sorted(wanted)
    assert own_count(feature, value) == len(wanted)
    everything = np.arange(-20.0, 21.0)
    np.testing.assert_array_equal(
        everything[feature.allows(value, everything)], np.sort(listed)
    )


def test_a_real_feature_has_a_range_and_no_list():
    feature = Feature("real", 0, 10, max_increase=2, direction="increase")
    assert feature.own_limits(3) == (0, 2)
    assert own_count(feature, 3) == np.inf
    assert own_count(feature, 10) == 1
    np.testing.assert_array_equal(
        feature.allows(3.0, [0.0, 2.0, 2.1, -0.1]), [True, True, False, False]
    )


def test_a_value_outside_the_bounds_may_stay_or_come_in():
    feature = Feature("integer", 0, 5)
    assert own_changes(feature, 8).tolist() == [0, -8, -7, -6, -5, -4, -3]
    one_way = Feature("integer", 0, 5, direction="increase")
    assert own_changes(one_way, 8).tolist() == [0]


def test_a_missing_value_cannot_change():
    feature = Feature("integer", 0, 5)
    assert own_changes(feature, np.nan).tolist() == [0]
    assert feature.allows([np.nan, np.nan], [0, 1]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("number",), "must be one of binary, integer, real, categorical"),
        (("integer", 9, 3), "lower must not exceed upper, got lower=9, upper=3"),
        (("binary", 0, 1), "binary feature takes no lower"),
        (("integer", 0.5, 3), "whole numbers, got lower=0.5"),
        (("real", 0, float("inf")), "upper must be finite"),
        (("real", "low", 1), "lower must be a number, got 'low'"),
    ],
)
def test_wrong_kinds_and_bounds_are_refused(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Feature(*arguments)


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        ("integer", {"actionable": True, "mutable": False}, "is a contradiction"),
        ("integer", {"direction": "up"}, "direction must be 'increase'"),
        ("integer", {"max_increase": -1}, "cannot be negative"),
        ("integer", {"step": 0}, "at least 1"),
        ("real", {"step": 2}, "step is for integer features"),
        ("integer", {"categories": ["a"]}, "categories are for categorical"),
        ("categorical", {"categories": []}, "at least one label, got an empty list"),
        ("categorical", {"categories": ["a", "a"]}, "got 'a' twice"),
        ("categorical", {"categories": "abc"}, "must be a list of labels"),
        ("categorical", {"categories": [None]}, "must be a string, a number"),
        ("categorical", {"max_increase": 1}, "takes no max_increase"),
        ("binary", {"actionable": "yes"}, "actionable must be True or False"),
    ],
)
def test_contradictions_are_refused(kind, fields, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Feature(kind, **fields)


@given(features())
def test_a_feature_is_a_value(feature):
    assert pickle.loads(pickle.dumps(feature)) == feature
    assert hash(dataclasses.replace(feature)) == hash(feature)
    assert Feature(**feature.to_dict()) == feature
    with pytest.raises(dataclasses.FrozenInstanceError):
        feature.kind = "real"


def test_numpy_values_become_plain_ones():
    feature = Feature(
        "categorical", categories=np.array(["a", "b"]), direction="increase"
    )
    assert feature == Feature(
        "categorical", categories=["a", "b"], direction="increase"
    )
    assert type(feature.categories[0]) is str
    bounded = Feature("real", np.float32(0.5), np.int64(3))
    assert type(bounded.lower) is float
    assert type(bounded.upper) is int


def test_the_words_say_how_it_can_change():
    assert Feature("binary").describe() == "from no to yes, from yes to no"
    assert Feature("binary", direction="increase").describe() == "only from no to yes"
    assert Feature("binary", direction="decrease").describe() == "only from yes to no"
    assert Feature("binary", actionable=False).describe() == "no"
    both = Feature("real", 0, 9, max_increase=2, max_decrease=1.5)
    assert both.describe() == "up by at most 2, down by at most 1.5"
    steps = Feature("integer", 0, 9, step=3, direction="decrease")
    assert steps.describe() == "down only, in steps of 3"
    follower = Feature("integer", 0, 9, actionable=False, mutable=True)
    assert follower.describe() == "only together with others: up or down"
    only = Feature("categorical", categories=["none"])
    assert only.describe() == "only to none"
    some = Feature("categorical", categories=["a", "b"])
    assert some.describe() == "to any value in the list"
    later = Feature("categorical", categories=["a", "b"], direction="increase")
    assert later.describe() == "only to a later value in the list"


def test_the_words_say_which_values_there_are():
    assert Feature("integer", 0, 3_008_750).describe_values() == "0 to 3,008,750"
    assert Feature("real", 0.1, 61_106.5).describe_values() == "0.1 to 61,106.5"
    assert Feature("real", 0, actionable=False).describe_values() == "at least 0"
    high = Feature("integer", upper=9, actionable=False)
    assert high.describe_values() == "at most 9"
    assert Feature("binary").describe_values() == "0 (no), 1 (yes)"
