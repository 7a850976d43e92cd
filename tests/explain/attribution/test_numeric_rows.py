"""Rows go through numbers and come back as the model knows them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skresp._explain.attribution._numeric_rows import (
    ArrayTable,
    NumericRows,
    label_columns,
)
from skresp._model._input_format import InputFormat


class Model:
    """A model of the user's own, which keeps no names."""


def there_and_back(first, people):
    input_format = InputFormat.of(Model(), first, trained=True)
    numeric_rows = NumericRows(
        input_format, first, people, label_columns(input_format, first)
    )
    assert numeric_rows.background.dtype == numeric_rows.people.dtype == float
    return numeric_rows.rows(numeric_rows.background), numeric_rows.rows(
        numeric_rows.people
    )


FRAMES = {
    "plain": {"a": [1, 2, 3], "b": [0.5, np.nan, 2.0], "c": ["x", "y", "x"]},
    "truth": {"a": [True, False, True], "b": [1, 2, 3]},
    "category": {"a": pd.Categorical(["x", None, "z"], ["z", "y", "x"])},
    "ordered numbers": {"a": pd.Categorical([3, 1, 3], ordered=True)},
    "objects": {"a": np.array(["x", None, "y"], dtype=object), "b": [1, 1, 2]},
    "nullable": {"a": pd.array([1.5, None, 2.5], dtype="Float64")},
    "nullable truth": {"a": pd.array([True, None, False], dtype="boolean")},
    "small": {"a": np.array([1, 2, 3], dtype=np.int8), "b": ["u", "v", "w"]},
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_come_back_as_they_were(name):
    X = pd.DataFrame(FRAMES[name])
    first, people = there_and_back(X, X[::-1].reset_index(drop=True))
    pd.testing.assert_frame_equal(first, X)
    pd.testing.assert_frame_equal(people, X[::-1].reset_index(drop=True))
    input_format = InputFormat.of(Model(), X, trained=True)
    kept = ArrayTable.of(input_format, X).frame()
    again = NumericRows(input_format, kept, X[:0], label_columns(input_format, X))
    pd.testing.assert_frame_equal(again.rows(again.background), X)


def test_columns_are_matched_by_name_and_small_numbers_get_room():
    X = pd.DataFrame({"a": np.array([1, 2], dtype=np.int8), "b": ["u", "v"]})
    people = pd.DataFrame({"b": ["w"], "a": [1_000]})
    _, back = there_and_back(X, people)
    assert back["a"].tolist() == [1_000]
    assert back["b"].tolist() == ["w"]


def test_labels_are_numbered_alike_whoever_else_is_there():
    X = pd.DataFrame({"a": ["own", "free", "rent"]})
    input_format = InputFormat.of(Model(), X, trained=True)
    for people in (["zoo", "free"], ["free", "attic", "rent"], []):
        table = pd.DataFrame({"a": pd.Series(people, dtype=X["a"].dtype)})
        numeric_rows = NumericRows(input_format, X, table, (0,))
        assert numeric_rows.background[:, 0].tolist() == [1, 0, 2]
        shuffled = NumericRows(input_format, X[::-1], table, (0,))
        assert shuffled.background[:, 0].tolist() == [2, 0, 1]
        assert numeric_rows.rows(numeric_rows.people)["a"].tolist() == people


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.0, 2.0], [3.0, np.nan]]),
        np.array([[1, 2], [3, 4]], dtype=np.int16),
        np.array([["a", 1.5], ["b", 2]], dtype=object),
    ],
)
def test_arrays_come_back_as_they_were(X):
    first, people = there_and_back(X, X[:1])
    np.testing.assert_array_equal(first, X)
    np.testing.assert_array_equal(people, X[:1])
    assert first.dtype == X.dtype


def test_polars_comes_back_as_it_was():
    pl = pytest.importorskip("polars")
    X = pl.DataFrame(
        {
            "a": [1, 2, 3],
            "b": [0.5, 1.5, None],
            "c": ["x", None, "y"],
            "d": [True, False, None],
        }
    )
    first, people = there_and_back(X, X[1:])
    assert first.equals(X)
    assert people.equals(X[1:])
    assert first.schema == X.schema


def test_a_label_in_a_column_of_numbers_is_named():
    X = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(ValueError, match=r"'a' must hold numbers.*'many'"):
        there_and_back(X, pd.DataFrame({"a": ["many"]}))
