"""The shares of lines that reach the target, for the lines of one or more features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._lines import Lines

from ._exact_lines import Doubtful, TargetPieces, ask, open_pieces

# The share of a line up to which an exact score is known.
_EXACT = 1e-9
# Pieces that wait until the model is asked about those in doubt, to bound memory.
_MAX_WAITING = 4_000_000


class _LineSizes(NamedTuple):
    """Sums over the pieces of each row's line, as arrays of shape (n_rows,).

    Attributes
    ----------
    total, good : the size of all pieces, and of those that reach the target
    doubtful : the length on which rounding decides
    n_pieces : their number
    """

    total: FloatArray
    good: FloatArray
    doubtful: FloatArray
    n_pieces: IndexArray

    @classmethod
    def zero(cls, n_rows: int) -> _LineSizes:
        """Return the sums over no pieces."""
        total, good, doubtful = np.zeros((3, n_rows))
        return cls(total, good, doubtful, np.zeros(n_rows, dtype=np.intp))

    def add(self, pieces: TargetPieces) -> None:
        """Add pieces one by one: how they are divided into batches does not matter."""
        np.add.at(self.total, pieces.line, pieces.size)
        np.add.at(self.good, pieces.line, pieces.size * pieces.reached)
        if pieces.doubtful.any():
            np.add.at(self.doubtful, pieces.line, pieces.doubtful)
        self.n_pieces[:] += np.bincount(pieces.line, minlength=len(self.total))


class LineShares(NamedTuple):
    """The shares of the lines of one feature, as arrays of shape (n_rows,).

    Attributes
    ----------
    share : the share of each row's line that reaches the target
    n_reachable : the number of pieces of the line; for an integer that of its units
    exact : whether there is a line, and its share is known: rounding decides nowhere
        but at the borders
    """

    share: FloatArray
    n_reachable: FloatArray | IndexArray
    exact: BoolArray


def line_shares(batch: RowBatch, several: Sequence[Lines]) -> list[LineShares]:
    """Return the shares of lines that reach the target.

    The model is asked about the pieces in doubt of many lines in one call.
    """
    found = [_LineSizes.zero(len(lines.rows)) for lines in several]
    waiting: list[tuple[_LineSizes, TargetPieces, Doubtful]] = []
    n_waiting = 0
    for sizes, lines in zip(found, several, strict=True):
        if not len(lines.line):
            continue
        assert batch.score_function is not None
        for pieces, doubtful in open_pieces(batch, batch.score_function, lines):
            waiting.append((sizes, pieces, doubtful))
            n_waiting += len(pieces.line)
            if n_waiting > _MAX_WAITING:
                _settle(batch, waiting)
                n_waiting = 0
    _settle(batch, waiting)
    return [
        LineShares(
            s.good / np.where(s.total > 0, s.total, 1.0),
            s.total if lines.is_integer else s.n_pieces,
            lines.has_line & (s.doubtful <= _EXACT * s.total),
        )
        for s, lines in zip(found, several, strict=True)
    ]


def _settle(
    batch: RowBatch, waiting: list[tuple[_LineSizes, TargetPieces, Doubtful]]
) -> None:
    """Ask the model about pieces in doubt, and add up all that wait."""
    ask(batch, [doubtful for _, _, doubtful in waiting])
    for sizes, pieces, _ in waiting:
        sizes.add(pieces)
    waiting.clear()
