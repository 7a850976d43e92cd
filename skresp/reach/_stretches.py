"""Stretches of a line of one real, and draws from many of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skresp._typing import FloatArray

from ._part import Part

# Tries to draw a point that rounding does not make infeasible.
_TRIES = 5


class Stretches(NamedTuple):
    """Feasible changes along a line of one real.

    Attributes
    ----------
    own : array of shape (n_features,)
        The own changes where the real has none.
    rates : array of shape (n_features,)
        What one unit of its own change adds to the own changes.
    low, high : array of shape (n_stretches,)
        The ends of each stretch, in own changes of the real. They are equal where a
        constraint determines the real.
    """

    own: FloatArray
    rates: FloatArray
    low: FloatArray
    high: FloatArray

    def at(self, share: float) -> FloatArray:
        """Return the own changes at a share of the length, or of the single points."""
        if len(self.low) == 1:  # most have one, and there are many draws
            return self.own + (self.low + share * (self.high - self.low)) * self.rates
        width = self.high - self.low
        if not width.any():
            width = np.ones(len(width))
        ends = np.cumsum(width)
        left = share * ends[-1]
        i = min(int(np.searchsorted(ends, left, side="right")), len(ends) - 1)
        amount = min(self.low[i] + left - ends[i] + width[i], self.high[i])
        return self.own + amount * self.rates


def draw_points(
    part: Part,
    before: FloatArray,
    drawn: Sequence[FloatArray | Stretches],
    rng: np.random.Generator,
) -> list[FloatArray]:
    """Replace stretches by uniform draws from them, all at once.

    A draw is left out if rounding makes it infeasible again and again.
    """
    points = {i: each for i, each in enumerate(drawn) if isinstance(each, np.ndarray)}
    left = {i: each for i, each in enumerate(drawn) if isinstance(each, Stretches)}
    for _ in range(_TRIES):
        if not left:
            break
        shares = rng.uniform(size=len(left)).tolist()
        own = np.array(
            [each.at(u) for each, u in zip(left.values(), shares, strict=True)]
        )
        ok = part.feasible(np.broadcast_to(before, own.shape), own).tolist()
        for i, change, good in zip(list(left), part.total(own), ok, strict=True):
            if good:
                points[i] = change
                del left[i]
    return [points[i] for i in sorted(points)]
