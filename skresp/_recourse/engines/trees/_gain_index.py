"""Index of gains by person, part and class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray, IndexArray


@dataclass(frozen=True)
class GainIndex:
    """Index of a flat array with one entry per person, part and class, in this order.

    Attributes
    ----------
    start : array of shape (n_people, n_parts + 1)
        Where the entries of each person and part begin; the last column is where those
        of the person end.
    owner, part, which : arrays of shape (n_entries,)
        Person, part and class of each entry.
    """

    start: NDArray[np.int64]
    owner: IndexArray
    part: IndexArray
    which: NDArray[np.int64]

    @classmethod
    def of(cls, first: Any, counts: Any) -> GainIndex:
        """Return the index of classes that begin at `first`, `counts` of each part."""
        n, parts = first.shape
        flat = counts.ravel()
        ends = np.concatenate([[0], np.cumsum(flat)]).astype(np.int64)
        start = np.zeros((n, parts + 1), dtype=np.int64)
        start[:, :parts] = ends[:-1].reshape(n, parts)
        if parts:
            start[:, parts] = ends[parts::parts]
        owner = np.repeat(np.arange(n), counts.sum(axis=1))
        part = np.repeat(np.tile(np.arange(parts), n), flat)
        which = np.repeat(first.ravel() - ends[:-1], flat)
        return cls(start, owner, part, which + np.arange(len(which)))

    def best(self, values: FloatArray) -> IndexArray:
        """Return for each person the entry with the greatest value."""
        return np.lexsort((-values, self.owner))[self.start[:, 0]]
