"""Counts of people by what is known about a feature."""

from __future__ import annotations

import numpy as np

from skresp.report._audit._block import ScoreArrays
from skresp.report._audit._feature_sums import FeatureSums


def test_what_is_not_known_is_counted_apart():
    """Five people: works, does not work, cannot move, nothing found, not computed."""
    scores = ScoreArrays(
        values=np.array([[0.5, 0.0, 0.0, 0.0, np.nan]]).T,
        lower=np.array([[0.4, 0.0, 0.0, 0.0, 0.0]]).T,
        upper=np.array([[0.6, 0.0, 0.0, 1.0, 1.0]]).T,
        exact=np.array([[False, True, True, False, False]]).T,
        n_reachable=np.array([[500, 4, 0, 0, 0]]).T,
    )
    sums = FeatureSums.of(scores)
    assert sums.can_move.tolist() == [2]
    assert sums.cannot_move.tolist() == [1]
    assert sums.not_known.tolist() == [2]
    assert sums.exact.tolist() == [1]
    assert sums.bands[:, 0].tolist() == [0, 1, 0, 0]
    both = sums.merge(sums)
    assert both.not_known.tolist() == [4]
    assert both.total.tolist() == [2**60]
    alone = FeatureSums.of(ScoreArrays(scores.values))
    assert alone.can_move is alone.cannot_move is alone.exact is None
    assert alone.not_known.tolist() == [1]
