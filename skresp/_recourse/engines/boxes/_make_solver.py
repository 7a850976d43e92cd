"""The choice of the solver for one person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skresp._typing import FloatArray

from ._curve_tables import CurveTables
from ._curved_solve import CurvedSolver
from ._model_arrays import ModelArrays
from ._person import PartState, make_person
from ._solve import Solver
from ._variables import Variables
from ._work import Arena


def make_solver(
    model: ModelArrays,
    columns: Sequence[Any],
    codes: FloatArray,
    parts: Sequence[PartState],
    arena: Arena,
    known: tuple[Variables, CurveTables] | None = None,
) -> Solver:
    """Return what searches the boxes of one person; see `make_person`."""
    made = make_person(model, columns, codes, parts, arena, known)
    if known is None:
        return Solver(*made, parts, arena)
    return CurvedSolver(*made, parts, arena, model.curves, known[1])
