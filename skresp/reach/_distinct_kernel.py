"""The distinct rows of an array of few columns, in a kernel."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled
from skresp._typing import FloatArray, IndexArray


def distinct_values(values: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Return the same as `distinct_rows`; for callers that use kernels anyway."""
    numbers = np.add(values, 0.0, order="C")  # -0.0 becomes 0.0
    missing = np.isnan(numbers)
    if missing.any():
        numbers[missing] = np.nan  # of many bit patterns
    with np.errstate(over="ignore"):  # where the kernel runs as Python
        first, which = _distinct(numbers.view(np.uint64))
    return first, which


@compiled
def _distinct(rows):  # type: ignore[no-untyped-def]
    """Find distinct rows of bits with a hash table; they are compared in full."""
    n, width = rows.shape
    size = 2
    while size < 2 * n:
        size *= 2
    known = np.full(size, -1, np.int64)
    first, which = np.empty(n, np.intp), np.empty(n, np.intp)
    count = 0
    for i in range(n):
        word = np.uint64(0)
        for j in range(width):
            # A round of SplitMix64.
            word = (word ^ rows[i, j]) + np.uint64(0x9E3779B97F4A7C15)
            word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            word ^= word >> np.uint64(31)
        at = np.int64(word & np.uint64(size - 1))
        while known[at] >= 0:
            other = first[known[at]]
            same = True
            for j in range(width):
                same &= rows[i, j] == rows[other, j]
            if same:
                break
            at = (at + 1) % size
        if known[at] < 0:
            known[at] = count
            first[count] = i
            count += 1
        which[i] = known[at]
    return first[:count].copy(), which
