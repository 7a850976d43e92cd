"""Options of people as points that the model can be evaluated on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skresp._model._codes import changed_column, codes_of
from skresp._model._row_batch import RowBatch, Segment
from skresp._model._score_function import ScoreFunction
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._options import Options
from skresp.scores._changed_points import new_values


def option_codes(
    batch: RowBatch, score_function: ScoreFunction, options: Options
) -> dict[int, FloatArray]:
    """Return the codes of the columns that the options of a part change.

    By column of the model, one code for each option.
    """
    known, codes = batch.coded(score_function)
    owner = options.owner
    values = new_values(
        options.part, options.values[owner], options.changes, batch.point_builder
    )
    starts = codes[options.rows]
    return {
        i: changed_column(known.columns[i], starts[:, i][owner], new)
        for i, new in values.items()
    }


def table_codes(
    batch: RowBatch, score_function: ScoreFunction, options: Options
) -> dict[int, FloatArray] | None:
    """Return the same of options of nobody; None where some column has labels."""
    values = new_values(
        options.part, options.before, options.changes, batch.point_builder
    )
    columns = score_function.columns
    if any(isinstance(new, tuple) for new in values.values()):
        return None
    if any(columns[i].labels is not None for i in values):
        return None
    return {i: codes_of(columns[i], new) for i, new in values.items()}


def choices_reach_target(
    batch: RowBatch,
    options: Sequence[Options],
    rows: IndexArray,
    choice: IndexArray,
    stay: IndexArray,
    *,
    final: bool = False,
) -> BoolArray:
    """Return which choices reach the target, according to the model.

    Parameters
    ----------
    batch : RowBatch
    options : one Options per part
    rows : array of shape (n_choices,)
        Positions in the batch.
    choice : array of shape (n_choices, n_parts)
        Positions in the options of each part.
    stay : array of shape (n_choices, n_parts)
        The same of staying put.
    final : bool
        See `RowBatch.reaches_target`.
    """
    out = np.zeros(len(rows), dtype=bool)
    size = max(batch.batch_size, 1)
    for start in range(0, len(rows), size):
        some = slice(start, start + size)
        changed = _segments(batch, options, choice[some], stay[some])
        out[some] = batch.reaches_target(rows[some], changed, final=final)
    return out


def _segments(
    batch: RowBatch, options: Sequence[Options], choice: IndexArray, stay: IndexArray
) -> list[Segment]:
    """Return the new values of choices, one row each."""
    out = []
    for p in np.flatnonzero((choice != stay).any(axis=0)).tolist():
        each, pick = options[p], choice[:, p]
        values = new_values(
            each.part, each.before_of(pick), each.changes[pick], batch.point_builder
        )
        if values:
            out.append(Segment(0, len(choice), values))
    return out
