"""The walk of rows through trees over their own values."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled


@compiled
def leaves_of_rows(  # type: ignore[no-untyped-def]
    roots, column, threshold, left, right, missing_left, is_listed, goes_left, X
):
    """Return the leaf of each row of positions in each tree, see `RawTrees`.

    Tree by tree, so that a tree stays in the processor's cache for all rows.
    """
    leaves = np.empty((len(roots), len(X)), np.intp)
    for tree in range(len(roots)):
        for i in range(len(X)):
            node = roots[tree]
            while column[node] >= 0:
                x = X[i, column[node]]
                if is_listed[column[node]]:
                    goes = goes_left[int(threshold[node]), int(x)]
                elif np.isnan(x):
                    goes = missing_left[node]
                else:
                    goes = x <= threshold[node]
                node = left[node] if goes else right[node]
            leaves[tree, i] = node
    return leaves


@compiled
def add_leaves(leaf, output, leaves, out):  # type: ignore[no-untyped-def]
    """Add the leaves of rows to sums of shape (n_rows, n_outputs), tree by tree.

    `leaf` is what `leaves_of_rows` returns.
    """
    n_outputs = out.shape[1]
    for tree in range(len(leaf)):
        for i in range(len(out)):
            node = leaf[tree, i]
            if output[tree] >= 0:
                out[i, output[tree]] += leaves[node, 0]
            else:
                for r in range(n_outputs):
                    out[i, r] += leaves[node, r]
