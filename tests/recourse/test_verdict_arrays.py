"""Verdicts of distinct rows become those of all rows."""

from __future__ import annotations

import numpy as np
import pytest

from skresp._recourse._verdict_arrays import VerdictArrays


@pytest.mark.parametrize("moved", [[], [2], [0, 2, 3], [0, 1, 2, 3]])
def test_taken_rows_have_the_values_of_their_positions(moved):
    """Also where few of them have a witness."""
    some = VerdictArrays.unknown(4, 3)
    some.status[:], some.used[:] = range(4), range(10, 14)
    some.change[moved, 1] = np.arange(1.0, len(moved) + 1)
    some.has_witness[moved] = True
    rows = np.array([3, 0, 0, 2, 1, 1, 3, 2, 0])
    taken = some.taken(rows)
    for name, values in vars(some).items():
        found = getattr(taken, name)
        assert found.dtype == values.dtype
        np.testing.assert_array_equal(found, values[rows])
