"""Walks of rows to their leaves."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled


@compiled
def walk_to_leaves(  # type: ignore[no-untyped-def]
    roots, column, threshold, left, right, missing_left, is_listed, goes_left, X
):
    """Return the leaf of each row in each tree, (n_rows, n_trees); see `RawTrees`."""
    out = np.empty((len(X), len(roots)), np.int64)
    for k in range(len(roots)):
        for i in range(len(X)):
            node = np.int64(roots[k])
            while column[node] >= 0:
                c = column[node]
                x = X[i, c]
                if is_listed[c]:
                    if not -1 <= x < goes_left.shape[1]:  # compiled code does not check
                        raise IndexError("a position is not in the tables of the trees")
                    goes = goes_left[np.int64(threshold[node]), np.int64(x)]
                elif np.isnan(x):
                    goes = missing_left[node]
                else:
                    goes = x <= threshold[node]
                node = np.int64(left[node] if goes else right[node])
            out[i, k] = node
    return out
