"""Which feasible changes are interventions on a feature: `minimal` and `joint`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._deadline import NEVER, Deadline
from ._distinct import distinct_rows
from ._part import Numbers, Truth

INTERVENTIONS = ("minimal", "joint")

# Groups of at most so many sets are compared pair by pair, all groups at once.
_FEW = 64
# Pairs of sets compared at once in a larger group.
_MOST = 2_000_000

Places = NDArray[np.intp]


def check_interventions(interventions: str) -> None:
    """Raise for an unknown reading."""
    if interventions not in INTERVENTIONS:
        raise ValueError(
            f"interventions must be 'minimal' or 'joint', got {interventions!r}."
        )


def without_missing(changes: Numbers, before: Numbers) -> Numbers:
    """Return changes in which what is missing before stays missing, so unchanged."""
    gone = np.isnan(before)
    return np.where(gone, 0.0, changes) if gone.any() else changes


def minimal_interventions(
    changes: Numbers, offsets: NDArray[np.intp], deadline: Deadline = NEVER
) -> Truth:
    """Column `j` marks the changes of `j` in which nothing moves that need not.

    For each person and each value of the change in `j`, those whose set of changed
    features contains no other such set.

    Parameters
    ----------
    changes : array of shape (n_changes, n_features)
        All feasible changes of each person, person after person.
    offsets : array of shape (n_people + 1,)
    deadline : when it has to be done
    """
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    moved = changes != 0
    # All features at once: a pair of a change and a feature that moves in it belongs
    # to the group of its person, feature and amount.
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


def _words(moved: Truth) -> NDArray[np.uint64]:
    """Each row of truth values as the bits of a few 64-bit words."""
    width = -(-moved.shape[1] // 64) * 64
    padded = np.zeros((len(moved), width), dtype=bool)
    padded[:, : moved.shape[1]] = moved
    return np.packbits(padded, axis=1).view(np.uint64)


def _least(group: Places, sets: NDArray[np.uint64], deadline: Deadline) -> Truth:
    """Which sets contain no smaller one of the same group; groups stand together."""
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
    least: Truth, sets: NDArray[np.uint64], starts: Places, sizes: Places
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


def _least_by_size(sets: NDArray[np.uint64], deadline: Deadline) -> Truth:
    """Which of many distinct sets contain no other: the smallest first, then without
    everything that contains one of those, again."""
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
