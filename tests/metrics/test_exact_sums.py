"""Sums of scores are exact, in every order."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skresp.metrics._exact_sums import exact_sums, mean_of


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.randoms())
def test_sums_do_not_depend_on_the_order(scores, random):
    shuffled = random.sample(scores, len(scores))
    (total,) = exact_sums(np.array(scores)[:, None])
    (again,) = exact_sums(np.array(shuffled)[:, None])
    assert total == again
    (first,) = exact_sums(np.array(scores[:7])[:, None])
    (rest,) = exact_sums(np.array(scores[7:])[:, None])
    assert first + rest == total
    mean = math.fsum(scores) / len(scores)
    assert abs(mean_of(total, len(scores)) - mean) <= 2**-52


def test_missing_scores_and_rows_count_as_nothing():
    assert exact_sums(np.array([[np.nan, 1.0], [0.5, 1.0]])).tolist() == [
        2**59,
        2**61,
    ]
    assert mean_of(0, 0) == 0.0
