"""Distinct rows by hash equal those found by comparison."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

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


def test_a_result_is_found_again_for_the_same_bits_only():
    rng = np.random.default_rng(1)
    for dtype in (float, np.int64):
        values = rng.integers(0, 3, size=(400, 2)).astype(dtype)
        which = distinct_rows(values)[1]
        assert distinct_rows(values.copy())[1] is which  # so it was kept
        assert not which.flags.writeable
        # One cell differs, in a row that is not looked at to find what was kept.
        for row in (17, 201):
            values[row] = 7
            changed_first, changed = distinct_rows(values)
            assert which[row] != changed[row]
            np.testing.assert_array_equal(values[changed_first][changed], values)
        assert distinct_rows(values.astype(np.float32))[1] is not changed


def test_numbers_and_bits_of_other_types_are_told_apart():
    ones = np.ones((200, 1))
    ones[100:] = -1.0
    bits = ones.view(np.int64)
    first, which = distinct_rows(ones)
    assert distinct_rows(bits)[1] is not which
    np.testing.assert_array_equal(ones[first][which], ones)
