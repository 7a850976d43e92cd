"""Gains of changes of one part, with all other parts as they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skresp._numba import compiled, compiled_part
from skresp._typing import FloatArray, IndexArray, IntArray
from skresp.reach._deadline import Deadline

from ._nodes import FEATURE, LEFT, RIGHT, goes_left


@dataclass(frozen=True)
class GainIndex:
    """Index of a flat array with one entry per person, part and change, in this order.

    Attributes
    ----------
    start : array of shape (n_people, n_parts + 1)
        Where the entries of each person and part begin; the last column is where those
        of the person end.
    owner, part, which : arrays of shape (n_entries,)
        Person, part and change of each entry.
    """

    start: IntArray
    owner: IndexArray
    part: IndexArray
    which: IntArray

    @classmethod
    def of(cls, deadline: Deadline, first: IntArray, counts: IntArray) -> GainIndex:
        """Return the index of changes that begin at `first`, `counts` of each part."""
        return cls(*deadline.call(_index_of, first, counts))

    def best(self, values: FloatArray) -> IndexArray:
        """Return for each person the entry with the greatest value."""
        greatest = np.maximum.reduceat(values, self.start[:, 0])
        there = np.flatnonzero(values == greatest[self.owner])
        return there[np.searchsorted(self.owner[there], np.arange(len(self.start)))]


@compiled
def _index_of(first, counts):  # type: ignore[no-untyped-def]
    """Return the arrays of `GainIndex`."""
    n, parts = first.shape
    start = np.zeros((n, parts + 1), np.int64)
    owner = np.empty(counts.sum(), np.int64)
    part, which = np.empty_like(owner), np.empty_like(owner)
    at = 0
    for i in range(n):
        for p in range(parts):
            start[i, p] = at
            for k in range(counts[i, p]):
                owner[at], part[at], which[at] = i, p, first[i, p] + k
                at += 1
        start[i, parts] = at
    return start, owner, part, which


@compiled
def codes_after(  # type: ignore[no-untyped-def]
    codes, people, choice, part_of, slot_of, new_code
):
    """Return the codes of people after a choice of changes, -1 for staying put."""
    out = np.empty((len(people), codes.shape[1]), np.int64)
    for i in range(len(people)):
        for c in range(codes.shape[1]):
            out[i, c] = codes[people[i], c]
            if part_of[c] >= 0 and choice[i, part_of[c]] >= 0:
                out[i, c] = new_code[choice[i, part_of[c]], slot_of[c]]
    return out


@compiled
def add_differences(people, start, sums, own, gain):  # type: ignore[no-untyped-def]
    """Add to `gain` by how much sums after changes of people differ from `own`."""
    for i in people:
        for at in range(start[i, 0], start[i, -1]):
            for r in range(gain.shape[1]):
                gain[at, r] += sums[at, r] - own[i, r]


@compiled
def least_gaps(base, start, stay, gain):  # type: ignore[no-untyped-def]
    """Return the least gap after each change, and the greatest effect of each part.

    `stay` and `gain` are the sums where people stay put, and the gains of changes.
    """
    n, parts = len(start), start.shape[1] - 1
    gaps = np.full(len(gain), np.inf)
    effect = np.zeros((n, parts))
    for i in range(n):
        for p in range(parts):
            for at in range(start[i, p], start[i, p + 1]):
                for r in range(gain.shape[1]):
                    gaps[at] = min(gaps[at], base[r] + stay[i, r] + gain[at, r])
                    effect[i, p] = max(effect[i, p], abs(gain[at, r]))
    return gaps, effect


@compiled_part
def _add_tree(  # type: ignore[no-untyped-def]
    trees,
    tree,
    changes,
    codes,
    first,
    count,
    start,
    order,
    on_path,
    waiting,
    stay,
    out,
):
    """Add the gains of one tree for one person, see `single_part_gains`.

    `order` holds the changes of each part, those that still share the path of staying
    put first; it is a permutation before and after.
    """
    roots, nodes, missing_left, gain, _ = trees
    part_of, slot_of, new_code = changes.part_of, changes.slot_of, changes.new_code
    scores = gain.shape[1]
    # First the leaf of staying put; changes that leave its path wait.
    node = roots[tree]
    pending = 0
    for p in range(len(first)):
        on_path[p] = start[p] + count[p]
    while nodes[node, FEATURE] >= 0:
        f = nodes[node, FEATURE]
        p = part_of[f]
        if p < 0 or count[p] == 1:
            goes = goes_left(codes[f], node, nodes, missing_left)
            node = nodes[node, LEFT] if goes else nodes[node, RIGHT]
            continue
        slot = slot_of[f]
        goes = goes_left(new_code[first[p], slot], node, nodes, missing_left)
        keep = start[p] + 1  # staying put comes first
        for k in range(start[p] + 1, on_path[p]):
            o = order[k]
            other = goes_left(new_code[first[p] + o, slot], node, nodes, missing_left)
            if other == goes:
                order[k] = order[keep]
                order[keep] = o
                keep += 1
        if keep < on_path[p]:
            waiting[pending, 0] = nodes[node, RIGHT] if goes else nodes[node, LEFT]
            waiting[pending, 1] = p
            waiting[pending, 2] = keep
            waiting[pending, 3] = on_path[p]
            pending += 1
            on_path[p] = keep
        node = nodes[node, LEFT] if goes else nodes[node, RIGHT]
    base = node
    for r in range(scores):
        stay[r] += gain[base, r]
    while pending:
        pending -= 1
        node = waiting[pending, 0]
        p = waiting[pending, 1]
        low, high = waiting[pending, 2], waiting[pending, 3]
        while nodes[node, FEATURE] >= 0:
            f = nodes[node, FEATURE]
            q = part_of[f]
            if q != p:
                # Columns of other parts keep the code of staying put.
                goes = goes_left(codes[f], node, nodes, missing_left)
                node = nodes[node, LEFT] if goes else nodes[node, RIGHT]
                continue
            slot = slot_of[f]
            middle = low
            for k in range(low, high):
                o = order[k]
                if goes_left(new_code[first[p] + o, slot], node, nodes, missing_left):
                    order[k] = order[middle]
                    order[middle] = o
                    middle += 1
            if middle == high:
                node = nodes[node, LEFT]
            elif middle == low:
                node = nodes[node, RIGHT]
            else:
                waiting[pending, 0] = nodes[node, RIGHT]
                waiting[pending, 1] = p
                waiting[pending, 2] = middle
                waiting[pending, 3] = high
                pending += 1
                node, high = nodes[node, LEFT], middle
        for k in range(low, high):
            for r in range(scores):
                out[start[p] + order[k], r] += gain[node, r] - gain[base, r]


@compiled
def single_part_gains(people, trees, changes, start, stay, out):  # type: ignore[no-untyped-def]
    """Add the gain of each change of each part, with all other parts as they are.

    Tree by tree, so that a tree stays in the processor's cache for all people.

    Parameters
    ----------
    people : array of shape (n_some,)
    trees : Trees
    changes : EquivalentChanges
    start : array of shape (n_people, n_parts + 1)
        Where the changes of each person and part begin in `out`, see `GainIndex`.
    stay : array of shape (n_people, n_scores)
        The sums of trees where nothing changes are added to it.
    out : array of shape (n_entries, n_scores)
        The differences to staying put are added to it.
    """
    codes, first, count = changes.codes, changes.first, changes.counts
    parts = first.shape[1]
    most = 1
    for i in people:
        most = max(most, start[i, parts] - start[i, 0])
    order = np.empty((len(people), most), np.int64)
    own = np.empty((len(people), parts), np.int64)
    for j in range(len(people)):
        i = people[j]
        for p in range(parts):
            own[j, p] = start[i, p] - start[i, 0]
            for o in range(count[i, p]):
                order[j, own[j, p] + o] = o
    on_path = np.empty(parts, np.int64)
    waiting = np.empty((2 * trees.depth + 2, 4), np.int64)
    for tree in range(len(trees.roots)):
        for j in range(len(people)):
            i = people[j]
            _add_tree(
                trees,
                tree,
                changes,
                codes[i],
                first[i],
                count[i],
                own[j],
                order[j],
                on_path,
                waiting,
                stay[i],
                out[start[i, 0] : start[i, parts]],
            )
