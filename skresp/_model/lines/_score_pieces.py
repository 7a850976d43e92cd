"""The pieces of lines, with their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from skresp._typing import BoolArray, FloatArray, IndexArray


class Pieces(NamedTuple):
    """Pieces of lines, or parts of such pieces, ordered by line and position.

    Attributes
    ----------
    owner : array of shape (n_pieces,)
        The line, or the piece, that each is a part of.
    low, high : array of shape (n_pieces,)
        Its ends.
    """

    owner: IndexArray
    low: FloatArray
    high: FloatArray

    def take(self, which: BoolArray | IndexArray) -> Pieces:
        """Return some of the pieces."""
        return Pieces(self.owner[which], self.low[which], self.high[which])


@dataclass(frozen=True)
class ScorePieces:
    """The pieces of several lines, ordered by line and position.

    Attributes
    ----------
    line : array of shape (n_pieces,)
        The line of each piece.
    low, high : array of shape (n_pieces,)
        Its ends.
    scores : array of shape (n_pieces, n_scores)
        The scores on it.
    error : array of shape (n_lines,), or 0.0
        How far rounding may move a border between pieces of a line.
    """

    line: IndexArray
    low: FloatArray
    high: FloatArray
    scores: FloatArray
    error: FloatArray | float = 0.0
