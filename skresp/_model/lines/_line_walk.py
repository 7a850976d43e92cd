"""The walk of lines through one tree, compiled by numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled_part
from skresp._typing import FloatArray, IntArray

# The columns of `WalkArrays.pieces`, and of the pieces that are found.
LINE, START, STOP, LEAF, OUTPUT = range(5)


class WalkArrays(NamedTuple):
    """Room for the walk of lines through a tree.

    Attributes
    ----------
    pieces : array of shape (n_pieces, 3), int32
        The line of each piece, and the cuts where it begins and ends; -1 for an end of
        the line.
    spans : array of shape (n_pieces, 2)
        The positions of both ends.
    here : array of shape (n_pieces,), int32
        The pieces at the nodes that wait, one node after the other.
    left : array of shape (n_pieces,), int32
        Those of the present node that go left. Their node is the next: most libraries
        store it there, so that memory is read in order.
    node, first : array of shape (n_nodes,)
        The nodes that wait, and where their pieces begin in `here`.
    """

    pieces: NDArray[np.int32]
    spans: FloatArray
    here: NDArray[np.int32]
    left: NDArray[np.int32]
    node: NDArray[np.int32]
    first: IntArray


@compiled_part
def walk_tree(trees, tree, lines, low, high, cuts, room, opening, found, count):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Find the leaves of one tree that the lines from `low` to before `high` meet.

    All lines go down together: a node divides the pieces of lines that reach it into
    those that go left and those that go right. So few branches are hard to predict.

    Parameters
    ----------
    trees : SplitArrays
    tree : int
    lines : PositionLines
    low, high : int
    cuts : LineCuts
    room : WalkArrays
    opening : array of shape (n_lines, n_outputs)
        The leaf at the beginning of each line is added to it.
    found : array of shape (n, 5), int32
        Gets the pieces that are not the whole line: line, cuts where the piece begins
        and ends (-1 for an end of the line), leaf, and the first output it adds to.
    count : int
        The number of pieces that were found in other trees.

    Returns
    -------
    int
        The number of pieces that are found now.
    """
    roots, outputs, columns, thresholds, lefts, rights = trees[:6]
    missing_lefts, leaves, is_listed, tables, n_outputs, cut_of = trees[6:]
    starts, rates, lows, highs = lines
    moves, mirror = cuts.moves, cuts.mirror
    pieces, spans, here, left, waiting_node, waiting_first = room
    n_pieces = high - low
    for i in range(n_pieces):
        pieces[i, LINE], pieces[i, START], pieces[i, STOP] = i, -1, -1
        spans[i, 0], spans[i, 1] = lows[low + i], highs[low + i]
        here[i] = i
    n_values = leaves.shape[1]
    output = outputs[tree] if n_values < n_outputs else 0
    waiting_node[0], waiting_first[0] = roots[tree], 0
    waiting, stop = 1, n_pieces
    while waiting:
        waiting -= 1
        node, first = waiting_node[waiting], waiting_first[waiting]
        column = columns[node]
        if stop - first == 1:  # a piece by itself needs no lists
            i = low + pieces[here[first], LINE]
            while column >= 0 and not moves[column]:
                x, threshold = starts[column, i], thresholds[node]
                if is_listed[column]:
                    goes_left = tables[int(threshold), int(x)]
                else:
                    goes_left = (x <= threshold) | ((x != x) & missing_lefts[node])
                node = lefts[node] if goes_left else rights[node]
                column = columns[node]
        if column < 0:
            for q in range(first, stop):
                p = here[q]
                i, a, b = pieces[p, LINE], pieces[p, START], pieces[p, STOP]
                if a < 0:
                    for r in range(n_values):
                        opening[i, output + r] += leaves[node, r]
                if a >= 0 or b >= 0:
                    found[count, LINE], found[count, LEAF] = i, node
                    found[count, START], found[count, STOP] = a, b
                    found[count, OUTPUT] = output
                    count += 1
            stop = first
            continue
        threshold, missing_left = thresholds[node], missing_lefts[node]
        middle, n_left = first, 0
        if moves[column]:
            for q in range(first, stop):
                p = here[q]
                i = low + pieces[p, LINE]
                start, speed = starts[column, i], rates[column, i]
                early = late = p
                if speed == 0.0:
                    goes_left = (start <= threshold) | ((start != start) & missing_left)
                    goes_right = not goes_left
                else:
                    at = (threshold - start) / speed
                    goes_left, goes_right = at > spans[p, 0], at < spans[p, 1]
                    if goes_left and goes_right:
                        cut = cut_of[node]
                        if speed < 0:
                            cut = mirror[column] - cut
                        late = n_pieces
                        n_pieces += 1
                        pieces[late, LINE], pieces[late, START] = i - low, cut
                        pieces[late, STOP], pieces[p, STOP] = pieces[p, STOP], cut
                        spans[late, 0], spans[late, 1] = at, spans[p, 1]
                        spans[p, 1] = at
                    if speed < 0:
                        early, late = late, early
                        goes_left, goes_right = goes_right, goes_left
                here[middle], left[n_left] = late, early
                middle += goes_right
                n_left += goes_left
        elif is_listed[column]:
            for q in range(first, stop):
                p = here[q]
                position = int(starts[column, low + pieces[p, LINE]])
                goes_left = tables[int(threshold), position]
                here[middle] = left[n_left] = p
                middle += not goes_left
                n_left += goes_left
        else:
            for q in range(first, stop):
                p = here[q]
                x = starts[column, low + pieces[p, LINE]]
                goes_left = (x <= threshold) | ((x != x) & missing_left)
                here[middle] = left[n_left] = p
                middle += not goes_left
                n_left += goes_left
        for q in range(n_left):
            here[middle + q] = left[q]
        stop = middle + n_left
        if middle > first:
            waiting_node[waiting], waiting_first[waiting] = rights[node], first
            waiting += 1
        if n_left:
            waiting_node[waiting], waiting_first[waiting] = lefts[node], middle
            waiting += 1
    return count
