"""Kinds and bounds from data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from skresp import ActionSet, Feature
from skresp.constraints import OneHot


def test_kinds_and_bounds_follow_the_data(make_frame):
    X = make_frame(
        {
            "flag": [0, 1, 1],
            "truth": [True, False, True],
            "loans": [0, 3, 2],
            "whole": [1.0, 4.0, 2.0],
            "income": [100.5, 20.0, 3.0],
            "home": ["rent", "own", "own"],
        }
    )
    features = ActionSet.infer(X).features
    assert features["flag"] == features["truth"] == Feature("binary")
    assert features["loans"] == Feature("integer", 0, 3)
    assert features["whole"] == Feature("integer", 1, 4)
    assert features["income"] == Feature("real", 3, 100.5)
    assert features["home"] == Feature("categorical", categories=["own", "rent"])


def test_missing_values_are_no_values(make_frame):
    X = make_frame({"a": [1.0, None, 4.0], "b": ["x", None, "y"], "c": [0, None, 1]})
    features = ActionSet.infer(X).features
    assert features["a"] == Feature("integer", 1, 4)
    assert features["b"].categories == ("x", "y")
    assert features["c"] == Feature("binary")


def test_what_is_given_is_kept_and_gaps_are_filled():
    X = pd.DataFrame({"a": [1, 9], "b": ["x", "y"], "c": [0, 1], "d": [2, 3]})
    actions = ActionSet.infer(
        X,
        features={
            "a": Feature("real", upper=20, max_increase=5),
            "b": Feature("categorical", direction="increase"),
        },
        immutable=["d"],
    )
    assert actions.features["a"] == Feature("real", 1, 20, max_increase=5)
    assert actions.features["b"].categories == ("x", "y")
    assert actions.features["d"] == Feature("integer", 2, 3, actionable=False)


def test_a_given_bound_beyond_the_data_does_not_contradict_the_filled_one():
    X = pd.DataFrame({"a": [1, 9]})
    inferred = ActionSet.infer(X, features={"a": Feature("integer", lower=12)})
    assert inferred.features["a"] == Feature("integer", 12, 12)


def test_arrays_are_named_by_position():
    actions = ActionSet.infer(np.array([[0, 5.5], [1, 2.5]]))
    assert actions.names == ("x0", "x1")
    assert [f.kind for f in actions.features.values()] == ["binary", "real"]
    mixed = ActionSet.infer(np.array([["a", 1], ["b", 2]], dtype=object))
    assert mixed.features["x0"].categories == ("a", "b")


def test_a_category_dtype_gives_its_order():
    X = pd.DataFrame({"size": pd.Categorical(["m", "s"], categories=["s", "m", "l"])})
    assert ActionSet.infer(X).features["size"].categories == ("s", "m", "l")


def test_polars_enums_strings_and_booleans_are_read():
    pl = pytest.importorskip("polars")
    X = pl.DataFrame(
        {
            "size": pl.Series(["s", "m"], dtype=pl.Enum(["s", "m"])),
            "flag": pl.Series([True, None], dtype=pl.Boolean),
            "n": pl.Series([None, 4], dtype=pl.Int8),
        }
    )
    features = ActionSet.infer(X).features
    assert features["size"].kind == "categorical"
    assert features["flag"].kind == "binary"
    assert features["n"] == Feature("integer", 4, 4)


def test_dates_are_fine_where_nobody_changes_them():
    X = pd.DataFrame({"born": pd.to_datetime(["2000-01-01"]), "a": [1]})
    assert not ActionSet.infer(X, immutable=["born"]).features["born"].can_change
    with pytest.raises(ValueError, match=r"'born' has dtype datetime.*immutable"):
        ActionSet.infer(X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features": {"z": Feature("binary")}}, "features names 'z', but X has no"),
        ({"immutable": ["z"]}, "immutable names 'z'"),
        ({"immutable": ["aa"]}, r"has no such column\. Did you mean 'a'\? The"),
        ({"immutable": "a"}, "got the string 'a'"),
        (
            {"features": {"a": Feature("integer", 0, 9)}, "immutable": ["a"]},
            "'a' is listed as immutable, but",
        ),
        ({"features": {"a": "integer"}}, r"features\['a'\] must be a Feature"),
    ],
)
def test_contradictory_requests_are_refused(arguments, message):
    X = pd.DataFrame({"a": [1, 2], "b": [0, 1]})
    with pytest.raises((TypeError, ValueError), match=message):
        ActionSet.infer(X, **arguments)


def test_no_rows_no_columns_by_name_twice_and_odd_tables_are_refused():
    with pytest.raises(ValueError, match="no rows"):
        ActionSet.infer(pd.DataFrame({"a": []}))
    with pytest.raises(ValueError, match="'a' occurs twice"):
        ActionSet.infer(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(TypeError, match="must all be strings"):
        ActionSet.infer(pd.DataFrame([[1, 2]], columns=["a", 1]))
    with pytest.raises(ValueError, match="2D array"):
        ActionSet.infer(np.arange(3))
    with pytest.raises(TypeError, match="toarray"):
        ActionSet.infer(csr_array(np.eye(2)))


def test_a_dummy_that_never_occurs_is_still_binary():
    X = pd.DataFrame({"own": [1, 0], "rent": [0, 1], "free": [0, 0]})
    actions = ActionSet.infer(X, constraints=[OneHot(["own", "rent", "free"])])
    assert actions.features["free"].kind == "binary"


def test_integers_that_no_dtype_holds_are_integers():
    X = pd.DataFrame({"id": [2**80, 3, 2**70], "a": [0, 1, 1]})
    assert X["id"].dtype == object
    feature = ActionSet.infer(X, immutable=["id"]).features["id"]
    assert feature == Feature("integer", 3, 2**80, actionable=False)
    mixed = X.assign(id=[2**80, "x", True])
    assert ActionSet.infer(mixed).features["id"].kind == "categorical"
    small = X.assign(id=pd.Series([1, 2, 3], dtype=object))  # labels, as documented
    assert ActionSet.infer(small).features["id"].kind == "categorical"
