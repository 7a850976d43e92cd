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
    # Imported here because numba loads slowly.
    from ._line_kernel import leaves_met, running_sums

    splits = SplitArrays(*(getattr(trees, name) for name in SplitArrays._fields))
    lines = PositionLines(*map(np.ascontiguousarray, lines))
    deadline = allowance().deadline
    first, which, when = deadline.call(leaves_met, splits, lines)
    low, high = lines.low, lines.high
    line, leaf, before = which.T
    opening = _opening_sums(trees.gains(first.ravel(), n_outputs), first.shape[1])
    change = trees.gains(leaf, n_outputs) - trees.gains(before, n_outputs)
    # By how much the scores of a line change, and where.
    line = np.concatenate([np.arange(len(low)), line])
    when = np.concatenate([low, when])
    order = np.lexsort((when, line))
    line, when = line[order], when[order]
    change = np.concatenate([opening, change])[order]
    return _pieces(line, when, deadline.call(running_sums, line, change), high)


def _opening_sums(gain: FloatArray, n_trees: int) -> FloatArray:
    """Return the sums of the first leaves of lines, tree after tree.

    `sum` adds up in an order that depends on the number of lines.
    """
    gain = gain.reshape(-1, n_trees, gain.shape[1])
    out = np.zeros((len(gain), gain.shape[2]))
    for tree in range(n_trees):
        out += gain[:, tree]
    return out


def _pieces(
    line: IndexArray, when: FloatArray, running: FloatArray, high: FloatArray
) -> ScorePieces:
    """Return pieces from the positions where scores change, and the scores there."""
    # A piece goes from the last event at one position to the next position.
    following = np.r_[when[1:], 0.0]
    final = np.r_[line[1:] != line[:-1], True]
    following[final] = high[line[final]]
    some = following > when
    return ScorePieces(line[some], when[some], following[some], running[some])
