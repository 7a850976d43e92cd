"""Scores along lines on which they are curved.

Links other than the identity, and steps such as logarithms, make scores that are no
straight lines. Such a piece of a line is divided again and again, until the bounds of
the scores decide each part of it or are closer together than rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skresp._model._decision import ROUNDINGS, Decision
from skresp._model._group import Group
from skresp._model._terms import MappedTerm, Terms, transform_ends
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allowance

from ._line_ends import LineEnds
from ._score_pieces import Pieces, ScorePieces

# The parts that an open piece is divided into, and how often that is done.
_PARTS, _ROUNDS = 8, 20
# Open pieces of one line. Where the scores only touch the border there can be many.
_MAX_OPEN = 4_096
# The relative width at which a piece is not divided again.
_NARROW = 8 * np.finfo(float).eps
# The share of a line up to which an open part needs no closer look.
_FINE = 1e-10
#: The rounding of scores, relative to their terms, inside of which nothing is known.
SHARP = ROUNDINGS / 2 * float(np.finfo(float).eps)


class CurvedLines(NamedTuple):
    """The groups of a score function along lines.

    Attributes
    ----------
    groups : sequence of Group
    ends : LineEnds
    first_sums, last_sums : list of array of shape (n_lines, n_outputs)
        For each group, the sums at both ends of its slopes and of the mapped terms of
        columns that stay as they are.
    sizes : list of array of shape (n_lines,)
        The largest sums of the sizes of these terms.
    curves : list of list of MappedTerm
        For each group, the mapped terms of columns that move.
    """

    groups: Sequence[Group]
    ends: LineEnds
    first_sums: list[FloatArray]
    last_sums: list[FloatArray]
    sizes: list[FloatArray]
    curves: list[list[MappedTerm]]

    @classmethod
    def of(cls, groups: Sequence[Group], ends: LineEnds) -> CurvedLines:
        """Return groups along lines."""
        moving = np.flatnonzero(ends.moves.any(axis=0))
        sums: tuple[list[FloatArray], list[FloatArray]] = [], []
        sizes: list[FloatArray] = []
        curves: list[list[MappedTerm]] = []
        for group in groups:
            if group.terms is None:
                for out in sums:
                    out.append(np.zeros((len(ends.low), len(group.base))))
                sizes.append(np.zeros(len(ends.low)))
                curves.append([])
                continue
            maps = group.terms.maps
            still = tuple(term for term in maps if term.column not in moving)
            terms = replace(group.terms, tables=(), maps=still)
            found, size = at_ends(terms, ends)
            for out, each in zip(sums, found, strict=True):
                out.append(each)
            sizes.append(size)
            curves.append([term for term in maps if term.column in moving])
        return cls(groups, ends, *sums, sizes, curves)

    def bounds(
        self,
        line: IndexArray,
        sums: Sequence[FloatArray],
        low: FloatArray,
        high: FloatArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the bounds of the scores on stretches of lines, and their sizes.

        `sums` has for each group the trees, tables and base on each stretch. The sizes
        are sums of the sizes of all terms.
        """
        a, b = self._shares(line, low), self._shares(line, high)
        lower, upper = self._codes(line, a), self._codes(line, b)
        least = np.minimum(lower, upper)
        most = np.maximum(lower, upper)
        terms = [term for curves in self.curves for term in curves]
        columns = [[x[:, term.column] for term in terms] for x in (least, most)]
        transformed = iter(transform_ends(terms, *columns))
        out = [np.zeros_like(sums[0]), np.zeros_like(sums[0])]
        size = np.zeros(len(line))
        for k, group in enumerate(self.groups):
            ends = self._straight(k, line, a), self._straight(k, line, b)
            bottom = sums[k] + np.minimum(*ends)
            top = sums[k] + np.maximum(*ends)
            added_size = np.abs(sums[k]).max(axis=1) + self.sizes[k][line]
            for term in self.curves[k]:
                added = term.bounds(least[:, term.column], next(transformed))
                bottom, top = bottom + added[0], top + added[1]
                added_size += np.maximum(*map(np.abs, added)).max(axis=1)
            shares = group.linked_bounds(bottom, top)
            out[0] += shares[0]
            out[1] += shares[1]
            size += group.steepness * added_size
        return out[0], out[1], size

    def _shares(self, line: IndexArray, position: FloatArray) -> FloatArray:
        low, high = self.ends.low[line], self.ends.high[line]
        return np.clip((position - low) / (high - low), 0.0, 1.0)[:, None]

    def _codes(self, line: IndexArray, share: FloatArray) -> FloatArray:
        first, last = self.ends.first[line], self.ends.last[line]
        inner = first + (last - first) * share
        return np.where(share < 1, inner, last)

    def _straight(self, k: int, line: IndexArray, share: FloatArray) -> FloatArray:
        first, last = self.first_sums[k][line], self.last_sums[k][line]
        return first + (last - first) * share


def at_ends(
    terms: Terms, ends: LineEnds, *, slopes_only: bool = False
) -> tuple[list[FloatArray], FloatArray]:
    """Return the sums of terms at both ends, and the largest sums of their sizes.

    With `slopes_only`, the sums are those of the slopes alone.
    """
    found = [
        terms.sums_and_sizes(codes, slopes_only=slopes_only)
        for codes in (ends.first, ends.last)
    ]
    sums, sizes = zip(*found, strict=True)
    return list(sums), np.maximum(*sizes).max(axis=1)


def split_curved(
    lines: CurvedLines,
    decision: Decision,
    pieces: Pieces,
    sums: Sequence[FloatArray],
) -> tuple[ScorePieces, BoolArray]:
    """Return pieces of lines, divided where the decision changes.

    Parameters
    ----------
    pieces : Pieces
        Pieces of lines on which trees and tables are constant.
    sums : list of array of shape (n_pieces, n_outputs)
        For each group, the trees, tables and base on each piece.

    Returns
    -------
    ScorePieces
        With the scores in the middle of each piece.
    is_open : array of shape (n_pieces,), bool
        Whether rounding decides, and the scores are not the same on all of the piece.
    """
    parts, is_open = _divided(lines, decision, decision.rounding, pieces, sums)
    parts, is_open, doubtful = _with_crossings(
        lines, decision, pieces, sums, parts, is_open
    )
    piece, low, high = parts
    line = pieces.owner[piece]
    scores, size = _scores(lines, pieces, sums, piece, (low + high) / 2)
    unsure = decision.unsure(scores, decision.rounding * size) | is_open
    run = _runs(decision, line, scores, unsure)
    first = np.flatnonzero(np.diff(run, prepend=-1))
    last = np.r_[first[1:], len(run)] - 1
    middle = (low[first] + high[last]) / 2
    # The piece of each run that its middle lies in.
    at = first + np.bincount(run, low <= middle[run]).astype(np.intp) - 1
    scores, size = _scores(lines, pieces, sums, piece[at], middle)
    found = ScorePieces(
        line[first],
        low[first],
        high[last],
        scores,
        rounding=decision.rounding * size,
        doubtful=doubtful,
    )
    return found, is_open[first]


def _divided(
    lines: CurvedLines,
    decision: Decision,
    rounding: float,
    pieces: Pieces,
    sums: Sequence[FloatArray],
) -> tuple[Pieces, BoolArray]:
    """Divide pieces until the bounds of the scores decide, or are as close as rounding.

    Return the parts in order, and whether each is open (`split_curved`). `rounding` is
    the error of the sums, relative to the sizes of their terms.
    """
    parts = Pieces(np.arange(len(pieces.owner)), pieces.low, pieces.high)
    done: list[tuple[Pieces, BoolArray]] = []
    for turn in range(_ROUNDS + 1):
        allowance().deadline.check()
        piece, low, high = parts
        on = pieces.owner[piece]
        bottom, top, size = lines.bounds(on, [s[piece] for s in sums], low, high)
        decided, flat = _settled(decision, bottom, top, rounding * size)
        narrow = high - low <= _NARROW * np.maximum(np.abs(low), np.abs(high))
        crowded = np.bincount(on[~(decided | flat)], minlength=len(lines.ends.low))
        stop = decided | flat | narrow | (crowded > _MAX_OPEN)[on]
        if turn == _ROUNDS:
            stop[:] = True
        is_open = np.asarray((bottom != top).any(axis=1) & ~decided)
        done.append((parts.take(stop), is_open[stop]))
        if stop.all():
            break
        parts = _divide(parts.take(~stop))
    return _in_order(pieces.owner, done)


def _with_crossings(
    lines: CurvedLines,
    decision: Decision,
    pieces: Pieces,
    sums: Sequence[FloatArray],
    parts: Pieces,
    is_open: BoolArray,
) -> tuple[Pieces, BoolArray, FloatArray]:
    """Divide wide open parts where the scores cross the border.

    `predict` decides an open part by its middle. Where the scores are flat, or the
    doubt is large, the part may be wide, with the border anywhere on it. The last
    array is the length of each line that is open even so.
    """
    doubtful = np.zeros(len(lines.ends.low))
    line = pieces.owner[parts.owner]
    length = lines.ends.high[line] - lines.ends.low[line]
    wide = is_open & (parts.high - parts.low > _FINE * length)
    if not wide.any():
        return parts, is_open, doubtful
    coarse = parts.take(wide)
    within = Pieces(line[wide], coarse.low, coarse.high)
    some = [s[coarse.owner] for s in sums]
    sharp = replace(decision, doubt=SHARP, least_doubt=0.0)
    (owner, low, high), still_open = _divided(lines, sharp, SHARP, within, some)
    np.add.at(doubtful, within.owner[owner], np.where(still_open, high - low, 0.0))
    scores, _ = _scores(lines, within, some, owner, (low + high) / 2)
    reached = decision.gap(scores) > 0
    new = (owner[1:] != owner[:-1]) | (reached[1:] != reached[:-1])
    first = np.r_[0, np.flatnonzero(new) + 1]
    last = np.r_[first[1:], len(owner)] - 1
    fine = Pieces(coarse.owner[owner[first]], low[first], high[last])
    every = np.ones(len(first), dtype=bool)
    rest = parts.take(~wide), is_open[~wide]
    return *_in_order(pieces.owner, [rest, (fine, every)]), doubtful


def _in_order(
    line: IndexArray, some: Sequence[tuple[Pieces, BoolArray]]
) -> tuple[Pieces, BoolArray]:
    """Join parts, ordered by the lines of their pieces and by position."""
    columns = zip(*(parts for parts, _ in some), strict=True)
    parts = Pieces(*(np.concatenate(column) for column in columns))
    is_open = np.concatenate([each for _, each in some])
    order = np.lexsort((parts.low, line[parts.owner]))
    return parts.take(order), is_open[order]


def _scores(
    lines: CurvedLines,
    pieces: Pieces,
    sums: Sequence[FloatArray],
    piece: IndexArray,
    position: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the scores at positions on pieces, and the sizes of their terms."""
    some = [s[piece] for s in sums]
    scores, _, size = lines.bounds(pieces.owner[piece], some, position, position)
    return scores, size


def _divide(parts: Pieces) -> Pieces:
    """Return each part in several parts of equal length."""
    piece, low, high = parts
    share = np.arange(_PARTS + 1) / _PARTS
    edges = low[:, None] + (high - low)[:, None] * share
    edges[:, -1] = high
    first, last = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    some = last > first
    return Pieces(np.repeat(piece, _PARTS)[some], first[some], last[some])


def _settled(
    decision: Decision, bottom: FloatArray, top: FloatArray, rounding: FloatArray
) -> tuple[BoolArray, BoolArray]:
    """Return where the bounds decide, and where they are as close as rounding."""
    least, most = decision.gap_bounds(bottom, top)
    error = decision.error(np.maximum(np.abs(bottom), np.abs(top)).max(axis=1))
    error = np.maximum(error, rounding)
    decided = (least > error) | (most < -error)
    return decided, (least >= -2 * error) & (most <= 2 * error)


def _runs(
    decision: Decision, line: IndexArray, scores: FloatArray, unsure: BoolArray
) -> IndexArray:
    """Number the runs of neighbouring pieces that are decided alike."""
    reached = decision.gap(scores) > 0
    new = line[1:] != line[:-1]
    new |= unsure[1:] | unsure[:-1] | (reached[1:] != reached[:-1])
    return np.concatenate([np.zeros(1, dtype=np.intp), np.cumsum(new)])
