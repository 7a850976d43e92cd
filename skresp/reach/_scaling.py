"""Scale programs to units that a floating-point solver can work with.

A solver decides up to an absolute tolerance. With a column that ranges over 1e12 beside
a literal, that tolerance is too coarse. So every column is shifted and divided by its
own range, for each person. What the solver still cannot resolve is handled by exact
arithmetic on the bounds (`tighten`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.constraints._expression import Expression
from skresp.constraints._program import Program, Row

# Integer columns with a wider range are continuous for the solver, then rounded.
WIDEST_INTEGER = 2.0**20
# Weights below this, relative to the largest of their row, widen the bounds of the row
# instead. The solver itself would drop them silently.
_LEAST_WEIGHT = 1e-9
_MEANING = 1e-9  # the relative error that constraints allow for reals
_ROUNDING = 1e-15
_ROUNDS = 20


@dataclass(frozen=True)
class Box:
    """Bounds of the columns of a program.

    Attributes
    ----------
    lower, upper : array of shape (n_columns,)
    integer : array of bool of shape (n_columns,)
        Which columns take whole values.
    slack : array of shape (n_columns,)
        The absolute error that constraints allow, in addition to the relative one.
    """

    lower: FloatArray
    upper: FloatArray
    integer: BoolArray
    slack: FloatArray

    @classmethod
    def of(cls, program: Program) -> Box:
        """Return the bounds that a program gives its columns."""
        return cls(
            np.array(program.column_lower, dtype=float),
            np.array(program.column_upper, dtype=float),
            np.array(program.column_integer, dtype=bool),
            np.array(program.column_slack, dtype=float),
        )

    @property
    def wide(self) -> BoolArray:
        """Which integer columns are continuous for the solver."""
        return self.integer & (self.upper - self.lower > WIDEST_INTEGER)

    @property
    def switches(self) -> IndexArray:
        """Positions of the integer columns with two values."""
        return np.flatnonzero(self.integer & (self.upper - self.lower == 1))

    def bounds(self, expression: Expression) -> tuple[float, float]:
        """Return the smallest and largest value of an expression."""
        terms = [
            _Term.of(c, w, self.lower, self.upper) for c, w in expression.terms.items()
        ]
        low = math.fsum(term.least for term in terms)
        high = math.fsum(term.most for term in terms)
        return expression.constant + low, expression.constant + high

    def fixed(self, columns: IndexArray, values: FloatArray) -> Box:
        """Return the box with some columns fixed."""
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[columns] = upper[columns] = values
        return replace(self, lower=lower, upper=upper)

    def around(self, point: FloatArray, share: float) -> Box:
        """Return a box around a point, with sides that are a share of this one's."""
        reach = share * (self.upper - self.lower)
        reach = np.where(self.integer, np.ceil(reach), reach)
        lower = np.maximum(self.lower, point - reach)
        upper = np.minimum(self.upper, point + reach)
        return replace(self, lower=lower, upper=upper)


def tighten(rows: Sequence[Row], box: Box) -> Box | None:
    """Return the box without values that a single row excludes.

    Return None where nothing is left, which proves that the rows have no solution.
    Sums of whole numbers are exact; for others the error that constraints allow is
    added.
    """
    lower, upper = box.lower.copy(), box.upper.copy()
    for _ in range(_ROUNDS):
        moved = False
        for weights, low, high in rows:
            change = _tighten_row(weights, low, high, lower, upper, box)
            if change is None:
                return None
            moved |= change
        if not moved:
            break
    return replace(box, lower=lower, upper=upper)


def _tighten_row(
    weights: dict[int, float],
    low: float,
    high: float,
    lower: FloatArray,
    upper: FloatArray,
    box: Box,
) -> bool | None:
    """Tighten the bounds by one row, in place; return None where it cannot hold."""
    if low == -math.inf and high == math.inf:
        return False
    terms = [_Term.of(c, w, lower, upper) for c, w in weights.items()]
    least = math.fsum(term.least for term in terms)
    most = math.fsum(term.most for term in terms)
    off = _tolerance(terms, low, high, box)
    if least > high + off or most < low - off:
        return None
    moved = False
    for c, w, term_least, term_most in terms:
        # The range that the other columns leave for this term.
        room = low - off - (most - term_most), high + off - (least - term_least)
        first, last = sorted((room[0] / w, room[1] / w))
        gain = 1e-3 * float(upper[c] - lower[c])
        if box.integer[c]:
            first, last = _whole(first, last, 0.0 if off == 0 else 1e-12)
            gain = 0.5
        elif len(terms) == 1 and low == high:
            first = last = low / w  # a value that the caller demands
        if first > lower[c] + gain or lower[c] < first >= upper[c]:
            lower[c], moved = first, True
        if last < upper[c] - gain or upper[c] > last <= lower[c]:
            upper[c], moved = last, True
        if lower[c] > upper[c]:
            if box.integer[c] or lower[c] > upper[c] + 2 * off / abs(w):
                return None
            lower[c] = upper[c] = (lower[c] + upper[c]) / 2
    return moved


def _whole(first: float, last: float, off: float) -> tuple[float, float]:
    """Return the whole numbers at the ends of a range, up to a relative error.

    A quotient of whole numbers below 2**52 is rounded to a whole number only where it
    is one, so that the error can be 0.
    """
    if math.isfinite(first):
        first = float(math.ceil(first - off * max(1.0, abs(first))))
    if math.isfinite(last):
        last = float(math.floor(last + off * max(1.0, abs(last))))
    return first, last


class _Term(NamedTuple):
    """A weighted column of a row, and the smallest and largest value that it adds."""

    column: int
    weight: float
    least: float
    most: float

    @classmethod
    def of(cls, c: int, w: float, lower: FloatArray, upper: FloatArray) -> _Term:
        """Return the term of a column with these bounds."""
        ends = w * float(lower[c]), w * float(upper[c])
        return cls(c, w, min(ends), max(ends))


def _tolerance(terms: Sequence[_Term], low: float, high: float, box: Box) -> float:
    """Return the error of a row: of our arithmetic, and allowed by the constraints."""
    limits = [limit for limit in (low, high) if math.isfinite(limit)]
    if not limits:
        return 0.0  # the row limits nothing
    size = math.fsum(max(abs(t.least), abs(t.most)) for t in terms)
    size = max(size, *map(abs, limits))
    whole = all(box.integer[t.column] and t.weight == round(t.weight) for t in terms)
    if whole and all(limit == round(limit) for limit in limits) and size < 2**52:
        return 0.0
    # Literals cancel against the limit and say nothing about the size of the values.
    fixed = math.fsum(
        t.least for t in terms if t.least == t.most and box.integer[t.column]
    )
    off = _ROUNDING * size
    off += _MEANING * max(1.0, min(abs(limit - fixed) for limit in limits))
    for t in terms:
        if not box.integer[t.column]:
            off += abs(t.weight) * float(box.slack[t.column])
            off += _MEANING * max(abs(t.least), abs(t.most))
    return off


@dataclass(frozen=True)
class Model:
    """A program in the solver's units: `columns = shift + scale * units`.

    Attributes
    ----------
    arrays : tuple of arrays
        The costs, the bounds of columns, the bounds of rows, the rows themselves
        (starts, columns, weights), and which columns are integer.
    shift, scale : array of shape (n_columns,)
    """

    arrays: tuple[NDArray[Any], ...]
    shift: FloatArray
    scale: FloatArray

    def holds(self, units: FloatArray, off: float) -> bool:
        """Return whether values are a solution, up to `off` of the terms of a row."""
        if units.shape != self.shift.shape or not np.isfinite(units).all():
            return False
        first, last, low, high, starts, index, weights, integer = self.arrays[1:]
        units = np.where(integer, np.rint(units), units)
        room = off * np.maximum(1.0, np.abs(units))
        if not ((units >= first - room) & (units <= last + room)).all():
            return False
        terms = weights * units[index]
        value = np.add.reduceat(terms, starts[:-1]) if len(terms) else np.zeros(0)
        size = np.add.reduceat(np.abs(terms), starts[:-1]) if len(terms) else value
        room = off * np.maximum(1.0, size)
        return bool(((value >= low - room) & (value <= high + room)).all())


def scaled_model(box: Box, rows: Sequence[Row], objective: Expression) -> Model:
    """Return the program in units of each column's own range.

    No feasible point is lost.
    """
    inside = (box.lower <= 0) & (box.upper >= 0)
    nearest = np.where(box.lower > 0, box.lower, box.upper)
    shift = np.where(inside, 0.0, nearest)
    integer = box.integer & ~box.wide
    reach = np.maximum(np.abs(box.lower - shift), np.abs(box.upper - shift))
    scale = np.where(integer | (reach == 0), 1.0, _power(np.where(reach, reach, 1.0)))
    units = (box.lower - shift) / scale, (box.upper - shift) / scale
    cost = np.zeros(len(shift))
    for column, weight in objective.terms.items():
        cost[column] = weight * scale[column]
    largest = float(np.abs(cost).max(initial=0.0))
    if largest > 1e6:
        cost /= _power(np.array(largest))
    made = [_scaled_row(row, shift, scale, *units) for row in rows]
    starts = np.cumsum([0, *(len(weights) for weights, _, _ in made)], dtype=np.int32)
    index = np.array([c for weights, _, _ in made for c in weights], dtype=np.int32)
    value = np.array([w for weights, _, _ in made for w in weights.values()])
    arrays = (
        cost,
        *units,
        np.array([lower for _, lower, _ in made], dtype=float),
        np.array([upper for _, _, upper in made], dtype=float),
        starts,
        index,
        value.astype(float),
        integer.astype(np.int32),
    )
    return Model(arrays, shift, scale)


def _scaled_row(
    row: Row, shift: FloatArray, scale: FloatArray, first: FloatArray, last: FloatArray
) -> Row:
    """Return a row in the solver's units."""
    weights, low, high = row
    moved = math.fsum(w * float(shift[c]) for c, w in weights.items())
    inner = {c: w * float(scale[c]) for c, w in weights.items()}
    size = float(_power(np.array(max(map(abs, inner.values())))))
    low, high = (low - moved) / size, (high - moved) / size
    out = {}
    for c, w in inner.items():
        weight = w / size
        if abs(weight) >= _LEAST_WEIGHT:
            out[c] = weight
        else:  # too small for the solver: the bounds allow all its values
            ends = weight * float(first[c]), weight * float(last[c])
            low, high = low - max(ends), high - min(ends)
    return out, low, high


def _power(values: FloatArray) -> FloatArray:
    """Return the power of two at or above each value; dividing by it is exact."""
    return np.exp2(np.ceil(np.log2(values)))
