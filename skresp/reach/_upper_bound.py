"""Compute upper bounds of linear objectives over the changes of one person.

Branch and bound on the integer columns of a program. HiGHS solves the linear
relaxations, but only its dual multipliers are used, and only as a hint: by weak
duality *any* multipliers give a valid bound, evaluated here with outward rounding. A
wrong answer of the solver makes a bound weak, never false.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from skresp._typing import BoolArray, FloatArray
from skresp.constraints._expression import Expression
from skresp.constraints._program import Program, Row

from ._highs import solve_relaxation

#: Nodes of one search.
MAX_NODES = 2_000
# The rows and real columns of a program are computed in floating point, and constraints
# allow for rounding. So both are widened by this share of their magnitude before
# anything is proved about them.
_WIDENED = 1e-9
_EPSILON = float(np.finfo(float).eps)
# A bound this close to an attained value counts as equal to it.
_CLOSE = 1e-9
_FRACTIONAL = 1e-6


class Bound(NamedTuple):
    """An upper bound of an objective, and the number of nodes it took."""

    value: float
    nodes: int


def upper_bound(
    program: Program,
    extra: Sequence[Row],
    objective: Expression,
    *,
    attained: float = -np.inf,
    most: int = MAX_NODES,
    deadline: float = np.inf,
) -> Bound:
    """Compute an upper bound of the objective over all solutions of the program.

    The bound holds whatever the solver answers.

    Parameters
    ----------
    program : Program
    extra : rows that hold in addition to those of the program
    objective : Expression
    attained : float
        A value that some solution attains; the search ends when the bound gets there.
    most : int
        Maximum number of nodes to evaluate; the root is always evaluated.
    deadline : float
        The time, by `time.monotonic`, after which no further node is evaluated.
    """
    relaxation = _Relaxation.of(program, [*program.rows, *extra], objective)
    lower, upper = relaxation.lower, relaxation.upper
    if not len(lower):
        return Bound(objective.constant, 0)
    root = relaxation.node(lower, upper, np.inf)
    if root is None:
        return Bound(-np.inf, 1)
    nodes = 1
    heap = [(-root.bound, nodes, root)]
    close = _CLOSE * max(1.0, abs(attained)) if np.isfinite(attained) else 0.0
    while heap:
        node = heap[0][2]
        if node.bound <= attained + close or node.column < 0:
            break
        if nodes + 2 > most or monotonic() > deadline:
            break
        heapq.heappop(heap)
        for child_lower, child_upper in node.halves():
            nodes += 1
            child = relaxation.node(child_lower, child_upper, node.bound)
            if child is not None:
                heapq.heappush(heap, (-child.bound, nodes, child))
    if not heap:
        return Bound(-np.inf, nodes)
    return Bound(heap[0][2].bound, nodes)


@dataclass(frozen=True)
class _Node:
    """A subset of the solutions, given by bounds of the columns.

    `column` is the integer column to branch on, at `position`; -1 where there is none.
    """

    bound: float
    lower: FloatArray
    upper: FloatArray
    column: int
    position: float

    def halves(self) -> list[tuple[FloatArray, FloatArray]]:
        """Return the bounds of the columns on either side of the position."""
        below, above = self.upper.copy(), self.lower.copy()
        below[self.column], above[self.column] = self.position, self.position + 1
        return [(self.lower, below), (above, self.upper)]


@dataclass(frozen=True)
class _Relaxation:
    """Maximise `weights @ x + constant` under rows and bounds, integers relaxed.

    Attributes
    ----------
    weights, lower, upper, integer : arrays of shape (n_columns,)
    matrix : array of shape (n_rows, n_columns)
    row_lower, row_upper : arrays of shape (n_rows,)
    """

    weights: FloatArray
    constant: float
    matrix: csr_array
    row_lower: FloatArray
    row_upper: FloatArray
    lower: FloatArray
    upper: FloatArray
    integer: BoolArray

    @classmethod
    def of(
        cls, program: Program, rows: Sequence[Row], objective: Expression
    ) -> _Relaxation:
        """Return the relaxation of a program, with rows and real columns widened."""
        columns = len(program.column_lower)
        weights = np.zeros(columns)
        for column, weight in objective.terms.items():
            weights[column] = weight
        rows = [each for each in rows if each[0]]
        position = np.repeat(np.arange(len(rows)), [len(each[0]) for each in rows])
        index = [column for each in rows for column in each[0]]
        value = [weight for each in rows for weight in each[0].values()]
        matrix = csr_array(
            (np.array(value, dtype=float), (position, np.array(index, dtype=np.intp))),
            shape=(len(rows), columns),
        )
        lower = np.array(program.column_lower, dtype=float)
        upper = np.array(program.column_upper, dtype=float)
        integer = np.array(program.column_integer, dtype=bool)
        size = np.maximum(np.abs(lower), np.abs(upper))
        wider = np.where(integer, 0.0, _WIDENED * size)
        row_lower = np.array([each[1] for each in rows], dtype=float)
        row_upper = np.array([each[2] for each in rows], dtype=float)
        reach = abs(matrix) @ size
        return cls(
            weights,
            objective.constant,
            matrix,
            row_lower - _WIDENED * (reach + _finite(row_lower)),
            row_upper + _WIDENED * (reach + _finite(row_upper)),
            lower - wider,
            upper + wider,
            integer,
        )

    def node(self, lower: FloatArray, upper: FloatArray, above: float) -> _Node | None:
        """Return the node of these bounds; None where it is proved to have no solution.

        `above` is a bound that is already known.
        """
        answer = solve_relaxation(
            -self.weights,
            self.matrix,
            (self.row_lower, self.row_upper),
            (lower, upper),
        )
        for ray in (answer.ray, -answer.ray):
            if self._most(np.zeros_like(self.weights), ray, lower, upper) < 0:
                return None
        multipliers = (np.zeros(len(self.row_lower)), answer.duals)
        bound = min(self._most(self.weights, -y, lower, upper) for y in multipliers)
        bound = float(np.nextafter(bound + self.constant, np.inf))
        column, position = self._branching(answer.columns, lower, upper)
        return _Node(min(above, bound), lower, upper, column, position)

    def _most(
        self, weights: FloatArray, y: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> float:
        """Return an upper bound of `weights @ x` from multipliers of the rows.

        `weights @ x = y @ (matrix @ x) + (weights - matrix.T @ y) @ x`: the first
        term is bounded by the limits of the rows, the second by those of the columns.
        The error of the floating-point evaluation is bounded and added.
        """
        limit = np.where(y > 0, self.row_upper, self.row_lower)
        y = np.where(np.isfinite(limit), y, 0.0)
        of_rows = y * np.where(y != 0, limit, 0.0)
        rest = weights - self.matrix.T @ y
        of_columns = np.maximum(rest * lower, rest * upper)
        terms = len(y) + len(weights) + 4
        size = np.abs(weights) + abs(self.matrix).T @ np.abs(y)
        size = size @ np.maximum(np.abs(lower), np.abs(upper)) + np.abs(of_rows).sum()
        error = 4 * terms * _EPSILON * size
        most = float(of_rows.sum() + of_columns.sum() + error)
        return most if most == most else np.inf

    def _branching(
        self, columns: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[int, float]:
        """Return the most fractional integer column, and where to split it."""
        inside = np.clip(columns, lower, upper)
        off = np.where(self.integer, np.abs(inside - np.rint(inside)), 0.0)
        column = int(np.argmax(off))
        if off[column] <= _FRACTIONAL:
            return -1, 0.0
        return column, float(np.floor(inside[column]))


def _finite(values: FloatArray) -> FloatArray:
    """Return absolute values, with 0 in place of infinite ones."""
    return np.where(np.isfinite(values), np.abs(values), 0.0)
