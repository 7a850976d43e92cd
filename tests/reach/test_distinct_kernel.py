"""The kernel finds the same distinct rows as `distinct_rows`."""

from __future__ import annotations

import numpy as np
import pytest

from skresp.reach._distinct_kernel import distinct_values
from skresp.reach._distinct_rows import distinct_rows


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("n_rows", [0, 1, 2, 300])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_kernel_finds_the_same_rows(n_rows, width, order):
    rng = np.random.default_rng(0)
    values = np.array([0.0, -0.0, 1.0, -1.5, 1e300, np.nan])
    rows = np.asarray(rng.choice(values, size=(n_rows, width)), order=order)
    first, which = distinct_values(rows)
    if n_rows == 0:
        assert len(first) == len(which) == 0
        return
    wanted, places = distinct_rows(rows)
    np.testing.assert_array_equal(first, wanted)
    np.testing.assert_array_equal(which, places)


def test_missing_values_with_other_bits_are_the_same():
    other = np.array([0xFFF8000000000001], dtype=np.uint64).view(float)[0]
    first, which = distinct_values(np.array([[np.nan], [other], [1.0]]))
    assert first.tolist() == [0, 2]
    assert which.tolist() == [0, 0, 1]
