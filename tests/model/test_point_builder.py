"""Columns of the model's input in their dtype at fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skresp import ActionSet, Feature
from skresp._dataframe import number_columns
from skresp._model._column_needs import ColumnNeed
from skresp._model._input_format import InputFormat
from skresp._model._point_builder import (
    PointBuilder,
    _in_dtype,
    _number_in_dtype,
)

DTYPES = ["int8", "int16", "int64", "uint8", "float32", "float64", "bool", "object"]
NEEDS = [
    None,
    ColumnNeed(False, (), 0.0, (0.0, 1.0)),
    ColumnNeed(False, (), 40.0, (-100.0, 300.0)),
    ColumnNeed(True, (), 0.0, (0.0, 9.0)),
    ColumnNeed(False, (1, 2.5), 0.0, (np.inf, -np.inf)),
    ColumnNeed(False, ("p", "q"), 0.0, (np.inf, -np.inf)),
]


@given(
    values=st.lists(
        st.sampled_from([0, 1, 2, 7, 200, -3, 70_000, 0.5, 1e300, np.nan, np.inf]),
        max_size=4,
    ),
    given_dtype=st.sampled_from(DTYPES[:-1]),
    fitted_dtype=st.sampled_from(DTYPES),
    need=st.sampled_from(NEEDS),
)
def test_columns_of_numbers_are_converted_as_by_pandas(
    values, given_dtype, fitted_dtype, need
):
    with np.errstate(all="ignore"):
        table = pd.DataFrame({"a": np.array(values, dtype=float).astype(given_dtype)})
    dtype = np.dtype(fitted_dtype)
    slow = _in_dtype(InputFormat("pandas", ("a",), (dtype,)), 0, table, 0, need)
    with np.errstate(over="ignore"):
        fast = _number_in_dtype(number_columns(table)[0], dtype, need)
    assert fast.dtype == slow.dtype
    # Unlike arrays of objects, in which NaN differs from NaN, Series are compared.
    pd.testing.assert_series_equal(pd.Series(fast), pd.Series(slow))


@pytest.mark.parametrize("container", [pd.DataFrame, np.asarray])
def test_columns_of_numbers_by_position(container):
    table = container(np.arange(6.0).reshape(2, 3))
    found = number_columns(table)
    assert list(found) == [0, 1, 2]
    np.testing.assert_array_equal(found[1], [1.0, 4.0])


def test_labels_and_nullable_columns_are_not_among_the_numbers():
    table = pd.DataFrame({"a": [1, 2], "b": ["p", "q"], "c": [0.5, 1.0]})
    table["d"] = pd.array([1, None], dtype="Int64")
    found = number_columns(table)
    assert sorted(found) == [0, 2]
    assert found[0].dtype == np.int64
    assert number_columns(np.array([["p"]], dtype=object)) == {}


def test_a_model_that_names_the_index_of_columns_does_so_for_itself():
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    actions = ActionSet({name: Feature("real", 0, 9) for name in table})
    input_format = InputFormat("pandas", ("a", "b"), (np.dtype(float),) * 2, True)
    builder = PointBuilder(input_format, actions, table)
    points = builder.all_rows()
    pd.testing.assert_frame_equal(points, table)
    points.columns.name = "features"
    assert builder.all_rows().columns.name is None
