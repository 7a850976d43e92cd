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

from ._row_leaves import StillLeaves
from ._score_pieces import ScorePieces

# Lines that go through the trees together. A tree stays in the processor's cache for
# all of them, and so should the leaves that they meet.
_LINES = 256


class SplitArrays(NamedTuple):
    """The arrays of `RawTrees` that a walk through the trees needs.

    Attributes
    ----------
    n_outputs : int
    cut : array of shape (n_nodes,), int32
        The position of the threshold of each node in `LineCuts.values`, where the
        column moves.
    """

    roots: NDArray[np.int32]
    output: NDArray[np.int32]
    column: NDArray[np.int32]
    threshold: FloatArray
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: BoolArray
    leaves: FloatArray
    is_listed: BoolArray
    goes_left: BoolArray
    n_outputs: int
    cut: NDArray[np.int32]


class PositionLines(NamedTuple):
    """Lines through trees.

    Attributes
    ----------
    start, rate : array of shape (n_columns, n_lines)
        Listed columns hold positions, and do not move.
    low, high : array of shape (n_lines,)
        The range of `t`.
    """

    start: FloatArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray


class LineCuts(NamedTuple):
    """The cuts of the columns that move on some lines.

    A line meets the cuts of a column that falls from the last to the first. Its cuts
    are numbered in that order: cut `k` is `values[mirror - k]`.

    Attributes
    ----------
    values : array of shape (n_cuts,)
        The cuts of each column, ascending, and room up to a multiple of 64.
    columns : array of shape (n_moving,)
    begin : array of shape (n_moving + 1,)
        Where the cuts of each of these columns begin.
    moves : array of shape (n_columns,), bool
    mirror : array of shape (n_columns,)
        The sum of the positions of the first and the last cut of each column.
    most_pieces : int
        The most pieces of a line in one tree.
    """

    values: FloatArray
    columns: IndexArray
    begin: IndexArray
    moves: BoolArray
    mirror: IndexArray
    most_pieces: int


def tree_pieces(
    trees: RawTrees,
    n_outputs: int,
    lines: PositionLines,
    still: StillLeaves | None = None,
) -> ScorePieces:
    """Return the pieces of lines on which the sums of trees are constant.

    With `still`, lines go through the other trees only.
    """
    # Imported here because numba loads slowly.
    from ._line_kernel import line_pieces

    lines = PositionLines(*map(np.ascontiguousarray, lines))
    cuts, cut = _line_cuts(trees, lines)
    names = SplitArrays._fields[:-2]
    arrays = {name: getattr(trees, name) for name in names}
    splits = SplitArrays(**arrays, n_outputs=n_outputs, cut=cut)
    size, n_trees = min(_LINES, len(lines.low)), len(trees.roots)
    if still is None:
        nothing = np.zeros((0, n_trees), dtype=np.int32)
        still = StillLeaves(np.zeros(n_trees, dtype=bool), nothing)
    given = splits, lines, cuts, still, size
    return ScorePieces(*allowance().deadline.call(line_pieces, *given))


def _line_cuts(
    trees: RawTrees, lines: PositionLines
) -> tuple[LineCuts, NDArray[np.int32]]:
    """Return the cuts that lines may meet, and the cut of each node among them."""
    moves: BoolArray = np.any(lines.rate != 0, axis=1)
    columns = np.flatnonzero(moves)
    cut = np.zeros(len(trees.column), dtype=np.int32)
    mirror = np.zeros(len(moves), dtype=np.intp)
    begin, values, most = [0], [], 1
    for c in columns.tolist():
        split = trees.column_splits(c)
        cut[split.nodes] = begin[-1] + split.ranks
        most += split.most
        mirror[c] = 2 * begin[-1] + len(split.cuts) - 1
        values += [split.cuts, np.zeros(-len(split.cuts) % 64)]
        begin.append(begin[-1] + len(split.cuts) + len(values[-1]))
    joined = np.concatenate([np.zeros(0), *values])
    return LineCuts(joined, columns, np.array(begin), moves, mirror, most), cut
