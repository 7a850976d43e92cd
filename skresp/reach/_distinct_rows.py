"""The distinct rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._typing import IndexArray

# Below this a product of two cardinalities cannot overflow.
_LARGE = 2**31
# Values that are hashed or compared at once, which stay in the processor's cache, and
# the fewest rows.
_VALUES_AT_ONCE, _FEWEST_ROWS = 16_384, 64


def distinct_rows(table: NDArray[Any] | Sequence[Any]) -> tuple[IndexArray, IndexArray]:
    """Return the first position of each distinct row, and which one each row is.

    Takes an array of numbers, or a list of columns of any kind. A missing value equals
    itself, -0.0 equals 0.0. In a column of objects, values of different types differ:
    None and NaN, True and 1. The order is that of first appearance.

    >>> import numpy as np
    >>> from skresp.reach._distinct_rows import distinct_rows
    >>> distinct_rows(np.array([[1, 2], [3, 4], [1, 2]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    if isinstance(table, np.ndarray):
        if len(table) == 1:
            return np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)
        result = _by_hash(table)
        if result is not None:
            return result
        table = [column + 0.0 for column in table.T]
    return _by_column(table)


def _by_hash(table: NDArray[Any]) -> tuple[IndexArray, IndexArray] | None:
    """Find distinct rows by a 64-bit hash; return None if different rows share one.

    Ten times as fast as `np.unique(axis=0)`, which sorts whole rows. Some rows at a
    time, so that a large table is never copied.
    """
    words = np.empty(len(table), dtype=np.uint64)
    for run in _runs(table, len(table)):
        words[run] = _row_words(table[run])
    first, which = _by_column([words])
    like = first[which]
    repeated = np.flatnonzero(like != np.arange(len(table)))
    return (first, which) if _are_equal(table, repeated, like[repeated]) else None


def _runs(table: NDArray[Any], n_rows: int) -> Iterator[slice]:
    """Yield slices of so many rows that have the width of a table."""
    size = max(_VALUES_AT_ONCE // max(table.shape[1], 1), _FEWEST_ROWS)
    for start in range(0, n_rows, size):
        yield slice(start, start + size)


def _row_words(table: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a hash of each row."""
    # The values of a column side by side, as they are in a frame.
    bits = np.add(table.T, 0.0, dtype=np.float64, order="C").view(np.uint64)
    salt = np.arange(1, len(bits) + 1, dtype=np.uint64)[:, None]
    # A round of SplitMix64, so that every bit of a value reaches every bit of the sum.
    words = bits >> np.uint64(30)
    words ^= bits
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words += salt
    words ^= np.right_shift(words, np.uint64(27), out=bits)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= np.right_shift(words, np.uint64(31), out=bits)
    words *= salt * np.uint64(0x9E3779B97F4A7C15)
    return words.sum(axis=0, dtype=np.uint64)


def _are_equal(table: NDArray[Any], one: IndexArray, other: IndexArray) -> bool:
    """Return whether rows of a table equal others of it."""
    pairs = ((column[one], column[other]) for column in table.T)
    if table.flags.c_contiguous:
        take = partial(table.take, axis=0)
        pairs = ((take(one[r]), take(other[r])) for r in _runs(table, len(one)))
    for a, b in pairs:
        same = a == b
        if not (same.all() or (same | ((a != a) & (b != b))).all()):
            return False
    return True


def _by_column(columns: Sequence[Any]) -> tuple[IndexArray, IndexArray]:
    """Find distinct rows by numbering the values column by column."""
    rows = len(columns[0])
    key = np.zeros(rows, dtype=np.int64)
    most = 1
    for column in columns:
        codes, labels = _factorized(column)
        if most * labels >= _LARGE:
            key, kept = pd.factorize(key)
            most = len(kept)
        key = key * labels + codes
        most *= labels
    which, kept = (key, range(most)) if len(columns) == 1 else pd.factorize(key)
    first = np.zeros(len(kept), dtype=np.intp)
    first[which[::-1]] = np.arange(rows)[::-1]  # the last write is the first row
    return first, which.astype(np.intp, copy=False)


def _factorized(column: Any) -> tuple[IndexArray, int]:
    """Return a number for each value of a column, and how many numbers there are."""
    codes, labels = pd.factorize(column, use_na_sentinel=False)
    if column.dtype != object or pd.api.types.infer_dtype(column, skipna=False) in (
        "string",
        "empty",
    ):
        return codes, len(labels)
    # pandas treats None as NaN and True as 1, but a model may not.
    types, kinds = pd.factorize(np.array([type(value) for value in column]))
    codes, pairs = pd.factorize(codes * len(kinds) + types)
    return codes, len(pairs)
