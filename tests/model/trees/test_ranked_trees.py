"""Ranks of codes among the thresholds of trees."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from skresp._model.trees._rank_kernels import ranks_of_codes


def test_ranks_count_the_cuts_that_are_less():
    rng = np.random.default_rng(0)
    cuts = [np.unique(rng.integers(0, 9, n).astype(float)) for n in (1, 7, 0, 20)]
    begin = np.cumsum([0, *map(len, cuts)])
    codes = rng.integers(-1, 11, (200, 3)) + rng.choice([0.0, 1e-12, np.nan], (200, 3))
    columns, which = np.array([[0, -1, 3], [1, 2, -1]]), rng.integers(0, 2, 200)
    found = ranks_of_codes(np.concatenate(cuts), begin, columns, which, codes)
    for row, kind, ranks in zip(codes, which, found, strict=True):
        expected = [
            len(cuts[k]) + 1 if np.isnan(x) else int((cuts[k] < x).sum())
            for k, x in zip(columns[kind], row, strict=True)
            if k >= 0
        ]
        assert_array_equal(ranks, [*expected, 0])
