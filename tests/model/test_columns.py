"""Codes of numbers."""

from __future__ import annotations

import numpy as np
import pytest

from skresp._model._columns import MAX_NUMBER, number_codes, rows_in_range

BEYOND = float(np.nextafter(MAX_NUMBER, np.inf))


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (MAX_NUMBER, True),
        (-MAX_NUMBER, True),
        (np.nan, True),
        (BEYOND, False),
        (-BEYOND, False),
        (np.inf, False),
        (-np.inf, False),
    ],
)
def test_rows_with_a_number_that_is_too_large_are_not_known(value, known):
    codes = np.zeros((3, 2))
    assert rows_in_range(codes).tolist() == [True] * 3
    codes[1, 0] = value
    assert rows_in_range(codes).tolist() == [True, known, True]
    codes[2, 1] = np.nan
    assert rows_in_range(codes).tolist() == [True, known, True]
    assert rows_in_range(codes[:0]).tolist() == []


@pytest.mark.parametrize("size", [2**53 - 1, 2**53, 2**53 + 2])
@pytest.mark.parametrize("sign", [1, -1])
def test_integers_that_float64_cannot_tell_apart_have_no_code(size, sign):
    numbers = np.array([[1, 2], [sign * size, 3]])
    expected = np.array([[1.0, 2.0], [sign * size if size < 2**53 else np.inf, 3.0]])
    np.testing.assert_array_equal(number_codes(numbers), expected)
    assert number_codes(numbers[:0]).shape == (0, 2)
