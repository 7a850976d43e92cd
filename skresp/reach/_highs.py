"""The interface to HiGHS; no other module imports it.

Reasons for the options: one thread always (another number later in the process makes a
run fail silently), feasibility jump off (it takes ten times as long as solving programs
this small), the tightest tolerances (a loose integer times a big-M is a wrong point).

No result is trusted by itself. Points are checked here against the rows and by the
caller against the meaning of the constraints. "Infeasible" counts only where presolve
on and off agree, because released versions have presolve bugs that lose solutions of
tiny models. Optimality is never relied on (see `_upper_bound`).

highspy is imported when the first program is solved: it cannot share a process with
ortools, and most calls need no solver.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from scipy.sparse import csr_array

from skresp._optional import installed_version
from skresp._typing import FloatArray
from skresp.constraints._expression import Expression
from skresp.constraints._program import Program, Row

from ._allowance import allowance
from ._outcome import Outcome
from ._scaling import Box, Model, scaled_model, tighten

if TYPE_CHECKING:
    import highspy

_OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "mip_rel_gap": 0.0,
    "mip_heuristic_run_feasibility_jump": False,
    "primal_feasibility_tolerance": 1e-9,
    "mip_feasibility_tolerance": 1e-9,
    # Limits by count, not by time, so that results do not depend on the machine.
    "mip_max_nodes": 5_000,
    "simplex_iteration_limit": 100_000,
}
# Versions that return wrong optima of tiny integer programs.
_WRONG_VERSIONS = {"1.14.0"}
_ROUNDING = 1e-9
# The error of a point in a row, relative to the terms of the row.
_OFF = 1e-6
# Refinement of a point that the meaning refused: how many combinations of literals are
# cut off, how many directions are optimised, how many smaller boxes are tried, and the
# sides of a smaller box relative to the larger one.
_MAX_CUTS = 50
_CORNERS = 4
_MAX_ZOOMS = 4
_ZOOM = 1e-5

_of_thread = threading.local()

Point = TypeVar("Point")


def solve(
    program: Program,
    extra: Sequence[Row],
    objective: Expression,
    accept: Callable[[FloatArray], Point | None],
) -> tuple[Outcome, Point | None]:
    """Minimise an objective under the rows of the program and some extra rows.

    The point is feasible, but it may be far from the optimum.

    `accept` turns column values into the caller's result, or None where the meaning
    refuses them. A refused point is refined: its literals are kept, and the other
    columns are solved again within bounds from exact arithmetic. The outcome is
    undecided where that does not help either.
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
    refused: FloatArray | None = None
    for presolve in ("on", "off"):
        status, units = _run(_as_passed(model), presolve, allowance().spend_run())
        verdicts.append(_outcome(status))
        if verdicts[-1] is Outcome.FEASIBLE:
            columns = _checked(model, box, units)
            point = None if columns is None else accept(columns)
            if point is not None:
                return Outcome.FEASIBLE, point
            refused = refused if columns is None else columns
    if all(verdict is Outcome.INFEASIBLE for verdict in verdicts):
        return Outcome.INFEASIBLE, None
    if refused is None:
        empty = tighten(rows, box) is None
        return (Outcome.INFEASIBLE if empty else Outcome.UNDECIDED), None
    return _refine(program, box, rows, objective, accept, refused)


def _refine(
    program: Program,
    box: Box,
    rows: Sequence[Row],
    objective: Expression,
    accept: Callable[[FloatArray], Point | None],
    columns: FloatArray,
) -> tuple[Outcome, Point | None]:
    """Search again from a point that the meaning refused.

    Columns with two values are fixed, which gives the others tighter bounds and so a
    finer scale. Where these values allow no point, they are cut off.
    """
    cuts = list(rows)
    switches = box.switches
    for _ in range(_MAX_CUTS):
        values = columns[switches]
        leaf = tighten(rows, box.fixed(switches, values))
        if leaf is not None and not _is_excluded(program, leaf):
            outcome, point = _solve_within(leaf, rows, objective, accept)
            if outcome is not Outcome.INFEASIBLE:
                return outcome, point
        if not len(switches):
            return Outcome.INFEASIBLE, None
        high = values == box.upper[switches]
        weights = dict(zip(switches.tolist(), np.where(high, -1.0, 1.0), strict=True))
        least = 1 + float(np.where(high, -values, values).sum())
        cuts.append((weights, least, np.inf))
        outcome, optimum = _optimum(box, cuts, objective)
        if optimum is None:
            return outcome, None
        point = accept(optimum)
        if point is not None:
            return Outcome.FEASIBLE, point
        columns = optimum
    return Outcome.UNDECIDED, None


def _is_excluded(program: Program, box: Box) -> bool:
    """Return whether a real is in a range that a literal excludes."""
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
    accept: Callable[[FloatArray], Point | None],
) -> tuple[Outcome, Point | None]:
    """Solve with all literals fixed: on the border, inside, and in smaller boxes."""
    outcome, columns = _optimum(box, rows, objective)
    if columns is None:
        return outcome, None
    smaller: Box | None = box
    for _ in range(_MAX_ZOOMS):
        assert smaller is not None
        point, columns = _inside(smaller, rows, columns, accept)
        if point is not None:
            return Outcome.FEASIBLE, point
        smaller = tighten(rows, smaller.around(columns, _ZOOM))
        if smaller is None:
            break
    return Outcome.UNDECIDED, None


def _inside(
    box: Box,
    rows: Sequence[Row],
    columns: FloatArray,
    accept: Callable[[FloatArray], Point | None],
) -> tuple[Point | None, FloatArray]:
    """Return an accepted point near or between optima in several directions.

    Rows are closed where the meaning is strict, so the meaning may refuse an optimum;
    it seldom refuses points between optima. The second value is the last point tried.
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
            _, optimum = _optimum(box, rows, _direction(box, rng))
            if optimum is None:
                break
            corners.append(optimum)
            columns = optimum
    for _ in range(_CORNERS):
        columns = rng.dirichlet(np.ones(len(corners))) @ np.array(corners)
        columns = np.where(box.integer, np.rint(columns), columns)
        point = accept(columns)
        if point is not None:
            return point, columns
    return None, columns


def _direction(box: Box, rng: np.random.Generator) -> Expression:
    """Return a random objective in which all columns have equal weight."""
    free = np.flatnonzero(box.upper > box.lower)
    weights = rng.normal(size=len(free)) / (box.upper - box.lower)[free]
    return Expression(dict(zip(free.tolist(), weights.tolist(), strict=True)))


def _optimum(
    box: Box, rows: Sequence[Row], objective: Expression
) -> tuple[Outcome, FloatArray | None]:
    """Return the columns of a solution; INFEASIBLE only where both runs agree."""
    model = scaled_model(box, rows, objective)
    verdicts = []
    for presolve in ("on", "off"):
        status, units = _run(_as_passed(model), presolve, allowance().spend_run())
        verdicts.append(_outcome(status))
        if verdicts[-1] is Outcome.FEASIBLE:
            columns = _checked(model, box, units)
            if columns is not None:
                return Outcome.FEASIBLE, columns
    if all(verdict is Outcome.INFEASIBLE for verdict in verdicts):
        return Outcome.INFEASIBLE, None
    return Outcome.UNDECIDED, None


def _as_passed(model: Model) -> tuple[Any, ...]:
    """Return a model in the form that HiGHS takes."""
    _, lower, _, row_lower, _, _, index, *_ = model.arrays
    return (*_header(len(lower), len(row_lower), len(index)), *model.arrays)


def _header(columns: int, rows: int, entries: int) -> tuple[Any, ...]:
    """Return the sizes, matrix format, sense and offset that `passModel` expects."""
    highs = _import_highspy()
    rowwise, minimise = highs.MatrixFormat.kRowwise, highs.ObjSense.kMinimize
    return columns, rows, entries, int(rowwise), int(minimise), 0.0


def _import_highspy() -> Any:
    """Return highspy, or raise an ImportError that names the likely reason."""
    _check_version(installed_version("highspy"))
    try:
        import highspy
    except ImportError as error:
        raise ImportError(
            f"highspy, which solves integer programs over constrained features, "
            f"cannot be imported ({error}). It cannot share a process with ortools: "
            f"where that is imported, run this call in another process."
        ) from error
    return highspy


@cache
def _check_version(version: str | None) -> None:
    """Raise for a version of highspy whose answers are known to be wrong."""
    if version in _WRONG_VERSIONS:
        raise ImportError(
            f"highspy {version} returns wrong answers for small integer programs, so "
            f"it is not used. Install another one: pip install 'highspy!={version}'."
        )


def _outcome(status: highspy.HighsModelStatus) -> Outcome:
    """Return what a status claims; a limit or an error leaves the program undecided."""
    known = _import_highspy().HighsModelStatus
    if status == known.kOptimal:
        return Outcome.FEASIBLE
    if status == known.kInfeasible:
        return Outcome.INFEASIBLE
    return Outcome.UNDECIDED


def _checked(model: Model, box: Box, units: FloatArray) -> FloatArray | None:
    """Return the point in the program's units; None where it is not a solution."""
    if not model.holds(units, _OFF):
        return None
    columns = model.shift + model.scale * units
    columns = np.where(box.integer, np.rint(columns), columns)
    return np.clip(columns, box.lower, box.upper)


class Relaxed(NamedTuple):
    """The result of a linear program; to be used as a hint only.

    Attributes
    ----------
    columns : array of shape (n_columns,)
        The optimum; zeros where there is none.
    duals : array of shape (n_rows,)
        Its multipliers; zeros where there are none.
    ray : array of shape (n_rows,)
        The multipliers that show infeasibility; zeros where there are none.
    """

    columns: FloatArray
    duals: FloatArray
    ray: FloatArray


def solve_relaxation(
    cost: FloatArray,
    matrix: csr_array,
    row_bounds: tuple[FloatArray, FloatArray],
    column_bounds: tuple[FloatArray, FloatArray],
) -> Relaxed:
    """Minimise `cost @ x` under rows and bounds, all columns continuous."""
    rows, columns = matrix.shape
    model = (
        *_header(columns, rows, matrix.nnz),
        cost,
        *column_bounds,
        *row_bounds,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        np.zeros(columns, dtype=np.int32),
    )
    answer = _run_relaxation(model, allowance().spend_run())
    sizes = columns, rows, rows
    return Relaxed(*(_usable(*pair) for pair in zip(answer, sizes, strict=True)))


def _usable(values: FloatArray, size: int) -> FloatArray:
    """Return the values, or zeros where their shape is wrong or one is not finite."""
    if values.shape != (size,) or not np.isfinite(values).all():
        return np.zeros(size)
    return values


def _run_relaxation(model: tuple[Any, ...], time_limit: float) -> Relaxed:
    """Run HiGHS on a linear program, without presolve, which would lose the ray."""
    nothing = np.zeros(0)
    highs, status = _answer(model, "off", time_limit)
    outcome = _outcome(status)
    if outcome is Outcome.FEASIBLE:
        optimum = highs.getSolution()
        return Relaxed(np.array(optimum.col_value), np.array(optimum.row_dual), nothing)
    if outcome is Outcome.INFEASIBLE:
        _, has_ray, ray = highs.getDualRay()
        return Relaxed(nothing, nothing, np.array(ray) if has_ray else nothing)
    return Relaxed(nothing, nothing, nothing)


def _run(
    model: tuple[Any, ...], presolve: str, time_limit: float
) -> tuple[highspy.HighsModelStatus, FloatArray]:
    """Return the status and the column values of a run."""
    highs, status = _answer(model, presolve, time_limit)
    if status == _import_highspy().HighsModelStatus.kSolveError:
        return status, np.zeros(0)
    return status, np.array(highs.getSolution().col_value)


def _answer(
    model: tuple[Any, ...], presolve: str, time_limit: float
) -> tuple[Any, highspy.HighsModelStatus]:
    """Run HiGHS; return its object and the status."""
    highspy = _import_highspy()
    highs = getattr(_of_thread, "highs", None)
    # For a linear program the limit counts all runs of the object so far, for an
    # integer program only the current one. Replacing the object suits both.
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
