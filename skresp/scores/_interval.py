"""How far a sampled score may be off."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri


def agresti_coull(
    hits: ArrayLike, trials: ArrayLike, alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""The Agresti-Coull interval of a proportion, clipped to [0, 1].

    With :math:`\kappa = \Phi^{-1}(1 - \alpha/2)` and
    :math:`\tilde\mu = (S + \kappa^2/2) / (N + \kappa^2)` it is
    :math:`\tilde\mu \pm \kappa \sqrt{\tilde\mu (1 - \tilde\mu) / (N + \kappa^2)}`.

    >>> from skresp.scores import agresti_coull
    >>> low, high = agresti_coull(0, 500, alpha=0.05)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0, 0.0092)
    """
    kappa = ndtri(1 - alpha / 2)
    size = np.asarray(trials, dtype=float) + kappa**2
    middle = (np.asarray(hits, dtype=float) + kappa**2 / 2) / size
    half = kappa * np.sqrt(middle * (1 - middle) / size)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)
