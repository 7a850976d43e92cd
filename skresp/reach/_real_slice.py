"""Draw uniformly from a slice of a part: discrete values fixed, reals free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from ._deadline import LimitError
from ._outcome import Outcome
from ._random_walk import RandomWalk, steps_of_a_walk
from ._solver_search import Search
from ._upper_bound import upper_bound

# Points tried in a box around a slice: at first, and altogether. If a smaller share is
# inside, the solver is used to find a smaller box.
_FIRST = 64
MAX_TRIED = 20_000
_OFTEN = 0.05
# Tries, in lengths of random walks, that show whether walks take fewer.
_ENOUGH = 8
# Nodes for an end of the box; few, since a box that is too wide does no harm.
_NODES = 3
_FLAT = 1e-8
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
    moving : int, optional
        A feature that must not end where it is.
    still : sequence of int
        Features without own changes that end where they are: effects on them cancel.
    """

    fixed: Mapping[int, float]
    held: Sequence[int]
    free: Sequence[int]
    own: Mapping[int, float] = {}
    moving: int | None = None
    still: Sequence[int] = ()


def draw_slice(
    search: Search, region: Slice, n: int, rng: np.random.Generator
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
        drawn = _draw_level([_Region(search, b) for b in level], n, rng)
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
    regions: list[_Region], n: int, rng: np.random.Generator
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
            drawn = region.draw(count, rng)
            out += list(drawn)
            if len(drawn) or not count:
                left.append(region)
        if len(regions) == 1:
            break
        regions = left
    return out[:n]


class _Region:
    """The points of a slice, by the free coordinates that determine the others.

    A constraint `Linear` with equal limits determines one of its reals, and so does a
    feature whose effects cancel. That one is computed from the others, so that the
    region of the others has a volume.
    """

    def __init__(self, search: Search, region: Slice) -> None:
        self.search, self.part = search, search.part
        held = set(self.part.held(search.before)) - {*region.fixed}
        free = [k for k in region.free if k not in held]
        self.fixed, self.moving = region.fixed, region.moving
        self.still = list(region.still)
        moving = [*region.free, *region.own]
        self.held = [*region.held, *(k for k in moving if k in held)]
        self.given = {k: own for k, own in region.own.items() if k not in held}
        rows = [search.at(k, value) for k, value in self.fixed.items()]
        rows += [
            row(search.program.change(self.part.names[k]), 0, 0)
            for k in [*self.held, *self.still]
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
        for k in self.still:
            out.append((np.eye(len(self.part.names))[k], float(self.search.before[k])))
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
        before = np.broadcast_to(self.search.before, own.shape)
        is_still = (self.part.total(own)[:, self.still] == 0).all(axis=1)
        return self.part.feasible(before, own) & self._moves(own) & is_still

    def _moves(self, own: FloatArray) -> BoolArray:
        """Return which own changes move the feature that must, beyond rounding."""
        j = self.moving
        if j is None:
            return np.ones(len(own), dtype=bool)
        feature, value = self.part.features[j], float(self.search.before[j])
        amount = self.part.total(own)[:, j]
        if feature.kind != "real":
            return amount != 0
        size = abs(value) + max(map(abs, feature.own_limits(value)))
        return np.abs(amount) > 4 * np.spacing(size)

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
        try:
            if share < _OFTEN:
                smaller = self._box() if len(points) or self._is_possible() else None
                if smaller is None and not len(points):
                    return self.own(points)
                box = smaller or box
            if len(points) < n:
                missing = n - len(points)
                more, _ = self._try(box, missing, self._most_tried(missing), rng)
                points = np.concatenate([points, more])
            if len(points) < n:
                more = self._walk(points, n - len(points), box, rng)
                points = np.concatenate([points, more])
        except LimitError:
            if not len(points):
                raise
        return self.own(points[:n])

    def _most_tried(self, n: int) -> int:
        """Return the tries in a box for `n` points.

        Half of the allowance is left for random walks.
        """
        most = min(MAX_TRIED, n * steps_of_a_walk(len(self.free)))
        return int(min(most, allowance().points // 2))

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
        """Return the points of the region among draws from a box, and their share.

        It ends where a random walk takes fewer tries than a point of the region.
        """
        inside = np.zeros((0, len(self.free)))
        tried, size = 0, max(2 * n, 8)
        steps = steps_of_a_walk(len(self.free))
        while len(inside) < n and tried < most and not allowance().deadline.is_over:
            size = allowance().spend_up_to(min(size, max(most - tried, 8)))
            if not size:
                break
            points = rng.uniform(*box, size=(size, len(self.free)))
            inside = np.concatenate([inside, points[self.contains(points)]])
            tried, size = tried + size, 2 * size
            if tried > _ENOUGH * steps and tried > steps * len(inside):
                break
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
        """Return extreme points of the region, at both ends of each dimension it has.

        Each direction is at right angles to the differences of the points found so far.
        """
        amounts = [self.search.program.own(self.part.names[k]) for k in self.free]
        rows = list(self.rows)
        if self.moving is not None:
            changed = self.search.program.changed(self.part.names[self.moving])
            rows.append(row(changed, lower=1))
        low, high = self._limits()
        scale = 1 / np.maximum(high - low, 1e-300)
        corners = []
        found = np.zeros((0, len(amounts)))
        for _ in amounts:
            weights = _right_angle(found, rng.normal(size=len(amounts)))
            objective = total(
                w * each for w, each in zip(weights * scale, amounts, strict=True)
            )
            answers = [self.search.find(rows, s * objective)[1] for s in (1.0, -1.0)]
            ends = [own[self.free] for own in answers if own is not None]
            corners += ends
            if len(ends) == 2:
                difference = _right_angle(found, (ends[0] - ends[1]) * scale)
                if np.linalg.norm(difference) > _FLAT:
                    weights = difference
            found = np.vstack([found, weights / np.linalg.norm(weights)])
        return np.array(corners).reshape(-1, len(self.free))

    def _walk(
        self,
        start: FloatArray,
        n: int,
        box: tuple[FloatArray, FloatArray],
        rng: np.random.Generator,
    ) -> FloatArray:
        """Return the ends of `n` random walks from some points of the region."""
        corners = self._corners(rng)
        if not len(start) and len(corners):
            middle = corners.mean(axis=0)[None]
            start = middle if self.contains(middle)[0] else corners
            start = start[self.contains(start)]
        if not len(start):
            return start
        return RandomWalk(self.contains, box, corners, rng).ends(start, n)


def _right_angle(found: FloatArray, vector: FloatArray) -> FloatArray:
    """Return the part of a vector that is at right angles to some unit vectors."""
    return vector - found.T @ (found @ vector)
