"""Options of a part, with changes that a search found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from skresp._typing import FloatArray, IndexArray
from skresp.reach._options import Options


class AddedOptions:
    """Collects changes, then makes options that contain them.

    Until `joined` is called, a change has a number: its position among the options, or
    one below 0 where it is new.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self._values: list[int] = []
        self._changes: list[FloatArray] = []

    def add(self, value: int, change: FloatArray) -> int:
        """Add a change of a value of the part and return its number."""
        first, last = self.options.offsets[value], self.options.offsets[value + 1]
        same = (self.options.changes[first:last] == change).all(axis=1)
        if same.any():
            return int(first + np.argmax(same))
        self._values.append(value)
        self._changes.append(change)
        return -len(self._values)

    def joined(self) -> tuple[Options, IndexArray, IndexArray]:
        """Return the options with all changes, and the new positions.

        Returns
        -------
        options : Options
        old : array of shape (n_changes,)
            The positions of what was there before.
        new : array of shape (n_added,)
            The positions of the changes that were added, in that order.
        """
        options = self.options
        values = np.array(self._values, dtype=np.intp)
        order = np.argsort(values, kind="stable")
        at = options.offsets[values[order] + 1]
        new = np.empty(len(values), dtype=np.intp)
        new[order] = at + np.arange(len(values))
        before = np.arange(len(options.changes))
        old = before + np.searchsorted(at, before, side="right")
        counts = options.counts + np.bincount(values, minlength=len(options.values))
        changes = np.empty((len(old) + len(new), options.changes.shape[1]))
        changes[old] = options.changes
        single = np.zeros(len(changes), dtype=bool)
        single[old] = options.single
        inward = np.full(len(changes), -1, dtype=np.intp)
        has = options.inward >= 0
        inward[old[has]] = old[options.inward[has]]
        if len(new):
            changes[new] = self._changes
        joined = replace(
            options,
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.intp),
            changes=changes,
            single=single,
            inward=inward,
        )
        return joined, old, new
