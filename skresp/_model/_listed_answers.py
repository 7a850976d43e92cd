"""Answers for listed changes: from the score function where possible, else by asking.

Points in doubt, rows that the score function does not know, and lists that are too
large for the tables of the kernels go to the model.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from skresp._model.trees._tree_sums import TooLargeError
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._change_codes import change_codes
from ._change_lists import ChangeCodes, ListedPoints
from ._change_scorer import IN_DOUBT, Answers, ChangeScorer
from ._codes import row_codes
from ._fit_state import CHANGED
from ._point_builder import PointBuilder
from ._row_batch import ListedChanges, RowBatch

# Points that are scored together.
_MAX_POINTS = 500_000
# Rows for which tables are not divided further.
_FEW_ROWS = 16
# Rows that the model answers faster than kernels are made ready.
_FEW_QUESTIONS = 500
# Answers that are compared with those of the model, and the rows that are worth it.
_CHECKED, _MANY_ROWS = 16, 100


class Reached(NamedTuple):
    """The answers for some rows and for all their listed changes.

    Attributes
    ----------
    listed : ListedPoints
        The points of the rows.
    points : array of shape (n_points,)
        Which of them reach the target.
    rows : array of shape (n_rows,)
        Which rows reach the target unchanged.
    """

    listed: ListedPoints
    points: BoolArray
    rows: BoolArray


def answer_listed(
    batch: RowBatch, lists: ListedChanges, rows: IndexArray
) -> Iterator[tuple[slice, Reached]]:
    """Yield runs of rows with the answers for them and for all their listed changes.

    Parameters
    ----------
    rows : array of shape (n_rows,)
        The positions of the lists' rows in the batch.
    """
    n_points = lists.n_points.sum(axis=0) + 1
    scorer = None
    if not batch.deadline.is_limited:  # else there may be no time to compile kernels
        scorer = batch.change_scorer(int(n_points.sum()))
    most = batch.batch_size if scorer is None else _MAX_POINTS
    for run in runs_of_points(n_points, most):
        some = lists.of_rows(run)
        if scorer is None:
            yield run, _ask(batch, some, rows[run])
        else:
            yield run, _score(batch, scorer, some, rows[run])


def rows_at_target(batch: RowBatch, n_rows: int) -> tuple[BoolArray, BoolArray]:
    """Return which rows reach the target unchanged, and which were evaluated in time.

    Parameters
    ----------
    n_rows : int
        The number of rows of the batch.
    """
    rows = np.arange(n_rows)
    if n_rows < _FEW_QUESTIONS or batch.deadline.is_limited:
        return batch.reaches_target_in_time(rows)
    out = np.zeros(n_rows, dtype=bool)
    unchanged = ListedChanges.none(n_rows)
    for run, found in answer_listed(batch, unchanged, rows):
        out[run] = found.rows
    return out, np.ones(n_rows, dtype=bool)


def runs_of_points(n_points: IndexArray, most: int) -> Iterator[slice]:
    """Yield runs of rows with at most that many points, or one row."""
    ends = np.cumsum(n_points)
    if len(ends) and ends[-1] <= most:
        yield slice(0, len(ends))
        return
    start = 0
    while start < len(n_points):
        done = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, done + most, side="right"))
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop


def _ask(batch: RowBatch, lists: ListedChanges, rows: IndexArray) -> Reached:
    """Ask the model about all points of rows, in one call."""
    points = lists.points
    segments = [
        lists.segment(p, start, points.change[start:stop])
        for p, (start, stop) in enumerate(itertools.pairwise(points.ends))
        if start < stop
    ]
    asked = np.concatenate([points.spread(rows), rows])
    reached = batch.reaches_target(asked, segments)
    return Reached(points, reached[: len(points)], reached[len(points) :])


def _score(
    batch: RowBatch, scorer: ChangeScorer, lists: ListedChanges, rows: IndexArray
) -> Reached:
    """Score all points of rows, and ask the model about those in doubt."""
    codes = row_codes(scorer.score_function, batch.point_builder, rows)
    batch.ask_about_missing(codes, rows)
    changes = change_codes(scorer.score_function, batch.point_builder, lists, codes)
    try:
        answers = scorer.answers(codes, changes)
    except TooLargeError:
        if len(rows) <= _FEW_ROWS:
            return _ask(batch, lists, rows)
        return _score_halves(batch, scorer, lists, rows)
    points = lists.points
    if batch.point_builder.others:
        differing = _differing_rows(batch.point_builder, codes, changes)
        answers[: len(points)][points.spread(differing)] = IN_DOUBT
        answers[len(points) :][differing] = IN_DOUBT
    _settle(batch, lists, rows, answers)
    reached = answers.astype(bool)
    return Reached(points, reached[: len(points)], reached[len(points) :])


def _score_halves(
    batch: RowBatch, scorer: ChangeScorer, lists: ListedChanges, rows: IndexArray
) -> Reached:
    """Score the points of the first rows, and of the others."""
    middle = len(rows) // 2
    out = np.empty(len(lists.points), dtype=bool)
    is_first = lists.points.row < middle
    at_target = []
    for half, mine in (
        (slice(middle), is_first),
        (slice(middle, None), ~is_first),
    ):
        _, out[mine], reached = _score(batch, scorer, lists.of_rows(half), rows[half])
        at_target.append(reached)
    return Reached(lists.points, out, np.concatenate(at_target))


def _settle(
    batch: RowBatch, lists: ListedChanges, rows: IndexArray, answers: Answers
) -> None:
    """Ask the model about points and rows in doubt, in one call; set the answers.

    For many rows it is asked about a few others too, to notice a model that changed.
    """
    doubtful = _to_ask(answers, len(rows))
    if not len(doubtful):
        return
    points = lists.points
    ends = np.searchsorted(doubtful, points.ends)
    segments = [
        lists.segment(p, start, points.change[doubtful[start:stop]])
        for p, (start, stop) in enumerate(itertools.pairwise(ends.tolist()))
        if start < stop
    ]
    asked, unsure = points.row[doubtful[: ends[-1]]], doubtful[ends[-1] :]
    asked = np.concatenate([asked, unsure - len(points)])
    found = batch.reaches_target(rows[asked], segments)
    _check_reading(answers[doubtful], found)
    answers[doubtful] = found


def settle_rows(batch: RowBatch, answers: Answers) -> None:
    """Ask the model about rows of a batch in doubt; set the answers."""
    doubtful = _to_ask(answers, len(answers))
    if len(doubtful):
        found = batch.reaches_target(doubtful)
        _check_reading(answers[doubtful], found)
        answers[doubtful] = found


def _to_ask(answers: Answers, n_rows: int) -> IndexArray:
    """Return which answers are in doubt, and for many rows a few others."""
    asked = answers == IN_DOUBT
    if n_rows >= _MANY_ROWS:
        asked[:: -(-len(answers) // _CHECKED)] = True
    return np.flatnonzero(asked)


def _check_reading(answers: Answers, found: BoolArray) -> None:
    """Raise if answers that are not in doubt differ from those of the model."""
    if ((answers != found) & (answers != IN_DOUBT)).any():
        raise ValueError(CHANGED)


def _differing_rows(
    builder: PointBuilder, codes: FloatArray, changes: ChangeCodes
) -> BoolArray:
    """Return which rows differ from another row with the same list.

    Labels that the action set does not list share a list, but not a code. Numbers have
    codes of their own.
    """
    out = np.zeros(len(codes), dtype=bool)
    lists = changes.lists
    for p, j in np.argwhere(np.isin(lists.columns, list(builder.others))).tolist():
        listed = np.flatnonzero(lists.which[p] >= 0)
        own = codes[listed, lists.columns[p, j]]
        other = changes.before[lists.which[p, listed], j]
        same = (own == other) | (np.isnan(own) & np.isnan(other))
        out[listed[~same]] = True
    return out
