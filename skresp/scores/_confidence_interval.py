"""Confidence intervals of sampled scores, and the sample size for a given width.

`score_interval` is the interval of scores, `sample_size` the number of draws for which
it is narrow enough, and `at_most` the bound that `describe` names where no draw works.
Intervals of shares of people are in `skresp/metrics/_share_interval.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from skresp._text import quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import check_choice, check_share, is_integer

_AT = ("zero", "half")
_MAX_DRAWS = 2**62


def score_interval(
    hits: ArrayLike, trials: ArrayLike, alpha: float, uniform: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Compute the interval of sampled scores; draws that are not uniform give none."""
    low, high = _interval(hits, trials, alpha)
    return np.where(uniform, low, 0.0), np.where(uniform, high, 1.0)


def agresti_coull(
    hits: ArrayLike, trials: ArrayLike, alpha: float
) -> tuple[FloatArray, FloatArray]:
    r"""Compute the Agresti-Coull interval of a proportion, clipped to [0, 1].

    With :math:`\kappa = \Phi^{-1}(1 - \alpha/2)` and
    :math:`\tilde\mu = (S + \kappa^2/2) / (N + \kappa^2)` it is
    :math:`\tilde\mu \pm \kappa \sqrt{\tilde\mu (1 - \tilde\mu) / (N + \kappa^2)}`.

    Parameters
    ----------
    hits : int or array of int
        The number of draws that reached the target, S.
    trials : int or array of int
        The number of draws, N.
    alpha : float
        The interval has confidence 1 - alpha.

    Returns
    -------
    low, high : arrays
        The ends of the interval.

    Examples
    --------
    >>> from skresp.scores import agresti_coull
    >>> low, high = agresti_coull(0, 500, alpha=0.05)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0, 0.0092)
    """
    check_alpha(alpha)
    good, total = _counts("hits", hits), _counts("trials", trials)
    try:
        fits = bool((good <= total).all())
    except ValueError:
        raise ValueError(
            f"hits and trials must have shapes that fit together, got {good.shape} and "
            f"{total.shape}."
        ) from None
    if not fits:
        raise ValueError(
            f"hits must be at most trials, got {quote(hits)} of {quote(trials)}."
        )
    return _interval(good, total, alpha)


def _interval(
    hits: ArrayLike, trials: ArrayLike, alpha: float
) -> tuple[FloatArray, FloatArray]:
    middle, half = _middle_and_half_width(hits, trials, alpha)
    # Rounding would leave limits that are almost 0 or 1.
    low = np.where(np.equal(hits, 0), 0.0, np.clip(middle - half, 0, 1))
    high = np.where(np.equal(hits, trials), 1.0, np.clip(middle + half, 0, 1))
    return low, high


def sample_size(half_width: float, alpha: float = 0.05, at: str = "half") -> int:
    """Return the smallest number of draws whose interval has a given half-width.

    Parameters
    ----------
    half_width : float
        Half the width that the interval may have.
    alpha : float, default=0.05
        The interval has confidence 1 - alpha.
    at : {"half", "zero"}, default="half"
        Where to measure it: at a score of one half, where it is widest, or at 0.

    Returns
    -------
    n_samples : int
        The number of draws.

    Examples
    --------
    >>> from skresp.scores import sample_size
    >>> sample_size(0.05)
    381
    >>> sample_size(0.01, alpha=0.01, at="zero")
    461
    """
    check_share("half_width", half_width)
    check_alpha(alpha)
    check_choice("at", at, _AT)

    def is_too_wide(trials: int) -> bool:
        hits = 0.0 if at == "zero" else trials / 2
        _, half = _middle_and_half_width(hits, trials, alpha)
        return bool(half > half_width)

    low, high = 0, 1
    while is_too_wide(high):
        low, high = high, 2 * high
        if high > _MAX_DRAWS:
            raise ValueError(
                f"half_width must be larger, got {quote(half_width)}, which requires "
                f"more than {_MAX_DRAWS:.0e} draws."
            )
    while high - low > 1:
        middle = (low + high) // 2
        if is_too_wide(middle):
            low = middle
        else:
            high = middle
    return high


def at_most(trials: ArrayLike, alpha: float) -> FloatArray:
    r"""Compute an upper bound of a score if no draw reached the target.

    It is the exact one-sided bound :math:`1 - \alpha^{1/N}`.

    Parameters
    ----------
    trials : int or array of int
        The number of draws, N.
    alpha : float
        The bound has confidence 1 - alpha.

    Returns
    -------
    bound : array
        The upper bound.

    Examples
    --------
    >>> from skresp.scores import at_most
    >>> round(float(at_most(500, alpha=0.01)), 4)
    0.0092
    """
    check_share("alpha", alpha)
    trials = _counts("trials", trials)
    with np.errstate(divide="ignore"):
        return -np.expm1(np.log(alpha) / trials)


def check_alpha(alpha: Any) -> None:
    """Raise ValueError for an alpha that is no share, or gives infinite intervals."""
    check_share("alpha", alpha)
    if np.isinf(_kappa(alpha)):
        raise ValueError(
            f"alpha must be at least {np.finfo(float).eps:.1e}, got {quote(alpha)}: "
            f"the interval would be infinite."
        )


def _counts(parameter: str, value: ArrayLike) -> FloatArray:
    """Return whole numbers of at least 0 as an array of floats."""
    try:
        array = np.asarray(value)
        numbers = array.dtype.kind in "iuf" or all(map(is_integer, array.flat))
        counts = array.astype(float) if numbers else np.asarray(np.nan)
    except (ValueError, OverflowError):  # rows of several lengths, huge integers
        counts = np.asarray(np.nan)
    if not ((counts >= 0) & (counts == np.rint(counts)) & np.isfinite(counts)).all():
        raise ValueError(
            f"{parameter} must be a whole number of at least 0, or an array of such "
            f"numbers, got {quote(value)}."
        )
    return counts


def _kappa(alpha: float) -> float:
    """Return the two-sided quantile of the normal distribution."""
    return float(ndtri(1 - alpha / 2))


def _middle_and_half_width(
    hits: ArrayLike, trials: ArrayLike, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return the middle and the half-width of the Agresti-Coull interval."""
    hits, trials = np.asarray(hits, dtype=float), np.asarray(trials, dtype=float)
    kappa = _kappa(alpha)
    size = trials + kappa**2
    middle = (hits + kappa**2 / 2) / size
    return middle, kappa * np.sqrt(middle * (1 - middle) / size)
