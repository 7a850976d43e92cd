"""The scores of a tree ensemble along lines, piece by piece.

A line is a row that moves: column `k` holds `start + rate * t` for t from low to high.
Each tree cuts the line where a split on a moving column changes its mind; between the
cuts of all trees together the scores are constant. Every tree of every line is walked
at once, a level at a time: a fragment is a stretch of one line at one node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._compiled import COMPILED
from ._ensemble import DOUBLE, XGBOOST, Ensemble, Floats

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Cells:
    """The pieces of several lines, one line after the other.

    Attributes
    ----------
    line : which line a piece is of
    low, high : its ends
    scores : the scores on it, one column each
    error : for each line, how far rounding may move a border between its pieces
    """

    line: Places
    low: Floats
    high: Floats
    scores: Floats
    error: Floats | float = 0.0


def sweep(
    ensemble: Ensemble, start: Floats, rate: Floats, low: Floats, high: Floats
) -> Cells:
    """The pieces of lines on which the scores of an ensemble are constant."""
    kernel = _kernel()
    if kernel is not None:
        first, which, when, done = kernel.leaves_met(
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
        if done:
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
    return sweep_arrays(ensemble, start, rate, low, high)


def sweep_arrays(
    ensemble: Ensemble, start: Floats, rate: Floats, low: Floats, high: Floats
) -> Cells:
    """The same by whole arrays, without numba."""
    line, leaf, a, b = _leaves_met(ensemble, start, rate, low, high)
    gain = _gains(ensemble, leaf)
    # A leaf comes into force where its stretch begins and ceases where it ends.
    inside = b < high[line]
    line = np.concatenate([line, line[inside]])
    when = np.concatenate([a, b[inside]])
    return _pieces(ensemble, line, when, np.concatenate([gain, -gain[inside]]), high)


@lru_cache(maxsize=1)
def _kernel() -> Any:
    """The compiled form, where numba is installed."""
    if not COMPILED:
        return None
    from . import _kernel as kernel

    return kernel


def _seen(ensemble: Ensemble, start: Floats) -> Floats:
    """Values as the trees compare them."""
    if ensemble.rule == DOUBLE:
        return start
    return start.astype(np.float32).astype(float)


def _gains(ensemble: Ensemble, leaf: Places) -> Floats:
    """What leaves add, one column a score."""
    gain = ensemble.leaves[leaf]
    if ensemble.width == 1 or (ensemble.output < 0).all():
        return gain
    tree = np.searchsorted(ensemble.roots, leaf, side="right") - 1
    wide = np.zeros((len(leaf), ensemble.width))
    wide[np.arange(len(leaf)), ensemble.output[tree]] = gain[:, 0]
    return wide


def _pieces(
    ensemble: Ensemble, line: Places, when: Floats, gain: Floats, high: Floats
) -> Cells:
    """Pieces from events: by how much the scores of a line change, and where."""
    order = np.lexsort((when, line))
    line, when = line[order], when[order]
    running = np.cumsum(gain[order], axis=0)
    # The sum runs on from line to line: take off what the lines before it left.
    first = np.flatnonzero(np.r_[True, line[1:] != line[:-1]])
    left = np.zeros((len(first), running.shape[1]))
    left[1:] = running[first[1:] - 1]
    running -= np.repeat(left, np.diff(np.r_[first, len(line)]), axis=0)
    # A piece lasts from the last event of a moment to the next moment.
    following = np.r_[when[1:], 0.0]
    final = np.r_[line[1:] != line[:-1], True]
    following[final] = high[line[final]]
    some = following > when
    return Cells(line[some], when[some], following[some], running[some] + ensemble.base)


def _leaves_met(
    ensemble: Ensemble, start: Floats, rate: Floats, low: Floats, high: Floats
) -> tuple[Places, Places, Floats, Floats]:
    """The leaves that each line meets, with the stretch on which it does."""
    seen = _seen(ensemble, start)
    trees = len(ensemble.roots)
    line = np.repeat(np.arange(len(start)), trees)
    node = np.tile(ensemble.roots, len(start))
    a, b = np.repeat(low, trees), np.repeat(high, trees)
    found = []
    while len(line):
        feature = ensemble.feature[node]
        leaf = feature < 0
        if leaf.any():
            found.append((line[leaf], node[leaf], a[leaf], b[leaf]))
            inner = ~leaf
            line, node, a, b = line[inner], node[inner], a[inner], b[inner]
            feature = feature[inner]
        threshold = ensemble.threshold[node]
        speed = rate[line, feature]
        moving = speed != 0
        still = ~moving
        x = seen[line[still], feature[still]]
        at = node[still]
        less = x < threshold[still]
        if ensemble.rule != XGBOOST:
            less |= x == threshold[still]
        less = np.where(np.isnan(x), ensemble.missing_left[at], less)
        node[still] = np.where(less, ensemble.left[at], ensemble.right[at])
        if moving.any():
            m = np.flatnonzero(moving)
            at, fast = node[m], speed[m]
            cut = (ensemble.cuts[at] - start[line[m], feature[m]]) / fast
            before = np.where(fast > 0, ensemble.left[at], ensemble.right[at])
            after = np.where(fast > 0, ensemble.right[at], ensemble.left[at])
            early, late = cut > a[m], cut < b[m]
            both = early & late
            node[m] = np.where(early, before, after)
            extra = m[both]
            line = np.concatenate([line, line[extra]])
            node = np.concatenate([node, after[both]])
            a = np.concatenate([a, cut[both]])
            tail = b[extra]
            b[extra] = cut[both]
            b = np.concatenate([b, tail])
    line, node, a, b = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return line, node, a, b
