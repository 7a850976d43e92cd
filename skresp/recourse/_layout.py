"""Where the gains of people's classes stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Where the gains of people's classes stand: person by person, part by part.

    `start[i, p]` is where those of person `i` and part `p` begin; each entry has its
    owner, its part and its class.
    """

    start: NDArray[np.int64]
    owner: Places
    part: Places
    which: NDArray[np.int64]

    @classmethod
    def of(cls, first: Any, count: Any) -> Layout:
        """The layout of classes that stand at `first`, so many of each part."""
        n, parts = first.shape
        counts = count.ravel()
        ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        start = np.zeros((n, parts + 1), dtype=np.int64)
        start[:, :parts] = ends[:-1].reshape(n, parts)
        if parts:
            start[:, parts] = ends[parts::parts]
        owner = np.repeat(np.arange(n), count.sum(axis=1))
        part = np.repeat(np.tile(np.arange(parts), n), counts)
        which = np.repeat(first.ravel() - ends[:-1], counts)
        return cls(start, owner, part, which + np.arange(len(which)))

    def best(self, values: Numbers) -> Places:
        """For each person the entry with the greatest value."""
        return np.lexsort((-values, self.owner))[self.start[:, 0]]
