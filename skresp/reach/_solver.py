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
from scipy.sparse import csr_array

from skresp.constraints import Expression, Program, Row

from ._allowance import allowance
from ._outcome import Outcome
from ._scaling import Box, Columns, Model, scaled_model, tighten

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
# Refinement of a point that the meaning refused: combinations of literals cut off,
# directions in which an optimum is looked for, smaller boxes in turn, and the sides of
# a smaller box.
_MOST_CUTS = 50
_CORNERS = 4
_MOST_ZOOMS = 4
_ZOOM = 1e-5

_of_thread = threading.local()

Point = TypeVar("Point")


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
    meaning refuses them. A refused point is refined: its literals are kept and the
    other columns are solved for again, within bounds that exact arithmetic leaves.
    The outcome is undecided where that does not help either.
    """
    rows = [*program.rows, *extra]
    for weights, lower, upper in rows:
        if not weights and not lower - _ROUNDING <= 0 <= upper + _ROUNDING:
            return Outcome.INFEASIBLE, None  # by arithmetic, no solver needed
    rows = [row for row in rows if row[0]]
    if not program.column_lower:
        point = accept(np.zeros(0))
        outcome = Outcome.UNDECIDED if point is None else Outcome.FEASIBLE
        return outcome, point
    box = Box.of(program)
    if box.wide.any():
        tight = tighten(rows, box)
        if tight is None:
            return Outcome.INFEASIBLE, None
        box = tight
    model = scaled_model(box, rows, objective)
    verdicts = []
    refused: Columns | None = None
    for presolve in ("on", "off"):
        status, units = _run(_as_passed(model), presolve, time_limit)
        if status == highspy.HighsModelStatus.kOptimal:
            columns = _checked(model, box, units)
            point = None if columns is None else accept(columns)
            if point is not None:
                return Outcome.FEASIBLE, point
            refused = refused if columns is None else columns
        verdicts.append(status)
    if all(status == highspy.HighsModelStatus.kInfeasible for status in verdicts):
        return Outcome.INFEASIBLE, None
    if refused is None:
        empty = tighten(rows, box) is None
        return (Outcome.INFEASIBLE if empty else Outcome.UNDECIDED), None
    return _refine(program, box, rows, objective, accept, refused, time_limit)


def _refine(
    program: Program,
    box: Box,
    rows: Sequence[Row],
    objective: Expression,
    accept: Callable[[Columns], Point | None],
    columns: Columns,
    time_limit: float,
) -> tuple[Outcome, Point | None]:
    """Search again from a point that the meaning refused.

    The two-valued columns are kept as they are, which leaves the others tight bounds
    and so a finer scale. Where these values admit nothing, they are cut off.
    """
    cuts = list(rows)
    switches = box.switches
    for _ in range(_MOST_CUTS):
        values = columns[switches]
        leaf = tighten(rows, box.fixed(switches, values))
        if leaf is not None and not _is_excluded(program, leaf):
            outcome, point = _solve_within(leaf, rows, objective, accept, time_limit)
            if outcome is not Outcome.INFEASIBLE:
                return outcome, point
        if not len(switches):
            return Outcome.INFEASIBLE, None
        high = values == box.upper[switches]
        weights = dict(zip(switches.tolist(), np.where(high, -1.0, 1.0), strict=True))
        least = 1 + float(np.where(high, -values, values).sum())
        cuts.append((weights, least, np.inf))
        outcome, found = _optimum(box, cuts, objective, time_limit)
        if found is None:
            return outcome, None
        point = accept(found)
        if point is not None:
            return Outcome.FEASIBLE, point
        columns = found
    return Outcome.UNDECIDED, None


def _is_excluded(program: Program, box: Box) -> bool:
    """Return whether some real is where a literal says that it is not."""
    for literal, amount, low, high in program.strict:
        if box.bounds(literal)[1] == 0:
            first, last = box.bounds(amount)
            if low <= first and last <= high:
                return True
    return False


def _solve_within(
    box: Box,
    rows: Sequence[Row],
    objective: Expression,
    accept: Callable[[Columns], Point | None],
    time_limit: float,
) -> tuple[Outcome, Point | None]:
    """Solve with all literals fixed: on the border, inside, and in smaller boxes."""
    outcome, columns = _optimum(box, rows, objective, time_limit)
    if columns is None:
        return outcome, None
    smaller: Box | None = box
    for _ in range(_MOST_ZOOMS):
        assert smaller is not None
        point, columns = _inside(smaller, rows, columns, accept, time_limit)
        if point is not None:
            return Outcome.FEASIBLE, point
        smaller = tighten(rows, smaller.around(columns, _ZOOM))
        if smaller is None:
            break
    return Outcome.UNDECIDED, None


def _inside(
    box: Box,
    rows: Sequence[Row],
    columns: Columns,
    accept: Callable[[Columns], Point | None],
    time_limit: float,
) -> tuple[Point | None, Columns]:
    """Return an accepted point near or between optima in several directions.

    The rows are closed where the meaning is strict, so an optimum may lie where the
    meaning refuses it; points between optima seldom do. The second value is the last
    point tried.
    """
    rng = np.random.default_rng(0)
    whole = np.flatnonzero(box.integer & ~box.wide)
    # First with integers free, then with those of the last point: only between points
    # of equal integers is everything a solution.
    for fixed in (False, True):
        if fixed:
            box = box.fixed(whole, columns[whole])
        corners = [columns]
        for _ in range(_CORNERS):
            point = accept(columns)
            if point is not None:
                return point, columns
            _, found = _optimum(box, rows, _direction(box, rng), time_limit)
            if found is None:
                break
            corners.append(found)
            columns = found
    for _ in range(_CORNERS):
        columns = rng.dirichlet(np.ones(len(corners))) @ np.array(corners)
        columns = np.where(box.integer, np.rint(columns), columns)
        point = accept(columns)
        if point is not None:
            return point, columns
    return None, columns


def _direction(box: Box, rng: np.random.Generator) -> Expression:
    """Return a random objective in which the columns count alike."""
    free = np.flatnonzero(box.upper > box.lower)
    weights = rng.normal(size=len(free)) / (box.upper - box.lower)[free]
    return Expression(dict(zip(free.tolist(), weights.tolist(), strict=True)))


def _optimum(
    box: Box, rows: Sequence[Row], objective: Expression, time_limit: float
) -> tuple[Outcome, Columns | None]:
    """Return the columns of a solution, infeasible where both runs say so."""
    model = scaled_model(box, rows, objective)
    verdicts = []
    for presolve in ("on", "off"):
        status, units = _run(_as_passed(model), presolve, time_limit)
        if status == highspy.HighsModelStatus.kOptimal:
            columns = _checked(model, box, units)
            if columns is not None:
                return Outcome.FEASIBLE, columns
        verdicts.append(status)
    if all(status == highspy.HighsModelStatus.kInfeasible for status in verdicts):
        return Outcome.INFEASIBLE, None
    return Outcome.UNDECIDED, None


def _as_passed(model: Model) -> tuple[Any, ...]:
    """Return a model in the form that HiGHS takes."""
    _, lower, _, row_lower, _, _, index, *_ = model.arrays
    return (
        len(lower),
        len(row_lower),
        len(index),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        *model.arrays,
    )


def _checked(model: Model, box: Box, units: Columns) -> Columns | None:
    """Return the point in the program's units; None where it is no solution."""
    if not model.holds(units, _OFF):
        return None
    columns = model.shift + model.scale * units
    columns = np.where(box.integer, np.rint(columns), columns)
    return np.clip(columns, box.lower, box.upper)


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
