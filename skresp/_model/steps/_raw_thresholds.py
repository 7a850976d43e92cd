"""Thresholds of transformed columns, as numbers of the columns they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skresp._model._float_search import last_floats
from skresp._model._unreadable import UnreadableError
from skresp._text import quote
from skresp._typing import BoolArray, FloatArray

from ._step_maps import StepMaps

#: The range of each column of numbers in which the steps are known.
Ranges = Mapping[int, tuple[float, float]]

# Numbers of the range of a column that tell whether an input falls.
_N_INSIDE = 65


class Thresholds(NamedTuple):
    """Thresholds of one transformed column, or of one input of a step.

    Attributes
    ----------
    column : int
        The column of the input that it comes from.
    transformed : int
        The transformed column, or the input of a step.
    values : array of shape (n,)
    falls : bool, or array of shape (n,)
        Whether the transformed column falls where the number rises.
    first, last : float, or array of shape (n,)
        The range of numbers that counts.
    guess : array of shape (n,), optional
        Numbers close to the result.
    """

    column: int
    transformed: int
    values: FloatArray
    falls: BoolArray | bool
    first: FloatArray | float
    last: FloatArray | float
    guess: FloatArray | None = None


def raw_thresholds(
    maps: StepMaps, thresholds: Sequence[Thresholds], *, inputs: bool = False
) -> list[FloatArray]:
    """Return the largest numbers whose transformed column is at most a threshold.

    For a falling column, the largest numbers at which it exceeds the threshold. They
    are -inf or inf where no number, or every number does. There is one array for each
    of `thresholds`, of the shape of its values.

    Parameters
    ----------
    thresholds : sequence of Thresholds
        All with a guess, or all without one.
    inputs : bool
        Whether they are thresholds of the inputs of steps.
    """
    counts = [len(each.values) for each in thresholds]
    if not sum(counts):
        return [np.zeros(0) for _ in counts]

    def joined(values: Iterable[Any]) -> Any:
        pairs = zip(values, counts, strict=True)
        return np.concatenate([np.broadcast_to(each, n) for each, n in pairs])

    columns, transformed, values, falls, first, last, guess = zip(
        *thresholds, strict=True
    )
    column, which, threshold, down = map(joined, (columns, transformed, values, falls))
    limit = joined(largest_number(maps, c) for c in columns)
    first, last = np.maximum(joined(first), -limit), np.minimum(joined(last), limit)
    order = np.argsort(column, kind="stable")
    starts = np.searchsorted(column[order], column)
    row = np.empty(len(column), dtype=np.intp)
    row[order] = np.arange(len(column)) - starts[order]
    codes = np.tile(maps.raw_rows.middle(), (int(row.max()) + 1, 1))

    def holds(x: FloatArray) -> BoolArray:
        codes[row, column] = x
        answers = maps.step_inputs(codes) if inputs else maps.transform(codes)
        z = plain_values(maps, answers)[row, which]
        return np.where(down, z > threshold, z <= threshold)

    some, all_ = holds(first), holds(last)
    near = None if guess[0] is None else joined(guess)
    cuts = last_floats(holds, first, np.where(some, last, first), near)
    cuts = np.where(all_, np.inf, np.where(some, cuts, -np.inf))
    return np.split(cuts, np.cumsum(counts)[:-1])


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
        f"{quote(maps.raw_rows.columns[column].name)} neither rises nor falls along "
        f"it; use steps that do."
    )


def plain_values(maps: StepMaps, values: FloatArray) -> FloatArray:
    """Return transformed columns with 0 where a sparse matrix stores nothing."""
    return np.where(np.isnan(values), 0.0, values) if maps.zero_is_missing else values


def largest_number(maps: StepMaps, column: int) -> float:
    """Return the largest number that the steps get, by the dtype of a column."""
    return 2.0**60 if maps.raw_rows.is_coarse(column) else 2.0**300
