"""HiGHS, and the only module that knows it.

The rules behind the options: one thread always (another count later in the process
makes a run fail silently), feasibility jump off (it costs ten times the solve on
programs this small), the tightest tolerances (a loose integer times a big-M is a
wrong point). No answer is believed by itself: points are re-checked by the caller,
and "infeasible" counts only where presolve on and off agree, because released
versions have presolve bugs that lose solutions of tiny models.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import highspy
import numpy as np
from numpy.typing import NDArray

from skresp.constraints import Expression, Program, Row

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
_AGREEMENT = 1e-7

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
    certain: bool = False,
) -> tuple[Outcome, Point | None]:
    """Minimise the objective under the rows of the program and some more.

    With `certain` an optimum counts only where presolve on and off agree on it.

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
    optima: list[tuple[float, Point]] = []
    for presolve in ("on", "off"):
        status, columns = _run(model, presolve, time_limit)
        if status == highspy.HighsModelStatus.kOptimal:
            columns = np.where(program.column_integer, np.rint(columns), columns)
            point = accept(columns)
            if point is not None and not certain:
                return Outcome.FEASIBLE, point
            if point is not None:
                optima.append((objective.value(columns), point))
        verdicts.append(status)
    if len(optima) == 2:
        (one, point), (other, _) = optima
        if abs(one - other) <= _AGREEMENT * max(1.0, abs(one)):
            return Outcome.FEASIBLE, point
    if all(status == highspy.HighsModelStatus.kInfeasible for status in verdicts):
        return Outcome.INFEASIBLE, None
    return Outcome.UNDECIDED, None


def _run(
    model: tuple[Any, ...], presolve: str, time_limit: float
) -> tuple[highspy.HighsModelStatus, Columns]:
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
        return highspy.HighsModelStatus.kSolveError, np.zeros(0)
    return highs.getModelStatus(), np.array(highs.getSolution().col_value)


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
