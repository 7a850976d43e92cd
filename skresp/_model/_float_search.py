"""Bisection over the floats themselves, many at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray


def _ordered(x: FloatArray) -> NDArray[np.int64]:
    """Return integers in the order of floats; neighbours differ by 1."""
    bits = np.asarray(x, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _floats(order: NDArray[np.int64]) -> FloatArray:
    """Return the floats of `_ordered` integers."""
    bits = np.where(order < 0, np.int64(-(2**63)) - order, order)
    return bits.view(np.float64)


def last_floats(
    holds: Callable[[FloatArray], BoolArray],
    low: FloatArray,
    high: FloatArray,
    guess: FloatArray | None = None,
) -> FloatArray:
    """Return the largest floats from `low` to `high` at which a condition holds.

    Each condition holds up to some float, and not after it. It must hold at `low`. A
    good guess, a few floats away, saves most of the rounds.
    """
    first, last = _ordered(low), _ordered(high)
    if guess is not None:
        first, last = _around(holds, first, last, _ordered(guess))
    while (first < last).any():
        # The middle of two integers, rounded up, without overflow.
        middle = (first >> 1) + (last >> 1) + ((first | last) & 1)
        ok = holds(_floats(middle))
        first = np.where(ok, middle, first)
        last = np.where(ok, last, np.maximum(middle - 1, first))
    return _floats(first)


def _around(
    holds: Callable[[FloatArray], BoolArray],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    guess: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a narrower range, by steps of growing length away from a guess."""
    at = np.clip(guess, first, last)
    for step in (4, 2**14):
        up = np.minimum(at, last - step) + step
        down = np.maximum(at, first + step) - step
        above, below = holds(_floats(up)), holds(_floats(down))
        # It holds up to somewhere between `down` and `up`, or further away.
        first = np.where(above, np.maximum(first, up), first)
        first = np.where(below & ~above, np.maximum(first, down), first)
        last = np.where(above, last, np.minimum(last, up - 1))
        last = np.where(below, last, np.minimum(last, down - 1))
        last = np.maximum(first, last)
        if (last <= first + 2 * step).all():
            break
    return first, last
