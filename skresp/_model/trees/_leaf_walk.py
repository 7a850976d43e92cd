"""Walks of rows to their leaves."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled, compiled_part

# Rows that walk together: those of large tables do not fit into the processor's cache.
_ROWS = 1024


@compiled_part
def _walk(nodes, k, X, at):  # type: ignore[no-untyped-def]
    """Set `at` to the leaf of each row in tree `k`.

    All rows take one step, then the next one: the processor works on several rows at
    once, where it would wait for each step of a single one.
    """
    roots, column, threshold, left, right, missing_left, is_listed, goes_left = nodes
    at[:] = roots[k]
    inner = column[roots[k]] >= 0
    while inner:
        inner = False
        for i in range(len(X)):
            node = at[i]
            c = column[node]
            if c < 0:
                continue
            x, low, high = X[i, c], left[node], right[node]
            if is_listed[c]:
                if not -1 <= x < goes_left.shape[1]:  # compiled code does not check
                    raise IndexError("a position is not in the tables of the trees")
                goes = goes_left[np.int64(threshold[node]), np.int64(x)]
            else:
                goes = (x <= threshold[node]) | (np.isnan(x) & missing_left[node])
            # Without a jump, which the processor would have to guess.
            node = np.int64(high + (low - high) * np.int64(goes))
            at[i] = node
            inner |= column[node] >= 0


@compiled
def walk_to_leaves(nodes, X):  # type: ignore[no-untyped-def]
    """Return the leaf of each row in each tree, (n_rows, n_trees); see `RawTrees`."""
    n_trees = len(nodes[0])
    out = np.empty((len(X), n_trees), np.int64)
    for begin in range(0, len(X), _ROWS):
        some = X[begin : begin + _ROWS]
        at = np.empty(len(some), np.int64)
        for k in range(n_trees):
            _walk(nodes, k, some, at)
            out[begin : begin + _ROWS, k] = at
    return out


@compiled
def add_leaves(nodes, output, leaves, X, out):  # type: ignore[no-untyped-def]
    """Add the leaves of rows to `out`, one tree after the other; see `RawTrees`."""
    for begin in range(0, len(X), _ROWS):
        some = X[begin : begin + _ROWS]
        at = np.empty(len(some), np.int64)
        for k in range(len(output)):
            _walk(nodes, k, some, at)
            if output[k] >= 0:
                for i in range(len(some)):
                    out[begin + i, output[k]] += leaves[at[i], 0]
                continue
            for i in range(len(some)):
                for r in range(out.shape[1]):
                    out[begin + i, r] += leaves[at[i], r]
