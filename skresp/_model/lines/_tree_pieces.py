"""The sums of trees along lines, piece by piece.

A line is a row that moves: column `k` holds `start + rate * t` for t from low to high.
Each tree cuts the line where the outcome of a split changes. Between the cuts of all
trees the scores are constant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model.trees._raw_trees import RawTrees
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allowance

from ._score_pieces import ScorePieces


class SplitArrays(NamedTuple):
    """The arrays of `RawTrees` that a walk through the trees needs."""

    roots: NDArray[np.int32]
    column: NDArray[np.int32]
    threshold: FloatArray
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: BoolArray
    is_listed: BoolArray
    goes_left: BoolArray


class PositionLines(NamedTuple):
    """Lines through trees.

    Attributes
    ----------
    start, rate : array of shape (n_lines, n_columns)
        Listed columns hold positions, and do not move.
    low, high : array of shape (n_lines,)
        The range of `t`.
    """

    start: FloatArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray


def tree_pieces(trees: RawTrees, n_outputs: int, lines: PositionLines) -> ScorePieces:
    """Return the pieces of lines on which the sums of trees are constant."""
    from ._line_kernel import leaves_met  # imported here because numba loads slowly

    splits = SplitArrays(*(getattr(trees, name) for name in SplitArrays._fields))
    lines = PositionLines(*map(np.ascontiguousarray, lines))
    first, which, when = allowance().deadline.call(leaves_met, splits, lines)
    low, high = lines.low, lines.high
    line, leaf, before = which.T
    opening = trees.gains(first.ravel(), n_outputs)
    opening = opening.reshape(len(low), first.shape[1], -1).sum(axis=1)
    change = trees.gains(leaf, n_outputs) - trees.gains(before, n_outputs)
    return _pieces(
        np.concatenate([np.arange(len(low)), line]),
        np.concatenate([low, when]),
        np.concatenate([opening, change]),
        high,
    )


def _pieces(
    line: IndexArray, when: FloatArray, gain: FloatArray, high: FloatArray
) -> ScorePieces:
    """Return pieces from events: by how much the scores of a line change, and where."""
    order = np.lexsort((when, line))
    line, when = line[order], when[order]
    running = np.cumsum(gain[order], axis=0)
    # The sum runs across lines, so subtract the sum of the lines before.
    first = np.flatnonzero(np.r_[True, line[1:] != line[:-1]])
    earlier = np.zeros((len(first), running.shape[1]))
    earlier[1:] = running[first[1:] - 1]
    running -= np.repeat(earlier, np.diff(np.r_[first, len(line)]), axis=0)
    # A piece goes from the last event at one position to the next position.
    following = np.r_[when[1:], 0.0]
    final = np.r_[line[1:] != line[:-1], True]
    following[final] = high[line[final]]
    some = following > when
    return ScorePieces(line[some], when[some], following[some], running[some])
