"""Scores of runs of rows, joined."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skresp.scores._scores import _ARRAYS, Scores, join_run


def some_scores(rng, rows, has_intervals):
    out = Scores.blank(rows, 3)
    out.values[:] = rng.random((rows, 3))
    out.n_reachable[:] = rng.integers(9, size=(rows, 3))
    out.at_target[:] = rng.random(rows) < 0.5
    out.valid[:] = rng.random(rows) < 0.5
    if has_intervals:
        out = out.with_intervals()
        out.lower[:] -= 0.1
        out.upper[:] += 0.1
        out.exact[:] = False
    return out


@pytest.mark.parametrize(
    "has_intervals", [(False,) * 3, (True,) * 3, (False, True, False)]
)
def test_runs_joined_one_by_one_are_those_stacked(has_intervals):
    rng = np.random.default_rng(0)
    parts = [some_scores(rng, n, has) for n, has in enumerate(has_intervals, 2)]
    wanted = Scores.stacked(parts)
    found, start = None, 0
    for part in parts:
        run = slice(start, start + len(part.values))
        found = join_run(found, run, part, len(wanted.values))
        start = run.stop
    for name in _ARRAYS:
        assert_array_equal(getattr(found, name), getattr(wanted, name))
    assert (found.lower is found.values) == (wanted.lower is wanted.values)


def test_a_run_of_all_rows_is_not_copied():
    part = some_scores(np.random.default_rng(0), 4, False)
    assert join_run(None, slice(0, 4), part, 4) is part
