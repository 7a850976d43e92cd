"""What is needed to compute the verdicts of rows; `_verdict_run` computes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._feasible_changes import features_on_lines
from skresp.reach._part import Part, actionable_parts, located_parts
from skresp.scores._strategy import all_listed

from ._budget import SearchBudget
from ._row_tables import RowTables
from ._single_features import SingleFeatures
from ._status import Proof, Status
from ._verdict_arrays import VerdictArrays
from .engines._base import Engine

# Maximum number of rows examined together.
_MAX_ROWS = 4_096
# Approximate maximum number of options of these rows on one part.
_MAX_OPTIONS = 500_000


@dataclass(frozen=True, kw_only=True)
class VerificationTask:
    """Everything that is needed to compute the verdicts of rows.

    Attributes
    ----------
    batch : RowBatch
    actions : ActionSet
    codes : array of shape (n_rows, n_features)
        The rows of the batch as numbers.
    interventions : "minimal" or "joint"
    engine : Engine
    budget : SearchBudget
    at_target : array of shape (n_rows,)
        Which rows are at the target.
    answered : array of shape (n_rows,)
        Which rows the model was evaluated on before the time limit.
    singles : SingleFeatures
    box_engine : callable
        Returns the engine for people whose changes no list of options represents; None
        where the model has no score function.
    invalid_rows : "raise" or "nan"
    """

    batch: RowBatch
    actions: ActionSet
    codes: FloatArray
    interventions: str
    engine: Engine
    budget: SearchBudget
    at_target: BoolArray
    answered: BoolArray
    singles: SingleFeatures
    box_engine: Callable[[], Engine | None] = lambda: None
    invalid_rows: str = "raise"

    @property
    def movable(self) -> tuple[tuple[Part, IndexArray], ...]:
        """The parts that people can change, each with the columns of its features."""
        return actionable_parts(self.actions)

    @cached_property
    def points_to_draw(self) -> int:
        """How many points drawing changes of one part may take.

        An eighth of all points is shared by the parts, where some part has several
        features or constraints, so that drawing may need the solver.
        """
        if not all(part.is_unconstrained for part, _ in self.movable):
            return self.budget.max_points // (8 * len(self.movable))
        return 0

    @property
    def rows_per_run(self) -> int:
        """Number of rows examined together: fewer where each has many options."""
        engine = self.engine
        if not features_on_lines(self.actions, engine.max_listed):
            return _MAX_ROWS
        few = max(16, _MAX_OPTIONS // engine.max_line_pieces)
        return min(_MAX_ROWS, few)

    @property
    def is_fast(self) -> bool:
        """Whether all rows take the same short time: sums of lists, and no search."""
        listed = all_listed(self.actions, self.singles.settings)
        return listed and self.engine.is_additive and self.budget.cost is None

    def undecided(self, rows: IndexArray) -> VerdictArrays:
        """Return verdicts of rows that were not examined."""
        out = VerdictArrays.unknown(len(rows), len(self.actions.names))
        approved = self.at_target[rows]
        out.status[approved], out.proof[approved] = Status.APPROVED, Proof.NONE
        return out

    def is_valid(self, rows: IndexArray, tables: RowTables | None) -> BoolArray:
        """Return which rows satisfy all constraints as they are."""
        valid = np.ones(len(rows), dtype=bool) if tables is None else tables.valid
        for part, columns in located_parts(self.actions):
            if part.constraints and (tables is None or not part.actionable):
                values = self.codes[np.ix_(rows, columns)]
                first, which = distinct_rows(values)
                valid = valid & part.valid(values[first])[which]
        return valid
