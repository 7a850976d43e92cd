"""Walk at random through a region, to draw from it uniformly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skresp._typing import BoolArray, FloatArray

from ._allowance import allowance

# Steps of a walk: at least, and for each pair of dimensions.
_STEPS = 20
_STEPS_PER_PAIR = 4
_MAX_SHRINKS = 60
# A region has no volume along a kind of lines if nothing moves by more than this share
# of its box, along so many of them in a row.
_FLAT = 1e-8
_MAX_STUCK = 4


def steps_of_a_walk(dimensions: int) -> int:
    """Return the number of steps after which a walk has forgotten its start."""
    return _STEPS + _STEPS_PER_PAIR * dimensions * (dimensions + 1)


class RandomWalk:
    """Many walks through a region: hit and run.

    A step goes along a random line to a uniform point of its part in the region, found
    by shrinking. Uniform points stay uniform. Every other line follows the spread of
    corners, since the region may be thin.

    Parameters
    ----------
    contains : callable
        Return which points are in the region.
    box : pair of arrays of shape (n_dimensions,)
        Bounds of the region.
    corners : array of shape (n_corners, n_dimensions)
        Points at its border, at both ends of each of its dimensions.
    rng : numpy.random.Generator
    """

    def __init__(
        self,
        contains: Callable[[FloatArray], BoolArray],
        box: tuple[FloatArray, FloatArray],
        corners: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        self.contains, self.rng = contains, rng
        self.low, self.high = box
        self.spread = corners - corners.mean(axis=0) if len(corners) else corners

    def ends(self, start: FloatArray, n: int) -> FloatArray:
        """Return the ends of `n` walks from some points of the region.

        There are fewer where the allowance does not permit so many.
        """
        steps = steps_of_a_walk(start.shape[1])
        n = int(min(n, max(allowance().points // steps, 1)))
        points = start[self.rng.integers(len(start), size=n)]
        stuck, has_moved = [0, 0], np.zeros(n, dtype=bool)
        for turn in range(steps):
            if turn == 2 * _MAX_STUCK and has_moved.any():
                # A start in a piece without volume is not one of the region.
                others = self.rng.choice(np.flatnonzero(has_moved), size=n)
                points = np.where(has_moved[:, None], points, points[others])
            kind = turn % 2
            if stuck[kind] >= _MAX_STUCK:
                continue
            allowance().spend(n)
            before = points.copy()
            if kind == 0:
                directions = self.rng.normal(size=points.shape) * (self.high - self.low)
            else:
                directions = self.rng.normal(size=(n, len(self.spread))) @ self.spread
            self._move(points, directions)
            moved = np.abs(points - before) > _FLAT * (self.high - self.low)
            has_moved |= moved.any(axis=1)
            stuck[kind] = 0 if moved.any() else stuck[kind] + 1
        return points

    def _move(self, points: FloatArray, directions: FloatArray) -> None:
        """Move points in place along their directions, each within the region."""
        high = self.rng.uniform(size=len(points)) * 2
        low = high - 2
        left = np.flatnonzero(directions.any(axis=1))
        for _ in range(_MAX_SHRINKS):
            if not len(left):
                break
            step = self.rng.uniform(low[left], high[left])
            there = points[left] + step[:, None] * directions[left]
            ok = np.all((self.low <= there) & (there <= self.high), axis=1)
            ok[ok] = self.contains(there[ok])
            points[left[ok]] = there[ok]
            left, step = left[~ok], step[~ok]
            high[left] = np.where(step > 0, step, high[left])
            low[left] = np.where(step > 0, low[left], step)
