"""The walk of rows through trees that split on the columns of the model's input."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled, compiled_part


@compiled_part
def _leaf(node, nodes, is_listed, tables, X, i):  # type: ignore[no-untyped-def]
    """Return the leaf below a node that a row ends up in."""
    column, threshold, left, right, missing_left = nodes
    while column[node] >= 0:
        x = X[i, column[node]]
        if is_listed[column[node]]:
            goes = tables[int(threshold[node]), int(x)]
        elif np.isnan(x):
            goes = missing_left[node]
        else:
            goes = x <= threshold[node]
        node = left[node] if goes else right[node]
    return node


@compiled
def add_leaves(roots, output, nodes, is_listed, tables, leaves, X, out):  # type: ignore[no-untyped-def]
    """Add the leaves of rows to `out`, of shape (n_rows, n_outputs), tree by tree.

    Parameters
    ----------
    roots, output, leaves : arrays
        See `TreeArrays`.
    nodes : tuple of column, threshold, left, right and missing_left
    is_listed, tables : arrays
        See `RawTrees.is_listed` and `RawTrees.goes_left`.
    X : array of shape (n_rows, n_columns)
        Rows of positions.
    """
    for t in range(len(roots)):
        for i in range(len(X)):
            leaf = _leaf(roots[t], nodes, is_listed, tables, X, i)
            if output[t] >= 0:
                out[i, output[t]] += leaves[leaf, 0]
            else:
                for r in range(out.shape[1]):
                    out[i, r] += leaves[leaf, r]
