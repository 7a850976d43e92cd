"""What is known of changes on one part: the complete lists, where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import (
    NEVER,
    Deadline,
    Part,
    Reach,
    allow,
    distinct_rows,
    reach_by_solver,
    shared_cache,
)

from ._alone import is_drawn_from, stands_alone
from ._dress import Numbers

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Question:
    """How interventions are read and when they are drawn instead of listed.

    `points` is how many points one sampled score may propose, `deadline` when all
    has to be done.
    """

    interventions: str = "minimal"
    method: str = "auto"
    n_samples: int = 500
    alpha: float = 0.05
    invalid_rows: str = "raise"
    effects: Any = None  # RandomEffects, or None
    points: float = np.inf
    deadline: Deadline = NEVER


@dataclass(frozen=True)
class Lists:
    """What is known of the changes of some rows on one part.

    `which` names each row's entry in `distinct` and `reaches`; it is -1 where a lone
    feature has too many changes to be looked up at all.
    """

    part: Part
    values: Numbers
    which: Places
    distinct: Numbers
    reaches: list[Reach]

    @cached_property
    def refused(self) -> NDArray[np.bool_]:
        """Which entries have no list."""
        return np.array([r.refused is not None for r in self.reaches], dtype=bool)

    def is_drawn(self, question: Question) -> bool:
        """Whether some row's interventions are drawn."""
        drawn = question.method == "sample" or self.refused.any()
        return bool(drawn or (self.which < 0).any())

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which rows obey the constraints of the part as they stand."""
        entries = np.array([r.valid for r in self.reaches], dtype=bool)
        if entries.all():
            return np.ones(len(self.which), dtype=bool)
        return (self.which < 0) | entries[self.which]


def look_up(
    part: Part, values: Numbers, question: Question, most: int | None = None
) -> Lists:
    """The complete lists of changes of some rows, where there are any.

    `most` is how many changes of a feature that stands alone are listed.
    """
    which = np.full(len(values), -1, dtype=np.intp)
    looked = np.ones(len(values), dtype=bool)
    if stands_alone(part) and question.method in ("auto", "sample"):
        looked = ~is_drawn_from(part, values, most)
    first, which[looked] = distinct_rows(values[looked])
    distinct = values[looked][first]
    if question.method == "highs":
        with allow(question.deadline):
            reaches = [reach_by_solver(part, value) for value in distinct]
    else:
        reaches = shared_cache.get(part, distinct, question.deadline)
    if question.method in ("grid", "highs"):
        for reach in reaches:
            if reach.refused is not None:
                raise reach.refused
    return Lists(part, values, which, distinct, reaches)
