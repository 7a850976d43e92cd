"""Thresholds of transformed columns, as numbers of the columns they come from."""

from __future__ import annotations

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._float_search import last_floats
from ._step_maps import StepMaps
from ._unreadable import UnreadableError

# Numbers of the range of a column that tell whether an input falls.
_N_INSIDE = 65


def raw_thresholds(
    maps: StepMaps,
    column: IndexArray,
    transformed: IndexArray,
    threshold: FloatArray,
    lower: dict[int, float],
    upper: dict[int, float],
    *,
    inputs: bool = False,
    falls: BoolArray | None = None,
    guess: FloatArray | None = None,
    within: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray:
    """Return the largest numbers whose transformed column is at most a threshold.

    For a falling column, the largest numbers at which it exceeds the threshold.
    They are -inf or inf where no number, or every number does.

    Parameters
    ----------
    column, transformed, threshold : array of shape (n,)
        The column of the input, the transformed column, and the threshold.
    lower, upper : dict of int to float
        The range of each column.
    inputs : bool
        Whether `transformed` counts the inputs of steps instead.
    falls : array of shape (n,), optional
    guess : array of shape (n,), optional
        Numbers close to the result.
    within : tuple of two arrays of shape (n,), optional
        The first and the last number of a narrower range for each threshold.
    """
    if not len(column):
        return np.zeros(0)
    order = np.argsort(column, kind="stable")
    starts = np.searchsorted(column[order], column)
    row = np.empty(len(column), dtype=np.intp)
    row[order] = np.arange(len(column)) - starts[order]
    codes = np.tile(maps.raw_rows.middle(), (int(row.max()) + 1, 1))
    down = np.zeros(len(column), dtype=bool) if falls is None else falls

    def holds(x: FloatArray) -> BoolArray:
        codes[row, column] = x
        answers = maps.step_inputs(codes) if inputs else maps.transform(codes)
        z = plain_values(maps, answers)[row, transformed]
        return np.where(down, z > threshold, z <= threshold)

    limit = {c: largest_number(maps, c) for c in lower}
    first = np.array([max(lower[c], -limit[c]) for c in column.tolist()])
    last = np.array([min(upper[c], limit[c]) for c in column.tolist()])
    if within is not None:
        first, last = np.maximum(first, within[0]), np.minimum(last, within[1])
    some, all_ = holds(first), holds(last)
    cuts = last_floats(holds, first, np.where(some, last, first), guess)
    return np.where(all_, np.inf, np.where(some, cuts, -np.inf))


def input_falls(maps: StepMaps, column: int, which: int) -> bool:
    """Return whether an input of a step falls where a column rises.

    `which` counts the inputs of steps. Raise if the input both rises and falls.
    """
    summary = maps.raw_rows.input_format.summaries[column]
    rows = np.tile(maps.raw_rows.middle(), (_N_INSIDE, 1))
    rows[:, column] = np.linspace(summary.low, summary.high, _N_INSIDE)
    steps = np.diff(maps.step_inputs(rows)[:, which])
    if (steps >= 0).all() or (steps <= 0).all():
        return bool((steps < 0).any())
    raise UnreadableError(
        f"What a step with bins or splines gets of column "
        f"{maps.raw_rows.columns[column].name!r} neither rises nor falls along it; use "
        f"steps that do."
    )


def plain_values(maps: StepMaps, values: FloatArray) -> FloatArray:
    """Return transformed columns with 0 where a sparse matrix stores nothing."""
    return np.where(np.isnan(values), 0.0, values) if maps.zero_is_missing else values


def largest_number(maps: StepMaps, column: int) -> float:
    """Return the largest number that the steps get, by the dtype of a column."""
    return 2.0**60 if maps.raw_rows.is_coarse(column) else 2.0**300
