"""The scores along lines, piece by piece.

A line is a row that moves: column `k` holds `start + rate * t` for t from low to high.
It is divided at the cuts of trees and tables. In between the scores are constant or
straight, and a straight piece is divided again where the decision may change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from skresp._model.trees._lines import tree_pieces
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._columns import known_rows
from ._crowded_cuts import crowded_cuts
from ._decision import ROUNDINGS, Decision
from ._group import Group
from ._score_function import ScoreFunction
from ._score_pieces import ScorePieces


def maps_lines(score_function: ScoreFunction, moving: Collection[str]) -> bool:
    """Return whether the scores are known along lines of these features."""
    shapes = set()
    for i, column in enumerate(score_function.columns):
        if column.name in moving:
            if column.labels is not None:
                return False
            shapes.add(score_function.shape(i))
    straight = score_function.decision is not None
    return shapes <= ({"constant", "linear"} if straight else {"constant"})


class _Lines(NamedTuple):
    """Lines, or parts of lines, in codes.

    Attributes
    ----------
    line : array of shape (n,)
        The line that each part belongs to.
    start, rate : array of shape (n, n_columns)
    low, high : array of shape (n,)
    """

    line: IndexArray
    start: FloatArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def middle(self) -> FloatArray:
        """The codes in the middle."""
        return self.start + self.rate * ((self.low + self.high) / 2)[:, None]


def score_pieces(
    score_function: ScoreFunction,
    first: FloatArray,
    last: FloatArray,
    low: FloatArray,
    high: FloatArray,
    eps: float,
) -> ScorePieces | None:
    """Return the pieces of lines on which the decision does not change.

    Return None where the scores are not known on all lines.

    Parameters
    ----------
    first, last : array of shape (n_lines, n_columns)
        The codes at both ends of the lines.
    low, high : array of shape (n_lines,)
        The positions of the ends.
    eps : float
        The largest relative spacing of the numbers that the model receives.
    """
    columns = score_function.columns
    if not (known_rows(columns, first) & known_rows(columns, last)).all():
        return None
    lines = _lines(score_function, first, last, low, high)
    error = _cut_error(score_function, first, last, lines.rate, eps)
    parts = _split_at_edges(score_function, lines)
    known = [_group_pieces(g, parts) for g in score_function.groups]
    pieces, which = _merged(known)
    outer = parts.line[pieces.line]
    groups = score_function.groups
    sums = [c.scores[at] for c, at in zip(known, which, strict=True)]
    straight = _straight_sums(groups, first)
    if not any(_moves(g, lines.rate) for g in groups):
        scores = _scores(groups, sums, [s[outer] for s in straight])
        return ScorePieces(outer, pieces.low, pieces.high, scores, error)
    ahead = [b - a for a, b in zip(straight, _straight_sums(groups, last), strict=True)]
    ends = []
    for at in (pieces.low, pieces.high):
        share = ((at - low[outer]) / (high - low)[outer])[:, None]
        slopes = [
            s[outer] + d[outer] * share for s, d in zip(straight, ahead, strict=True)
        ]
        ends.append(_scores(groups, sums, slopes))
    assert score_function.decision is not None
    whole = ScorePieces(outer, pieces.low, pieces.high, ends[0])
    return _split_where_decided(
        score_function.decision, whole, ends[1], error, len(low)
    )


def has_close_borders(
    score_function: ScoreFunction,
    first: FloatArray,
    last: FloatArray,
    low: FloatArray,
    high: FloatArray,
    eps: float,
) -> BoolArray:
    """Return on which lines two borders are closer than rounding.

    See `score_pieces` for the parameters.
    """
    pieces = score_pieces(score_function, first, last, low, high, eps)
    if pieces is None:
        return np.ones(len(low), dtype=bool)
    out = np.zeros(len(low), dtype=bool)
    for c in np.flatnonzero((first != last).any(axis=0)).tolist():
        if score_function.columns[c].labels is None:
            cuts = score_function.cuts(c)
            out |= crowded_cuts(cuts, first[:, c], last[:, c], low, high)
    lines = _lines(score_function, first, last, low, high)
    if any(_moves(g, lines.rate) for g in score_function.groups):
        out |= _crossings_are_close(
            score_function, first, last, low, high, pieces.error
        )
    return out


def _crossings_are_close(
    score_function: ScoreFunction,
    first: FloatArray,
    last: FloatArray,
    low: FloatArray,
    high: FloatArray,
    error: FloatArray | float,
) -> BoolArray:
    """Return on which straight lines the target is reached for a moment only.

    It is reached from the last border where it overtakes a rival to the first where a
    rival overtakes it.
    """
    decision = score_function.decision
    assert decision is not None
    a, b = (decision.differences(score_function.scores(x)) for x in (first, last))
    with np.errstate(divide="ignore", invalid="ignore"):
        position = low[:, None] + a / (a - b) * (high - low)[:, None]
    start = np.where(b > a, position, -np.inf).max(axis=1)
    stop = np.where(b < a, position, np.inf).min(axis=1)
    return np.asarray(np.abs(stop - start) <= 2 * error)


def _lines(
    score_function: ScoreFunction,
    first: FloatArray,
    last: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> _Lines:
    with np.errstate(invalid="ignore"):
        rate = (last - first) / (high - low)[:, None]
    rate[np.isnan(rate)] = 0.0  # a missing value stays missing
    for c, column in enumerate(score_function.columns):
        if column.labels is not None:
            rate[:, c] = 0.0
    start = first - rate * low[:, None]
    return _Lines(np.arange(len(low)), start, rate, low, high)


def _cut_error(
    score_function: ScoreFunction,
    first: FloatArray,
    last: FloatArray,
    rate: FloatArray,
    eps: float,
) -> FloatArray:
    """Return how far rounding may move a cut, in units of each line."""
    error = np.zeros(len(first))
    for c in np.flatnonzero(rate.any(axis=0)):
        if len(score_function.cuts(int(c))):
            size = np.maximum(np.abs(first[:, c]), np.abs(last[:, c]))
            moving = rate[:, c] != 0
            share = np.divide(
                size, np.abs(rate[:, c]), out=np.zeros_like(size), where=moving
            )
            error = np.maximum(error, ROUNDINGS * eps * share)
    return error


def _split_at_edges(score_function: ScoreFunction, lines: _Lines) -> _Lines:
    """Return parts of lines that stay on one piece of each step function."""
    line, where = [], []
    for c in np.flatnonzero(lines.rate.any(axis=0)).tolist():
        for edges in _edges(score_function.groups, c):
            moving = np.flatnonzero(lines.rate[:, c])
            speed = lines.rate[moving, c][:, None]
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
    return _Lines(owner, lines.start[owner], lines.rate[owner], low, high)


def _edges(groups: Sequence[Group], column: int) -> list[FloatArray]:
    """Return the edges of step functions of a column of numbers."""
    found = []
    for group in groups:
        if group.trees is not None and column in group.trees.edges:
            found.append(group.trees.edges[column])
        for term in group.terms.tables if group.terms is not None else ():
            if term.column == column and term.edges is not None:
                found.append(term.edges)
    return [edges for edges in found if len(edges)]


def _group_pieces(group: Group, parts: _Lines) -> ScorePieces:
    """Return the pieces on which a group is constant, but for its slopes."""
    width = len(group.base)
    if group.trees is None:
        pieces = ScorePieces(
            np.arange(len(parts.low)),
            parts.low,
            parts.high,
            np.zeros((len(parts.low), width)),
        )
    else:
        listed = group.trees.is_listed
        start = np.where(listed, parts.middle, parts.start)
        rate = np.where(listed, 0.0, parts.rate)
        start = group.trees.positions(start)
        pieces = tree_pieces(group.trees, width, start, rate, parts.low, parts.high)
    sums = pieces.scores + group.base
    for term in group.terms.others if group.terms is not None else ():
        codes = parts.middle[:, term.column]
        sums = sums + term.add(codes)[pieces.line]
    return ScorePieces(pieces.line, pieces.low, pieces.high, sums)


def _merged(known: Sequence[ScorePieces]) -> tuple[ScorePieces, list[IndexArray]]:
    """Return the common pieces of several divisions of lines.

    The second result is, for each division, the piece that each common one lies in.
    """
    if len(known) == 1:
        return known[0], [np.arange(len(known[0].line))]
    line = np.concatenate([pieces.line for pieces in known])
    low = np.concatenate([pieces.low for pieces in known])
    high = np.concatenate([pieces.high for pieces in known])
    which = np.repeat(np.arange(len(known)), [len(pieces.line) for pieces in known])
    piece = np.concatenate([np.arange(len(pieces.line)) for pieces in known])
    order = np.lexsort((low, line))
    line, low, high = line[order], low[order], high[order]
    which, piece = which[order], piece[order]
    last = np.r_[(line[1:] != line[:-1]) | (low[1:] != low[:-1]), True]
    at = [
        np.maximum.accumulate(np.where(which == k, piece, -1))[last]
        for k in range(len(known))
    ]
    final = np.r_[line[last][1:] != line[last][:-1], True]
    ends = np.where(final, high[last], np.r_[low[last][1:], 0.0])
    return ScorePieces(line[last], low[last], ends, np.zeros((len(ends), 1))), at


def _moves(group: Group, rate: FloatArray) -> bool:
    """Return whether a group has a slope in a column that moves."""
    if group.terms is None:
        return False
    return bool(rate[:, group.terms.slopes.any(axis=1)].any())


def _straight_sums(groups: Sequence[Group], codes: FloatArray) -> list[FloatArray]:
    """Return the sums of the slopes of each group."""
    return [
        np.zeros((len(codes), len(g.base)))
        if g.terms is None
        else g.terms._replace(tables=(), maps=()).sums(codes)
        for g in groups
    ]


def _scores(
    groups: Sequence[Group], sums: Sequence[FloatArray], slopes: Sequence[FloatArray]
) -> FloatArray:
    """Return the scores, from the sums of each group and those of its slopes."""
    shares = [
        g.weight * g.link(s + t) for g, s, t in zip(groups, sums, slopes, strict=True)
    ]
    return shares[0] if len(shares) == 1 else np.sum(shares, axis=0)


def _split_where_decided(
    decision: Decision,
    pieces: ScorePieces,
    last: FloatArray,
    cut_error: FloatArray,
    n: int,
) -> ScorePieces:
    """Return straight pieces, divided where the decision changes.

    `pieces` has the scores at the beginning of each piece, `last` those at its end.
    """
    a, b = decision.differences(pieces.scores), decision.differences(last)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = a / (a - b)
    crossed = (share > 0) & (share < 1)
    span = (pieces.high - pieces.low)[:, None]
    cuts = np.where(crossed, pieces.low[:, None] + share * span, pieces.high[:, None])
    edges = np.sort(np.column_stack([pieces.low, cuts, pieces.high]), axis=1)
    piece = np.repeat(np.arange(len(pieces.line)), edges.shape[1] - 1)
    low, high = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    some = high > low
    piece, low, high = piece[some], low[some], high[some]
    middle = ((low + high) / 2 - pieces.low[piece]) / span[piece, 0]
    first = pieces.scores[piece]
    scores = first + (last[piece] - first) * middle[:, None]
    # The error of a border is that of the scores, divided by their slope.
    size = np.maximum(np.abs(pieces.scores), np.abs(last)).max(axis=1)
    doubt = np.maximum(decision.doubt * np.maximum(1.0, size), decision.least_doubt)
    slope = np.abs(b - a) / span
    error = np.divide(doubt[:, None], slope, out=np.zeros_like(slope), where=crossed)
    worst = cut_error.copy()
    np.maximum.at(worst, pieces.line, error.max(axis=1, initial=0.0))
    return ScorePieces(pieces.line[piece], low, high, scores, worst[:n])
