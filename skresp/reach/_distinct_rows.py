"""The distinct rows of a table."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._typing import IndexArray

# Below this a product of two cardinalities cannot overflow.
_LARGE = 2**31
_ROWS_AT_ONCE = 8_192
# Tables of numbers whose results are kept: of how many rows, of how many numbers at
# most, and how many tables. All of them take 64 MB at most.
_FEW_ROWS = 100
_MAX_NUMBERS = 2**17
_MAX_RECENT = 64

#: The first position of each distinct row, and which one each row is.
Distinct = tuple[IndexArray, IndexArray]


def distinct_rows(table: NDArray[Any] | Sequence[Any]) -> Distinct:
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
        known = _recent.get(table)
        if known is not None:
            return known
        result = _by_hash(table)
        if result is not None:
            _recent.add(table, result)
            return result
        table = [column + 0.0 for column in table.T]
    return _by_column(table)


class _RecentTables:
    """The results for the last tables of numbers.

    The candidates of a search are scored on the same rows, one after the other.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[Any, tuple[NDArray[Any], Distinct]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, table: NDArray[Any]) -> Distinct | None:
        """Return the result for a table of the same bits; None where it is not kept."""
        if not self._keeps(table):
            return None
        with self._lock:
            kept = self._known.get(self._key(table))
        if kept is None or not np.array_equal(kept[0], _bits(table)):
            return None
        return kept[1]

    def add(self, table: NDArray[Any], result: Distinct) -> None:
        """Keep the result for a table, which may change afterwards."""
        if not self._keeps(table):
            return
        for each in result:
            each.flags.writeable = False
        key = self._key(table)
        with self._lock:
            self._known[key] = _bits(table).copy(), result
            self._known.move_to_end(key)
            while len(self._known) > _MAX_RECENT:
                self._known.popitem(last=False)

    def _keeps(self, table: NDArray[Any]) -> bool:
        """Return whether a table takes longer than to look it up, and little memory."""
        is_kept = table.dtype.kind in "iuf" and table.dtype.itemsize == 8
        return is_kept and len(table) >= _FEW_ROWS and table.size <= _MAX_NUMBERS

    def _key(self, table: NDArray[Any]) -> Any:
        """Return what tables that are likely to be the same share."""
        some = table[:: max(len(table) // 16, 1)]
        return table.shape, table.dtype, some.tobytes()


def _bits(table: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the bits of numbers, which tell -0.0 from 0.0 and know NaN."""
    return np.ascontiguousarray(table).view(np.uint64)


_recent = _RecentTables()


def _by_hash(table: NDArray[Any]) -> Distinct | None:
    """Find distinct rows by a 64-bit hash; return None if different rows share one.

    Ten times as fast as `np.unique(axis=0)`, which sorts whole rows. A few thousand
    rows at a time, so that a large table is never copied.
    """
    runs = [slice(i, i + _ROWS_AT_ONCE) for i in range(0, len(table), _ROWS_AT_ONCE)]
    words = np.empty(len(table), dtype=np.uint64)
    for run in runs:
        words[run] = _row_words(table[run])
    first, which = _by_column([words])
    if len(first) < len(table):
        for run in runs:
            rows, same = table[run], table[first[which[run]]]
            if not ((same == rows) | ((same != same) & (rows != rows))).all():
                return None
    return first, which


def _row_words(table: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a hash of each row."""
    bits = (np.ascontiguousarray(table, dtype=np.float64) + 0.0).view(np.uint64)
    salt = np.arange(1, table.shape[1] + 1, dtype=np.uint64)
    # A round of SplitMix64, so that every bit of a value reaches every bit of the sum.
    words = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9) + salt
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    words *= salt * np.uint64(0x9E3779B97F4A7C15)
    return words.sum(axis=1, dtype=np.uint64)


def _by_column(columns: Sequence[Any]) -> Distinct:
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
