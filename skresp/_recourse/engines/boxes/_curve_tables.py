"""Curves of one person as tables over knots.

Between two knots each branch of a curve stays between its values there. So the sum of
the larger values is never less than the curve, and is a step function: a tree for the
search over boxes. A second one, from the smaller values, is never more than the curve.
At the knots it is the curve itself, so that points at knots are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._curves import Curve, values_of
from ._forest import LEAF, Forest
from ._rules import INTEGER
from ._variables import UnknownValueError, Variable, Variables

#: More than the depth of each table as a tree.
MAX_DEPTH = 20
# Values of an integer that are all knots.
_MAX_VALUES = 4_096
# Pieces of a range at first, and when it is divided where the curve is steep.
_FIRST_PIECES, _PIECES, _MAX_PARTS = 64, 256, 32
_STEEP_ROUNDS = 3
# Parts and rounds for a piece in which a curve may turn, and knots with which it ends.
_TURN_PARTS, _TURN_ROUNDS, _MAX_KNOTS = 8, 14, 4_096
# Rounding of values, relative to their size.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Knots:
    """Knots of one column.

    Attributes
    ----------
    at : array of shape (n_knots,)
        Ascending.
    listed : bool
        Whether the knots are all values that can be reached.
    step : float
        The distance of neighbouring values; 0 for reals.
    before : float
    values : list of array of shape (n_knots, n_branches, n_channels)
        For each curve of the column.
    """

    at: FloatArray
    listed: bool
    step: float
    before: float
    values: list[FloatArray] = field(default_factory=list)

    @property
    def is_single(self) -> BoolArray:
        """Which pieces between knots hold no other value than the right knot.

        The first one holds the left knot, too.
        """
        out = np.diff(self.at) <= self.step * 1.5
        out[:1] = False
        return out

    def upper(self, k: int) -> FloatArray:
        """Return the upper bounds of a curve on pieces, see `edges`."""
        values = self.values[k]
        sums = values.sum(axis=1)
        if self.listed:
            return sums
        pairs = np.maximum(values[1:], values[:-1]).sum(axis=1)
        return np.where(self.is_single[:, None], sums[1:], pairs)

    @property
    def edges(self) -> FloatArray:
        """The largest number of each piece but the last."""
        return self.at[:-1] if self.listed else self.at[1:-1]

    def lower(self, k: int) -> FloatArray:
        """Return a curve at the knots, with lower bounds in between."""
        values = self.values[k]
        out = np.empty((2 * len(values) - 1, values.shape[2]))
        out[::2] = values.sum(axis=1)
        out[1::2] = np.minimum(values[1:], values[:-1]).sum(axis=1)
        return out

    @property
    def lower_edges(self) -> FloatArray:
        """The largest number of each piece of `lower` but the last."""
        out = np.empty(2 * len(self.at) - 2)
        out[::2] = self.at[:-1]
        out[1::2] = np.maximum(np.nextafter(self.at[1:], -np.inf), self.at[:-1])
        return out

    def inside(self, low: float, high: float, pieces: int) -> Knots:
        """Return knots within an interval, which have no values yet."""
        if self.listed:
            return self
        if self.step:
            low = self.before + np.ceil((low - self.before) / self.step) * self.step
            high = self.before + np.floor((high - self.before) / self.step) * self.step
        at = self._rounded(np.linspace(low, max(low, high), pieces + 1), low, high)
        # Pieces are closed to the right, so a value is exact with its predecessor.
        single = [low, self.before] if not self.step else []
        least = self.at[0] if len(self.at) else low
        ends = [np.nextafter(x, -np.inf) for x in single if least < x <= max(low, high)]
        return replace(self, at=np.unique(np.r_[at, ends]), values=[])

    def _rounded(self, at: FloatArray, low: float, high: float) -> FloatArray:
        """Return numbers that are reached exactly by a change of the current one."""
        change = at - self.before
        if self.step:
            change = np.rint(change / self.step) * self.step
        for _ in range(2):
            at = self.before + change
            change = at - self.before
        ends = [low, high]
        if low <= self.before <= high:
            ends.append(self.before)
        return np.unique(np.r_[np.clip(at, low, high), ends])


def first_knots(variable: Variable) -> Knots:
    """Return the knots of a variable, which have no values yet."""
    low, high = variable.reached
    before = variable.before
    if variable.allowed is not None:
        return Knots(np.array(sorted(variable.allowed)), True, 0.0, before)
    if variable.kind == INTEGER:
        first, last = np.ceil(low - before), np.floor(high - before)
        if last - first <= _MAX_VALUES:
            return Knots(before + np.arange(first, last + 1), True, 1.0, before)
        out = Knots(np.zeros(0), False, 1.0, before)
        return out.inside(before + first, before + last, _FIRST_PIECES)
    return Knots(np.zeros(0), False, 0.0, before).inside(low, high, _FIRST_PIECES)


@dataclass(frozen=True)
class CurveTables:
    """All curves of one person.

    Attributes
    ----------
    knots : dict of int to Knots
        For each column with a curve; of one that does not move, a single number.
    """

    knots: Mapping[int, Knots]

    def constants(
        self, curves: Sequence[Curve], moving: Mapping[int, int], total: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return what columns that do not move add to channels, and all sizes."""
        sums, size = np.zeros(total), np.zeros(total)
        for curve, k in _numbered(curves):
            knots = self.knots[curve.column]
            if len(knots.at):
                values = knots.values[k]
                large = np.abs(values).max(axis=0).sum(axis=0)
                here = slice(curve.channel, curve.channel + len(large))
                if curve.column not in moving:
                    sums[here] += values.sum(axis=1)[0]
            else:
                large = np.abs(curve.missing)
                here = slice(curve.channel, curve.channel + len(large))
                sums[here] += curve.missing
            size[here] += large
        if not np.isfinite(sums).all() or not np.isfinite(size).all():
            raise UnknownValueError
        return sums, size

    def write(
        self,
        curves: Sequence[Curve],
        moving: Mapping[int, int],
        forest: Forest,
        node: int,
        tree: int,
        *,
        lower: bool,
    ) -> tuple[int, int]:
        """Write the tables of columns that move as trees; -1 where there is no room."""
        for curve, k in _numbered(curves):
            if curve.column not in moving:
                continue
            knots = self.knots[curve.column]
            values = knots.lower(k) if lower else knots.upper(k)
            edges = knots.lower_edges if lower else knots.edges
            if len(knots.at) == 1:
                values, edges = knots.values[k].sum(axis=1), np.zeros(0)
            if len(values) > 2 ** (MAX_DEPTH - 2):
                raise UnknownValueError
            shape = _tree_of(len(values))
            stop = node + len(shape.leaf)
            if stop > len(forest.column) or tree >= len(forest.roots):
                return -1, tree
            inner = shape.leaf < 0
            here = slice(node, stop)
            forest.column[here] = np.where(inner, moving[curve.column], LEAF)
            padded = np.append(edges, 0.0)
            forest.threshold[here] = np.where(inner, padded[shape.edge], 0.0)
            forest.left[here] = node + shape.left
            forest.right[here] = node + shape.right
            forest.top[here] = 0.0
            forest.top[here, : values.shape[1]] = values[shape.leaf]
            forest.roots[tree], forest.channel[tree] = node, curve.channel
            node, tree = stop, tree + 1
        return node, tree


def _numbered(curves: Sequence[Curve]) -> list[tuple[Curve, int]]:
    """Return curves with their positions among those of the same column."""
    seen: dict[int, int] = {}
    out = []
    for curve in curves:
        k = seen.get(curve.column, 0)
        seen[curve.column] = k + 1
        out.append((curve, k))
    return out


class _Tree(NamedTuple):
    """A balanced tree over pieces: a node, its left nodes, its right nodes."""

    edge: IndexArray
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    leaf: IndexArray


@lru_cache(maxsize=256)
def _tree_of(pieces: int) -> _Tree:
    """Return the nodes of a tree; `leaf` is -1 at inner nodes."""
    nodes: list[list[int]] = []

    def grow(first: int, last: int) -> int:
        at = len(nodes)
        nodes.append([0, at + 1, -1, -1])
        if last - first == 1:
            nodes[at][3] = first
            return at
        middle = (first + last) // 2
        nodes[at][0] = middle - 1
        grow(first, middle)
        nodes[at][2] = grow(middle, last)
        return at

    grow(0, pieces)
    edge, left, right, leaf = np.array(nodes).T
    return _Tree(edge, left.astype(np.int32), right.astype(np.int32), leaf)


# -- tables of people ------------------------------------------------------------------


def first_tables(
    curves: Sequence[Curve],
    codes: Sequence[FloatArray],
    variables: Sequence[Variables],
) -> list[CurveTables]:
    """Return the tables of people, given their rows and variables.

    Knots are dense where curves are steep, and where they turn.
    """
    people = []
    columns = {curve.column for curve in curves}
    for row, own in zip(codes, variables, strict=True):
        knots = {
            c: Knots(row[[c]][~np.isnan(row[[c]])], True, 0.0, float(row[c]))
            for c in columns
        }
        for variable in own.all:
            if variable.column in columns:
                knots[variable.column] = first_knots(variable)
        people.append(knots)
    fill(curves, people)
    for turn in range(_STEEP_ROUNDS + _TURN_ROUNDS):
        find = _steep if turn < _STEEP_ROUNDS else _turns
        new = [
            {c: k for c, k in ((c, find(k)) for c, k in mine.items()) if k is not None}
            for mine in people
        ]
        if not any(new):
            if find is _turns:
                break
            continue
        fill(curves, new)
        for mine, some in zip(people, new, strict=True):
            mine.update({c: merged(mine[c], k) for c, k in some.items()})
    return [CurveTables(mine) for mine in people]


def fill(curves: Sequence[Curve], people: Sequence[dict[int, Knots]]) -> None:
    """Compute the values at knots, for all people at once."""
    wanted: dict[int, list[tuple[dict[int, Knots], int]]] = {}
    for mine in people:
        for c, knots in mine.items():
            if len(knots.at) and not knots.values:
                wanted.setdefault(c, []).append((mine, len(knots.at)))
    some = [curve for curve in curves if curve.column in wanted]
    which, distinct = {}, {}
    for c, asked in wanted.items():
        every = np.concatenate([mine[c].at for mine, _ in asked])
        distinct[c], which[c] = np.unique(every, return_inverse=True)
    found: dict[int, list[FloatArray]] = {}
    for curve, values in zip(some, values_of(some, distinct), strict=True):
        found.setdefault(curve.column, []).append(values[which[curve.column]])
    for c, asked in wanted.items():
        start = 0
        for mine, many in asked:
            here = slice(start, start + many)
            mine[c] = replace(mine[c], values=[v[here] for v in found[c]])
            start += many


def _steep(knots: Knots) -> Knots | None:
    """Return more knots where a curve changes much; None where it does not."""
    if knots.listed or len(knots.at) < 2:
        return None
    change = sum(
        np.abs(np.diff(v, axis=0)).sum(axis=1).max(axis=1) for v in knots.values
    )
    total = np.sum(change)
    if not 0 < total < np.inf:
        return None
    parts = np.clip(np.ceil(change * _PIECES / total), 1, _MAX_PARTS)
    return _divided(knots, parts.astype(np.intp))


def _turns(knots: Knots) -> Knots | None:
    """Return more knots where a curve may be larger than at all knots, if any.

    Branches that work against each other never have a bound that is reached, so the
    number of knots is limited.
    """
    if knots.listed or not 2 <= len(knots.at) <= _MAX_KNOTS:
        return None
    may_turn = np.zeros(len(knots.at) - 1, dtype=bool)
    for k, values in enumerate(knots.values):
        sums, upper = values.sum(axis=1), knots.upper(k)
        size = np.abs(values).max(axis=0).sum(axis=0)
        off = upper - np.maximum(sums[1:], sums[:-1]) > _ROUNDING * size
        may_turn |= (off & (upper > sums.max(axis=0))).any(axis=1)
    return _divided(knots, np.where(may_turn, _TURN_PARTS, 1))


def _divided(knots: Knots, parts: IndexArray) -> Knots | None:
    """Return new knots that divide each piece into equal parts."""
    piece = np.repeat(np.arange(len(parts)), parts - 1)
    if not len(piece):
        return None
    first = np.repeat(np.cumsum(parts - 1) - (parts - 1), parts - 1)
    share = (np.arange(len(piece)) - first + 1) / parts[piece]
    at = knots.at[piece] + share * np.diff(knots.at)[piece]
    at = knots._rounded(at, knots.at[0], knots.at[-1])
    at = np.setdiff1d(at, knots.at)
    return replace(knots, at=at, values=[]) if len(at) else None


def merged(knots: Knots, more: Knots) -> Knots:
    """Return all knots, ascending."""
    at = np.concatenate([knots.at, more.at])
    at, order = np.unique(at, return_index=True)
    values = [
        np.concatenate(pair)[order]
        for pair in zip(knots.values, more.values, strict=True)
    ]
    return replace(knots, at=at, values=values)


def check_monotone(tables: CurveTables) -> None:
    """Raise UnknownValueError where a branch neither rises nor falls."""
    for knots in tables.knots.values():
        for values in knots.values:
            steps = np.diff(values, axis=0)
            slack = _ROUNDING * (1.0 + np.abs(values).max(axis=0, initial=0.0))
            rises = (steps >= -slack).all(axis=0)
            if not (rises | (steps <= slack).all(axis=0)).all():
                raise UnknownValueError
