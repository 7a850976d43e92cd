"""List all feasible changes of many people at once, feature by feature.

Every partial change of every person is a row of one array. Adding a feature multiplies
the rows by its own changes. Rows are dropped as soon as a constraint is known to be
broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._deadline import NEVER, Deadline
from ._errors import (
    ContinuousError,
    EnumerationError,
    TooLargeError,
    TooManyTogetherError,
)
from ._own_changes import own_changes, own_count
from ._part import Part, satisfied

# Partial changes in memory (about 100 MB for a part of ten features).
MAX_ROWS = 1_000_000
# Partial changes of one person. With more, another method is used.
MAX_ROWS_OF_ONE = 100_000
# Changes of several people together. With more, they are listed in two halves.
MAX_TOGETHER = 5_000_000


@dataclass(frozen=True)
class Listing:
    """The feasible total changes of several people on one part, ordered by person.

    Attributes
    ----------
    changes : array of shape (n_changes, n_features)
        Each person's list starts with staying put.
    offsets : array of shape (n_people + 1,)
        Person `i` has `changes[offsets[i]:offsets[i + 1]]`.
    refused : dict of person to error
        People without a list, and why. They have no rows in `changes`.
    """

    changes: FloatArray
    offsets: IndexArray
    refused: dict[int, EnumerationError]


def list_changes(
    part: Part,
    before: FloatArray,
    *,
    most: int = MAX_ROWS_OF_ONE,
    deadline: Deadline = NEVER,
    own: Mapping[int, FloatArray] | None = None,
) -> Listing:
    """List every feasible total change of each person.

    Parameters
    ----------
    part : Part
    before : array of shape (n_people, n_features)
        Valid rows.
    most : int
        Maximum number of partial changes of one person.
    deadline : Deadline
    own : mapping of position to own changes, optional
        The own changes of some features that are combined, instead of all.
    """
    listed: list[FloatArray] = []
    counts = np.zeros(len(before), dtype=np.intp)
    refused: dict[int, EnumerationError] = {}
    n_listed = 0
    pending = [np.arange(len(before))]
    while pending:
        people = pending.pop()
        try:
            owner, changes, errors = _bind_all(
                part, before[people], most, deadline, own or {}
            )
        except TooManyTogetherError:
            half = len(people) // 2
            pending += [people[half:], people[:half]]
            continue
        listed.append(changes)
        n_listed += len(changes)
        if n_listed > MAX_TOGETHER and len(before) > 1:
            raise TooManyTogetherError
        counts[people] = np.bincount(owner, minlength=len(people))
        refused |= {int(people[i]): error for i, error in errors.items()}
    changes = np.concatenate(listed) if listed else np.zeros((0, len(part.names)))
    return Listing(changes, np.concatenate([[0], np.cumsum(counts)]), refused)


def _bind_all(
    part: Part,
    before: FloatArray,
    most: int,
    deadline: Deadline,
    given: Mapping[int, FloatArray],
) -> tuple[IndexArray, FloatArray, dict[int, EnumerationError]]:
    """Return the person of each change, the changes, and who has no list."""
    refused: dict[int, EnumerationError] = {}
    owner: IndexArray = np.arange(len(before))
    change: FloatArray = np.zeros((len(before), len(part.names)))
    acted: BoolArray = np.zeros(len(before), dtype=bool)
    follower_moved: BoolArray = np.zeros(len(before), dtype=bool)
    bound: set[int] = set()
    for k in _binding_order(part):
        deadline.check()
        pick, own = _expand(part, before, owner, k, most, refused, given.get(k))
        owner, change = owner[pick], change[pick]
        acted, follower_moved = acted[pick], follower_moved[pick]
        change[:, k] = own
        part.add_effects(change, k)
        if part.features[k].actionable:
            acted |= own != 0
        elif part.features[k].can_change:
            follower_moved |= own != 0
        bound.add(k)
        keep = _still_possible(part, before, owner, change, k, bound)
        if len(bound) == len(part.names):
            keep &= acted | ~follower_moved
        if not keep.all():
            owner, change = owner[keep], change[keep]
            acted, follower_moved = acted[keep], follower_moved[keep]
    stays = (change == 0).all(axis=1)
    order = np.lexsort((*change.T[::-1], ~stays, owner))
    return owner[order], change[order], refused


def _expand(
    part: Part,
    before: FloatArray,
    owner: IndexArray,
    k: int,
    most: int,
    refused: dict[int, EnumerationError],
    given: FloatArray | None,
) -> tuple[IndexArray, FloatArray]:
    """Return the row that each new row extends, and its own change of feature `k`."""
    feature = part.features[k]
    values, which = np.unique(before[:, k], return_inverse=True)
    counts = np.array(
        [
            own_count(feature, value) if given is None else len(given)
            for value in values
        ],
        dtype=float,
    )
    sizes = np.bincount(owner, weights=counts[which][owner], minlength=len(before))
    for person in np.flatnonzero(sizes > most):
        refused[int(person)] = (
            ContinuousError(part.names[k])
            if np.isinf(sizes[person])
            else TooLargeError(part.names, sizes[person], most)
        )
    sizes[sizes > most] = 0
    if sizes.sum() > MAX_ROWS and len(before) > 1:
        raise TooManyTogetherError
    counts[counts > most] = 0
    per_row = np.where(sizes[owner] > 0, counts[which][owner], 0).astype(np.intp)
    counts = counts.astype(np.intp)
    listed = [
        (own_changes(feature, value) if given is None else given)
        if count
        else np.zeros(0)
        for value, count in zip(values, counts, strict=True)
    ]
    starts = np.cumsum(counts) - counts
    pick = np.repeat(np.arange(len(owner)), per_row)
    within = np.arange(len(pick)) - np.repeat(np.cumsum(per_row) - per_row, per_row)
    return pick, np.concatenate(listed)[starts[which][owner][pick] + within]


def _still_possible(
    part: Part,
    before: FloatArray,
    owner: IndexArray,
    change: FloatArray,
    k: int,
    bound: set[int],
) -> BoolArray:
    """Return which partial changes break no constraint, after `k` was added."""
    keep = np.ones(len(owner), dtype=bool)
    if part.features[k].kind == "binary":
        after = before[owner, k] + change[:, k]
        keep &= np.isnan(after) | (after == 0) | (after == 1)
    for rule, columns in part.rules:
        if k not in columns:
            continue
        was = before[owner][:, columns]
        now = was + change[:, columns]
        known = [i for i, column in enumerate(columns) if column in bound]
        if len(known) == len(columns):
            keep &= satisfied(rule, was, now)
        else:
            has_values = ~np.isnan(was).any(axis=1)
            keep[has_values] &= rule.possible(was[has_values], now[has_values], known)
    return keep


def _binding_order(part: Part) -> list[int]:
    """Return an order with sources before targets that completes constraints early."""
    sources: dict[int, set[int]] = {k: set() for k in range(len(part.names))}
    for source, target, _ in part.links:
        sources[target].add(source)
    order: list[int] = []
    while len(order) < len(part.names):
        ready = [k for k in part.order if k not in order and sources[k] <= set(order)]

        def missing(k: int) -> tuple[int, int]:
            """Return how many features the nearest constraint of `k` still lacks."""
            lacks = [
                len(set(columns) - {*order, k})
                for _, columns in part.rules
                if k in columns and not set(columns) <= {*order}
            ]
            return min(lacks, default=0), k

        order.append(min(ready, key=missing))
    return order
