"""Minimal interventions in which one real moves along with a feature.

Where a change of the feature is not feasible by itself, another real may have to move.
For each combination of the discrete features it then has stretches: between two points
at which a constraint may change, one amount represents all. That takes the constraints
alone, no solver.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from skresp._actions._constraint import Constraint
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._allowance import OutOfPointsError, allowance
from ._configurations import changes_without
from ._distinct_rows import distinct_rows
from ._interventions import minimal_of_one, without_missing
from ._interventions_by_amount import InterventionsByAmount, free_reals, movable_reals
from ._part import Part
from ._solver_search import Search
from ._stretches import Stretches

# Lines of one call: amounts, combinations of the discrete features, reals.
_MAX_LINES = 100_000
_POINTS_AT_ONCE = 50_000
# Points of a line are the same if they are nearer than this, relative to the values of
# the features, and to the range of the real.
_ROUNDING = 1e-14
_PRECISION = 1e-9


@dataclass(frozen=True)
class SecondReal:
    """Minimal interventions by amount, with those in which one other real moves.

    Attributes
    ----------
    stretches : list of list of Stretches
        For each amount of `InterventionsByAmount`, besides the changes there.
    known : array of bool of shape (n_amounts,)
        Where these are all.
    """

    stretches: list[list[Stretches]]
    known: BoolArray


def with_second_real(
    part: Part,
    before: FloatArray,
    j: int,
    by_amount: InterventionsByAmount,
    search: Search | None = None,
) -> SecondReal:
    """Add the minimal interventions on feature `j` in which one other real moves.

    Where several others could move at once, the solver (`search`) is asked whether
    they must, once for neighbouring amounts at which the same features move.
    """
    amounts, known = by_amount.amounts, by_amount.known
    found = SecondReal([[] for _ in amounts], known)
    left = np.flatnonzero(~known)
    left = left[np.argsort(amounts[left])]
    reals = [k for k in movable_reals(part, before) if k != j]
    # The few changes of a real that has no range are no configurations.
    have_ranges = {*reals} <= {*free_reals(part, before)}
    lines = None
    if len(left) and by_amount.listed and have_ranges and not part.links_into[j]:
        lines = _lines(part, before, j, amounts[left], reals)
    if lines is None:
        return found
    changes, stretches = lines
    at = left[np.searchsorted(amounts[left], changes[:, j])].tolist()
    # A set of features that move is minimal if it contains no other of its amount.
    others = {i: without_missing(by_amount.of(i), before) for i in left.tolist()}
    sets = {i: {*map(bytes, each != 0)} for i, each in others.items()}
    every = np.concatenate([*others.values(), without_missing(changes, before)])
    first = len(every) - len(changes)
    is_minimal = minimal_of_one(every)[first:, j].tolist()
    for i, moved, line, minimal in zip(
        at, every[first:] != 0, stretches, is_minimal, strict=True
    ):
        if minimal:
            found.stretches[i].append(line)
            sets[i].add(bytes(moved))
    if len(reals) == 1:
        return replace(found, known=np.ones(len(amounts), dtype=bool))
    if search is None:
        return found
    return replace(found, known=_others_stay(search, j, by_amount, sets))


def _lines(
    part: Part, before: FloatArray, j: int, amounts: FloatArray, reals: list[int]
) -> tuple[FloatArray, list[Stretches]] | None:
    """Return the stretches of each real at these amounts, and a change of each.

    Return None where the lines are too many, or where a constraint does not know where
    it changes.
    """
    own_j = np.concatenate([[0.0], amounts])
    listed = changes_without(part, before, reals, {j: own_j})
    if listed is None or len(listed) * len(reals) > _MAX_LINES:
        return None
    listed = listed[listed[:, j] != 0]
    start = part.own(listed)
    # Where effects on all reals are cancelled, there is one point.
    sources = sorted({source for k in reals for source, _ in part.links_into[k]})
    still = _with_still(part, start, reals)
    found = [_points(part, before, still[(listed[:, sources] != 0).any(axis=1)])]
    for r in reals:
        others = [k for k in reals if k != r]
        own = _with_still(part, start, others)
        unit = np.zeros((1, len(before)))
        unit[0, r] = 1.0
        rates = _with_still(part, unit, others)[0]
        cuts = _cuts(part, before, own, rates, r)
        if cuts is None:
            return None
        found.append(_feasible_lines(part, before, own, rates, cuts, r))
        cancelled = _cancelled(part, before, own, rates, cuts, r)
        found.append(_points(part, before, cancelled))
    changes, stretches = zip(*found, strict=True)
    return np.concatenate(changes), [line for each in stretches for line in each]


def _points(
    part: Part, before: FloatArray, own: FloatArray
) -> tuple[FloatArray, list[Stretches]]:
    """Return the total changes of single points, those that are feasible."""
    own = own[part.feasible(np.broadcast_to(before, own.shape), own)]
    at = np.zeros(1)
    return part.total(own), [
        Stretches(each, np.zeros_like(each), at, at) for each in own
    ]


def _cancelled(
    part: Part,
    before: FloatArray,
    own: FloatArray,
    rates: FloatArray,
    cuts: FloatArray,
    r: int,
) -> FloatArray:
    """Return the points of lines at which the real cancels the change of another.

    There fewer features move than around them. The real itself moves.
    """
    change, speed = part.total(own), part.total(rates[None])[0]
    points = [own[:0]]
    seen = np.zeros((len(own), 0))
    for k in np.flatnonzero((speed != 0) & ~np.isnan(before)).tolist():
        if k == r:
            continue
        amount = -change[:, k] / speed[k]
        # Without an own change the real may be outside its range.
        ok = (cuts[:, 0] <= amount) & (amount <= cuts[:, -1]) | (amount == 0)
        ok &= ~np.isclose(seen, amount[:, None], rtol=1e-9, atol=0).any(axis=1)
        points.append(own[ok] + amount[ok, None] * rates)
        seen = np.column_stack([seen, amount])
    every = np.concatenate(points)
    return every[part.total(every)[:, r] != 0]


def _with_still(part: Part, own: FloatArray, still: list[int]) -> FloatArray:
    """Return own changes with which some reals stay put, whatever the effects."""
    own, change = own.copy(), own.copy()
    for k in part.order:
        effect = part.effects_on(change, k)
        if k in still:
            own[:, k] = -effect
        change[:, k] = own[:, k] + effect
    return own


def _cuts(
    part: Part, before: FloatArray, own: FloatArray, rates: FloatArray, r: int
) -> FloatArray | None:
    """Return where something may change along each line of a real, in ascending order.

    The ends of its range are the first and the last. Return None where a constraint
    does not know its own.
    """
    low, high = part.features[r].own_limits(float(before[r]))
    change, speed = part.total(own), part.total(rates[None])[0]
    cuts = []
    for k in np.flatnonzero(speed).tolist():
        cuts.append(-change[:, [k]] / speed[k])  # it stays put
    for k in np.flatnonzero(rates).tolist():
        limits = np.array([*part.features[k].own_limits(float(before[k])), 0.0])
        cuts.append((limits - own[:, [k]]) / rates[k])
    for rule, columns in part.rules:
        if speed[columns].any():
            turning = _turning_points(
                rule, (before + change)[:, columns], speed[columns]
            )
            if turning is None:
                return None
            cuts.append(turning)
    every = np.hstack(cuts)
    inside = (every >= low) & (every <= high)  # false where it is not a number
    return np.sort(np.where(inside, every, low), axis=1)


def _turning_points(
    rule: Constraint, starts: FloatArray, rates: FloatArray
) -> FloatArray | None:
    """Return the turning points of a constraint along lines, NaN where there are fewer.

    Return None where it does not know them.
    """
    first, which = distinct_rows(starts)
    points = []
    for start in starts[first]:
        allowance().deadline.check()
        found = rule.turning_points(start, rates)
        if found is None:
            return None
        points.append(found)
    table = np.full((len(first), max(map(len, points), default=0)), np.nan)
    for i, found in enumerate(points):
        table[i, : len(found)] = found
    return table[which]


def _feasible_lines(
    part: Part,
    before: FloatArray,
    own: FloatArray,
    rates: FloatArray,
    cuts: FloatArray,
    r: int,
) -> tuple[FloatArray, list[Stretches]]:
    """Return the stretches of lines on which something is feasible, and a change each.

    All that the real moves does move there. Single points count where no stretch is
    feasible, and staying outside the range where nothing in it is.
    """
    moving = (part.total(rates[None])[0] != 0) & ~np.isnan(before)
    # Cuts of several constraints at one point differ by rounding: that is no stretch.
    low, high = part.features[r].own_limits(float(before[r]))
    size = np.nanmax(np.abs([*before, low, high]))
    same = min(_ROUNDING * size, _PRECISION * (high - low))

    def feasible(line: IndexArray, amounts: FloatArray) -> BoolArray:
        ok = np.zeros(len(line), dtype=bool)
        for i in range(0, len(line), _POINTS_AT_ONCE):
            some = slice(i, i + _POINTS_AT_ONCE)
            at = own[line[some]] + amounts[some, None] * rates
            good = part.feasible(np.broadcast_to(before, at.shape), at)
            good[good] = (part.total(at[good])[:, moving] != 0).all(axis=1)
            ok[some] = good
        return ok

    middle = cuts[:, :-1] / 2 + cuts[:, 1:] / 2
    line, at = np.nonzero(np.diff(cuts, axis=1) > same)
    ok = feasible(line, middle[line, at])
    line, at = line[ok], at[ok]
    lines, points = [line], [middle[line, at]]
    lows, highs = [cuts[line, at]], [cuts[line, at + 1]]
    for single in (cuts, np.zeros((len(own), 1))):
        rest = np.setdiff1d(np.arange(len(own)), np.concatenate(lines))
        new = np.diff(single[rest], axis=1, prepend=np.nan) != 0
        line, point = rest[np.nonzero(new)[0]], single[rest][new]
        ok = feasible(line, point)
        line, point = line[ok], point[ok]
        ok = np.diff(line, prepend=-1) > 0
        ok |= np.diff(point, prepend=np.nan) > same
        lines.append(line[ok])
        for each in (points, lows, highs):
            each.append(point[ok])
    line, point = np.concatenate(lines), np.concatenate(points)
    ends = np.column_stack([np.concatenate(lows), np.concatenate(highs)])
    order = np.argsort(line, kind="stable")
    kept, first = np.unique(line[order], return_index=True)
    change = part.total(own[kept] + point[order[first]][:, None] * rates)
    pieces = np.split(ends[order], first[1:])[: len(kept)]
    return change, [
        Stretches(each, rates, *piece.T)
        for each, piece in zip(own[kept], pieces, strict=True)
    ]


def _others_stay(
    search: Search,
    j: int,
    by_amount: InterventionsByAmount,
    sets: Mapping[int, set[bytes]],
) -> BoolArray:
    """Return for which amounts no other features have to move.

    Neighbouring amounts with the same sets of features that move are one question to
    the solver.
    """
    known = by_amount.known.copy()
    order = np.argsort(by_amount.amounts)
    is_ordered = search.part.features[j].kind != "categorical"

    def family(i: int) -> Hashable:
        if known[i]:
            return None
        side = by_amount.amounts[i] > 0 if is_ordered else i
        return side, frozenset(sets[i])

    for key, group in groupby(order.tolist(), key=family):
        if key is None:
            continue
        same = list(group)
        moved = np.array([np.frombuffer(each, dtype=bool) for each in sets[same[0]]])
        low, high = (search.before[j] + by_amount.amounts[[same[0], same[-1]]]).tolist()
        within = search.at(j, low) if low == high else search.between(j, low, high)
        try:
            found, complete = search.supports([within, *search.without(moved)], 1)
        except OutOfPointsError:
            break  # the amounts that are known can still be drawn
        known[same] = complete and not found
    return known
