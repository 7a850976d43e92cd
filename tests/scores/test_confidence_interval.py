"""Confidence: the study's tables, and the coverage itself, summed over the binomial."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from skresp.scores import agresti_coull, at_most, sample_size

HALF_WIDTHS = (0.01, 0.02, 0.05, 0.10)
TABLES = {
    "zero": {
        0.01: (461, 227, 86, 39),
        0.05: (267, 132, 50, 23),
        0.10: (188, 93, 35, 16),
    },
    "half": {
        0.01: (16581, 4141, 657, 160),
        0.05: (9600, 2398, 381, 93),
        0.10: (6762, 1689, 268, 65),
    },
}


@pytest.mark.parametrize("at", TABLES)
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.10])
def test_the_studys_tables_cell_by_cell(at, alpha):
    found = tuple(sample_size(width, alpha, at) for width in HALF_WIDTHS)
    assert found == TABLES[at][alpha]


def test_the_interval_covers_the_truth_as_often_as_it_says():
    n = 500
    hits = np.arange(n + 1)
    low, high = agresti_coull(hits, n, alpha=0.05)
    for truth in np.linspace(0, 1, 2001):
        covered = (low <= truth) & (truth <= high)
        assert binom.pmf(hits, n, truth)[covered].sum() >= 0.94


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("n", [1, 10, 500])
def test_the_one_sided_bound_is_exact(alpha, n):
    bound = float(at_most(n, alpha))
    assert binom.pmf(0, n, bound) == pytest.approx(alpha)
    assert binom.pmf(0, n, bound + 1e-6) < alpha


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.1, 0.3])
def test_limits_at_the_ends_of_the_range_are_exact(alpha):
    """Rounding once made the lower limit of no draws 5.6e-17."""
    n = np.arange(2_000)
    low, high = agresti_coull(np.zeros_like(n), n, alpha)
    assert (low == 0).all()
    assert (high > 0).all()
    low, high = agresti_coull(n, n, alpha)
    assert (high == 1).all()
    assert (low < 1).all()
    low, high = agresti_coull(n // 2, n, alpha)
    assert ((low >= 0) & (high <= 1) & (low < high)).all()


def test_no_draws_say_nothing():
    low, high = agresti_coull(0, 0, alpha=0.05)
    assert (float(low), float(high)) == pytest.approx((0, 1))
    assert at_most(0, 0.05) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"half_width": 0}, "half_width must be a number between 0 and 1, .*, got 0"),
        ({"half_width": 0.1, "alpha": 2}, "alpha must be a number"),
        ({"half_width": 0.1, "at": "one"}, "at must be one of 'zero', 'half'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        sample_size(**arguments)
