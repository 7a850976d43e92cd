"""Verdicts for a batch of rows, with an engine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._errors import TooManyTogetherError
from skresp.reach._feasible_changes import features_on_lines, may_have_long_range
from skresp.reach._options import (
    Options,
    has_moved,
    is_stuck,
    options_of,
    thinned,
)
from skresp.reach._part import Part, parts_of
from skresp.scores._responsiveness import InvalidRowsError, part_columns

from ._budget import SearchBudget
from ._cost import costs_of
from ._option_points import choices_reach_target
from ._single_features import SingleFeatures
from ._status import Proof, Status
from ._verdict_arrays import VerdictArrays
from ._witnesses import Witnesses
from .engines._base import Engine, EngineInput, EngineResult, NotSeparableError
from .engines._black_box import BlackBoxEngine

# Maximum number of rows examined together.
_MAX_ROWS = 2_048
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
    invalid_rows: str = "raise"

    @property
    def rows_per_run(self) -> int:
        """Number of rows examined together: fewer where each has many options."""
        lines = features_on_lines(self.actions, self.engine.max_listed)
        few = max(16, _MAX_OPTIONS // self.engine.max_line_pieces)
        return min(_MAX_ROWS, few) if lines else _MAX_ROWS

    def run(self, rows: IndexArray) -> VerdictArrays:
        """Compute the verdicts of rows."""
        valid = np.ones(len(rows), dtype=bool)
        movable: list[tuple[Part, IndexArray]] = []
        for part, columns in zip(
            parts_of(self.actions), part_columns(self.actions), strict=True
        ):
            values = self.codes[np.ix_(rows, columns)]
            if part.constraints:
                first, which = distinct_rows(values)
                valid &= part.valid(values[first])[which]
            if part.actionable:
                movable.append((part, columns))
        if self.invalid_rows == "raise" and not valid.all():
            raise InvalidRowsError
        out = self.undecided(rows)
        out.status[~valid], out.proof[~valid] = Status.INVALID, Proof.NONE
        good = np.flatnonzero(valid & self.answered[rows])
        if len(good):
            with suppress(OutOfTimeError):  # then they stay unknown
                self._decide(out, rows[good], good, movable, self.engine)
        return out

    def undecided(self, rows: IndexArray) -> VerdictArrays:
        """Return verdicts of rows that were not examined."""
        out = VerdictArrays.unknown(len(rows), len(self.actions.names))
        approved = self.at_target[rows]
        out.status[approved], out.proof[approved] = Status.APPROVED, Proof.NONE
        return out

    def _decide(
        self,
        out: VerdictArrays,
        rows: IndexArray,
        positions: IndexArray,
        movable: list[tuple[Part, IndexArray]],
        engine: Engine,
    ) -> None:
        """Decide rows together; halve the batch where that is not possible.

        A row that the engine cannot handle goes to the black-box search alone, so the
        way a row is decided does not depend on the other rows. `positions` are the
        positions of the rows in `out`.
        """
        try:
            self._decide_together(out, rows, positions, movable, engine)
        except (NotSeparableError, TooManyTogetherError):
            if len(rows) == 1:
                self._decide_together(out, rows, positions, movable, BlackBoxEngine())
                return
            half = len(rows) // 2
            for some in (slice(None, half), slice(half, None)):
                self._decide(out, rows[some], positions[some], movable, engine)

    def _decide_together(
        self,
        out: VerdictArrays,
        rows: IndexArray,
        positions: IndexArray,
        movable: list[tuple[Part, IndexArray]],
        engine: Engine,
    ) -> None:
        """Decide rows with the same kind of options; divide other batches further."""
        at_target = self.at_target[rows]
        options, costs = self._options(rows, movable, engine)
        complete = np.ones(len(rows), dtype=bool)
        load = np.zeros(len(rows), dtype=np.int64)
        spent = np.zeros(len(rows), dtype=np.int64)
        for each in options:
            spent += each.spent[each.which]
            load += each.points[each.which]
            complete &= each.complete[each.which]
        budget = self.budget
        if not complete.all():
            if complete.any():
                for some in (np.flatnonzero(complete), np.flatnonzero(~complete)):
                    self._decide(out, rows[some], positions[some], movable, engine)
                return
            features = sum(len(part.actionable) for part, _ in movable)
            kept = self.singles.reserve(budget.max_points, features)
            kept += len(movable) * self._points_to_draw(movable)
            budget = replace(budget, max_points=budget.max_points - kept)
        # Where not all changes are listed, half of the points is for the search.
        half = -(-budget.max_points // 2)
        most = np.where(complete, budget.max_points, half)
        heavy = ~at_target & (load > most)
        if heavy.any():
            if len(rows) > 1:
                # One by one: a row with too many options gets a part of them.
                for some in (np.flatnonzero(~heavy), *np.flatnonzero(heavy)[:, None]):
                    if len(some):
                        self._decide(out, rows[some], positions[some], movable, engine)
                return
            options = thinned(options, half)
            costs = [
                costs_of(self.budget, each.part, each.before, each.changes)
                for each in options
            ]
        if options:
            found = engine.examine(
                EngineInput(
                    batch=self.batch,
                    options=options,
                    costs=costs,
                    rows=rows,
                    denied=~at_target,
                    budget=budget,
                )
            )
        else:
            found = EngineResult.blank(options, len(rows))  # nobody can change anything
        columns = [columns for _, columns in movable]
        self._write(out, rows, positions, columns, found, spent)
        self._improve(out, rows, positions, columns, found, engine)
        if not budget.exact:
            self.singles.settle(
                out, self.batch, rows, positions, found.options, columns, self.budget
            )

    def _write(
        self,
        out: VerdictArrays,
        rows: IndexArray,
        positions: IndexArray,
        columns: list[IndexArray],
        found: EngineResult,
        spent: IndexArray,
    ) -> None:
        """Check the result of an engine and write it to `out`."""
        at_target, options = self.at_target[rows], found.options
        stuck = is_stuck(options, len(rows))
        found.note(np.flatnonzero(stuck & ~at_target), Status.FIXED, Proof.NO_CHANGE)
        found.note(np.flatnonzero(at_target), Status.APPROVED, Proof.NONE)
        witness = ~at_target & has_moved(options, found.choice)
        self._recheck(rows, found, witness)
        out.status[positions], out.proof[positions] = found.status, found.proof
        out.used[positions] = np.where(at_target | stuck, 0, found.used + spent)
        out.has_witness[positions] = witness & (found.status != Status.FIXED)
        out.best_known[positions] = found.best_known | stuck
        for p, (each, here) in enumerate(zip(options, columns, strict=True)):
            ix = np.ix_(positions, here)
            out.change[ix] = each.changes[found.choice[:, p]]
            out.best[ix] = each.changes[found.best[:, p]]
        out.change[positions[~out.has_witness[positions]]] = 0.0

    def _recheck(
        self, rows: IndexArray, found: EngineResult, witness: BoolArray
    ) -> None:
        """Check every witness with the constraints' own meaning and with `predict`."""
        some = np.flatnonzero(witness)
        if not len(some):
            return
        choice = found.choice[some]
        ok = choices_reach_target(
            self.batch, found.options, rows[some], choice, final=True
        )
        for p, each in enumerate(found.options):
            pick, member = np.unique(choice[:, p], return_inverse=True)
            own = each.part.own(each.changes[pick])
            ok &= each.part.feasible(each.before_of(pick), own)[member]
        bad = some[~ok]
        found.note(bad, Status.UNKNOWN, Proof.CONTRADICTED)
        witness[bad] = False

    def _improve(
        self,
        out: VerdictArrays,
        rows: IndexArray,
        positions: IndexArray,
        columns: list[IndexArray],
        found: EngineResult,
        engine: Engine,
    ) -> None:
        """Make witnesses smaller; with a cost, say which are the cheapest."""
        options, has_witness = found.options, out.has_witness[positions]
        change = out.change[positions]
        witnesses = Witnesses(self.batch, self.actions, rows, self.codes[rows], change)
        if self.budget.cost is None:
            for each, here in zip(options, columns, strict=True):
                part = each.part
                if engine.knows_lines and may_have_long_range(part, engine.max_listed):
                    witnesses.shrink(part, int(here[0]))
        else:
            shown = has_witness & (found.proof == Proof.WITNESS)
            out.proof[positions[shown]] = Proof.CHEAPEST_FOUND
            out.proof[positions[shown & found.cheapest]] = Proof.CHEAPEST
            if not callable(self.budget.cost):
                single = out.status[positions] == Status.SINGLE
                for p, (each, here) in enumerate(zip(options, columns, strict=True)):
                    choice = found.choice[:, p]
                    some = np.flatnonzero(has_witness & (each.inward[choice] >= 0))
                    if len(some):
                        witnesses.move_inward(
                            each, here, some, choice[some], single[some]
                        )
        out.change[positions] = change

    # -- options of people ------------------------------------------------------------

    def _options(
        self, rows: IndexArray, movable: list[tuple[Part, IndexArray]], engine: Engine
    ) -> tuple[list[Options], list[FloatArray]]:
        """Return what the people of some rows can do on each part, and the costs.

        Parts that nobody here can change are included: the work for a person does not
        depend on the others.
        """
        options, costs = [], []
        for part, columns in movable:
            values = self.codes[np.ix_(rows, columns)]
            first, which = self._distinct(part, values, rows)
            each = options_of(
                part,
                values[first],
                rows[first],
                which,
                self.interventions,
                engine.cutter(self.batch, part, self.codes[:, columns]),
                engine.knows_lines,
                engine.max_listed,
                self.budget.seed,
                self.budget.max_points,
                self.budget.deadline,
                ends=self.budget.cost is not None,
                to_draw=self._points_to_draw(movable),
            )
            options.append(each)
            costs.append(costs_of(self.budget, part, each.before, each.changes))
        return options, costs

    def _points_to_draw(self, movable: list[tuple[Part, IndexArray]]) -> int:
        """Return how many points drawing changes of one part may take.

        An eighth of all points is shared by the parts, where some part has several
        features or constraints, so that drawing may need the solver.
        """
        if any(len(part.names) > 1 or part.constraints for part, _ in movable):
            return self.budget.max_points // (8 * len(movable))
        return 0

    def _distinct(
        self, part: Part, values: FloatArray, rows: IndexArray
    ) -> tuple[IndexArray, IndexArray]:
        """Return the distinct values of rows on a part, as the model sees them.

        Labels that are not listed share a code, and so do all kinds of missing
        values, but the model may distinguish them.
        """
        unclear: list[Any] = []
        for k, (name, feature) in enumerate(
            zip(part.names, part.features, strict=True)
        ):
            shared = np.isnan(values[:, k])
            if feature.kind == "categorical":
                shared |= values[:, k] < 0
            if shared.any():
                seen = self.batch.point_builder.values(name, rows).astype(object)
                unclear.append(np.where(shared, seen, 0))
        return distinct_rows([*values.T, *unclear] if unclear else values)
