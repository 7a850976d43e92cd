"""Find the feasible changes that are minimal interventions on a feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp._text import quote
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._deadline import NEVER, Deadline
from ._distinct_rows import distinct_rows

INTERVENTIONS = ("minimal", "joint")

# Groups with at most this many sets are compared pair by pair, all groups at once.
_FEW = 64
# Pairs of sets compared at once in a larger group.
_MOST = 2_000_000


def check_interventions(interventions: str) -> None:
    """Raise for an unknown value of `interventions`."""
    if interventions not in INTERVENTIONS:
        raise ValueError(
            f"interventions must be 'minimal' or 'joint', got {quote(interventions)}."
        )


def without_missing(changes: FloatArray, before: FloatArray) -> FloatArray:
    """Return changes with 0 for missing values, which stay missing."""
    missing = np.isnan(before)
    return np.where(missing, 0.0, changes) if missing.any() else changes


def minimal_interventions(
    changes: FloatArray, offsets: IndexArray, deadline: Deadline = NEVER
) -> BoolArray:
    """Return where a change is a minimal intervention on feature `j`, in column `j`.

    For each person and each change of `j` these are the changes whose set of changed
    features contains no other such set.

    Parameters
    ----------
    changes : array of shape (n_changes, n_features)
        All feasible changes of each person, person after person.
    offsets : array of shape (n_people + 1,)
    deadline : Deadline

    Returns
    -------
    array of bool of shape (n_changes, n_features)
    """
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    moved = changes != 0
    # All features at once: each pair of a change and a feature that moves in it is in
    # the group of its person, feature and amount.
    row, j = np.nonzero(moved)
    if not len(row):
        return moved
    _, group = distinct_rows([owner[row], j, changes[row, j]])
    deadline.check()
    first, member = distinct_rows([group, *_words(moved)[row].T])
    order = np.argsort(group[first], kind="stable")
    least = np.empty(len(first), dtype=bool)
    sets = _words(moved)[row[first[order]]]
    least[order] = _least(group[first][order], sets, deadline)
    out = np.zeros(changes.shape, dtype=bool)
    out[row, j] = least[member]
    return out


def minimal_of_one(changes: FloatArray) -> BoolArray:
    """Return the minimal interventions among all feasible changes of one person."""
    return minimal_interventions(changes, np.array([0, len(changes)]))


def _words(moved: BoolArray) -> NDArray[np.uint64]:
    """Return each row of booleans as the bits of a few 64-bit words."""
    width = -(-moved.shape[1] // 64) * 64
    padded = np.zeros((len(moved), width), dtype=bool)
    padded[:, : moved.shape[1]] = moved
    return np.packbits(padded, axis=1).view(np.uint64)


def _least(
    group: IndexArray, sets: NDArray[np.uint64], deadline: Deadline
) -> BoolArray:
    """Return which sets contain no other of their group; groups are contiguous."""
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    sizes = np.diff(np.r_[starts, len(sets)])
    least = np.ones(len(sets), dtype=bool)
    few = (sizes > 1) & (sizes <= _FEW)
    if few.any():
        _mark_all_pairs(least, sets, starts[few], sizes[few])
    for start, size in zip(starts[sizes > _FEW], sizes[sizes > _FEW], strict=True):
        members = slice(start, start + size)
        least[members] = _least_by_size(sets[members], deadline)
    return least


def _mark_all_pairs(
    least: BoolArray, sets: NDArray[np.uint64], starts: IndexArray, sizes: IndexArray
) -> None:
    """Compare every set with every other of its group, all groups at once."""
    first = np.repeat(starts, sizes)
    size = np.repeat(sizes, sizes)
    own = first + np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    a = np.repeat(own, size)
    b = np.repeat(first, size) + (
        np.arange(len(a)) - np.repeat(np.cumsum(size) - size, size)
    )
    inside = (sets[a] & sets[b] == sets[b]).all(axis=1)
    least[a[inside & (a != b)]] = False


def _least_by_size(sets: NDArray[np.uint64], deadline: Deadline) -> BoolArray:
    """Return which of many distinct sets contain no other.

    The smallest are kept, all that contain one of them are dropped, and so on.
    """
    least = np.zeros(len(sets), dtype=bool)
    sizes = np.bitwise_count(sets).sum(axis=1)
    left = np.argsort(sizes, kind="stable")
    while len(left):
        smallest = left[sizes[left] == sizes[left[0]]]
        least[smallest] = True
        left = left[len(smallest) :]
        for chunk in np.array_split(
            smallest, max(1, -(-len(smallest) * len(left) // _MOST))
        ):
            if not len(left) or not len(chunk):
                break
            deadline.check()
            held = sets[left][:, None] & sets[chunk] == sets[chunk]
            left = left[~held.all(axis=2).any(axis=1)]
    return least
