"""Which feasible changes are interventions on a feature: `minimal` and `joint`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._part import Numbers, Truth

INTERVENTIONS = ("minimal", "joint")

# Pairs of supports compared at once.
_MOST_PAIRS = 4_000_000


def check_interventions(interventions: str) -> None:
    """Raise for an unknown reading."""
    if interventions not in INTERVENTIONS:
        raise ValueError(
            f"interventions must be 'minimal' or 'joint', got {interventions!r}."
        )


def joint_interventions(changes: Numbers) -> Truth:
    """Column `j` marks the changes in which feature `j` moves."""
    return changes != 0


def minimal_interventions(changes: Numbers, offsets: NDArray[np.intp]) -> Truth:
    """Column `j` marks the changes of `j` in which nothing moves that need not.

    For each person and each value of the change in `j`, those whose set of changed
    features contains no other such set.

    Parameters
    ----------
    changes : array of shape (n_changes, n_features)
        All feasible changes of each person, person after person.
    offsets : array of shape (n_people + 1,)
    """
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    moved = changes != 0
    support = _words(moved)
    out = np.zeros(changes.shape, dtype=bool)
    for j in range(changes.shape[1]):
        rows = np.flatnonzero(moved[:, j])
        if len(rows):
            out[rows, j] = _least(
                np.column_stack([owner[rows], changes[rows, j]]), support[rows]
            )
    return out


def _words(moved: Truth) -> NDArray[np.uint64]:
    """Each row of truth values as the bits of a few 64-bit words."""
    width = -(-moved.shape[1] // 64) * 64
    padded = np.zeros((len(moved), width), dtype=bool)
    padded[:, : moved.shape[1]] = moved
    return np.packbits(padded, axis=1).view(np.uint64)


def _least(groups: Numbers, support: NDArray[np.uint64]) -> Truth:
    """Which rows have a support that contains no smaller one of the same group."""
    _, group = np.unique(groups, axis=0, return_inverse=True)
    pairs, member = np.unique(
        np.column_stack([group.astype(np.uint64), support]), axis=0, return_inverse=True
    )
    starts = np.flatnonzero(np.r_[True, pairs[1:, 0] != pairs[:-1, 0]])
    sizes = np.diff(np.r_[starts, len(pairs)])
    least = np.ones(len(pairs), dtype=bool)
    several = np.flatnonzero(sizes > 1)
    if len(several):
        # Every set against every other of its group, in bounded slices.
        first = np.repeat(starts[several], sizes[several])
        size = np.repeat(sizes[several], sizes[several])
        sets = np.concatenate(
            [
                np.arange(s, s + n)
                for s, n in zip(starts[several], sizes[several], strict=True)
            ]
        )
        slices = np.flatnonzero(np.diff(np.cumsum(size) // _MOST_PAIRS)) + 1
        for chunk in np.split(np.arange(len(sets)), slices):
            n = size[chunk]
            a = np.repeat(sets[chunk], n)
            b = np.repeat(first[chunk], n) + (
                np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
            )
            inside = (pairs[a, 1:] & pairs[b, 1:] == pairs[b, 1:]).all(axis=1)
            least[a[inside & (a != b)]] = False
    return least[member.ravel()]
