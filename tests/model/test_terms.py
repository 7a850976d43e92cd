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


def test_changes_leave_out_columns_that_stay() -> None:
    terms = Terms(np.array([[2.0], [1e9]]), np.zeros(2), np.zeros((2, 1)))
    before = {0: np.array([1.0, np.nan]), 1: np.array([1e9, 1e9])}
    after = {0: np.array([1.5, np.nan]), 1: np.array([1e9, 1e9])}
    gain, size = terms.changes(before, after)
    assert_array_equal(gain, [[1.0], [0.0]])
    assert_array_equal(size, [[1.0], [0.0]])
