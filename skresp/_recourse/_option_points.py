"""Options of people as points that the model can be evaluated on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skresp._model._row_batch import RowBatch, Segment
from skresp._typing import BoolArray, IndexArray
from skresp.reach._options import Options
from skresp.scores._changed_points import new_values


def option_points(batch: RowBatch, options: Options) -> Iterator[Any]:
    """Yield every option of a part as points in the model's format, in batches.

    The other features are those of some row that has the value the option starts from.
    """
    rows = options.rows[options.owner]
    for start in range(0, len(rows), batch.batch_size):
        batch.deadline.check()
        some = np.arange(start, min(start + batch.batch_size, len(rows)))
        yield _points(batch, options, rows[some], some)


def option_pairs(
    batch: RowBatch, options: Options
) -> Iterator[tuple[Any, Any, IndexArray]]:
    """Yield points before and after each option of a part, in batches.

    Yields
    ------
    before : points of staying put
    after : points of the options, as `option_points` yields them
    which : array of shape (n_after,)
        The position in `before` that each option starts from.
    """
    stays = replace(
        options,
        offsets=np.arange(len(options.values) + 1),
        changes=options.changes[options.offsets[:-1]],
    )
    owner, at = options.owner, 0
    for after in option_points(batch, options):
        here = owner[at : at + after.shape[0]]
        first, last = int(here[0]), int(here[-1]) + 1
        before = _points(batch, stays, options.rows[first:last], np.arange(first, last))
        yield before, after, here - first
        at += len(here)


def choices_reach_target(
    batch: RowBatch,
    options: Sequence[Options],
    rows: IndexArray,
    choice: IndexArray,
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
    final : bool
        See `RowBatch.reaches_target`.
    """
    out = np.zeros(len(rows), dtype=bool)
    size = max(batch.batch_size, 1)
    for start in range(0, len(rows), size):
        some = slice(start, start + size)
        changed = _segments(batch, options, choice[some])
        out[some] = batch.reaches_target(rows[some], changed, final=final)
    return out


def _points(
    batch: RowBatch, options: Options, rows: IndexArray, positions: IndexArray
) -> Any:
    """Return rows after the options at these positions."""
    changed = _segments(batch, [options], positions[:, None])
    cuts = [segment.within(0, len(rows)) for segment in changed]
    return batch.point_builder.take(rows, [cut for cut in cuts if cut])


def _segments(
    batch: RowBatch, options: Sequence[Options], choice: IndexArray
) -> list[Segment]:
    """Return the new values of choices, one row each."""
    out = []
    for p, each in enumerate(options):
        pick = choice[:, p]
        values = new_values(
            each.part, each.before_of(pick), each.changes[pick], batch.point_builder
        )
        if values:
            out.append(Segment(0, len(choice), values))
    return out
