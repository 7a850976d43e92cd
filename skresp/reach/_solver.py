"""HiGHS, and the only module that knows it.

The rules behind the options: one thread always (another count later in the process
makes a run fail silently), feasibility jump off (it costs ten times the solve on
programs this small), the tightest tolerances (a loose integer times a big-M is a
wrong point). No answer is believed by itself: points are re-checked here against the
rows and by the caller against the meaning; "infeasible" counts only where presolve on
and off agree, because released versions have presolve bugs that lose solutions of tiny
models; an optimum is never taken for one (see `_bound`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from skresp.constraints import Expression, Program, Row

from ._allowance import allowance
from ._outcome import Outcome

TIME_LIMIT = 10.0  # seconds for one solve

_OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "mip_rel_gap": 0.0,
    "mip_heuristic_run_feasibility_jump": False,
    "primal_feasibility_tolerance": 1e-9,
    "mip_feasibility_tolerance": 1e-9,
}
_ROUNDING = 1e-9
# How far a point may be off a row, relative to the terms of the row.
_OFF = 1e-6

_of_thread = threading.local()

Point = TypeVar("Point")
Columns = NDArray[np.float64]


def solve(
    program: Program,
    extra: Sequence[Row],
    objective: Expression,
    accept: Callable[[Columns], Point | None],
    *,
    time_limit: float = TIME_LIMIT,
) -> tuple[Outcome, Point | None]:
    """Minimise the objective under the rows of the program and some more.

    The point is feasible, but nothing is known about how near it is to the optimum.

    `accept` turns column values into what the caller wants, or None where the
    meaning refuses them; a refused point makes the outcome undecided.
    """
    rows = [*program.rows, *extra]
    for weights, lower, upper in rows:
        if not weights and not lower - _ROUNDING <= 0 <= upper + _ROUNDING:
            return Outcome.INFEASIBLE, None  # by arithmetic, no solver needed
    if not program.column_lower:
        point = accept(np.zeros(0))
        outcome = Outcome.UNDECIDED if point is None else Outcome.FEASIBLE
        return outcome, point
    model = _arrays(program, [row for row in rows if row[0]], objective)
    verdicts = []
    for presolve in ("on", "off"):
        status, columns = _run(model, presolve, time_limit)
        if status == highspy.HighsModelStatus.kOptimal:
            found = _checked(program, rows, columns)
            point = None if found is None else accept(found)
            if point is not None:
                return Outcome.FEASIBLE, point
        verdicts.append(status)
    if all(status == highspy.HighsModelStatus.kInfeasible for status in verdicts):
        return Outcome.INFEASIBLE, None
    return Outcome.UNDECIDED, None


def _checked(program: Program, rows: Sequence[Row], columns: Columns) -> Columns | None:
    """Return the point with integers rounded; None where it is no solution."""
    if columns.shape != (len(program.column_lower),) or not np.isfinite(columns).all():
        return None
    columns = np.where(program.column_integer, np.rint(columns), columns)
    size = np.maximum(1.0, np.abs(columns))
    if (columns < np.array(program.column_lower) - _OFF * size).any():
        return None
    if (columns > np.array(program.column_upper) + _OFF * size).any():
        return None
    values = columns.tolist()
    for weights, lower, upper in rows:
        terms = [weight * values[column] for column, weight in weights.items()]
        off = _OFF * max(1.0, sum(map(abs, terms)))
        if not lower - off <= sum(terms) <= upper + off:
            return None
    return columns


class Relaxed(NamedTuple):
    """What HiGHS answers to a linear program; to be used as a hint only.

    `columns` is the optimum and `duals` its multipliers, zeros where there are none;
    `ray` holds the multipliers that show infeasibility, zeros where there are none.
    """

    columns: Columns
    duals: Columns
    ray: Columns


def solve_relaxation(
    cost: Columns,
    matrix: csr_array,
    row_bounds: tuple[Columns, Columns],
    column_bounds: tuple[Columns, Columns],
    time_limit: float,
) -> Relaxed:
    """Minimise `cost @ x` under rows and bounds, all columns continuous."""
    rows, columns = matrix.shape
    model = (
        columns,
        rows,
        matrix.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        cost,
        *column_bounds,
        *row_bounds,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        np.zeros(columns, dtype=np.int32),
    )
    answer = _run_relaxation(model, time_limit)
    sizes = columns, rows, rows
    return Relaxed(*(_usable(*pair) for pair in zip(answer, sizes, strict=True)))


def _usable(values: Columns, size: int) -> Columns:
    """Return the values, or zeros where they are not what they should be."""
    if values.shape != (size,) or not np.isfinite(values).all():
        return np.zeros(size)
    return values


def _run_relaxation(model: tuple[Any, ...], time_limit: float) -> Relaxed:
    """Run HiGHS on a linear program, without presolve: it would lose the ray."""
    nothing = np.zeros(0)
    highs, status = _answer(model, "off", time_limit)
    if status == highspy.HighsModelStatus.kOptimal:
        found = highs.getSolution()
        return Relaxed(np.array(found.col_value), np.array(found.row_dual), nothing)
    if status == highspy.HighsModelStatus.kInfeasible:
        _, has_ray, ray = highs.getDualRay()
        return Relaxed(nothing, nothing, np.array(ray) if has_ray else nothing)
    return Relaxed(nothing, nothing, nothing)


def _run(
    model: tuple[Any, ...], presolve: str, time_limit: float
) -> tuple[highspy.HighsModelStatus, Columns]:
    highs, status = _answer(model, presolve, time_limit)
    if status == highspy.HighsModelStatus.kSolveError:
        return status, np.zeros(0)
    return status, np.array(highs.getSolution().col_value)


def _answer(
    model: tuple[Any, ...], presolve: str, time_limit: float
) -> tuple[Any, highspy.HighsModelStatus]:
    time_limit = allowance().spend_run(time_limit)
    highs = getattr(_of_thread, "highs", None)
    # The limit on a linear program counts all runs of the object so far, that on an
    # integer program only its own: a fresh object now and then serves both.
    if highs is None or highs.getRunTime() > time_limit / 10:
        highs = _of_thread.highs = highspy.Highs()
        for option, value in _OPTIONS.items():
            highs.setOptionValue(option, value)
    highs.setOptionValue("presolve", presolve)
    highs.setOptionValue("time_limit", time_limit)
    highs.passModel(*model)
    if highs.run() == highspy.HighsStatus.kError:
        return highs, highspy.HighsModelStatus.kSolveError
    return highs, highs.getModelStatus()


def _arrays(
    program: Program, rows: Sequence[Row], objective: Expression
) -> tuple[Any, ...]:
    columns = len(program.column_lower)
    cost = np.zeros(columns)
    for column, weight in objective.terms.items():
        cost[column] = weight
    starts = np.cumsum([0, *(len(weights) for weights, _, _ in rows)], dtype=np.int32)
    index = np.array([c for weights, _, _ in rows for c in weights], dtype=np.int32)
    value = np.array([w for weights, _, _ in rows for w in weights.values()])
    return (
        columns,
        len(rows),
        len(index),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        cost,
        np.array(program.column_lower, dtype=float),
        np.array(program.column_upper, dtype=float),
        np.array([lower for _, lower, _ in rows], dtype=float),
        np.array([upper for _, _, upper in rows], dtype=float),
        starts,
        index,
        value.astype(float),
        np.array(program.column_integer, dtype=np.int32),
    )
