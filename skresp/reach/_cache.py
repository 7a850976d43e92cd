"""A cache of feasible changes: computed once for each value of a part."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skresp._actions._feature import snap_to_bounds
from skresp._text import quote_names
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp._validation import check_integer

from ._deadline import NEVER, Deadline
from ._errors import ContinuousError, EnumerationError
from ._grid import MAX_ROWS_OF_ONE, list_changes
from ._interventions import (
    minimal_interventions,
    minimal_of_one,
    without_missing,
)
from ._part import Part
from ._solver_search import Search


class ScoredChanges(NamedTuple):
    """The interventions on features of a part that get a score, of one value.

    Attributes
    ----------
    changes : array of shape (n_changes, n_features)
        Total changes.
    after : array of shape (n_changes, n_movable)
        The values that features which can move (`Part.movable`) have after them.
    marks : array of bool of shape (n_changes, n_actionable)
        Column `j` marks the interventions on feature `part.actionable[j]`.
    sizes : array of shape (n_actionable,)
        The number of interventions on each feature.
    """

    changes: FloatArray
    after: FloatArray
    marks: BoolArray
    sizes: IndexArray


@dataclass(frozen=True)
class Reach:
    """All feasible changes of one value of a part.

    Attributes
    ----------
    changes : array of shape (n_changes, n_features)
        Total changes, staying put first. Empty where `refused` or not `valid`.
    minimal : array of bool of shape (n_changes, n_features)
        Column `j` marks the minimal interventions on feature `j`.
    refused : EnumerationError or None
        Why the changes cannot be listed.
    valid : bool
        Whether the value satisfies the constraints before any change.
    missing : tuple of int
        Features whose value is missing; it stays missing in every change.
    """

    changes: FloatArray
    minimal: BoolArray
    refused: EnumerationError | None = None
    valid: bool = True
    missing: tuple[int, ...] = ()

    def marks(self, interventions: str) -> BoolArray:
        """Return for each change and feature whether it is an intervention on it."""
        if interventions == "minimal":
            return self.minimal
        moved = self.changes != 0
        moved[:, self.missing] = False
        return moved

    def interventions(self, j: int, interventions: str) -> IndexArray:
        """Return the positions of the interventions on feature `j`."""
        return np.flatnonzero(self.marks(interventions)[:, j])

    def scored(
        self, part: Part, value: FloatArray, interventions: str
    ) -> ScoredChanges:
        """Return the interventions on features of the part that get a score.

        Parameters
        ----------
        part : Part
        value : array of shape (n_features,)
            The value of the part that these are the changes of.
        interventions : {"minimal", "joint"}
        """
        if interventions not in self._scored:
            marks = self.marks(interventions)[:, part.actionable]
            some = marks.any(axis=1)
            changes, marks = self.changes[some], marks[some]
            after = [
                snap_to_bounds(part.features[k], value[k], changes[:, k])
                for k in part.movable
            ]
            self._scored[interventions] = ScoredChanges(
                changes,
                np.ascontiguousarray(np.reshape(after, (len(after), len(changes))).T),
                marks,
                marks.sum(axis=0),
            )
        return self._scored[interventions]

    @cached_property
    def _scored(self) -> dict[str, ScoredChanges]:
        """Results of `scored`."""
        return {}

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes, the objects themselves included."""
        return 3 * self.changes.nbytes + 2 * self.minimal.nbytes + 1_200


class ReachCache:
    """Feasible changes by part and value; the least recently used are dropped first.

    Parameters
    ----------
    max_bytes : int, default=512 MiB
        Memory for the entries.

    Attributes
    ----------
    hits, misses : int
        How many values were found, and how many had to be computed.

    Examples
    --------
    >>> import numpy as np
    >>> from skresp import ActionSet, Feature
    >>> from skresp.reach import ReachCache
    >>> from skresp.reach._part import parts_of
    >>> (part,) = parts_of(ActionSet({"loans": Feature("integer", 0, 3)}))
    >>> cache = ReachCache()
    >>> [reach.changes.ravel().tolist() for reach in cache.get(part, np.array([[1.0]]))]
    [[0.0, -1.0, 1.0, 2.0]]
    >>> _ = cache.get(part, np.array([[1.0]]))
    >>> cache.hits, cache.misses
    (1, 1)
    """

    def __init__(self, max_bytes: int = 512 * 2**20) -> None:
        self.max_bytes = check_integer("max_bytes", max_bytes, 0)
        self.clear()

    def clear(self) -> None:
        """Remove all entries."""
        self._entries: OrderedDict[tuple[Part, bytes], Reach] = OrderedDict()
        self._bytes = self.hits = self.misses = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(
        self, part: Part, values: FloatArray, deadline: Deadline = NEVER
    ) -> list[Reach]:
        """Return the feasible changes of each row of `values`.

        New ones are computed in one batch; with a time limit a few at a time.
        """
        keys = [(part, row.tobytes()) for row in values + 0.0]  # -0.0 equals 0.0
        with self._lock:
            found = [self._found(key) for key in keys]
            if all(found):
                self.hits += len(keys)
                return [reach for reach in found if reach is not None]
            fresh = {
                key: i
                for i, (key, reach) in enumerate(zip(keys, found, strict=True))
                if reach is None
            }
            self.hits += len(keys) - len(fresh)
            self.misses += len(fresh)
        new = values[list(fresh.values())]
        made: list[Reach] = []
        for some in deadline.slices(len(new)):
            made += make_reaches(part, new[some], deadline=deadline)
        entries = dict(zip(fresh, made, strict=True))
        with self._lock:
            for key, reach in entries.items():
                self._keep(key, reach)
        return [
            entries[key] if reach is None else reach
            for key, reach in zip(keys, found, strict=True)
        ]

    def _found(self, key: tuple[Part, bytes]) -> Reach | None:
        """Return an entry, which is now the most recently used one; None for none."""
        reach = self._entries.get(key)
        if reach is not None:
            self._entries.move_to_end(key)
        return reach

    def _keep(self, key: tuple[Part, bytes], reach: Reach) -> None:
        """Store an entry, and remove the least recently used ones beyond the limit."""
        size = reach.nbytes + len(key[1])
        continuous = isinstance(reach.refused, ContinuousError)  # cheap to compute
        if continuous or size > self.max_bytes or key in self._entries:
            return
        self._entries[key] = reach
        self._bytes += size
        while self._bytes > self.max_bytes:
            (_, value), old = self._entries.popitem(last=False)
            self._bytes -= old.nbytes + len(value)


def make_reaches(
    part: Part,
    values: FloatArray,
    *,
    most: int = MAX_ROWS_OF_ONE,
    deadline: Deadline = NEVER,
) -> list[Reach]:
    """Compute the feasible changes of each row of `values` in one batch."""
    valid = part.valid(values)
    listing = list_changes(part, values, most=most, deadline=deadline)
    moved = without_missing(
        listing.changes, np.repeat(values, np.diff(listing.offsets), axis=0)
    )
    minimal = minimal_interventions(moved, listing.offsets, deadline)
    starts = listing.offsets[:-1]
    # An invalid row has to be corrected before its changes mean anything.
    ends = np.where(valid, listing.offsets[1:], starts)
    return [
        Reach(
            # Copies: a view would keep the whole batch in memory.
            listing.changes[starts[i] : ends[i]].copy(),
            minimal[starts[i] : ends[i]].copy(),
            listing.refused.get(i),
            bool(valid[i]),
            _missing(values[i]),
        )
        for i in range(len(values))
    ]


def reach_by_solver(part: Part, value: FloatArray, most: int = 100_000) -> Reach:
    """Compute the feasible changes of one value by the solver alone."""
    nothing = np.zeros((0, len(value)))
    try:
        changes, complete = Search(part, value).changes(None, most)
    except EnumerationError as error:
        return Reach(nothing, nothing != 0, error)
    if not complete:
        refusal = EnumerationError(
            f"The solver could not decide which changes of the part "
            f"({quote_names(part.names)}) are feasible for one person. Use "
            f"method='grid' or 'auto'."
        )
        return Reach(nothing, nothing != 0, refusal)
    moved = without_missing(changes, value)
    return Reach(changes, minimal_of_one(moved), missing=_missing(value))


def _missing(value: FloatArray) -> tuple[int, ...]:
    """Return the positions of missing values."""
    return tuple(np.flatnonzero(np.isnan(value)).tolist())


#: The cache of this process, shared by all explainers and scorers.
shared_cache = ReachCache()
