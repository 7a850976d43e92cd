"""Bounds over slabs of a box, and the split that they suggest.

Each column that trees still split on is divided into a few slabs. The largest leaf of
each tree in each slab gives a bound of the score there. The best slab of a column
bounds the whole box, slabs that cannot reach the target are cut off, and the split
that lowers the bounds of both halves most is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled_part
from skresp._typing import FloatArray

from ._channels import Channels, Slopes, add_slope, least_gap
from ._forest import Box, Forest, has_position, position_bit

#: Slabs of a column.
MAX_SLABS = 8
# Thresholds of a column from which slabs are made.
_SAMPLE = 256


class Slabs(NamedTuple):
    """Room for slabs; variables and views are columns, as in `Forest`.

    Attributes
    ----------
    many : array of shape (n_columns,), int64
        The number of slabs; 0 for a column that no tree splits on.
    edges : array of shape (n_columns, n_slabs)
        The largest number of each slab of a variable.
    groups : array of shape (n_views, n_slabs, n_words), uint64
        The positions of each slab of a view.
    top : array of shape (n_columns, n_slabs, n_channels + width)
        Upper bounds of sums in each slab.
    below, above : arrays of the same shape
        Upper bounds in the slabs up to each, and from each on.
    gap : array of shape (n_columns, n_slabs)
        Upper bounds of the smallest gap in each slab.
    column, place : array of shape (n_columns,), int64
        The columns with slabs, one after the other, and the place of each among them.
    used, rank : array of shape (n_columns,), int64
        The same for the columns with slabs that one tree splits on; rank -1 for none.
    inner, outer : array of shape (n_columns, n_slabs)
        Points to the left of a threshold may be in a slab where its `inner` edge is
        below the threshold, points to the right where its `outer` edge is above it.
    best : array of shape (depth, n_slabs * n_columns)
        The largest leaves of one tree below nodes, in the slabs of the columns that it
        uses; the slabs of columns with the same number are neighbours.
    whole : array of shape (n_slabs * n_columns,)
        The largest leaves of one tree in the slabs of all columns, likewise.
    largest : array of shape (n_slabs + n_columns,)
    sums : array of shape (3, n_channels + width, n_slabs * n_columns)
        `top`, `below` and `above`, in the order of `whole`.
    """

    many: NDArray[np.int64]
    edges: FloatArray
    groups: NDArray[np.uint64]
    top: FloatArray
    below: FloatArray
    above: FloatArray
    gap: FloatArray
    column: NDArray[np.int64]
    place: NDArray[np.int64]
    used: NDArray[np.int64]
    rank: NDArray[np.int64]
    inner: FloatArray
    outer: FloatArray
    best: FloatArray
    whole: FloatArray
    largest: FloatArray
    sums: FloatArray

    @classmethod
    def empty(
        cls,
        variables: int,
        views: int,
        words: int,
        slabs: int,
        channels: int,
        width: int,
        depth: int,
    ) -> Slabs:
        """Return room for slabs."""
        columns = variables + views
        sums = columns, slabs, channels + width
        return cls(
            np.zeros(columns, dtype=np.int64),
            np.zeros((columns, slabs)),
            np.zeros((views, slabs, words), dtype=np.uint64),
            np.zeros(sums),
            np.zeros(sums),
            np.zeros(sums),
            np.zeros((columns, slabs)),
            np.zeros(columns, dtype=np.int64),
            np.zeros(columns, dtype=np.int64),
            np.zeros(columns, dtype=np.int64),
            np.full(columns, -1, dtype=np.int64),
            np.zeros((columns, slabs)),
            np.zeros((columns, slabs)),
            np.zeros((depth + 4, slabs * columns)),
            np.zeros(slabs * columns),
            np.zeros(slabs + columns),
            np.zeros((3, channels + width, slabs * columns)),
        )


@compiled_part
def divide(
    forest: Forest, first: int, last: int, box: Box, most: int, slabs: Slabs
) -> None:
    """Divide the columns of the trees from `first` to before `last` into slabs."""
    n, columns = len(box.lower), len(slabs.many)
    sample = np.empty((columns, _SAMPLE))
    seen = np.zeros(columns, dtype=np.int64)
    nodes = 0
    for k in range(first, last):
        nodes += forest.end[k] - forest.roots[k]
    # A stride that is prime to powers of two meets all levels of trees.
    stride, skip = max(1, nodes // (8 * _SAMPLE)) | 1, 0
    for k in range(first, last):
        at = forest.roots[k] + skip
        while at < forest.end[k]:
            c = forest.column[at]
            if c >= 0 and seen[c] < _SAMPLE:
                sample[c, seen[c]] = forest.threshold[at]
                seen[c] += 1
            at += stride
        skip = at - forest.end[k]
    for c in range(columns):
        slabs.many[c] = 0
        if seen[c] == 0:
            continue
        if c < n:
            cuts = sample[c]
            n_cuts = _sort(cuts, seen[c])
            m = min(n_cuts + 1, most)
            slabs.many[c] = m
            for s in range(m - 1):
                slabs.edges[c, s] = cuts[(s + 1) * n_cuts // m]
            slabs.edges[c, m - 1] = box.upper[c]
        else:
            _group(box.words[c - n], most, slabs, c, n)


@compiled_part
def _sort(values: FloatArray, n: int) -> int:
    """Sort the first values in place; return how many distinct ones there are.

    A shell sort: that of numpy takes seconds to compile.
    """
    gap = 121
    while gap:
        for i in range(gap, n):
            value, j = values[i], i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3
    distinct = min(n, 1)
    for i in range(1, n):
        if values[i] != values[distinct - 1]:
            values[distinct] = values[i]
            distinct += 1
    return distinct


@compiled_part
def _group(words: NDArray[np.uint64], most: int, slabs: Slabs, c: int, n: int) -> None:
    """Divide the positions of a view into groups of neighbours."""
    total = 0
    for p in range(64 * len(words)):
        total += has_position(words, p)
    m = min(total, most)
    slabs.many[c] = m
    slabs.groups[c - n, :, :] = 0
    at = 0
    for p in range(64 * len(words)):
        if has_position(words, p):
            slabs.groups[c - n, at * m // total, p // 64] |= position_bit(p)
            at += 1


@compiled_part
def gap_of(
    sums: FloatArray,
    added: FloatArray,
    channels: Channels,
    slopes: Slopes,
    box: Box,
    c: int,
    lower: float,
    upper: float,
    size: FloatArray,
    work: FloatArray,
) -> float:
    """Return the bound of the smallest gap where column `c` is in an interval.

    `sums` are the constants of the box with its slopes, `added` the trees.
    """
    for k in range(len(sums)):
        work[k] = sums[k] + added[k]
    if c < len(slopes.moves) and slopes.moves[c]:
        add_slope(slopes, c, box.lower[c], box.upper[c], -1.0, work)
        add_slope(slopes, c, max(lower, box.lower[c]), upper, 1.0, work)
    return least_gap(channels, work, size)


@compiled_part
def choose_split(
    sums: FloatArray,
    whole: float,
    channels: Channels,
    slopes: Slopes,
    box: Box,
    size: FloatArray,
    slabs: Slabs,
    work: FloatArray,
) -> tuple[float, int, int, bool]:
    """Bound the gaps of slabs and choose a split.

    Parameters
    ----------
    sums : array of shape (n_channels + width,)
        The sums of the box without trees.
    whole : float
        An upper bound of the smallest gap in the box.

    Returns
    -------
    bound : float
        A smaller upper bound.
    column, slab : int
        The split after this slab of a column; column -1 for none.
    left_first : bool
        Whether the slabs up to `slab` have the larger bound.
    """
    n = len(box.lower)
    bound, best, column, slab, left_first = whole, -1.0, -1, 0, True
    for c in range(len(slabs.many)):
        m = slabs.many[c]
        if m == 0:
            continue
        largest = -np.inf
        for s in range(m):
            a = slabs.edges[c, s - 1] if s else -np.inf
            b = slabs.edges[c, s]
            slabs.gap[c, s] = gap_of(
                sums, slabs.top[c, s], channels, slopes, box, c, a, b, size, work
            )
            largest = max(largest, slabs.gap[c, s])
        bound = min(bound, largest)
        for s in range(m - 1):
            edge = slabs.edges[c, s]
            end = box.upper[c] if c < n else 0.0
            left = gap_of(
                sums,
                slabs.below[c, s],
                channels,
                slopes,
                box,
                c,
                -np.inf,
                edge,
                size,
                work,
            )
            right = gap_of(
                sums,
                slabs.above[c, s + 1],
                channels,
                slopes,
                box,
                c,
                edge,
                end,
                size,
                work,
            )
            gain = (whole - left + 1e-12) * (whole - right + 1e-12)
            if gain > best:
                best, column, slab, left_first = gain, c, s, left >= right
    return bound, column, slab, left_first


@compiled_part
def shave(box: Box, slabs: Slabs, least: float) -> bool:
    """Cut slabs with gaps below `least` off a box; return whether something is left.

    Of a variable only slabs at the ends, of a view all of them.
    """
    n = len(box.lower)
    for c in range(len(slabs.many)):
        m = slabs.many[c]
        if m == 0:
            continue
        if c < n:
            s = 0
            while s < m and slabs.gap[c, s] < least:
                s += 1
            if s == m:
                return False
            if s:
                box.lower[c] = np.nextafter(slabs.edges[c, s - 1], np.inf)
            last = m - 1
            while slabs.gap[c, last] < least:
                last -= 1
            box.upper[c] = min(box.upper[c], slabs.edges[c, last])
        else:
            some = False
            for s in range(m):
                if slabs.gap[c, s] < least:
                    for w in range(box.words.shape[1]):
                        box.words[c - n, w] &= ~slabs.groups[c - n, s, w]
                else:
                    some = True
            if not some:
                return False
    return True
