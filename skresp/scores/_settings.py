"""Settings of the computation of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._typing import FloatArray
from skresp.reach._deadline import NEVER, Deadline
from skresp.reach._feasible_changes import MAX_LISTED_INTEGERS, FeasibleChanges
from skresp.reach._part import Part


@dataclass(frozen=True)
class ScoreSettings:
    """Settings of the computation of scores.

    Attributes
    ----------
    interventions : {"minimal", "joint"}
    method : {"auto", "grid", "highs", "sample"}
    n_samples : int
        Draws for a sampled score.
    alpha : float
        Intervals have confidence 1 - alpha.
    invalid_rows : {"raise", "nan"}
    random_effects : RandomEffects or None
    points_per_score : float
        Maximum number of points proposed for one sampled score.
    max_listed : int
        Maximum number of changes that are listed for an integer in a part of its own.
    deadline : Deadline
        When the computation has to end.
    """

    interventions: str = "minimal"
    method: str = "auto"
    n_samples: int = 500
    alpha: float = 0.05
    invalid_rows: str = "raise"
    random_effects: Any = None
    points_per_score: float = np.inf
    max_listed: int = MAX_LISTED_INTEGERS
    deadline: Deadline = NEVER

    @property
    def allow_lines(self) -> bool:
        """Whether scores may be exact along lines."""
        return self.method == "auto" and self.random_effects is None

    def feasible_changes(self, part: Part, values: FloatArray) -> FeasibleChanges:
        """Return the feasible changes of rows on a part, given their values."""
        return FeasibleChanges.of(
            part, values, self.method, self.deadline, self.max_listed
        )
