"""What people can do on one part: a list of changes for each of its distinct values.

Discrete parts are listed. Where a real feature is free, some changes stand for all:
those at the ends, and between the places where the model or a constraint may change
its mind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from skresp.reach import (
    NEVER,
    ContinuousError,
    Deadline,
    Part,
    Reach,
    TooLargeError,
    allow,
    draw_own,
    make_reaches,
    own_count,
    sample_joint,
    sample_minimal,
    shared_cache,
)

from ._places import Entry, lone_changes, lone_inward, mixed_changes

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Truth = NDArray[np.bool_]

# A lone integer with more changes than this goes by its line: few where the model can
# be told along it, many where each place has to be asked about.
MOST_LISTED = 100
MOST_LISTED_UNTOLD = 10_000
# Changes of one person on one part that are gone through at most.
_MOST_OF_ONE = 2_000_000
# Proposals of what can neither be listed nor told, and points asked of the solver where
# none of them is feasible.
_DRAWS = 500
_FEW_DRAWS = 10


@dataclass(frozen=True)
class Options:
    """The changes of people on one part, by the values they have there.

    Attributes
    ----------
    values : the distinct values, one row each
    rows : a row of the table that has the value
    which : for each person their value
    offsets : value `i` has the changes from `offsets[i]` to `offsets[i + 1]`; the
        first of them is staying put
    changes : total changes
    single : which changes are interventions on some one feature
    complete : whether a value's changes stand for all
    points : for how many points a value's changes count; a line that is told at once
        counts for one
    is_thinned : whether some changes, the ends of lines too, were left out to save
        points
    listed : whether a value's changes are all there are, one by one
    inward : for each change the next one with a smaller own change along its line,
        where all in between are feasible, and single where it is; -1 for none
    """

    part: Part
    values: Numbers
    rows: Places
    which: Places
    offsets: Places
    changes: Numbers
    single: Truth
    complete: Truth
    listed: Truth
    inward: Places
    points: NDArray[np.int64]
    is_thinned: bool = False

    @property
    def counts(self) -> Places:
        """How many changes each value has."""
        return np.diff(self.offsets)

    @property
    def owner(self) -> Places:
        """The value that each change is of."""
        return np.repeat(np.arange(len(self.values)), self.counts)

    @property
    def before(self) -> Numbers:
        """Where each change starts from."""
        return self.values[self.owner]

    def before_of(self, changes: Places) -> Numbers:
        """Where the changes at these places start from."""
        owner = np.searchsorted(self.offsets, changes, side="right") - 1
        return self.values[owner]

    @property
    def counts_of_people(self) -> Places:
        """How many changes each person has."""
        return self.counts[self.which]

    def of_changes(self, value: int, changes: Numbers) -> Options:
        """Other changes of one value, after staying put."""
        stay = np.zeros((1, changes.shape[1]))
        return replace(
            self,
            values=self.values[[value]],
            rows=self.rows[[value]],
            which=np.zeros(0, dtype=np.intp),
            offsets=np.array([0, len(changes) + 1]),
            changes=np.concatenate([stay, changes]),
        )

    def thinned(self, most: int) -> Options:
        """At most so many changes of each value, from all over, and staying put."""
        counts, starts = self.counts, self.offsets[:-1]
        keep = np.minimum(counts - 1, most)
        picks = [np.zeros(0, dtype=np.intp)]
        for start, count, kept in zip(starts, counts, keep, strict=True):
            places = np.arange(kept) * (count - 1) // max(kept, 1)
            picks.append(np.concatenate([[start], start + 1 + places]))
        pick = np.concatenate(picks).astype(np.intp)
        return replace(
            self,
            offsets=np.concatenate([[0], np.cumsum(keep + 1)]).astype(np.intp),
            changes=self.changes[pick],
            single=self.single[pick],
            complete=self.complete & (keep == counts - 1),
            listed=self.listed & (keep == counts - 1),
            inward=np.full(len(pick), -1, dtype=np.intp),
            points=np.minimum(self.points, keep),
            is_thinned=True,
        )

    def with_changes(self, extra: dict[int, Numbers]) -> Options:
        """With one change more for some values, which is no intervention on one."""
        at = [int(self.offsets[i + 1]) for i in extra]
        counts = self.counts
        counts[list(extra)] += 1
        return replace(
            self,
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.intp),
            changes=np.insert(self.changes, at, list(extra.values()), axis=0)
            if extra
            else self.changes,
            single=np.insert(self.single, at, False),
            inward=self._shifted(at),
        )

    def _shifted(self, at: list[int]) -> Places:
        """Return `inward` where changes that have none are inserted at these places."""
        place = self.inward + np.searchsorted(at, self.inward, side="right")
        return np.insert(np.where(self.inward < 0, -1, place), at, -1)


#: Where along lines a model may change its mind. It is given the rows the lines are
#: of, the changes at their two ends, and how far along those are; it tells which
#: line, and where. None: the ends of a line stand for all of it.
Cutter = Callable[
    [Places, Numbers, Numbers, Numbers, Numbers], "tuple[Places, Numbers]"
]


def options_of(
    part: Part,
    values: Numbers,
    rows: Places,
    which: Places,
    interventions: str,
    cutter: Cutter | None,
    told: bool,
    most: int,
    seed: int,
    max_points: int = _MOST_OF_ONE,
    deadline: Deadline = NEVER,
    *,
    ends: bool = False,
) -> Options:
    """The options of people whose distinct values on a part are given.

    `told` is False where nothing is known of the model along lines: then reals are
    tried at some places, and no list of theirs is complete. `most` is how many changes
    of an integer that stands alone are listed, `max_points` how many changes of one
    value are gone through. With `ends` the ends of the pieces of a line are among its
    changes, as the cheapest of each.
    """
    build = _Build(part, interventions, cutter, told, seed, max_points, deadline, ends)
    found: list[Entry | None] = [None] * len(values)
    if stands_alone(part, most):
        lone = lone_changes(part, values, rows, cutter, told, ends)
        for i, change in enumerate(lone):
            if change is not None:
                points = 1 if told else len(change) - 1
                inward = lone_inward(change, part.features[0], float(values[i, 0]))
                found[i] = Entry(change, change[:, 0] != 0, told, points, inward)
    left = [i for i, entry in enumerate(found) if entry is None]
    if left:
        reaches = shared_cache.get(part, values[left], deadline)
        for i, reach in zip(left, reaches, strict=True):
            deadline.check()
            found[i] = build.entry(values[i], int(rows[i]), reach)
    entries = [entry for entry in found if entry is not None]
    counts = [len(entry.changes) for entry in entries]
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
    inward = np.full(offsets[-1], -1, dtype=np.intp)
    for start, entry in zip(offsets, entries, strict=False):
        if entry.inward is not None:
            here = slice(start, start + len(entry.changes))
            inward[here] = np.where(entry.inward < 0, -1, start + entry.inward)
    nothing = np.zeros((0, len(part.names)))
    return Options(
        part,
        values,
        rows,
        which,
        offsets,
        np.concatenate([nothing, *(entry.changes for entry in entries)]),
        np.concatenate([np.zeros(0, dtype=bool), *(entry.single for entry in entries)]),
        np.array([entry.complete for entry in entries], dtype=bool),
        np.array([e.complete and e.inward is None for e in entries], dtype=bool),
        inward,
        np.array([entry.points for entry in entries], dtype=np.int64),
    )


def is_stuck(options: Sequence[Options], people: int) -> Truth:
    """Return who has no feasible change at all, as far as all changes are known."""
    stuck = np.ones(people, dtype=bool)
    for each in options:
        stuck &= (each.complete & (each.counts == 1))[each.which]
    return stuck


def has_moved(options: Sequence[Options], choice: Places) -> Truth:
    """Return who does not simply stay put."""
    moved = np.zeros(len(choice), dtype=bool)
    for p, each in enumerate(options):
        moved |= choice[:, p] != each.offsets[each.which]
    return moved


def thinned(options: Sequence[Options], most: int) -> list[Options]:
    """The options of one person, as many as make so many points.

    Parts with few points keep them all; the others share what is left.
    """
    points = np.array([int(each.points[each.which[0]]) for each in options])
    left, share = most, 0
    for k, p in enumerate(np.argsort(points, kind="stable")):
        share = left // (len(points) - k)
        if points[p] > share:
            break
        left -= int(points[p])
    return [
        each if n <= share else each.thinned(share)
        for each, n in zip(options, points, strict=True)
    ]


def stands_alone(part: Part, most: int) -> bool:
    """Whether a part is one number, tied to nothing, that goes by its line.

    An integer does where it has more than so many changes.
    """
    if len(part.names) > 1 or part.constraints:
        return False
    feature = part.features[0]
    if feature.kind != "integer" or not feature.can_change:
        return feature.kind == "real"
    low, high = feature.bounds
    return (high - low) / (feature.step or 1) > most


@dataclass(frozen=True)
class _Build:
    part: Part
    interventions: str
    cutter: Cutter | None
    told: bool
    seed: int
    max_points: int
    deadline: Deadline
    ends: bool

    def entry(self, x: Numbers, row: int, reach: Reach) -> Entry:
        """The changes of one value, which are single, whether that is all."""
        if isinstance(reach.refused, TooLargeError):
            most = min(_MOST_OF_ONE, self.max_points)
            if most > reach.refused.most:
                (reach,) = make_reaches(
                    self.part, x[None], most=most, deadline=self.deadline
                )
        if reach.refused is None:
            changes = reach.changes
            return Entry(changes, self._single(reach), True, len(changes) - 1)
        if isinstance(reach.refused, ContinuousError):
            mixed = mixed_changes(
                self.part,
                x,
                row,
                self.cutter,
                self.told,
                self.interventions,
                self.ends,
            )
            if mixed is not None:
                return mixed
        with allow(self.deadline, self.max_points):
            entry = self._drawn(x)
        self.deadline.check()
        return entry

    def _single(self, reach: Reach) -> Truth:
        marks = reach.marks(self.interventions)
        return np.asarray(marks[:, self.part.actionable].any(axis=1))

    def _drawn(self, x: Numbers) -> Entry:
        """Some changes, drawn: of one feature alone, and of any together."""
        part = self.part
        # Of the value and nothing else, whoever has it.
        content = np.ascontiguousarray(x + 0.0).view(np.uint32).tolist()
        rng = np.random.default_rng([self.seed, *content])
        alone = [np.zeros((0, len(x)))]
        for j in part.actionable:
            found = self._proposed(x, {j: 1.0}, rng)
            if self.interventions == "minimal" and not len(found):
                # Others must move along: the solver knows which.
                found = sample_minimal(part, x, j, _FEW_DRAWS, rng).changes
            elif not part.leads_alone(j):
                found = found[:0]  # what follows could be taken back
            alone.append(found)
        free = self._proposed(x, dict.fromkeys(range(len(x)), 0.5), rng)
        if not len(free):
            free = sample_joint(part, x, None, _FEW_DRAWS, rng).changes
        changes = np.concatenate([np.zeros((1, len(x))), *alone, free])
        single = np.zeros(len(changes), dtype=bool)
        single[1 : len(changes) - len(free)] = True
        if self.interventions == "joint":
            single = (changes[:, part.actionable] != 0).any(axis=1)
        return Entry(changes, single, False, len(changes) - 1)

    def _proposed(
        self, x: Numbers, chances: dict[int, float], rng: np.random.Generator
    ) -> Numbers:
        """Total changes from own changes of features that move with these chances.

        Only what is feasible; every second change of a number goes to an end.
        """
        part = self.part
        own = np.zeros((_DRAWS, len(x)))
        for k, chance in chances.items():
            feature = part.features[k]
            if own_count(feature, float(x[k])) < 2:
                continue
            drawn = draw_own(part, x, k, _DRAWS, rng, zero=False)
            if feature.kind != "categorical":
                low, high = feature.own_limits(float(x[k]))
                ends = np.where(rng.random(_DRAWS) < 0.5, low, high)
                exact = own_count(feature, float(x[k])) == np.inf
                drawn = np.where(exact & (rng.random(_DRAWS) < 0.5), ends, drawn)
            own[:, k] = np.where(rng.random(_DRAWS) < chance, drawn, 0.0)
        ok = part.feasible(np.broadcast_to(x, own.shape), own)
        changes = part.total(own[ok])
        return changes[(changes != 0).any(axis=1)]
