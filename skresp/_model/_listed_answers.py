"""Answers for listed changes: from the score function where possible, else by asking.

Points in doubt, rows that the score function does not know, and lists that are too
large for the tables of the kernels go to the model.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from skresp._model.trees._tree_sums import TooLargeError
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._change_lists import PartCodes
from ._change_scorer import IN_DOUBT, Answers, ChangeScorer
from ._codes import changed_column, row_codes
from ._row_batch import ListedChanges, RowBatch

# Points that are scored together.
_MAX_POINTS = 500_000
# Rows for which tables are not divided further.
_FEW_ROWS = 16

#: Which points of each list reach the target, row after row, and which rows do.
Reached = tuple[list[BoolArray], BoolArray]


def answer_listed(
    batch: RowBatch, lists: Sequence[ListedChanges], rows: IndexArray
) -> Iterator[tuple[slice, Reached]]:
    """Yield runs of rows with the answers for them and for all their listed changes.

    Parameters
    ----------
    rows : array of shape (n_rows,)
        The positions of the lists' rows in the batch.
    """
    n_points = np.ones(len(rows), dtype=np.intp)
    for each in lists:
        n_points += each.n_points
    scorer = None
    if not batch.deadline.is_limited:  # else there may be no time to compile kernels
        scorer = batch.change_scorer(int(n_points.sum()))
    most = batch.batch_size if scorer is None else _MAX_POINTS
    for run in runs_of_points(n_points, most):
        some = [each.of_rows(run) for each in lists]
        if scorer is None:
            yield run, _ask(batch, some, rows[run])
        else:
            yield run, _score(batch, scorer, some, rows[run])


def runs_of_points(n_points: IndexArray, most: int) -> Iterator[slice]:
    """Yield runs of rows with at most that many points, or one row."""
    ends = np.cumsum(n_points)
    start = 0
    while start < len(n_points):
        done = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, done + most, side="right"))
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop


def _ask(batch: RowBatch, lists: Sequence[ListedChanges], rows: IndexArray) -> Reached:
    """Ask the model about all points of rows, in one call."""
    owners, segments, ends = [], [], [0]
    for each in lists:
        counts, change = each.points()
        owners.append(np.repeat(rows, counts))
        if len(change):
            segments.append(each.segment(ends[-1], change))
        ends.append(ends[-1] + len(change))
    reached = batch.reaches_target(np.concatenate([*owners, rows]), segments)
    answers = [reached[a:b] for a, b in itertools.pairwise(ends)]
    return answers, reached[ends[-1] :]


def _score(
    batch: RowBatch,
    scorer: ChangeScorer,
    lists: Sequence[ListedChanges],
    rows: IndexArray,
) -> Reached:
    """Score all points of rows, and ask the model about those in doubt."""
    codes = row_codes(scorer.score_function, batch.point_builder, rows)
    parts = [_part_codes(scorer, each, codes) for each in lists]
    try:
        at_target, points = scorer.answers(codes, parts)
    except TooLargeError:
        if len(rows) <= _FEW_ROWS:
            return _ask(batch, lists, rows)
        middle = len(rows) // 2
        halves = [
            _score(batch, scorer, [each.of_rows(half) for each in lists], rows[half])
            for half in (slice(middle), slice(middle, None))
        ]
        each_list = zip(*(answers for answers, _ in halves), strict=True)
        return [np.concatenate(both) for both in each_list], np.concatenate(
            [at_target for _, at_target in halves]
        )
    ends = np.cumsum([0, *(int(part.n_points.sum()) for part in parts)])
    answers = [points[a:b] for a, b in itertools.pairwise(ends)]
    differing = _differing_rows(codes, parts)
    for part, reached in zip(parts, answers, strict=True):
        reached[np.repeat(differing, part.n_points)] = IN_DOUBT
    _settle(batch, lists, rows, answers, at_target)
    return [reached.astype(bool) for reached in answers], at_target.astype(bool)


def _settle(
    batch: RowBatch,
    lists: Sequence[ListedChanges],
    rows: IndexArray,
    answers: Sequence[Answers],
    at_target: Answers,
) -> None:
    """Ask the model about points and rows in doubt, in one call; set the answers."""
    owners, segments, start = [], [], 0
    doubtful = [np.flatnonzero(reached == IN_DOUBT) for reached in answers]
    for each, some in zip(lists, doubtful, strict=True):
        if len(some):
            counts, change = each.points()
            owners.append(np.repeat(rows, counts)[some])
            segments.append(each.segment(start, change[some]))
            start += len(some)
    unsure = np.flatnonzero(at_target == IN_DOUBT)
    if not start and not len(unsure):
        return
    found = batch.reaches_target(np.concatenate([*owners, rows[unsure]]), segments)
    at_target[unsure] = found[start:]
    for reached, some in zip(answers, doubtful, strict=True):
        reached[some], found = found[: len(some)], found[len(some) :]


def _part_codes(
    scorer: ChangeScorer, each: ListedChanges, codes: FloatArray
) -> PartCodes:
    """Return the changes of rows as codes, given the codes of the rows."""
    row, columns = each.first_rows[each.owner], scorer.score_function.columns
    after = {
        c: changed_column(columns[c], codes[row, c], new)
        for c, new in each.values.items()
    }
    return PartCodes(each.which, each.starts, each.counts, after)


def _differing_rows(codes: FloatArray, parts: Sequence[PartCodes]) -> BoolArray:
    """Return which rows differ from another row with the same list.

    Labels that the action set does not list share a list, but not a code.
    """
    out = np.zeros(len(codes), dtype=bool)
    for part in parts:
        listed = np.flatnonzero(part.which >= 0)
        first = part.first_rows[part.which[listed]]
        for c in part.after:
            own, other = codes[listed, c], codes[first, c]
            same = (own == other) | (np.isnan(own) & np.isnan(other))
            out[listed[~same]] = True
    return out
