"""Confidence intervals of shares of people, and of differences between shares.

They describe the sampling of people, not the uncertainty of the model.
"""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(count: int, n: int, alpha: float = 0.05) -> tuple[float, float]:
    """Return Wilson's interval of a share.

    Parameters
    ----------
    count, n : int
        How many people of how many; `n` is at least 1.
    alpha : float, default=0.05
        The confidence is 1 - alpha.

    >>> [round(end, 3) for end in wilson(16, 78)]
    [0.13, 0.308]
    """
    z = NormalDist().inv_cdf(1 - alpha / 2)
    share = count / n
    middle = share + z**2 / (2 * n)
    width = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    lower, upper = (middle - width) / (1 + z**2 / n), (middle + width) / (1 + z**2 / n)
    # Rounding must not take 0 out of an interval that starts there, or 1.
    return (0.0 if count == 0 else lower), (1.0 if count == n else upper)


def newcombe(
    count: int, n: int, other_count: int, other_n: int, alpha: float = 0.05
) -> tuple[float, float]:
    """Return Newcombe's interval of the difference between two independent shares.

    It combines the Wilson intervals of both (Newcombe 1998, method 10).

    >>> [round(end, 4) for end in newcombe(56, 70, 48, 80)]
    [0.0524, 0.3339]
    """
    lower, upper = wilson(count, n, alpha)
    other_lower, other_upper = wilson(other_count, other_n, alpha)
    share, other = count / n, other_count / other_n
    below = math.hypot(share - lower, other_upper - other)
    above = math.hypot(upper - share, other - other_lower)
    return share - other - below, share - other + above
