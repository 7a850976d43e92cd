"""The pieces of lines, with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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
    rounding : array of shape (n_pieces,), or 0.0
        The error of the scores where large terms cancel.
    doubtful : array of shape (n_lines,), or 0.0
        The length of a line on which rounding decides, so that neither the scores nor
        a few predictions tell what share of it reaches the target.
    """

    line: IndexArray
    low: FloatArray
    high: FloatArray
    scores: FloatArray
    error: FloatArray | float = 0.0
    rounding: FloatArray | float = 0.0
    doubtful: FloatArray | float = 0.0

    @classmethod
    def joined(
        cls, lines: Sequence[IndexArray], some: Sequence[ScorePieces]
    ) -> ScorePieces:
        """Return the pieces of all lines, given those of some and of the others."""
        pairs = list(zip(lines, some, strict=True))
        line = np.concatenate([on[pieces.line] for on, pieces in pairs])
        low = np.concatenate([pieces.low for pieces in some])
        order, by_line = np.lexsort((low, line)), np.argsort(np.concatenate(lines))

        def of_lines(name: str) -> FloatArray:
            each = [np.broadcast_to(getattr(p, name), len(on)) for on, p in pairs]
            return np.concatenate(each)[by_line]

        def of_pieces(name: str) -> FloatArray:
            each = [np.broadcast_to(getattr(p, name), len(p.line)) for p in some]
            return np.concatenate(each)[order]

        return cls(
            line[order],
            low[order],
            np.concatenate([pieces.high for pieces in some])[order],
            np.concatenate([pieces.scores for pieces in some])[order],
            of_lines("error"),
            of_pieces("rounding"),
            of_lines("doubtful"),
        )
