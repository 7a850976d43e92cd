"""Trees as arrays, cut down to a box, and walked.

Columns are numbered twice. A *variable* is something that a person can change, with an
interval of values in each box. A *view* lists the values of one variable as positions,
with a set of positions in each box: the labels of a category, or pieces of a number.
A node splits on variable `k`, or on view `v` as column `n_variables + v`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled, compiled_part, copied_part
from skresp._typing import BoolArray, FloatArray

#: The arrays of a forest with one entry for each tree.
OF_TREES = "roots", "channel", "end", "source", "is_packed"
#: The column of a leaf, and of a node that was merged with its neighbour.
LEAF, MERGED = -1, -2


class Forest(NamedTuple):
    """Nodes of trees.

    Attributes
    ----------
    column : array of shape (n_nodes,), int32
        The variable or view that a node splits on; -1 at a leaf.
    threshold : array of shape (n_nodes,), float64
        The largest number that goes left; for a view the row of `tables`.
    left, right : array of shape (n_nodes,), int32
    top : array of shape (n_nodes, width), float64
        The largest leaf below each node, for each of `width` neighbouring channels.
    roots, channel : array of shape (n_trees,), int32
        The root and the first channel of each tree.
    end, source : array of shape (n_trees,), int32
        Of copies that a search makes: where the nodes of each tree end, and its number
        among the trees of the first box.
    is_packed : array of shape (n_trees,), bool
        Of copies: whether no node of the tree was merged with its neighbour.
    """

    column: NDArray[np.int32]
    threshold: FloatArray
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    top: FloatArray
    roots: NDArray[np.int32]
    channel: NDArray[np.int32]
    end: NDArray[np.int32]
    source: NDArray[np.int32]
    is_packed: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        column: NDArray[np.int32],
        threshold: FloatArray,
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        top: FloatArray,
        roots: NDArray[np.int32],
        channel: NDArray[np.int32],
    ) -> Forest:
        """Return a forest that is not a copy."""
        nodes = column, threshold, left, right, top
        unused = np.zeros(len(roots), dtype=np.int32)
        return cls(
            *nodes, roots, channel, unused, unused, np.zeros(len(roots), dtype=bool)
        )

    @classmethod
    def empty(cls, nodes: int, trees: int, width: int) -> Forest:
        """Return room for nodes and trees."""
        return cls(
            np.empty(nodes, dtype=np.int32),
            np.empty(nodes),
            np.empty(nodes, dtype=np.int32),
            np.empty(nodes, dtype=np.int32),
            np.empty((nodes, width)),
            np.empty(trees, dtype=np.int32),
            np.empty(trees, dtype=np.int32),
            np.empty(trees, dtype=np.int32),
            np.empty(trees, dtype=np.int32),
            np.empty(trees, dtype=bool),
        )


class Split(NamedTuple):
    """What decides at nodes on views and for missing values.

    Attributes
    ----------
    tables : array of shape (n_tables, n_words), uint64
        The positions that go left, 64 in a word.
    missing_left : array of shape (n_nodes,), bool
        Whether a missing value goes left; empty where none can occur.
    """

    tables: NDArray[np.uint64]
    missing_left: BoolArray


class Box(NamedTuple):
    """A set of points.

    Attributes
    ----------
    lower, upper : array of shape (n_variables,)
        Closed intervals; NaN at both ends for a missing value.
    words : array of shape (n_views, n_words), uint64
        The positions of each view, 64 in a word.
    """

    lower: FloatArray
    upper: FloatArray
    words: NDArray[np.uint64]


@compiled_part
def position_bit(p: int) -> np.uint64:
    """Return the bit of a position in its word."""
    return np.uint64(1) << np.uint64(p % 64)


@compiled_part
def has_position(words: NDArray[np.uint64], p: int) -> bool:
    """Return whether a set contains a position."""
    return words[p // 64] & position_bit(p) != np.uint64(0)


def pack(masks: Sequence[BoolArray] | BoolArray, positions: int) -> NDArray[np.uint64]:
    """Return masks of positions as words of 64 bits."""
    words = -(-positions // 64)
    out = np.zeros((len(masks), 64 * words), dtype=bool)
    for i, mask in enumerate(masks):
        out[i, : len(mask)] = mask
    packed = np.packbits(out.reshape(-1, 8), axis=1, bitorder="little")
    return packed.reshape(len(masks), words, 8).view("<u8")[..., 0].astype(np.uint64)


@compiled_part
def sides_of(
    words: NDArray[np.uint64], v: int, tables: NDArray[np.uint64], row: int
) -> tuple[bool, bool]:
    """Return whether some positions of a view go left, and whether some go right."""
    left = right = False
    for w in range(words.shape[1]):
        left |= words[v, w] & tables[row, w] != np.uint64(0)
        right |= words[v, w] & ~tables[row, w] != np.uint64(0)
    return left, right


@compiled
def restrict(
    source: Forest,
    first: int,
    last: int,
    split: Split,
    box: Box,
    names: NDArray[np.int32],
    target: Forest,
    node: int,
    tree: int,
    sums: FloatArray,
    stack: NDArray[np.int32],
    kept: BoolArray,
) -> tuple[int, int]:
    """Copy the trees from `first` to before `last`, cut down to a box.

    Trees that are constant in the box are added to `sums` instead. Nodes with two equal
    leaves become leaves. Source and target may be the same arrays.

    Parameters
    ----------
    names : array of shape (n_columns,), int32
        The columns of the source in the target.
    node, tree : int
        Where the copy begins in the target.
    sums : array of shape (n_channels + width,)
        The constants of channels, updated.
    stack : array of shape (2, n), int32
        Room for nodes: more than the depth of each tree.
    kept : array of shape (n_sources,), bool
        Of which trees of the first box no node is cut away, if source and target are
        the same: then the target gets the tree itself. Empty for none.

    Returns
    -------
    node, tree : int
        Where the copy ends; -1 where the room is too small.
    """
    width = source.top.shape[1]
    room = len(target.column)
    missing_left, tables = split.missing_left, split.tables
    lower, upper, words = box.lower, box.upper, box.words
    variables = len(lower)
    with_missing = len(missing_left) > 0
    for k in range(first, last):
        if len(kept) and source.is_packed[k] and kept[source.source[k]]:
            target.roots[tree], target.end[tree] = source.roots[k], source.end[k]
            target.channel[tree] = source.channel[k]
            target.source[tree], target.is_packed[tree] = source.source[k], True
            tree += 1
            continue
        start = node
        stack[0, 0], stack[1, 0] = source.roots[k], -1
        depth = 1
        while depth:
            depth -= 1
            n, parent = stack[0, depth], stack[1, depth]
            while source.column[n] >= 0:
                c, threshold = source.column[n], source.threshold[n]
                if c >= variables:
                    left, right = sides_of(words, c - variables, tables, int(threshold))
                elif with_missing and np.isnan(lower[c]):
                    left, right = missing_left[n], not missing_left[n]
                else:  # a missing value goes right
                    left, right = lower[c] <= threshold, not upper[c] <= threshold
                if left and right:
                    break
                n = source.right[n] if right else source.left[n]
            if node >= room:
                return -1, tree
            if parent >= 0:
                target.right[parent] = node
            if source.column[n] < 0:
                target.column[node] = LEAF
                for w in range(width):
                    target.top[node, w] = source.top[n, w]
            else:
                target.column[node] = names[source.column[n]]
                target.threshold[node] = source.threshold[n]
                target.left[node] = node + 1
                stack[0, depth], stack[1, depth] = source.right[n], node
                stack[0, depth + 1], stack[1, depth + 1] = source.left[n], -1
                depth += 2
            node += 1
        is_packed = _lift(target, start, node)
        if target.column[start] < 0:
            for w in range(width):
                sums[source.channel[k] + w] += target.top[start, w]
            node = start
        else:
            target.roots[tree], target.channel[tree] = start, source.channel[k]
            target.end[tree], target.source[tree] = node, source.source[k]
            target.is_packed[tree] = is_packed
            tree += 1
    return node, tree


@copied_part
def _lift(forest: Forest, start: int, stop: int) -> bool:
    """Compute `top` of the inner nodes of a tree; merge leaves that are equal.

    Return whether there are none.
    """
    width, is_packed = forest.top.shape[1], True
    for n in range(stop - 1, start - 1, -1):
        if forest.column[n] < 0:
            continue
        a, b = forest.left[n], forest.right[n]
        same = forest.column[a] < 0 and forest.column[b] < 0
        for w in range(width):
            same = same and forest.top[a, w] == forest.top[b, w]
            forest.top[n, w] = max(forest.top[a, w], forest.top[b, w])
        if same:
            forest.column[n] = LEAF
            forest.column[a] = forest.column[b] = MERGED
            is_packed = False
    return is_packed


@compiled_part
def add_tops(forest: Forest, first: int, last: int, sums: FloatArray) -> None:
    """Add the largest leaf of each tree to the sums of its channels."""
    for k in range(first, last):
        for w in range(forest.top.shape[1]):
            sums[forest.channel[k] + w] += forest.top[forest.roots[k], w]


@compiled_part
def add_leaves(
    forest: Forest,
    first: int,
    last: int,
    tables: NDArray[np.uint64],
    point: FloatArray,
    position: NDArray[np.int64],
    sums: FloatArray,
) -> None:
    """Add the leaves of a point to the sums of channels.

    `position` has the point's position in each view.
    """
    n = len(point)
    for k in range(first, last):
        at = forest.roots[k]
        while forest.column[at] >= 0:
            c = forest.column[at]
            if c < n:
                goes_left = point[c] <= forest.threshold[at]
            else:
                table = tables[int(forest.threshold[at])]
                goes_left = has_position(table, position[c - n])
            at = forest.left[at] if goes_left else forest.right[at]
        for w in range(forest.top.shape[1]):
            sums[forest.channel[k] + w] += forest.top[at, w]
