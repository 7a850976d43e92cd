"""Sums of terms."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from skresp._model._terms import Terms


def test_the_sum_of_many_terms_does_not_depend_on_the_other_rows() -> None:
    rng = np.random.default_rng(0)
    slopes, centers = rng.normal(size=(30, 2)), rng.normal(size=30)
    slopes[7] = 0.0
    terms = Terms(slopes, centers, np.zeros((30, 2)))
    codes = rng.normal(size=(50, 30)) * 10.0 ** rng.integers(-3, 6, size=30)
    together = terms.sums(codes)
    alone = np.concatenate([terms.sums(row[None]) for row in codes])
    assert_array_equal(alone, together)
    assert_array_equal(terms.sums(np.asfortranarray(codes)), together)


def test_sums_and_sizes_of_many_rows_are_those_of_each_row() -> None:
    """Rows are summed some at a time."""
    rng = np.random.default_rng(0)
    terms = Terms(rng.normal(size=(30, 2)), np.zeros(30), rng.normal(size=(30, 2)))
    codes = rng.normal(size=(1_500, 30))
    codes[rng.random(codes.shape) < 0.01] = np.nan
    sums, sizes = terms.sums_and_sizes(codes)
    assert_array_equal(sums, terms.sums(codes))
    for i in (0, 545, 546, 547, 1_499):
        alone = terms.sums_and_sizes(codes[[i]])
        assert_array_equal(alone[0][0], sums[i])
        assert_array_equal(alone[1][0], sizes[i])
    none = terms.sums_and_sizes(codes[:0])
    assert none[0].shape == none[1].shape == (0, 2)


def test_changes_leave_out_columns_that_stay() -> None:
    terms = Terms(np.array([[2.0], [1e9]]), np.zeros(2), np.zeros((2, 1)))
    before = {0: np.array([1.0, np.nan]), 1: np.array([1e9, 1e9])}
    after = {0: np.array([1.5, np.nan]), 1: np.array([1e9, 1e9])}
    gain, size = terms.changes(before, after)
    assert_array_equal(gain, [[1.0], [0.0]])
    assert_array_equal(size, [[1.0], [0.0]])
