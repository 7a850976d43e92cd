"""Exact scores of a feature whose changes form a line.

The feature moves, its effects follow, and nothing else can move. The score is the
share of the feasible length that reaches the target (for an integer, of its values).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from skresp._model._codes import change_codes, changed_codes
from skresp._model._decision import ROUNDINGS
from skresp._model._row_batch import RowBatch, Segment
from skresp._model._score_function import ScoreFunction
from skresp._model.lines._line_ends import LineEnds
from skresp._model.lines._row_leaves import Origin, RowLeaves
from skresp._model.lines._score_lines import has_close_borders, score_pieces
from skresp._model.lines._score_pieces import ScorePieces
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allow
from skresp.reach._deadline import Deadline
from skresp.reach._lines import Lines, lines_of
from skresp.reach._part import Part

from ._changed_points import new_values
from ._settings import ScoreSettings

# Trees times lines that are walked at once, to bound memory.
_MAX_FRAGMENTS = 400_000
# The share of a line that a piece may have whose length is only rounding.
_NEGLIGIBLE = 1e-12
# Units on either side of a border that are evaluated one by one.
_MAX_IN_DOUBT = 2_048


@dataclass(frozen=True)
class TargetPieces:
    """Pieces of lines that reach the target or do not, ordered by line and position.

    Attributes
    ----------
    line : array of shape (n_pieces,)
        The line of each piece.
    low, high : array of shape (n_pieces,)
        Its ends, in units of the line.
    size : array of shape (n_pieces,)
        Its length; for an integer the number of units on it.
    reached : array of bool of shape (n_pieces,)
        Whether it reaches the target.
    doubtful : array of shape (n_pieces,)
        The length of the line on which rounding decides (`ScorePieces`); it is counted
        with the first piece of each stretch of the line.
    """

    line: IndexArray
    low: FloatArray
    high: FloatArray
    size: FloatArray
    reached: BoolArray
    doubtful: FloatArray

    @classmethod
    def none(cls) -> TargetPieces:
        """Return no pieces."""
        nothing = np.zeros(0)
        line = nothing.astype(np.intp)
        return cls(line, nothing, nothing, nothing, nothing > 0, nothing)


class Doubtful(NamedTuple):
    """Pieces of lines about which the model is asked.

    Attributes
    ----------
    lines : Lines
    line : array of shape (n_doubtful,)
    amount : array of shape (n_doubtful,)
        A position on each piece.
    reached : array of bool of shape (n_pieces,)
        Gets the answers.
    where : array of shape (n_doubtful,)
        The positions of these pieces.
    """

    lines: Lines
    line: IndexArray
    amount: FloatArray
    reached: BoolArray
    where: IndexArray


def exact_lines(
    batch: RowBatch,
    part: Part,
    j: int,
    rows: IndexArray,
    values: FloatArray,
    settings: ScoreSettings,
) -> tuple[Lines, TargetPieces]:
    """Return the lines of a feature, and their pieces.

    A row has no line where the model is not known along it.
    """
    lines = known_lines(batch, part, j, rows, values, settings)
    if not len(lines.line):
        return lines, TargetPieces.none()
    assert batch.score_function is not None
    return lines, evaluate_lines(batch, batch.score_function, lines)


def known_lines(
    batch: RowBatch,
    part: Part,
    j: int,
    rows: IndexArray,
    values: FloatArray,
    settings: ScoreSettings,
) -> Lines:
    """Return the lines of a feature along which the model is known."""
    if not settings.allow_lines or batch.score_function is None:
        return Lines.none(part, j, rows, values)
    lines = lines_of(part, j, rows, values, settings.interventions)
    if not len(lines.line):
        return lines
    score_function, _ = batch.coded(batch.score_function)
    known = batch.known_rows(batch.score_function)[lines.rows[lines.line]]
    if not score_function.knows_all_numbers:
        ends = _line_ends(lines, batch, batch.score_function, slice(None))
        known = score_function.known_rows(ends.first)
        known &= score_function.known_rows(ends.last)
    return lines if known.all() else lines.without(lines.line[~known])


def evaluate_lines(
    batch: RowBatch, score_function: ScoreFunction, lines: Lines
) -> TargetPieces:
    """Return the pieces of lines along which the model is known."""
    done = list(open_pieces(batch, score_function, lines))
    if not done:
        return TargetPieces.none()
    ask(batch, [doubtful for _, doubtful in done])
    names = [field.name for field in fields(TargetPieces)]
    columns = ([getattr(pieces, name) for pieces, _ in done] for name in names)
    return TargetPieces(*map(np.concatenate, columns))


def open_pieces(
    batch: RowBatch, score_function: ScoreFunction, lines: Lines
) -> Iterator[tuple[TargetPieces, Doubtful]]:
    """Yield the pieces of some lines after the other, and those that are in doubt."""
    for some in _batches(score_function, len(lines.line), batch.deadline):
        with allow(batch.deadline):
            found = _evaluate(batch, score_function, lines, some)
        yield found


def ask(batch: RowBatch, doubtful: Sequence[Doubtful]) -> None:
    """Ask the model about pieces in doubt, in one call; set the answers."""
    asked = [each for each in doubtful if len(each.line)]
    if not asked:
        return
    ends = np.cumsum([0, *(len(each.line) for each in asked)])
    segments = [
        Segment(
            start,
            start + len(each.line),
            _line_values(each.lines, batch, each.line, each.amount),
        )
        for start, each in zip(ends.tolist(), asked, strict=False)
    ]
    rows = [each.lines.rows[each.line] for each in asked]
    found = batch.reaches_target(np.concatenate(rows), segments)
    for answers, each in zip(np.split(found, ends[1:-1]), asked, strict=True):
        each.reached[each.where] = answers


def crowded_lines(
    batch: RowBatch, score_function: ScoreFunction, lines: Lines
) -> BoolArray:
    """Return for each row whether two borders on its line are closer than rounding.

    Never for an integer: units near a border are evaluated one by one.
    """
    out = np.zeros(len(lines.rows), dtype=bool)
    if not lines.is_integer:
        known = batch.coded(score_function)[0]
        for some in _batches(score_function, len(lines.line), batch.deadline):
            ends = _line_ends(lines, batch, score_function, some)
            with allow(batch.deadline):
                close = has_close_borders(known, ends, batch.point_builder.spacing)
            out[lines.line[some][close]] = True
    return out


def _batches(
    score_function: ScoreFunction, lines: int, deadline: Deadline
) -> Iterator[slice]:
    """Yield slices of lines of bounded memory."""
    size = max(_MAX_FRAGMENTS // max(score_function.n_trees, 4), 1)
    for block in deadline.slices(lines):
        for start in range(block.start, block.stop, size):
            yield slice(start, min(start + size, block.stop))


def _evaluate(
    batch: RowBatch, score_function: ScoreFunction, lines: Lines, some: slice
) -> tuple[TargetPieces, Doubtful]:
    """Return the pieces of some lines, and those where rounding could decide."""
    line, low, high = lines.line[some], lines.low[some], lines.high[some]
    known = batch.coded(score_function)[0].of_gap
    eps = batch.point_builder.spacing
    ends = _line_ends(lines, batch, score_function, some)
    pieces = score_pieces(known, ends, eps)
    doubtful = pieces.doubtful
    # The model's column may be of a coarser dtype, which rounds too.
    largest = np.abs(lines.before[line, lines.j]) / lines.step
    largest += np.maximum(np.abs(low), np.abs(high))
    error = pieces.error + ROUNDINGS * eps * largest
    if not lines.is_integer:
        position, size = None, _lengths(pieces, high - low, error)
    else:
        if isinstance(doubtful, np.ndarray):
            # The model is asked about every unit near a border.
            doubtful = np.where(doubtful > 2 * _MAX_IN_DOUBT, doubtful, 0.0)
        asked = _ends_to_ask(known, ends, pieces)
        pieces, position, size = _whole_units(pieces, low, high, error, asked)
    which = line[pieces.line]
    reached, sure = np.zeros((2, len(which)), dtype=bool)
    if known.decision is not None and batch.uses_kernels:
        reached, sure = known.decision.answers(pieces.scores, pieces.rounding)
    unsure = np.flatnonzero(~sure)
    if position is None:
        amount = (pieces.low[unsure] + pieces.high[unsure]) / 2
    else:
        amount = position[unsure]
    if isinstance(doubtful, np.ndarray):
        first = np.diff(pieces.line, prepend=-1) > 0
        doubtful = np.where(first, doubtful[pieces.line], 0.0)
    else:
        doubtful = np.broadcast_to(doubtful, len(which))
    return (
        TargetPieces(which, pieces.low, pieces.high, size, reached, doubtful),
        Doubtful(lines, which[unsure], amount, reached, unsure),
    )


def _lengths(pieces: ScorePieces, whole: FloatArray, error: FloatArray) -> FloatArray:
    """Return the lengths of pieces; 0 where rounding of a border is all there is to it.

    Such a piece has hardly a number inside, so `predict` may say of its middle what
    holds beside it. Pieces count that are no small share of their line.
    """
    length = pieces.high - pieces.low
    negligible = np.minimum(error, _NEGLIGIBLE * whole)
    return np.where(length <= negligible[pieces.line], 0.0, length)


def _ends_to_ask(
    score_function: ScoreFunction, ends: LineEnds, pieces: ScorePieces
) -> tuple[BoolArray, BoolArray]:
    """Return of which lines of units the model is asked about the first and last unit.

    A border right at an end leaves a piece without length, which is not among the
    pieces. For units it counts, so the scores at the end itself are compared with those
    of the piece beside it.
    """
    decision = score_function.decision
    if decision is None:
        everywhere = np.ones(len(ends.low), dtype=bool)
        return everywhere, everywhere
    start = np.searchsorted(pieces.line, np.arange(len(ends.low)))
    rounding = np.broadcast_to(pieces.rounding, len(pieces.line))
    asked = []
    for codes, beside in ((ends.first, start), (ends.last, np.r_[start[1:], 0] - 1)):
        at_end, sure = decision.answers(score_function.scores(codes), rounding[beside])
        inside, _ = decision.answers(pieces.scores[beside])
        asked.append((at_end != inside) | ~sure)
    return asked[0], asked[1]


def _whole_units(
    pieces: ScorePieces,
    low: FloatArray,
    high: FloatArray,
    error: FloatArray,
    asked: tuple[BoolArray, BoolArray],
) -> tuple[ScorePieces, FloatArray, FloatArray]:
    """Return runs of units, one unit of each run, and the number of its units.

    Every unit of a line belongs to exactly one run. A unit within `error` of a border
    is a run by itself, and its scores are NaN so that `predict` decides; so is the
    first or last unit of a line that is `asked`. 0 is no change and does not count.
    """
    line, a, b = pieces.line, pieces.low, pieces.high
    first = np.ceil(a)
    last = np.where(b >= high[line], high[line], np.ceil(b) - 1)
    which, scores = np.arange(len(line)), pieces.scores
    rounding = np.broadcast_to(pieces.rounding, len(line))
    inner = b < high[line]
    first_asked, last_asked = map(np.flatnonzero, asked)
    near = np.concatenate([line[inner], first_asked, last_asked])
    border = np.concatenate([b[inner], low[first_asked], high[last_asked]])
    doubtful = _units_near(near, border, low, high, error)
    if len(doubtful[0]):
        first, last, which, alone = _split_off(line, first, last, *doubtful)
        scores = np.where(alone[:, None], np.nan, scores[which])
        line, rounding = line[which], rounding[which]
    size = last - first + 1 - ((first <= 0) & (last >= 0))
    some = size > 0
    line, first, last, size = line[some], first[some], last[some], size[some]
    position = np.floor((first + last) / 2)
    position[position == 0] = np.where(last > 0, last, first)[position == 0]
    found = ScorePieces(line, first, last, scores[some], rounding=rounding[some])
    return found, position, size


def _units_near(
    line: IndexArray,
    border: FloatArray,
    low: FloatArray,
    high: FloatArray,
    error: FloatArray,
) -> tuple[IndexArray, FloatArray]:
    """Return the lines and units that lie within the error of a border, in order."""
    off = np.minimum(error[line], _MAX_IN_DOUBT)
    start = np.maximum(np.ceil(border - off), low[line])
    stop = np.minimum(np.floor(border + off), high[line])
    counts = np.maximum(stop - start + 1, 0).astype(np.intp)
    shift = np.cumsum(counts) - counts
    unit = np.repeat(start - shift, counts) + np.arange(counts.sum())
    pairs = np.unique(np.stack([np.repeat(line, counts).astype(float), unit]), axis=1)
    return pairs[0].astype(np.intp), pairs[1]


def _split_off(
    line: IndexArray,
    first: FloatArray,
    last: FloatArray,
    on: IndexArray,
    unit: FloatArray,
) -> tuple[FloatArray, FloatArray, IndexArray, BoolArray]:
    """Return runs in which the units `unit` of the lines `on` are runs of their own.

    The last two arrays are, for each run, the given run it comes from, and whether it
    is such a unit.
    """
    some = np.flatnonzero(last >= first)
    line, first, last = line[some], first[some], last[some]
    # Runs begin where the given ones do, at a separate unit, and right after it.
    owner = np.concatenate([line, on, on])
    begin = np.concatenate([first, unit, unit + 1])
    alone = np.repeat([False, True, False], [len(line), len(unit), len(unit)])
    run = np.concatenate([np.arange(len(line)), np.full(2 * len(unit), -1)])
    order = np.lexsort((~alone, begin, owner))
    owner, begin, alone, run = owner[order], begin[order], alone[order], run[order]
    run = np.maximum.accumulate(run)
    new = np.r_[True, (owner[1:] != owner[:-1]) | (begin[1:] != begin[:-1])]
    run = run[np.r_[np.flatnonzero(new)[1:], len(new)] - 1]
    owner, begin, alone = owner[new], begin[new], alone[new]
    follows = np.r_[owner[1:] == owner[:-1], False]
    end = np.where(follows, np.r_[begin[1:], 0.0] - 1, last[run])
    return begin, end, some[run], alone


def _line_values(
    lines: Lines, batch: RowBatch, line: IndexArray, amount: FloatArray
) -> dict[int, Any]:
    """Return the new values at these amounts along these lines."""
    changes = lines.changes(line, amount)
    return new_values(lines.part, lines.before[line], changes, batch.point_builder)


def _line_ends(
    lines: Lines, batch: RowBatch, score_function: ScoreFunction, some: slice
) -> LineEnds:
    """Return the ends of some lines, in codes of the model's columns."""
    known, codes = batch.coded(score_function)
    line, low, high = lines.line[some], lines.low[some], lines.high[some]
    last = codes[lines.rows[line]]
    ends = [_line_values(lines, batch, line, amount) for amount in (low, high)]
    first = changed_codes(known, last, ends[0])
    change_codes(known, last, ends[1])
    leaves = batch.kept.get("leaves of rows")
    if leaves is None or leaves.codes is not codes:
        leaves = RowLeaves(codes, batch.known_rows(score_function))
        batch.kept["leaves of rows"] = leaves
    # An end where nothing changes has no values.
    columns = np.array(sorted({*ends[0], *ends[1]}), dtype=np.intp)
    origin = Origin(leaves, lines.rows[line], columns)
    return LineEnds(first, last, low, high, origin)
