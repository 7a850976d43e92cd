"""A step function of one column as a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._typing import FloatArray

from ._arrays import Tree


def step_tree(column: int, edges: FloatArray, values: FloatArray, missing: Any) -> Tree:
    """Return a tree of little depth for a step function.

    Parameters
    ----------
    column : int
    edges : array of shape (n_pieces - 1,)
        The largest number of each piece but the last, ascending.
    values : array of shape (n_pieces,)
    missing : float
        The value where the number is missing.
    """
    nodes: list[list[Any]] = [[column, np.inf, 1, 2, False, 0.0]]
    nodes += [[], [-1, 0.0, -1, -1, False, missing]]
    pending = [(1, 0, len(values))]
    while pending:
        at, first, stop = pending.pop()
        if stop - first == 1:
            nodes[at] = [-1, 0.0, -1, -1, False, values[first]]
            continue
        middle = (first + stop) // 2
        nodes[at] = [column, edges[middle - 1], len(nodes), len(nodes) + 1, False, 0.0]
        pending += [(len(nodes), first, middle), (len(nodes) + 1, middle, stop)]
        nodes += [[], []]
    split, threshold, left, right, missing_left, leaves = (
        np.asarray(part) for part in zip(*nodes, strict=True)
    )
    leaves = leaves.astype(float)[:, None]
    return Tree(split, threshold, left, right, missing_left, leaves)
