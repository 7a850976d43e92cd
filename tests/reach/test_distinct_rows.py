"""Distinct rows by hash equal those found by comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from skresp.reach import _distinct_rows
from skresp.reach._distinct_rows import distinct_rows

VALUES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, np.nan, 1e300])


@given(arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=VALUES))
def test_each_row_is_its_representative_and_no_two_are_alike(values):
    first, which = distinct_rows(values)
    np.testing.assert_array_equal(values[first][which], values)
    assert len(first) == len(np.unique(values + 0.0, axis=0, equal_nan=True)) or (
        np.isnan(values).any()
    )
    keys = {tuple("nan" if v != v else v + 0.0 for v in row) for row in values.tolist()}
    assert len(first) == len(keys)
    assert (np.diff(first) > 0).all()


def test_many_columns_do_not_overflow():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 30))
    values[250:] = values[:250]
    first, which = distinct_rows(values)
    assert len(first) == 250
    np.testing.assert_array_equal(which[:250], which[250:])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [float, int])
def test_many_rows_in_either_order_of_memory(order, dtype):
    rng = np.random.default_rng(0)
    values = np.array(rng.integers(0, 4, (9_000, 5)), dtype=dtype, order=order)
    if dtype is float:
        values[rng.random(values.shape) < 0.1] = np.nan
    first, which = distinct_rows(values)
    np.testing.assert_array_equal(values[first][which], values)
    assert len(first) == len({row.tobytes() for row in np.ascontiguousarray(values)})
    assert (np.diff(first) > 0).all()
    part = values[10:5_000, 1:4]
    first, which = distinct_rows(part)
    np.testing.assert_array_equal(part[first][which], part)


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_that_share_a_hash_are_compared(order, monkeypatch):
    values = np.array([[1.0, 2.0], [1.0, np.nan], [1.0, 2.0], [3.0, 2.0]], order=order)
    monkeypatch.setattr(
        _distinct_rows, "_row_words", lambda table: np.zeros(len(table), np.uint64)
    )
    first, which = distinct_rows(values)
    np.testing.assert_array_equal(first, [0, 1, 3])
    np.testing.assert_array_equal(which, [0, 1, 0, 2])
