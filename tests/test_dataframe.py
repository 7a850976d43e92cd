"""Values written back into tables of every dtype."""

from __future__ import annotations

import datetime

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._actions._encoding import encode
from skresp.constraints import Linkage
from skresp.reach import reachable_set

NUMBERS = {"n": Feature("integer", 0, 200), "r": Feature("real", 0, 10)}


@pytest.mark.parametrize(
    "dtype", ["int8", "Int8", "uint8", "int64", "float32", "Float64"]
)
def test_numbers_are_written_into_any_pandas_dtype(dtype):
    x = pd.DataFrame({"n": [5], "r": [2]}).astype(dtype)
    actions = ActionSet(NUMBERS)
    points = reachable_set(actions, x, "n").points
    assert sorted(points["n"].astype(int)) == [n for n in range(201) if n != 5]
    drawn = reachable_set(actions, x, "r", max_points=20, random_state=0).points
    assert drawn["r"].astype(float).nunique() == 20
    if "loat" in dtype:
        assert str(drawn["r"].dtype) == dtype


@pytest.mark.parametrize("dtype", ["Int8", "UInt8", "Int64", "Float32", "Float64"])
def test_numbers_are_written_into_any_polars_dtype(dtype):
    pl = pytest.importorskip("polars")
    x = pl.DataFrame({"n": [5], "r": [2]}).cast(getattr(pl, dtype))
    actions = ActionSet(NUMBERS)
    points = reachable_set(actions, x, "n").points
    assert sorted(points["n"].cast(pl.Int64)) == [n for n in range(201) if n != 5]
    drawn = reachable_set(actions, x, "r", max_points=20, random_state=0).points
    assert drawn["r"].n_unique() == 20


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32", "object"])
def test_numbers_are_written_into_any_array(dtype):
    x = np.array([5, 2], dtype=dtype)
    points = reachable_set(ActionSet(NUMBERS), x, "n").points
    assert sorted(points[:, 0].astype(int)) == [n for n in range(201) if n != 5]


def test_effects_below_zero_widen_an_unsigned_column(make_frame):
    actions = ActionSet(
        {"a": Feature("binary"), "b": Feature("integer", actionable=False)},
        [Linkage("a", {"b": -3})],
    )
    x = make_frame({"a": [0], "b": np.array([1], dtype=np.uint8)})
    assert list(reachable_set(actions, x, "a").points["b"]) == [-2]


def test_texts_are_no_numbers(make_frame):
    actions = ActionSet({"n": Feature("integer", 0, 9), "s": Feature("binary")})
    with pytest.raises(ValueError, match="'n' is integer, but its value is '5'"):
        encode(actions, make_frame({"n": ["5"], "s": [1]}))


def test_labels_over_a_column_of_numbers():
    actions = ActionSet({"s": Feature("categorical", categories=["a", "b"])})
    for x in (pd.DataFrame({"s": [1]}), np.array([[1.5]])):
        points = reachable_set(actions, x, "s").points
        assert sorted(np.asarray(points).ravel()) == ["a", "b"]


def test_numbers_beside_texts_in_a_list_stay_numbers():
    actions = ActionSet(
        {
            "k": Feature("categorical", categories=[1, 2]),
            "s": Feature("categorical", categories=["x", "y"]),
        }
    )
    points = reachable_set(actions, [1, "x"], "k").points
    assert points.tolist() == [[2, "x"]]


def test_what_is_no_label_is_fine_where_nobody_changes_it():
    days = [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]
    X = pd.DataFrame(
        {
            "day": pd.Series(days, dtype=object),
            "list": [[1], [2]],
            "cut": pd.cut([1, 2], 2),
            "a": [1, 2],
        }
    )
    odd = ["day", "list", "cut"]
    actions = ActionSet.infer(X, immutable=odd)
    assert actions.actionable == ("a",)
    points = reachable_set(actions, X.iloc[[0]], "a").points
    assert points["day"].tolist() == days[:1]
    for name in odd:
        others = [n for n in odd if n != name]
        with pytest.raises(
            TypeError, match=f"Column '{name}' has values that are not labels"
        ):
            ActionSet.infer(X, immutable=others)


def test_a_polars_enum_keeps_its_order():
    pl = pytest.importorskip("polars")
    sizes = pl.Enum(["small", "medium", "large"])
    X = pl.DataFrame({"size": pl.Series(["medium", "small"], dtype=sizes)})
    given = {"size": Feature("categorical", direction="increase")}
    actions = ActionSet.infer(X, features=given)
    assert actions.features["size"].categories == ("small", "medium", "large")
    assert list(reachable_set(actions, X[:1], "size").points["size"]) == ["large"]


def test_a_column_without_values_is_refused_by_name():
    X = pd.DataFrame({"a": [np.nan, np.nan], "b": [1, 2]})
    with pytest.raises(ValueError, match="Column 'a' has no value"):
        ActionSet.infer(X)
    assert not ActionSet.infer(X, immutable=["a"]).features["a"].can_change


def test_numpy_truth_is_truth(tmp_path):
    feature = Feature("integer", 0, 3, actionable=np.False_)
    actions = ActionSet({"a": feature})
    for ending in ("yaml", "json"):
        actions.to_file(tmp_path / f"a.{ending}")
        assert ActionSet.from_file(tmp_path / f"a.{ending}") == actions
    with pytest.raises(ValueError, match="contradiction"):
        Feature("binary", mutable=np.False_)


def wrapped_frame(columns):
    """A frame that is neither of pandas nor of polars, but that narwhals knows."""
    return nw.from_native(pd.DataFrame(columns))


def arrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


@pytest.mark.parametrize("make", [wrapped_frame, arrow_table])
def test_frames_of_other_libraries_are_read_by_name(make):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 5, 60), "b": rng.integers(0, 5, 60)})
    actions = ActionSet({"a": Feature("integer", 0, 4), "b": Feature("integer", 0, 4)})
    explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
    explainer.fit(X, (X["a"] > X["b"]).astype(int))
    table = make({name: X[name].tolist() for name in "ba"})
    np.testing.assert_array_equal(
        explainer.explain(table).values, explainer.explain(X).values
    )
    assert (
        explainer.verify(table).status.tolist() == explainer.verify(X).status.tolist()
    )
    row = make({"b": [3], "a": [0]})
    assert list(reachable_set(actions, row, "a").points["b"]) == [3] * 4
