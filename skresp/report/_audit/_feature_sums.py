"""Sums of scores over people, feature by feature."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._explain._working_values import share_known
from skresp._typing import IndexArray
from skresp.metrics._exact_sums import exact_sums
from skresp.metrics._score_bands import band_counts

from ._block import ScoreArrays


class FeatureSums(NamedTuple):
    """Sums over the people who are denied, for each feature that people can act on.

    Attributes
    ----------
    total : array of int
        The exact sums of the scores; see `exact_sums`.
    bands : array of int of shape (n_bands, n_features)
        People by the size of the score.
    not_known : array of int
        People for whom it is not known whether the feature works.
    can_move, cannot_move, exact : array of int, or None
        People who can move the feature, who cannot, and who can and have an exact
        score. None where files were scored without intervals.
    """

    total: NDArray[np.object_]
    bands: IndexArray
    not_known: IndexArray
    can_move: IndexArray | None
    cannot_move: IndexArray | None
    exact: IndexArray | None

    @classmethod
    def of(cls, scores: ScoreArrays) -> FeatureSums:
        """Return the sums of some people."""
        values = scores.values
        unknown = np.isnan(values)
        if scores.n_reachable is None:
            moves = None, None, None
        else:
            unknown |= ~share_known(scores) & (values == 0)
            moved = scores.n_reachable > 0
            moves = moved, ~moved & ~unknown, moved & scores.exact
        return cls(
            exact_sums(values),
            band_counts(values),
            unknown.sum(axis=0),
            *(None if where is None else where.sum(axis=0) for where in moves),
        )

    def merge(self, other: FeatureSums) -> FeatureSums:
        """Return the sums of the people of both."""
        pairs: Any = zip(self, other, strict=True)
        sums: Any = [None if a is None else a + b for a, b in pairs]
        return FeatureSums(*sums)
