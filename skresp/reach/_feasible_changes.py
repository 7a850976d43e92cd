"""The feasible changes of people on one part: complete lists, lines, or neither.

Scores start from `FeasibleChanges`. Verdicts start from `Options` (`_options`), which
also represent a line by a few of its changes. Both take lists from the same cache and
use `has_long_range`, so they cannot disagree about what is feasible.

`has_long_range` is the one rule for a number in a part of its own: a row whose range
is long has a line, any other row has a list. `may_have_long_range` says whether there
can be such a row, and `features_on_lines` which features can move then.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._allowance import allow
from ._cache import Reach, reach_by_solver, shared_cache
from ._deadline import NEVER, Deadline
from ._distinct_rows import distinct_rows
from ._own_changes import most_steps, own_ranges
from ._part import Part, actionable_parts, parts_of

# Maximum number of changes listed for an integer that stands alone. With more, a score
# is computed along its line or sampled, and a verdict uses points of its line.
MAX_LISTED_INTEGERS = 10_000
# The same where the model is known along the line, which is as exact and cheaper.
MAX_LISTED_BESIDE_A_LINE = 100


@dataclass(frozen=True)
class FeasibleChanges:
    """The feasible changes of some rows on one part.

    Attributes
    ----------
    part : Part
    values : array of shape (n_rows, n_features)
        The rows' values on the part.
    which : array of shape (n_rows,)
        Each row's position in `distinct` and `reaches`; -1 where a feature that stands
        alone has too many changes to list.
    distinct : array of shape (n_distinct, n_features)
        The distinct values.
    reaches : list of Reach
        Their feasible changes.
    all_listed : bool
        Whether every row has a list.
    all_valid : bool
        Whether every row satisfies the constraints of the part before any change.
    """

    part: Part
    values: FloatArray
    which: IndexArray
    distinct: FloatArray
    reaches: list[Reach]
    all_listed: bool
    all_valid: bool

    @cached_property
    def refused(self) -> BoolArray:
        """Which of `reaches` have no list."""
        return np.array([r.refused is not None for r in self.reaches], dtype=bool)

    @property
    def listed(self) -> IndexArray:
        """Each row's position in `reaches`; -1 where that has no list either."""
        if self.all_listed or not self.refused.any():
            return self.which
        return np.where((self.which >= 0) & ~self.refused[self.which], self.which, -1)

    @cached_property
    def valid(self) -> BoolArray:
        """Which rows satisfy the constraints of the part before any change."""
        if self.all_valid:
            return np.ones(len(self.which), dtype=bool)
        entries = np.array([r.valid for r in self.reaches], dtype=bool)
        return (self.which < 0) | entries[self.which]

    @classmethod
    def of(
        cls,
        part: Part,
        values: FloatArray,
        method: str = "auto",
        deadline: Deadline = NEVER,
        max_listed: int = MAX_LISTED_INTEGERS,
    ) -> FeasibleChanges:
        """Return the feasible changes of some rows.

        `max_listed` is how many changes of an integer that stands alone are listed.
        """
        if method in ("auto", "sample") and may_have_long_range(part, max_listed):
            which = np.full(len(values), -1, dtype=np.intp)
            listed = ~has_long_range(part, values, max_listed)
            all_listed = bool(listed.all())
            first, which[listed] = distinct_rows(values[listed])
            distinct = values[listed][first]
        else:
            all_listed = True
            first, which = distinct_rows(values)
            distinct = values if len(first) == len(values) else values[first]
        if method == "highs":
            with allow(deadline):
                reaches = [reach_by_solver(part, value) for value in distinct]
        else:
            reaches = shared_cache.get(part, distinct, deadline)
        all_valid = True
        for reach in reaches:
            all_valid &= reach.valid
            if reach.refused is not None:
                if method in ("grid", "highs"):
                    raise reach.refused
                all_listed = False
        return cls(part, values, which, distinct, reaches, all_listed, all_valid)


def has_long_range(part: Part, values: FloatArray, max_listed: int) -> BoolArray:
    """Return which rows have a line instead of a list of changes.

    They are rows whose own range of a number that stands alone is long: a range of
    reals, or of integers with more than `max_listed` steps. Other rows do not matter.
    """
    if not part.stands_alone:
        return np.zeros(len(values), dtype=bool)
    low, high = own_ranges(part.features[0], values[:, 0])
    if part.features[0].kind == "real":
        return low < high
    return high - low + 1 > max_listed


def may_have_long_range(part: Part, max_listed: int) -> bool:
    """Return whether `has_long_range` can be true for some row."""
    if not part.stands_alone or not part.features[0].can_change:
        return False
    return part.features[0].kind == "real" or most_steps(part.features[0]) > max_listed


@lru_cache(maxsize=64)
def parts_with_lines(
    actions: ActionSet, max_listed: int
) -> tuple[tuple[Part, IndexArray], ...]:
    """Return the parts that people can change where some row may have a line.

    Each with the column of its number.
    """
    return tuple(
        (part, columns)
        for part, columns in actionable_parts(actions)
        if may_have_long_range(part, max_listed)
    )


@lru_cache(maxsize=64)
def features_on_lines(actions: ActionSet, max_listed: int) -> frozenset[str]:
    """Return the features that may move along a line, with those that follow.

    A real may, also beside other features of its part; an integer only if it stands
    alone.
    """
    moving: set[str] = set()
    for part in parts_of(actions):
        if not part.actionable:
            continue
        is_long = may_have_long_range(part, max_listed)
        for k in part.order:
            free = part.features[k].kind == "real" and part.features[k].can_change
            follows = any(part.names[s] in moving for s, _ in part.links_into[k])
            if is_long or free or follows:
                moving.add(part.names[k])
    return frozenset(moving)
