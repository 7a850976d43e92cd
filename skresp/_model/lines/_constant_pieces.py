"""The pieces of lines on which trees and tables are constant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skresp._model._group import Group
from skresp._model._score_function import ScoreFunction
from skresp._typing import FloatArray, IndexArray

from ._line_ends import LineEnds
from ._row_leaves import Origin
from ._score_pieces import Pieces, ScorePieces
from ._tree_pieces import PositionLines, tree_pieces


class MovingRows(NamedTuple):
    """Lines, or parts of lines, in codes.

    Attributes
    ----------
    line : array of shape (n,)
        The line that each part belongs to.
    start : array of shape (n, n_columns)
    columns : array of shape (n_moving,)
        The columns that move: of wide rows they are few.
    rate : array of shape (n, n_moving)
    low, high : array of shape (n,)
    origin : Origin or None
        The rows that they start from, if they are known.
    """

    line: IndexArray
    start: FloatArray
    columns: IndexArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray
    origin: Origin | None

    @property
    def middle(self) -> FloatArray:
        """The codes in the middle."""
        out = self.start.copy()
        middle = ((self.low + self.high) / 2)[:, None]
        out[:, self.columns] += self.rate * middle
        return out


def moving_rows(score_function: ScoreFunction, ends: LineEnds) -> MovingRows:
    """Return lines by their rates; labels do not move."""
    first, last, low, high, origin = ends
    columns = np.setdiff1d(ends.columns, score_function.labelled)
    with np.errstate(invalid="ignore"):
        rate = (last[:, columns] - first[:, columns]) / (high - low)[:, None]
    rate[np.isnan(rate)] = 0.0  # a missing value stays missing
    start = first.copy()
    start[:, columns] -= rate * low[:, None]
    return MovingRows(np.arange(len(low)), start, columns, rate, low, high, origin)


def constant_pieces(
    score_function: ScoreFunction, lines: MovingRows, *, maps: bool = True
) -> tuple[Pieces, list[FloatArray]]:
    """Return pieces on which trees and tables are constant, and the sums of groups.

    The sums have no slopes, and with `maps=False` no mapped terms either.
    """
    parts = _split_at_edges(score_function, lines)
    known = [_group_pieces(g, parts, maps) for g in score_function.groups]
    pieces, which = _merged(known)
    sums = [c.scores[at] for c, at in zip(known, which, strict=True)]
    return pieces._replace(owner=parts.line[pieces.owner]), sums


def _split_at_edges(score_function: ScoreFunction, lines: MovingRows) -> MovingRows:
    """Return parts of lines that stay on one piece of each step function."""
    line, where = [], []
    for c, rate in zip(lines.columns.tolist(), lines.rate.T, strict=True):
        for edges in _edges(score_function.groups, c):
            moving = np.flatnonzero(rate)
            speed = rate[moving, None]
            t = (edges - lines.start[moving, c][:, None]) / speed
            first, last = lines.low[moving][:, None], lines.high[moving][:, None]
            inside = (t > first) & (t < last)
            who, which = np.nonzero(inside)
            line.append(moving[who])
            where.append(t[who, which])
    if not line:
        return lines
    owner = np.concatenate([lines.line, *line])
    low = np.concatenate([lines.low, *where])
    order = np.lexsort((low, owner))
    owner, low = owner[order], low[order]
    final = np.r_[owner[1:] != owner[:-1], True]
    high = np.where(final, lines.high[owner], np.r_[low[1:], 0.0])
    some = high > low
    owner, low, high = owner[some], low[some], high[some]
    start, rate = lines.start[owner], lines.rate[owner]
    origin = None if lines.origin is None else lines.origin.take(owner)
    return MovingRows(owner, start, lines.columns, rate, low, high, origin)


def _edges(groups: Sequence[Group], column: int) -> list[FloatArray]:
    """Return the edges of step functions of a column of numbers."""
    found = []
    for group in groups:
        if group.trees is not None and column in group.trees.edges:
            found.append(group.trees.edges[column])
        if group.terms is not None:
            found += group.terms.edges(column)
    return [edges for edges in found if len(edges)]


def _group_pieces(group: Group, parts: MovingRows, maps: bool) -> ScorePieces:
    """Return the pieces on which a group is constant, but for slopes and maps."""
    width = len(group.base)
    if group.trees is None:
        pieces = ScorePieces(
            np.arange(len(parts.low)),
            parts.low,
            parts.high,
            np.zeros((len(parts.low), width)),
        )
    else:
        listed, start = group.trees.is_listed, parts.start
        if listed[parts.columns].any():
            start = np.where(listed, parts.middle, start)
        moving = ~listed[parts.columns]
        rate = np.zeros(start.T.shape)
        rate[parts.columns[moving]] = parts.rate[:, moving].T
        positions = group.trees.positions(start).T
        lines = PositionLines(positions, rate, parts.low, parts.high)
        origin = parts.origin
        still = None if origin is None else origin.leaves_in(group.trees)
        pieces = tree_pieces(group.trees, width, lines, still)
    sums = pieces.scores + group.base
    if group.terms is not None:
        terms = group.terms if maps else replace(group.terms, maps=())
        for added in terms.add_columns(parts.middle):
            sums = sums + added[pieces.line]
    return ScorePieces(pieces.line, pieces.low, pieces.high, sums)


def _merged(known: Sequence[ScorePieces]) -> tuple[Pieces, list[IndexArray | slice]]:
    """Return the common pieces of several divisions of lines.

    The second result is, for each division, the piece that each common one lies in.
    """
    if len(known) == 1:
        (pieces,) = known
        return Pieces(pieces.line, pieces.low, pieces.high), [slice(None)]
    line = np.concatenate([pieces.line for pieces in known])
    low = np.concatenate([pieces.low for pieces in known])
    high = np.concatenate([pieces.high for pieces in known])
    which = np.repeat(np.arange(len(known)), [len(pieces.line) for pieces in known])
    piece = np.concatenate([np.arange(len(pieces.line)) for pieces in known])
    order = np.lexsort((low, line))
    line, low, high = line[order], low[order], high[order]
    which, piece = which[order], piece[order]
    last = np.r_[(line[1:] != line[:-1]) | (low[1:] != low[:-1]), True]
    at: list[IndexArray | slice] = [
        np.maximum.accumulate(np.where(which == k, piece, -1))[last]
        for k in range(len(known))
    ]
    final = np.r_[line[last][1:] != line[last][:-1], True]
    ends = np.where(final, high[last], np.r_[low[last][1:], 0.0])
    return Pieces(line[last], low[last], ends), at
