"""The changes that verdicts try on one part, for each of its distinct values.

Discrete parts are listed. Where a real feature is free, a few changes represent all:
those at the ends, and between the points where the prediction or a constraint may
change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._allowance import allow
from ._cache import Reach, make_reaches, shared_cache
from ._errors import ContinuousError, TooLargeError
from ._feasible_changes import has_long_range
from ._lone_options import lone_options
from ._mixed_options import mixed_options
from ._own_changes import draw_own, own_count
from ._part import Part
from ._sampling import sample_joint, sample_minimal
from ._value_options import MAX_OPTIONS, OptionSettings, ValueOptions

# Proposals where changes can be neither listed nor represented by lines.
_DRAWS = 500
# Points from the solver where none of the proposals is feasible.
_FEW_DRAWS = 10


@dataclass(frozen=True)
class Options:
    """The changes of people on one part, by their distinct values on it.

    Attributes
    ----------
    part : Part
    values : array of shape (n_values, n_features)
        The distinct values.
    rows : array of shape (n_values,)
        A row of the table that has the value; -1 for none.
    which : array of shape (n_people,)
        The value of each person.
    offsets : array of shape (n_values + 1,)
        Value `i` has the changes from `offsets[i]` to `offsets[i + 1]`; the first of
        them is staying put.
    changes : array of shape (n_changes, n_features)
        Total changes.
    single : array of bool of shape (n_changes,)
        Which changes are interventions on one feature.
    covers_all : array of bool of shape (n_values,)
        Whether every feasible change of a value is in the list, or on a line that the
        list represents.
    listed : array of bool of shape (n_values,)
        Whether every feasible change of a value is in the list itself.
    inward : array of shape (n_changes,)
        For each change the next smaller one along its line, if all changes in between
        are feasible, and single if this one is; otherwise -1.
    points : array of shape (n_values,)
        The number of points that a value's changes cost; a line along which the model
        is known costs one.
    spent : array of shape (n_values,)
        The number of points that drawing a value's changes took.
    is_thinned : bool
        Whether some changes, perhaps ends of lines, were left out to save points.
    """

    part: Part
    values: FloatArray
    rows: IndexArray
    which: IndexArray
    offsets: IndexArray
    changes: FloatArray
    single: BoolArray
    covers_all: BoolArray
    listed: BoolArray
    inward: IndexArray
    points: NDArray[np.int64]
    spent: NDArray[np.int64]
    is_thinned: bool = False

    @cached_property
    def counts(self) -> IndexArray:
        """The number of changes of each value."""
        return self.offsets[1:] - self.offsets[:-1]

    @cached_property
    def owner(self) -> IndexArray:
        """The value of each change."""
        return np.repeat(np.arange(len(self.values)), self.counts)

    @cached_property
    def before(self) -> FloatArray:
        """The current values of each change, of shape (n_changes, n_features)."""
        return self.values[self.owner]

    def before_of(self, changes: IndexArray) -> FloatArray:
        """Return the current values of the changes at these positions."""
        owner = np.searchsorted(self.offsets, changes, side="right") - 1
        return self.values[owner]

    @property
    def counts_of_people(self) -> IndexArray:
        """The number of changes of each person."""
        return self.counts[self.which]

    def of_people(self, which: IndexArray) -> Options:
        """Return the options of people who have these values."""
        same = object.__new__(Options)
        # With what was computed from the values.
        same.__dict__.update(self.__dict__, which=which)
        return same

    def of_changes(self, value: int, changes: FloatArray) -> Options:
        """Return options of one value with staying put and other changes."""
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
        """Return staying put and at most `most` evenly spread changes of each value."""
        counts, starts = self.counts, self.offsets[:-1]
        keep = np.minimum(counts - 1, most)
        picks = [np.zeros(0, dtype=np.intp)]
        for start, count, kept in zip(starts, counts, keep, strict=True):
            positions = np.arange(kept) * (count - 1) // max(kept, 1)
            picks.append(np.concatenate([[start], start + 1 + positions]))
        pick = np.concatenate(picks).astype(np.intp)
        return replace(
            self,
            offsets=np.concatenate([[0], np.cumsum(keep + 1)]).astype(np.intp),
            changes=self.changes[pick],
            single=self.single[pick],
            covers_all=self.covers_all & (keep == counts - 1),
            listed=self.listed & (keep == counts - 1),
            inward=np.full(len(pick), -1, dtype=np.intp),
            points=np.minimum(self.points, keep),
            is_thinned=True,
        )

    def position_of(self, value: int, change: FloatArray) -> int:
        """Return the position of a change of a value; -1 where it has none."""
        first, last = self.offsets[value], self.offsets[value + 1]
        same = np.flatnonzero((self.changes[first:last] == change).all(axis=1))
        return int(first + same[0]) if len(same) else -1

    def with_changes(
        self, values: Sequence[int], changes: Sequence[FloatArray]
    ) -> tuple[Options, IndexArray, IndexArray]:
        """Return the options with more changes, which are not single.

        Parameters
        ----------
        values : sequence of int
            The value that each change is of.
        changes : sequence of array of shape (n_features,)

        Returns
        -------
        options : Options
        old : array of shape (n_changes,)
            The new positions of what was there before.
        new : array of shape (n_added,)
            The positions of the changes that were added.
        """
        added = np.array(values, dtype=np.intp)
        order = np.argsort(added, kind="stable")
        at = self.offsets[added[order] + 1]
        new = np.empty(len(added), dtype=np.intp)
        new[order] = at + np.arange(len(added))
        before = np.arange(len(self.changes))
        old = before + np.searchsorted(at, before, side="right")
        counts = self.counts + np.bincount(added, minlength=len(self.values))
        joined = np.empty((len(old) + len(new), self.changes.shape[1]))
        joined[old] = self.changes
        if len(new):
            joined[new] = changes
        single = np.zeros(len(joined), dtype=bool)
        single[old] = self.single
        inward = np.full(len(joined), -1, dtype=np.intp)
        has = self.inward >= 0
        inward[old[has]] = old[self.inward[has]]
        options = replace(
            self,
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.intp),
            changes=joined,
            single=single,
            inward=inward,
        )
        return options, old, new


def options_of(
    part: Part,
    values: FloatArray,
    rows: IndexArray,
    which: IndexArray,
    settings: OptionSettings,
) -> Options:
    """Return the options of people, given their distinct values on a part.

    Parameters
    ----------
    part : Part
    values, rows, which : arrays of `Options`
    settings : OptionSettings
    """
    by_value: dict[int, ValueOptions] = {}
    is_long = has_long_range(part, values, settings.max_listed)
    if is_long.any() and settings.only_lists:
        by_value |= dict.fromkeys(np.flatnonzero(is_long).tolist(), _no_list(part))
    elif is_long.any():
        entries = lone_options(part, values[is_long], rows[is_long], settings)
        by_value |= zip(np.flatnonzero(is_long).tolist(), entries, strict=True)
    if not is_long.all():
        reaches = shared_cache.get(part, values[~is_long], settings.deadline)
        for i, reach in zip(np.flatnonzero(~is_long).tolist(), reaches, strict=True):
            settings.deadline.check()
            by_value[i] = _value_options(part, values[i], int(rows[i]), reach, settings)
    made = joined_options(part, values, [by_value[i] for i in range(len(values))])
    return replace(made, rows=rows, which=which)


def joined_options(
    part: Part, values: FloatArray, entries: list[ValueOptions]
) -> Options:
    """Return the options of all values as one object, of nobody."""
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
        np.full(len(values), -1, dtype=np.intp),
        np.zeros(0, dtype=np.intp),
        offsets,
        np.concatenate([nothing, *(entry.changes for entry in entries)]),
        np.concatenate([np.zeros(0, dtype=bool), *(entry.single for entry in entries)]),
        np.array([entry.covers_all for entry in entries], dtype=bool),
        np.array([e.covers_all and e.inward is None for e in entries], dtype=bool),
        inward,
        np.array([entry.points for entry in entries], dtype=np.int64),
        np.array([entry.spent for entry in entries], dtype=np.int64),
    )


def _value_options(
    part: Part, x: FloatArray, row: int, reach: Reach, settings: OptionSettings
) -> ValueOptions:
    """Return the changes of one value: listed, along lines, or drawn."""
    deadline = settings.deadline
    if isinstance(reach.refused, TooLargeError):
        most = min(MAX_OPTIONS, settings.max_points)
        if most > reach.refused.most:
            (reach,) = make_reaches(part, x[None], most=most, deadline=deadline)
    if reach.refused is None:
        return listed_options(part, reach, settings.interventions)
    if settings.only_lists:
        return _no_list(part)
    if isinstance(reach.refused, ContinuousError):
        mixed = mixed_options(part, x, row, settings)
        if mixed is not None:
            return mixed
    with allow(deadline, settings.to_draw) as given:
        entry = _drawn_options(part, x, settings)
    deadline.check()
    return entry._replace(spent=given.spent)


def listed_options(part: Part, reach: Reach, interventions: str) -> ValueOptions:
    """Return a complete list of changes; of an invalid value only staying put."""
    if not reach.valid:
        return _no_list(part)
    marks = reach.marks(interventions)
    single = np.asarray(marks[:, part.actionable].any(axis=1))
    return ValueOptions(reach.changes, single, True, len(reach.changes) - 1)


def _no_list(part: Part) -> ValueOptions:
    """Return the options of a value without a list: staying put, and not all."""
    stay = np.zeros((1, len(part.names)))
    return ValueOptions(stay, np.zeros(1, dtype=bool), False, 0)


def _drawn_options(part: Part, x: FloatArray, settings: OptionSettings) -> ValueOptions:
    """Draw some changes: of one feature, and of any features together."""
    # The draws depend on the value only, not on the person.
    content = np.ascontiguousarray(x + 0.0).view(np.uint32).tolist()
    rng = np.random.default_rng([settings.seed, *content])
    by_feature = [np.zeros((0, len(x)))]
    for j in part.actionable:
        drawn = _propose(part, x, {j: 1.0}, rng)
        if settings.interventions == "minimal" and not len(drawn):
            # Other features must move too; the solver finds which.
            drawn = sample_minimal(part, x, j, _FEW_DRAWS, rng).changes
        elif not part.leads_alone(j):
            drawn = drawn[:0]  # perhaps not minimal: effects could be cancelled
        by_feature.append(drawn)
    free = _propose(part, x, dict.fromkeys(range(len(x)), 0.5), rng)
    if not len(free):
        free = sample_joint(part, x, None, _FEW_DRAWS, rng).changes
    changes = np.concatenate([np.zeros((1, len(x))), *by_feature, free])
    single = np.zeros(len(changes), dtype=bool)
    single[1 : len(changes) - len(free)] = True
    if settings.interventions == "joint":
        single = (changes[:, part.actionable] != 0).any(axis=1)
    return ValueOptions(changes, single, False, len(changes) - 1)


def _propose(
    part: Part, x: FloatArray, chances: dict[int, float], rng: np.random.Generator
) -> FloatArray:
    """Draw feasible total changes in which features move with these probabilities.

    Half of the changes of a real go to an end of its range.
    """
    own = np.zeros((_DRAWS, len(x)))
    for k, chance in chances.items():
        feature = part.features[k]
        count = own_count(feature, float(x[k]))
        if count < 2:
            continue
        drawn = draw_own(feature, float(x[k]), _DRAWS, rng, zero=False)
        if feature.kind != "categorical":
            low, high = feature.own_limits(float(x[k]))
            ends = np.where(rng.random(_DRAWS) < 0.5, low, high)
            to_end = np.isinf(count) & (rng.random(_DRAWS) < 0.5)
            drawn = np.where(to_end, ends, drawn)
        own[:, k] = np.where(rng.random(_DRAWS) < chance, drawn, 0.0)
    ok = part.feasible(np.broadcast_to(x, own.shape), own)
    changes = part.total(own[ok])
    return changes[(changes != 0).any(axis=1)]


def thinned(options: Sequence[Options], most: int) -> list[Options]:
    """Return the options of one person, reduced to at most `most` points.

    Parts with few points keep them all; the others share the rest.
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
