"""The scores along lines, piece by piece.

A line is a row that moves: column `k` holds `start + rate * t` for t from low to high.
It is divided at the cuts of trees and tables. In between the scores are constant,
straight or curved. A straight piece is divided again where the decision changes, and so
is a curved one (see `_curved_lines`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from skresp._model._decision import ROUNDINGS, Decision
from skresp._model._group import Group
from skresp._model._score_function import ScoreFunction
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._constant_pieces import MovingRows, constant_pieces, moving_rows
from ._crowded_cuts import crowded_cuts
from ._curved_lines import SHARP, CurvedLines, at_ends, split_curved
from ._line_ends import LineEnds
from ._score_pieces import ScorePieces


def maps_lines(score_function: ScoreFunction, moving: Collection[str]) -> bool:
    """Return whether the scores are known along lines of these features."""
    for i, column in enumerate(score_function.columns):
        if column.name in moving:
            if column.labels is not None:
                return False
            if (
                score_function.decision is None
                and score_function.shape(i) != "constant"
            ):
                return False
    return True


def score_pieces(
    score_function: ScoreFunction, ends: LineEnds, eps: float
) -> ScorePieces:
    """Return the pieces of lines on which the decision does not change.

    The scores must be known at both ends of the lines (see `Column.knows`). `eps` is
    the largest relative spacing of the numbers that the model receives.
    """
    curved = _is_curved(score_function, ends)
    if not curved.any():
        return _straight_pieces(score_function, ends, eps)
    if curved.all():
        return _curved_pieces(score_function, ends, eps)[0]
    straight, bent = np.flatnonzero(~curved), np.flatnonzero(curved)
    return ScorePieces.joined(
        [straight, bent],
        [
            _straight_pieces(score_function, ends.take(straight), eps),
            _curved_pieces(score_function, ends.take(bent), eps)[0],
        ],
    )


def _is_curved(score_function: ScoreFunction, ends: LineEnds) -> BoolArray:
    """Return on which lines the scores are curved."""
    out = np.zeros(len(ends.low), dtype=bool)
    for c in ends.columns.tolist():
        is_number = score_function.columns[c].labels is None
        if is_number and score_function.shape(c) in ("monotone", "bounded"):
            first = ends.first[:, c]
            out |= (first != ends.last[:, c]) & ~np.isnan(first)
    return out


def _straight_pieces(
    score_function: ScoreFunction, ends: LineEnds, eps: float
) -> ScorePieces:
    """Return the pieces of lines on which scores are constant or straight."""
    lines = moving_rows(score_function, ends)
    error = _cut_error(score_function, ends, lines, eps)
    pieces, sums = constant_pieces(score_function, lines)
    groups, outer = score_function.groups, pieces.owner
    straight, last, size = _straight_ends(groups, ends)
    decision = score_function.decision
    rounding = 0.0 if decision is None else decision.rounding * _taken(size, outer)
    if not any(_moves(g, lines) for g in groups):
        still = zip(groups, straight, strict=True)
        slopes = [0.0 if g.terms is None else s[outer] for g, s in still]
        scores = _scores(groups, sums, slopes)
        return ScorePieces(outer, pieces.low, pieces.high, scores, error, rounding)
    ahead = [b - a for a, b in zip(straight, last, strict=True)]
    scores_at = []
    for at in (pieces.low, pieces.high):
        share = ((at - ends.low[outer]) / (ends.high - ends.low)[outer])[:, None]
        moved = zip(straight, ahead, strict=True)
        slopes = [s[outer] + d[outer] * share for s, d in moved]
        scores_at.append(_scores(groups, sums, slopes))
    assert decision is not None
    whole = ScorePieces(outer, pieces.low, pieces.high, scores_at[0], error, rounding)
    return _split_where_decided(decision, whole, scores_at[1], size)


def _curved_pieces(
    score_function: ScoreFunction, ends: LineEnds, eps: float
) -> tuple[ScorePieces, BoolArray]:
    """Return the pieces of curved lines, and on which lines rounding may decide."""
    lines = moving_rows(score_function, ends)
    error = _cut_error(score_function, ends, lines, eps, everywhere=True)
    whole, sums = constant_pieces(score_function, lines, maps=False)
    curves = CurvedLines.of(score_function.groups, ends)
    assert score_function.decision is not None
    pieces, is_open = split_curved(curves, score_function.decision, whole, sums)
    in_doubt = np.zeros(len(error), dtype=bool)
    in_doubt[pieces.line[is_open]] = True
    width = np.where(is_open, pieces.high - pieces.low, 0.0)
    np.maximum.at(error, pieces.line, width)
    return replace(pieces, error=error), in_doubt


def has_close_borders(
    score_function: ScoreFunction, ends: LineEnds, eps: float
) -> BoolArray:
    """Return on which lines two borders are closer than rounding.

    See `score_pieces` for the parameters.
    """
    curved = _is_curved(score_function, ends)
    out = np.zeros(len(curved), dtype=bool)
    if curved.any():
        who = np.flatnonzero(curved)
        out[who] = _curved_pieces(score_function, ends.take(who), eps)[1]
    if not curved.all():
        who = np.flatnonzero(~curved)
        out[who] = _has_close_crossings(score_function, ends.take(who), eps)
    for c in np.flatnonzero(ends.moves.any(axis=0)).tolist():
        if score_function.columns[c].labels is None:
            cuts = score_function.cuts(c)
            first, last = ends.first[:, c], ends.last[:, c]
            out |= crowded_cuts(cuts, first, last, ends.low, ends.high)
    return out


def _has_close_crossings(
    score_function: ScoreFunction, ends: LineEnds, eps: float
) -> BoolArray:
    """Return on which straight lines the target is reached for a moment only.

    It is reached from the last border where it overtakes a rival to the first where a
    rival overtakes it.
    """
    lines = moving_rows(score_function, ends)
    if not any(_moves(g, lines) for g in score_function.groups):
        return np.zeros(len(ends.low), dtype=bool)
    decision = score_function.decision
    assert decision is not None
    error = _straight_pieces(score_function, ends, eps).error
    a, b = (
        decision.margins(score_function.scores(codes))
        for codes in (ends.first, ends.last)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        position = ends.low[:, None] + a / (a - b) * (ends.high - ends.low)[:, None]
    start = np.where(b > a, position, -np.inf).max(axis=1)
    stop = np.where(b < a, position, np.inf).min(axis=1)
    return np.asarray(np.abs(stop - start) <= 2 * error)


def _cut_error(
    score_function: ScoreFunction,
    ends: LineEnds,
    lines: MovingRows,
    eps: float,
    *,
    everywhere: bool = False,
) -> FloatArray:
    """Return how far rounding may move a cut, or any point, in units of each line."""
    error = np.zeros(len(ends.low))
    for c, rate in zip(lines.columns.tolist(), lines.rate.T, strict=True):
        if rate.any() and (everywhere or len(score_function.cuts(c))):
            size = np.maximum(np.abs(ends.first[:, c]), np.abs(ends.last[:, c]))
            share = np.divide(
                size, np.abs(rate), out=np.zeros_like(size), where=rate != 0
            )
            error = np.maximum(error, ROUNDINGS * eps * share)
    return error


def _moves(group: Group, lines: MovingRows) -> bool:
    """Return whether a group has a slope in a column that moves."""
    if group.terms is None:
        return False
    sloped = group.terms.slopes[lines.columns].any(axis=1)
    return bool(lines.rate[:, sloped].any())


def _straight_ends(
    groups: Sequence[Group], ends: LineEnds
) -> tuple[list[FloatArray], list[FloatArray], FloatArray | float]:
    """Return the sums of the slopes of each group at both ends, and sizes.

    These are the sums of the sizes of all terms and trees on lines, at most. A number
    where it is the same for all lines.
    """
    first, last = [], []
    sizes: FloatArray | float = 0.0
    for group in groups:
        size: FloatArray | float = float(np.abs(group.base).max())
        if group.terms is None:
            sums = [np.zeros((len(ends.low), len(group.base)))] * 2
        else:
            sums, largest = at_ends(group.terms, ends, slopes_only=True)
            size = size + largest
        first.append(sums[0])
        last.append(sums[1])
        if group.trees is not None:
            size = size + group.trees.largest_size
        sizes = sizes + group.steepness * size
    return first, last, sizes


def _taken(values: FloatArray | float, at: IndexArray) -> FloatArray | float:
    """Return the values at some positions; a number is the same at all of them."""
    return values[at] if isinstance(values, np.ndarray) else values


def _scores(
    groups: Sequence[Group],
    sums: Sequence[FloatArray],
    slopes: Sequence[FloatArray | float],
) -> FloatArray:
    """Return the scores, from the sums of each group and those of its slopes."""
    shares = [g.linked(s + t) for g, s, t in zip(groups, sums, slopes, strict=True)]
    return shares[0] if len(shares) == 1 else np.sum(shares, axis=0)


def _split_where_decided(
    decision: Decision,
    pieces: ScorePieces,
    last: FloatArray,
    sizes: FloatArray | float,
) -> ScorePieces:
    """Return straight pieces, divided where the decision changes.

    `pieces` has the scores at the beginning of each piece, `last` those at its end.
    `sizes` are the sums of the sizes of all terms on each line.
    """
    a, b = decision.margins(pieces.scores), decision.margins(last)
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
    slope = np.abs(b - a) / span
    error = np.maximum(decision.error(size), pieces.rounding)[:, None]
    error = np.divide(error, slope, out=np.zeros_like(slope), where=crossed)
    worst = np.array(pieces.error)
    np.maximum.at(worst, pieces.line, error.max(axis=1, initial=0.0))
    near = SHARP * np.maximum(size, _taken(sizes, pieces.line))
    doubtful = np.zeros(len(worst))
    np.add.at(doubtful, pieces.line, _share_near_border(a, b, near) * span[:, 0])
    return ScorePieces(
        pieces.line[piece],
        low,
        high,
        scores,
        worst,
        _taken(pieces.rounding, piece),
        doubtful,
    )


def _share_near_border(a: FloatArray, b: FloatArray, near: FloatArray) -> FloatArray:
    """Return the share of straight pieces on which the decision is `near` the border.

    `a` and `b` are the margins at both ends, of shape (n_pieces, n_margins).
    """
    near = near[:, None]
    first = np.clip(np.minimum(a, b), -near, near)
    last = np.clip(np.maximum(a, b), -near, near)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(a == b, 0.0, (last - first) / np.abs(b - a))
        at = np.clip(np.where(a == b, 0.0, a / (a - b)), 0.0, 1.0)
    # Where another margin is far below 0, this one does not matter.
    for k in range(share.shape[1]):
        there = a + (b - a) * at[:, [k]]
        share[:, k] *= ~(there < -near).any(axis=1)
    return np.asarray(share.sum(axis=1))
