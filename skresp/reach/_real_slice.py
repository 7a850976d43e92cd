"""Draw uniformly from a slice of a part: discrete values fixed, reals free."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, product
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from skresp._typing import BoolArray, FloatArray
from skresp.constraints import Linear
from skresp.constraints._expression import Expression, total
from skresp.constraints._program import Row, row

from ._allowance import allowance
from ._outcome import Outcome
from ._solver_search import Search
from ._upper_bound import upper_bound

# Points tried in a box around a slice: at first, and altogether. If a smaller share is
# inside, the solver is used to find a smaller box.
_FIRST = 64
MAX_TRIED = 20_000
_OFTEN = 0.05
# Nodes for an end of the box; few, since a box that is too wide does no harm.
_NODES = 3
_FLAT = 1e-8
# Steps of a random walk within a slice: for each dimension, and in addition.
_STEPS_PER_DIMENSION = 20
_STEPS = 50
_MAX_SHRINKS = 60
# Branches of a slice, see `_branches`.
_MAX_BRANCHES = 256


class Slice(NamedTuple):
    """A region of a part.

    Attributes
    ----------
    fixed : mapping of position to reached value
        The discrete features, and perhaps one real.
    held : sequence of int
        Reals that stay put.
    free : sequence of int
        Reals that may change.
    own : mapping of position to own change
        Reals with a given own change, which may move further by effects.
    """

    fixed: Mapping[int, float]
    held: Sequence[int]
    free: Sequence[int]
    own: Mapping[int, float] = {}


def draw_slice(
    search: Search,
    region: Slice,
    n: int,
    rng: np.random.Generator,
    accept: Callable[[FloatArray], bool] = lambda own: True,
) -> list[FloatArray]:
    """Draw own changes within a slice, uniform over its free reals.

    By rejection from a box around the slice; where the slice is too thin for that, by
    random walks within it. Return an empty list where no point of it is found.

    Outside its bounds a real stays put or moves far enough. Then a slice has several
    branches, and those with the most free reals are drawn from: the others have no
    volume beside them.
    """
    branches = sorted(_branches(search, region), key=lambda each: -len(each.free))
    for _, level in groupby(branches, key=lambda each: len(each.free)):
        drawn = _draw_level([_Region(search, b) for b in level], n, rng, accept)
        if drawn:
            return drawn
    return []


def _branches(search: Search, region: Slice) -> Iterator[Slice]:
    """Return the slices in which each own range has no gap, the widest first."""
    choices: list[list[float | None]] = []
    total_choices = 1
    for k in region.free:
        low, high = search.part.features[k].own_limits(float(search.before[k]))
        choice: list[float | None] = [None if low < high else low]
        if not low <= 0 <= high and total_choices < _MAX_BRANCHES:
            choice.append(0.0)
            total_choices *= 2
        choices.append(choice)
    for picks in product(*choices):
        own = {
            k: amount
            for k, amount in zip(region.free, picks, strict=True)
            if amount is not None
        }
        yield region._replace(free=[k for k in region.free if k not in own], own=own)


def _draw_level(
    regions: list[_Region],
    n: int,
    rng: np.random.Generator,
    accept: Callable[[FloatArray], bool],
) -> list[FloatArray]:
    """Draw evenly from the regions that have points."""
    out: list[FloatArray] = []
    while len(out) < n and regions:
        counts = [n]
        if len(regions) > 1:
            wanted = n - len(out)
            counts = rng.multinomial(wanted, [1 / len(regions)] * len(regions)).tolist()
        left = []
        for region, count in zip(regions, counts, strict=True):
            drawn = [own for own in region.draw(count, rng) if accept(own)]
            out += drawn
            if drawn or not count:
                left.append(region)
        if len(regions) == 1:
            break
        regions = left
    return out[:n]


class _Region:
    """The points of a slice, by the free coordinates that determine the others.

    A constraint `Linear` with equal limits determines one of its reals. That one is
    computed from the others, so that the region of the others has a volume.
    """

    def __init__(self, search: Search, region: Slice) -> None:
        self.search, self.part = search, search.part
        held = set(self.part.held(search.before)) - {*region.fixed}
        free = [k for k in region.free if k not in held]
        self.fixed = region.fixed
        moving = [*region.free, *region.own]
        self.held = [*region.held, *(k for k in moving if k in held)]
        self.given = {k: own for k, own in region.own.items() if k not in held}
        rows = [search.at(k, value) for k, value in self.fixed.items()]
        rows += [
            row(search.program.change(self.part.names[k]), 0, 0) for k in self.held
        ]
        limits = {k: (own, own) for k, own in self.given.items()}
        for k in free:
            limits[k] = self.part.features[k].own_limits(float(search.before[k]))
        rows += [
            row(search.program.own(self.part.names[k]), *ends)
            for k, ends in limits.items()
            if k in self.given or not ends[0] <= 0 <= ends[1]
        ]
        self.rows: list[Row] = rows
        self.tied, self.free = self._split(free)

    # -- coordinates ---------------------------------------------------------------

    @cached_property
    def _equalities(self) -> list[tuple[FloatArray, float]]:
        """The weights of all features in each equality, and its limit."""
        out = []
        for rule, columns in self.part.rules:
            if not isinstance(rule, Linear) or rule.lower is None:
                continue
            if rule.lower != rule.upper or np.isnan(self.search.before[columns]).any():
                continue
            weights = np.zeros(len(self.part.names))
            weights[columns] = [weight for _, weight in rule.terms]
            out.append((weights, rule.lower))
        return out

    def _split(self, free: list[int]) -> tuple[list[int], list[int]]:
        """Return the reals that the equalities determine, and the others."""
        if not free or not self._equalities:
            return [], free
        # The effect of one unit of each real on what the equalities add up.
        units = self._complete(
            free, np.vstack([np.zeros(len(free)), np.eye(len(free))])
        )
        off = self._off(units)
        slopes = (off[1:] - off[0]).T
        _, r, order = qr(slopes, mode="economic", pivoting=True)
        size = np.abs(np.diag(r))
        rank = int((size > 1e-9 * max(size[0], 1e-300)).sum())
        first = order[:rank]
        self._slopes = slopes[:, first]
        tied = [free[k] for k in first]
        return tied, [k for k in free if k not in tied]

    def _off(self, own: FloatArray) -> FloatArray:
        """Return the violation of the equalities, with a column for each."""
        before = np.where(np.isnan(self.search.before), 0.0, self.search.before)
        after = before + self.part.total(own)
        return np.column_stack([after @ w - limit for w, limit in self._equalities])

    def own(self, points: FloatArray) -> FloatArray:
        """Return the own changes at some values of the free coordinates."""
        if not self.tied:
            return self._complete(self.free, points)
        both = [*self.free, *self.tied]
        zeros = np.zeros((len(points), len(self.tied)))
        off = self._off(self._complete(both, np.hstack([points, zeros])))
        rest = np.linalg.lstsq(self._slopes, -off.T, rcond=None)[0].T
        return self._complete(both, np.hstack([points, rest]))

    def _complete(self, which: list[int], draws: FloatArray) -> FloatArray:
        """Return own changes from own changes of some reals, sources first."""
        part = self.part
        given = dict(zip(which, draws.T, strict=True))
        own = np.zeros((len(draws), len(part.names)))
        change = np.zeros_like(own)
        for k in part.order:
            effect = part.effects_on(change, k)
            if k in given:
                own[:, k] = given[k]
            elif k in self.fixed and part.features[k].can_change:
                own[:, k] = self.fixed[k] - self.search.before[k] - effect
            elif k in self.held:
                own[:, k] = -effect
            elif k in self.given:
                own[:, k] = self.given[k]
            change[:, k] = own[:, k] + effect
        return own

    def contains(self, points: FloatArray) -> BoolArray:
        """Return which values of the free coordinates are feasible."""
        own = self.own(points)
        return self.part.feasible(np.broadcast_to(self.search.before, own.shape), own)

    # -- draws -----------------------------------------------------------------------

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw own changes uniformly from the region."""
        if not self.free:
            point = np.zeros((1, 0))
            return self.own(
                np.repeat(point, n if self.contains(point)[0] else 0, axis=0)
            )
        # First from the limits of each feature, which needs no solver.
        box = self._limits()
        points, share = self._try(box, n, _FIRST, rng)
        if share < _OFTEN:
            smaller = self._box() if len(points) or self._is_possible() else None
            if smaller is None and not len(points):
                return self.own(points)
            box = smaller or box
        if len(points) < n:
            more, _ = self._try(box, n - len(points), MAX_TRIED, rng)
            points = np.concatenate([points, more])
        if len(points) < n:
            points = self._walk(points, n, box, rng)
        return self.own(points[:n])

    def _limits(self) -> tuple[FloatArray, FloatArray]:
        """Return the limits of the features' own changes."""
        before = self.search.before.tolist()
        limits = [self.part.features[k].own_limits(before[k]) for k in self.free]
        low, high = np.array(limits, dtype=float).T
        return low, high

    def _try(
        self,
        box: tuple[FloatArray, FloatArray],
        n: int,
        most: int,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, float]:
        """Return the points of the region among draws from a box, and their share."""
        inside = np.zeros((0, len(self.free)))
        tried, size = 0, max(4 * n, 64)
        while len(inside) < n and tried < most:
            allowance().deadline.check()
            points = rng.uniform(*box, size=(size, len(self.free)))
            inside = np.concatenate([inside, points[self.contains(points)]])
            tried, size = tried + size, min(2 * size, MAX_TRIED)
        return inside, len(inside) / max(tried, 1)

    def _box(self) -> tuple[FloatArray, FloatArray] | None:
        """Return bounds of the free coordinates over the region, perhaps too wide.

        Return None where the region is proved empty. The bounds do not rely on an
        optimum of the solver: points that it overlooks would never be drawn.
        """
        low, high, size = np.zeros((3, len(self.free)))
        for i, k in enumerate(self.free):
            own = self.search.program.own(self.part.names[k])
            value = float(self.search.before[k])
            limits = self.part.features[k].own_limits(value)
            size[i] = abs(value) + np.abs(limits).max()
            ends = []
            for sign, limit in zip((-1.0, 1.0), limits, strict=True):
                at = allowance().deadline.at
                bound = upper_bound(
                    self.search.program,
                    self.rows,
                    sign * own,
                    most=_NODES,
                    deadline=at,
                )
                if bound.value == -np.inf:
                    return None
                ends.append(sign * min(bound.value, sign * limit))
            low[i], high[i] = ends
        # A coordinate whose bounds differ by rounding only has one value.
        flat = high - low <= _FLAT * np.maximum(1.0, size)
        if flat.any():
            point = self.search.find(self.rows, Expression())[1]
            if point is None:
                return None
            low[flat] = high[flat] = point[self.free][flat]
        return low, high

    def _is_possible(self) -> bool:
        """Return whether the solver finds a point, or cannot decide."""
        return self.search.find(self.rows, Expression())[0] is not Outcome.INFEASIBLE

    def _corners(self, rng: np.random.Generator) -> FloatArray:
        """Return extreme points of the region in random directions."""
        own = [self.search.program.own(self.part.names[k]) for k in self.free]
        low, high = self._limits()
        scale = 1 / np.maximum(high - low, 1e-300)
        corners = []
        for _ in own:
            weights = rng.normal(size=len(own)) * scale
            objective = total(w * each for w, each in zip(weights, own, strict=True))
            for sign in (1.0, -1.0):
                point = self.search.find(self.rows, sign * objective)[1]
                if point is not None:
                    corners.append(point[self.free])
        return np.array(corners).reshape(-1, len(self.free))

    def _walk(
        self,
        start: FloatArray,
        n: int,
        box: tuple[FloatArray, FloatArray],
        rng: np.random.Generator,
    ) -> FloatArray:
        """Return the ends of `n` random walks from some points of the region.

        Hit and run: along a random line to a uniform point of its part in the region,
        found by shrinking from the width of the box. Uniform draws stay uniform. Every
        other line follows differences of corners, for regions that are thin.
        """
        corners = self._corners(rng)
        if not len(start):
            if not len(corners):
                return start
            points = np.vstack([corners.mean(axis=0), corners])
            start = points[self.contains(points)][:1]
            if not len(start):
                return start
        spread = corners - corners.mean(axis=0) if len(corners) else None
        low_end, high_end = box
        points = start[rng.integers(len(start), size=n)]
        for turn in range(_STEPS + _STEPS_PER_DIMENSION * len(self.free)):
            allowance().deadline.check()
            if turn % 2 and spread is not None:
                direction = rng.normal(size=(n, len(spread))) @ spread
            else:
                direction = rng.normal(size=points.shape) * (high_end - low_end)
            high = rng.uniform(size=n) * 2
            low = high - 2
            moving = np.arange(n)
            for _ in range(_MAX_SHRINKS):
                step = rng.uniform(low[moving], high[moving])
                there = points[moving] + step[:, None] * direction[moving]
                ok = np.all((low_end <= there) & (there <= high_end), axis=1)
                ok[ok] = self.contains(there[ok])
                points[moving[ok]] = there[ok]
                moving, step = moving[~ok], step[~ok]
                if not len(moving):
                    break
                high[moving] = np.where(step > 0, step, high[moving])
                low[moving] = np.where(step > 0, low[moving], step)
        return points
