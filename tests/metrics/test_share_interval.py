"""Intervals of shares: against scipy and a published table, and how often they hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skresp.metrics._share_interval import newcombe, wilson


@given(st.integers(1, 500), st.floats(0, 1), st.floats(0.001, 0.5))
def test_wilson_equals_scipy(n, share, alpha):
    count = int(share * n)
    expected = stats.binomtest(count, n).proportion_ci(1 - alpha, method="wilson")
    assert wilson(count, n, alpha) == pytest.approx(tuple(expected), abs=1e-12)


# Newcombe 1998, Table II, method 10.
@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((10, 10, 0, 20), (0.6791, 1.0)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
    ],
)
def test_newcombe_equals_the_published_table(counts, expected):
    assert newcombe(*counts) == pytest.approx(expected, abs=1e-4)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_newcombe_is_antisymmetric_and_contains_the_difference(n, m, data):
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    lower, upper = newcombe(a, n, b, m)
    assert (-upper, -lower) == pytest.approx(newcombe(b, m, a, n))
    assert lower - 1e-12 <= a / n - b / m <= upper + 1e-12


def test_intervals_hold_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    pairs = rng.binomial((40, 60), (0.2, 0.35), size=(4000, 2))
    held = 0
    for a, b in pairs.tolist():
        lower, upper = newcombe(a, 40, b, 60)
        held += lower <= 0.2 - 0.35 <= upper
    assert 0.93 < held / len(pairs) < 0.97
