"""Amounts along lines for weighted sums that equal sums over whole pieces."""

from __future__ import annotations

import numpy as np

from skresp._typing import FloatArray, IndexArray

# Nodes of a cell, and how often a cell is halved towards the current value: the weight
# of a change is most curved near it.
_NODES, _HALVINGS = 5, 30


def line_nodes(
    low: FloatArray, high: FloatArray, is_integer: bool
) -> tuple[IndexArray, FloatArray, FloatArray]:
    """Return nodes of pieces for Gauss quadrature.

    The sum of weight times f(node) over a piece is the integral of f, or its sum over
    the integers of the piece, exactly for polynomials up to degree 9 on each cell. The
    integers of a cell that has at most five are the nodes themselves.

    Parameters
    ----------
    low, high : array of shape (n_pieces,)
        The ends of each piece, on one side of 0; both are included.
    is_integer : bool

    Returns
    -------
    piece : array of shape (n_nodes,)
    node, weight : array of shape (n_nodes,)
    """
    sign = np.where(high > 0, 1.0, -1.0)
    near, far = np.minimum(abs(low), abs(high)), np.maximum(abs(low), abs(high))
    piece, near, far = _cells(near, far, is_integer)
    size = far - near + is_integer
    if is_integer:
        node, weight = _integer_nodes(size)
    else:
        at, share = np.polynomial.legendre.leggauss(_NODES)
        node, weight = size[:, None] * at / 2, size[:, None] * share / 2
    node = node + ((near + far) / 2)[:, None]
    few = is_integer & (size <= _NODES)
    node[few] = np.rint(node[few])
    kept = weight > 1e-12 * size[:, None]
    piece = np.repeat(piece, _NODES)[kept.ravel()]
    return piece, sign[piece] * node[kept], weight[kept]


def _integer_nodes(size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return nodes around 0, and their weights, for as many neighbouring integers.

    From the Jacobi matrix of polynomials that are orthogonal on equally spaced points
    (Gram polynomials).
    """
    k = np.arange(1, _NODES)
    square = np.maximum(size[:, None] ** 2 - k**2, 0.0)
    matrix = np.zeros((len(size), _NODES, _NODES))
    matrix[:, k - 1, k] = np.sqrt(square * k**2 / (4 * (4 * k**2 - 1)))
    matrix += matrix.transpose(0, 2, 1)
    node, vectors = np.linalg.eigh(matrix)
    return node, vectors[:, 0] ** 2 * size[:, None]


def _cells(
    near: FloatArray, far: FloatArray, is_integer: bool
) -> tuple[IndexArray, FloatArray, FloatArray]:
    """Divide pieces into cells whose far end is at most twice as far as the near one.

    The last cell of a piece that begins at 0 is short instead.
    """
    piece = np.arange(len(near))
    cells = []
    for halving in range(64):
        half = np.floor(far / 2) + 1 if is_integer else far / 2
        first = np.maximum(near, half)
        if not is_integer and halving == _HALVINGS:
            first = near
        cells.append((piece, first, far))
        left = first > near
        if not left.any():
            break
        piece, near, far = piece[left], near[left], (first - is_integer)[left]
    pieces, starts, ends = zip(*cells, strict=True)
    return np.concatenate(pieces), np.concatenate(starts), np.concatenate(ends)
