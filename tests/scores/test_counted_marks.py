"""Counts that share a number are the counts of each."""

from __future__ import annotations

import numpy as np
import pytest

from skresp._model._change_lists import ListedPoints
from skresp.scores._enumerated import _marks_of_rows


@pytest.mark.parametrize("longest", [1, 2, 7, 64, 5_000])
@pytest.mark.parametrize("n_marks", [1, 8, 13])
def test_counts_are_those_of_a_loop(longest, n_marks):
    rng = np.random.default_rng([longest, n_marks])
    marks = rng.random((300, n_marks)) < 0.8
    counts = rng.integers(0, longest + 1, (3, 40)) * (rng.random((3, 40)) < 0.7)
    counts[0, 0] = longest
    starts = np.cumsum(counts).reshape(counts.shape) - counts
    change = rng.integers(0, len(marks), counts.sum())
    reached = rng.random(len(change)) < 0.9
    points = ListedPoints(counts, starts, change, [0])
    found = _marks_of_rows(marks, points, reached)
    for p, i in np.ndindex(counts.shape):
        mine = slice(starts[p, i], starts[p, i] + counts[p, i])
        expected = marks[change[mine]][reached[mine]].sum(axis=0)
        np.testing.assert_array_equal(found[p, i], expected)
