"""The feasible changes of people on one part: complete lists, lines, or neither.

Scores and verdicts both start from here, so they cannot disagree about what is
feasible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skresp._actions._feature import Feature
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._allowance import allow
from ._cache import Reach, reach_by_solver, shared_cache
from ._deadline import NEVER, Deadline
from ._distinct_rows import distinct_rows
from ._lines import Lines, lines_of
from ._own_changes import own_ranges
from ._part import Part, stands_alone

# The most changes that are listed for an integer feature that stands alone. With more,
# a score is computed along its line or sampled, and a verdict uses points of its line.
MOST_LISTED_INTEGERS = 10_000
# The same where the model is known along the line, which is as exact and cheaper.
MOST_LISTED_BESIDE_A_LINE = 100


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
    """

    part: Part
    values: FloatArray
    which: IndexArray
    distinct: FloatArray
    reaches: list[Reach]

    @cached_property
    def refused(self) -> BoolArray:
        """Which of `reaches` have no list."""
        return np.array([r.refused is not None for r in self.reaches], dtype=bool)

    def is_drawn(self, method: str) -> bool:
        """Return whether the interventions of some row are drawn."""
        drawn = method == "sample" or self.refused.any()
        return bool(drawn or (self.which < 0).any())

    @property
    def valid(self) -> BoolArray:
        """Which rows satisfy the constraints of the part before any change."""
        entries = np.array([r.valid for r in self.reaches], dtype=bool)
        if entries.all():
            return np.ones(len(self.which), dtype=bool)
        return (self.which < 0) | entries[self.which]

    def lines(
        self, j: int, rows: IndexArray, some: IndexArray, interventions: str
    ) -> tuple[Lines, BoolArray] | None:
        """Return the lines of a feature for some of the rows, and which rows have one.

        `rows` are the positions of these rows in the table.
        """
        return lines_of(self.part, j, rows, self.values[some], interventions)

    @classmethod
    def of(
        cls,
        part: Part,
        values: FloatArray,
        method: str = "auto",
        deadline: Deadline = NEVER,
        most: int | None = None,
    ) -> FeasibleChanges:
        """Return the feasible changes of some rows.

        `most` is how many changes of a feature that stands alone are listed.
        """
        which = np.full(len(values), -1, dtype=np.intp)
        listed = np.ones(len(values), dtype=bool)
        if stands_alone(part) and method in ("auto", "sample"):
            listed = ~is_drawn_from(part, values, most)
        first, which[listed] = distinct_rows(values[listed])
        distinct = values[listed][first]
        if method == "highs":
            with allow(deadline):
                reaches = [reach_by_solver(part, value) for value in distinct]
        else:
            reaches = shared_cache.get(part, distinct, deadline)
        if method in ("grid", "highs"):
            for reach in reaches:
                if reach.refused is not None:
                    raise reach.refused
        return cls(part, values, which, distinct, reaches)


def is_drawn_from(part: Part, values: FloatArray, most: int | None = None) -> BoolArray:
    """Return which rows have too many changes of a feature that stands alone."""
    low, high = own_ranges(part.features[0], values[:, 0])
    if part.features[0].kind == "real":
        return low < high
    return high - low + 1 > (MOST_LISTED_INTEGERS if most is None else most)


def has_line(feature: Feature) -> bool:
    """Return whether somebody may change a feature along a line."""
    if not feature.actionable:
        return False
    if feature.kind == "integer":
        low, high = feature.bounds
        return high - low > MOST_LISTED_BESIDE_A_LINE
    return feature.kind == "real"
