"""Bands of scores, for counts of people by how responsive a feature is."""

from __future__ import annotations

import numpy as np

from skresp._typing import FloatArray, IndexArray

# The lower end of a band does not belong to it, the upper end does. A score of 0 is
# in no band.
SCORE_BANDS = ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0))


def band_counts(scores: FloatArray) -> IndexArray:
    """Count the scores in each band.

    Parameters
    ----------
    scores : array of shape (n_rows, n_features)

    Returns
    -------
    array of shape (n_bands, n_features)
    """
    counts = [((scores > a) & (scores <= b)).sum(axis=0) for a, b in SCORE_BANDS]
    return np.array(counts)
