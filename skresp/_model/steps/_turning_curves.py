"""Curves of one column that turn, as branches that rise or fall all the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._step_maps import StepMaps


class TurningCurve(NamedTuple):
    """A weighted sum of transformed columns of one column, in pieces.

    On each piece, each output rises or falls all the way. Each piece makes one branch
    for each output: constant before the piece and after it. Where the curve jumps from
    one piece to the next, the branches leave the jump out.

    Attributes
    ----------
    transformed : array of shape (n_transformed,)
    weights : array of shape (n_transformed, n_outputs)
    ends : array of shape (n_pieces - 1,)
        The last number of each piece but the last, ascending.
    starts : array of shape (n_pieces - 1,)
        The first number of each piece but the first: the end of the one before, or the
        float after it where the curve jumps.
    at_ends, at_starts : array of shape (n_pieces - 1, n_outputs)
        The curve at these numbers.
    rises : array of shape (n_pieces, n_outputs)
        1.0 or -1.0.
    """

    transformed: IndexArray
    weights: FloatArray
    ends: FloatArray
    starts: FloatArray
    at_ends: FloatArray
    at_starts: FloatArray
    rises: FloatArray

    def sums(self, transformed: FloatArray) -> FloatArray:
        """Return the curve, given all transformed columns at numbers."""
        return weighted_sums(transformed[:, self.transformed], self.weights)

    def branches(self, numbers: FloatArray, transformed: FloatArray) -> FloatArray:
        """Return all branches at numbers, of shape (n, n_pieces * n_outputs)."""
        sums = self.sums(transformed)
        piece = np.searchsorted(self.ends, numbers)[:, None, None]
        none = np.zeros((1, sums.shape[1]))
        first = np.concatenate([none, self.at_starts])
        last = np.concatenate([self.at_ends, none])
        each = np.arange(len(first))[:, None]
        here = np.where(piece == each, sums[:, None] - first, last - first)
        out = np.where(piece < each, 0.0, here)
        return out.reshape(len(numbers), -1)

    def jumps(self) -> tuple[FloatArray, FloatArray]:
        """Return the last number before each jump, and the sums of jumps up to there.

        The sums have the shape (n_jumps + 1, n_outputs).
        """
        some = self.starts != self.ends
        sizes = (self.at_starts - self.at_ends)[some]
        none = np.zeros((1, self.weights.shape[1]))
        return self.ends[some], np.concatenate([none, np.cumsum(sizes, axis=0)])


@dataclass(frozen=True)
class BranchMaps:
    """What steps make of columns of numbers, as branches of turning curves.

    Attributes
    ----------
    maps : StepMaps
    curves : dict of int to tuple of TurningCurve
        For each column.
    """

    maps: StepMaps
    curves: Mapping[int, tuple[TurningCurve, ...]]

    def transform_column(self, column: int, codes: FloatArray) -> FloatArray:
        """Return the branches for codes of one column."""
        return self._branches(column, codes, self.maps.transform_column(column, codes))

    def transform_columns(
        self, columns: Mapping[int, FloatArray]
    ) -> dict[int, tuple[FloatArray, BoolArray]]:
        """Return the branches for codes of columns, and which codes are valid."""
        answers = self.maps.transform_columns(columns)
        return {
            c: (self._branches(c, columns[c], transformed), ok)
            for c, (transformed, ok) in answers.items()
        }

    def _branches(
        self, column: int, codes: FloatArray, transformed: FloatArray
    ) -> FloatArray:
        curves = self.curves[column]
        return np.hstack([curve.branches(codes, transformed) for curve in curves])


def turning_curve(
    maps: StepMaps,
    column: int,
    transformed: IndexArray,
    weights: FloatArray,
    ends: FloatArray,
    jumps: BoolArray,
    outer: tuple[float, float],
) -> TurningCurve:
    """Return a curve in as few pieces as possible.

    Parameters
    ----------
    column : int
    transformed, weights
        See `TurningCurve`.
    ends : array of shape (n_ends,)
        Numbers, ascending, between which the curve does not turn.
    jumps : array of shape (n_ends,), bool
        Whether it may jump right after each of them.
    outer : tuple of float
        A number before all ends, and one after them.
    """
    starts = np.where(jumps, np.nextafter(ends, np.inf), ends)
    numbers = np.r_[outer[0], starts, ends, outer[1]]
    values = weighted_sums(
        maps.transform_column(column, numbers)[:, transformed], weights
    )
    first, last = values[: len(ends) + 1], values[len(ends) + 1 :]
    real = jumps & (first[1:] != last[:-1]).any(axis=1)
    first[1:] = np.where(real[:, None], first[1:], last[:-1])
    with np.errstate(invalid="ignore"):
        signs = np.sign(last - first)
    keep: list[int] = []
    rises = [signs[0]]
    for i in range(len(ends)):
        if real[i] or (rises[-1] * signs[i + 1] < 0).any():
            keep.append(i)
            rises.append(signs[i + 1])
        else:
            rises[-1] = np.where(rises[-1] == 0, signs[i + 1], rises[-1])
    return TurningCurve(
        transformed,
        weights,
        ends[keep],
        np.where(real, starts, ends)[keep],
        last[keep],
        first[1:][keep],
        np.where(np.array(rises) < 0, -1.0, 1.0),
    )


def weighted_sums(transformed: FloatArray, weights: FloatArray) -> FloatArray:
    """Return weighted sums of columns; those of a row never depend on other rows."""
    out = np.zeros((len(transformed), weights.shape[1]))
    for z, each in zip(transformed.T, weights, strict=True):
        out += z[:, None] * each
    return out
