"""The scores of a tree ensemble along lines, piece by piece.

A line is a row that moves: column `k` holds `start + rate * t` for t from low to high.
Each tree cuts the line where the outcome of a split changes. Between the cuts of all
trees the scores are constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._arrays import DOUBLE, XGBOOST, Ensemble

# The roundings, each of half a unit in the last place, between two cuts of a column.
_ROUNDINGS = 16
# LightGBM puts 0 between two cuts of its own, 1e-35 on either side.
_ZERO = 1e-30


@dataclass(frozen=True)
class Cells:
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


def sweep(
    ensemble: Ensemble,
    start: FloatArray,
    rate: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> Cells:
    """Return the pieces of lines on which the scores of an ensemble are constant.

    Parameters
    ----------
    start, rate : array of shape (n_lines, n_columns)
    low, high : array of shape (n_lines,)
    """
    from ._line_kernel import leaves_met  # imported here because numba loads slowly

    first, which, when = leaves_met(
        ensemble.roots,
        ensemble.feature,
        ensemble.threshold,
        ensemble.cuts,
        ensemble.left,
        ensemble.right,
        ensemble.missing_left,
        ensemble.rule == XGBOOST,
        np.ascontiguousarray(start),
        np.ascontiguousarray(_seen(ensemble, start)),
        np.ascontiguousarray(rate),
        np.ascontiguousarray(low),
        np.ascontiguousarray(high),
    )
    line, leaf, before = which.T
    lines = np.arange(len(low))
    opening = _gains(ensemble, first.ravel())
    opening = opening.reshape(len(low), first.shape[1], -1).sum(axis=1)
    change = _gains(ensemble, leaf) - _gains(ensemble, before)
    return _pieces(
        ensemble,
        np.concatenate([lines, line]),
        np.concatenate([low, when]),
        np.concatenate([opening, change]),
        high,
    )


def crowded_cuts(
    ensemble: Ensemble,
    first: FloatArray,
    last: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> BoolArray:
    """Return on which lines two cuts of a column are closer than rounding.

    A change from the current value is rounded, so perhaps no change leads to the few
    floats between such cuts. Two cuts that enclose nothing but 0 count as one.

    Parameters
    ----------
    first, last : array of shape (n_lines, n_columns)
        The values at both ends of the lines.
    low, high : array of shape (n_lines,)
        The changes at both ends.
    """
    crowded = np.zeros(len(low), dtype=bool)
    for column, cuts in ensemble.cuts_of.items():
        a, b = first[:, column], last[:, column]
        cuts = np.unique(np.where(np.abs(cuts) < _ZERO, 0.0, cuts))
        moving = np.flatnonzero(np.abs(b - a) > 0)  # a missing value stays missing
        if not len(moving) or len(cuts) < 2:
            continue
        a, b = a[moving], b[moving]
        longest = np.maximum(np.abs(low), np.abs(high))[moving]
        size = longest * np.abs(b - a) / (high - low)[moving]
        size = np.maximum(size, np.maximum(np.abs(a), np.abs(b)))
        near = _ROUNDINGS / 2 * float(np.finfo(float).eps) * size
        gaps = np.diff(cuts)
        for k in np.flatnonzero(gaps < near.max()):
            inside = (cuts[k + 1] > np.minimum(a, b)) & (cuts[k] < np.maximum(a, b))
            crowded[moving] |= inside & (gaps[k] < near)
    return crowded


def _seen(ensemble: Ensemble, start: FloatArray) -> FloatArray:
    """Return values as the trees compare them."""
    if ensemble.rule == DOUBLE:
        return start
    return start.astype(np.float32).astype(float)


def _gains(ensemble: Ensemble, leaf: IndexArray) -> FloatArray:
    """Return what leaves add to each score, of shape (n_leaves, n_scores)."""
    gain = ensemble.leaves[leaf]
    if ensemble.width == 1 or (ensemble.output < 0).all():
        return gain
    tree = np.searchsorted(ensemble.roots, leaf, side="right") - 1
    wide = np.zeros((len(leaf), ensemble.width))
    wide[np.arange(len(leaf)), ensemble.output[tree]] = gain[:, 0]
    return wide


def _pieces(
    ensemble: Ensemble,
    line: IndexArray,
    when: FloatArray,
    gain: FloatArray,
    high: FloatArray,
) -> Cells:
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
    return Cells(line[some], when[some], following[some], running[some] + ensemble.base)
