"""Decide the verdicts of a batch of rows with an engine, and check its witnesses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._errors import TooManyTogetherError
from skresp.reach._feasible_changes import features_on_lines, parts_with_lines
from skresp.reach._option_table import OptionTable
from skresp.reach._options import Options, options_of, thinned
from skresp.reach._part import Part, actionable_parts, located_parts
from skresp.reach._value_options import OptionSettings
from skresp.scores._score_task import InvalidRowsError
from skresp.scores._strategy import all_listed

from ._budget import SearchBudget
from ._cost import costs_of, table_costs
from ._option_points import choices_reach_target
from ._row_tables import RowTables, row_tables
from ._single_features import SingleFeatures
from ._status import Proof, Status
from ._verdict_arrays import VerdictArrays
from ._witnesses import Witnesses
from .engines._base import Engine, EngineInput, EngineResult, NotSeparableError
from .engines._black_box import BlackBoxEngine

# Maximum number of rows examined together.
_MAX_ROWS = 4_096
# Approximate maximum number of options of these rows on one part.
_MAX_OPTIONS = 500_000
# Nodes of trees that split on features along lines, from which on boxes are faster.
_MAX_SPLITS_ON_LINES = 10_000


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

    @cached_property
    def first_engine(self) -> Engine:
        """The engine that people are given to: boxes where lines have many pieces.

        It says neither which change is the cheapest nor which is the best.
        """
        budget = self.budget
        lines = features_on_lines(self.actions, self.engine.max_listed)
        if budget.cost is None and not budget.best_only:
            if self.engine.splits_on(lines) > _MAX_SPLITS_ON_LINES:
                return self.box_engine() or self.engine
        return self.engine

    @property
    def rows_per_run(self) -> int:
        """Number of rows examined together: fewer where each has many options."""
        engine = self.first_engine
        lines = features_on_lines(self.actions, engine.max_listed)
        few = max(16, _MAX_OPTIONS // engine.max_line_pieces)
        return min(_MAX_ROWS, few) if lines else _MAX_ROWS

    @property
    def is_fast(self) -> bool:
        """Whether all rows take the same short time: sums of lists, and no search."""
        listed = all_listed(self.actions, self.singles.settings)
        return listed and self.first_engine.is_additive and self.budget.cost is None

    def run(self, rows: IndexArray) -> VerdictArrays:
        """Compute the verdicts of rows."""
        engine, codes = self.first_engine, self.codes[rows]
        tables = row_tables(
            codes, self.actions, self.interventions, engine, self.budget
        )
        valid = self._is_valid(rows, tables)
        if self.invalid_rows == "raise" and not valid.all():
            raise InvalidRowsError
        out = self.undecided(rows)
        out.status[~valid], out.proof[~valid] = Status.INVALID, Proof.NONE
        wanted = valid & self.answered[rows]
        if not (self.budget.best_only or engine.is_additive):
            wanted &= ~self.at_target[rows]  # nothing is said of the others
        good = np.flatnonzero(wanted)
        if len(good):
            with suppress(OutOfTimeError):  # then they stay unknown
                _VerdictRun(self, rows, out, tables).decide(good, engine)
        return out

    def undecided(self, rows: IndexArray) -> VerdictArrays:
        """Return verdicts of rows that were not examined."""
        out = VerdictArrays.unknown(len(rows), len(self.actions.names))
        approved = self.at_target[rows]
        out.status[approved], out.proof[approved] = Status.APPROVED, Proof.NONE
        return out

    def _is_valid(self, rows: IndexArray, tables: RowTables | None) -> BoolArray:
        """Return which rows satisfy all constraints as they are."""
        valid = np.ones(len(rows), dtype=bool) if tables is None else tables.valid
        for part, columns in located_parts(self.actions):
            if part.constraints and (tables is None or not part.actionable):
                values = self.codes[np.ix_(rows, columns)]
                first, which = distinct_rows(values)
                valid = valid & part.valid(values[first])[which]
        return valid


@dataclass(frozen=True)
class _VerdictRun:
    """One call of `VerificationTask.run`.

    Methods take positions in `rows`, which are positions in `out` as well.

    Attributes
    ----------
    task : VerificationTask
    rows : array of shape (n_rows,)
        Positions in the batch.
    out : VerdictArrays
        The verdicts, set as rows are decided.
    tables : RowTables or None
    """

    task: VerificationTask
    rows: IndexArray
    out: VerdictArrays
    tables: RowTables | None

    @property
    def columns(self) -> list[IndexArray]:
        """The columns of the features of each part that people can change."""
        return [columns for _, columns in self.task.movable]

    def decide(self, positions: IndexArray, engine: Engine) -> None:
        """Decide rows together; halve the batch where that is not possible.

        A row that the engine cannot handle goes to the black-box search alone, so the
        way a row is decided does not depend on the other rows.
        """
        try:
            self._decide_together(positions, engine)
        except (NotSeparableError, TooManyTogetherError):
            if self.tables is not None:
                replace(self, tables=None).decide(positions, engine)
                return
            if len(positions) == 1:
                self._decide_together(positions, BlackBoxEngine())
                return
            half = len(positions) // 2
            self.decide(positions[:half], engine)
            self.decide(positions[half:], engine)

    def _decide_together(self, positions: IndexArray, engine: Engine) -> None:
        """Decide rows with the same kind of options; divide other batches further."""
        rows = self.rows[positions]
        given = self._engine_input(positions, engine)
        if given.tables and given.is_heavy.any():
            # Only options of these people can be thinned, not those of a table.
            replace(self, tables=None).decide(positions, engine)
            return
        spent = given.spent
        groups = _groups(given)
        if len(groups) > 1:
            for some in groups:
                self.decide(positions[some], engine)
            return
        if not (given.covers_all.any() or engine.decides_unlisted):
            boxes = self.task.box_engine()
            if boxes is not None and not self.task.budget.best_only:
                self.decide(positions, boxes)
                return
        given = self._thinned(given)
        if given.options:
            found = engine.examine(given)
        else:  # nobody can change anything
            found = EngineResult.blank([], given.stay)
        verdicts = self.task.undecided(rows)
        try:
            self._write(verdicts, given, found, spent)
            if not self.task.budget.any_witness:
                self._improve(verdicts, rows, found, engine)
            if not self.task.budget.best_only:
                self.task.singles.settle(
                    verdicts, rows, found.options, self.columns, found.knows_listed
                )
        finally:  # what was found before the time limit stays
            self.out.put(positions, verdicts)
        if found.left_over.any():
            last = BlackBoxEngine(decides_unlisted=True)
            self.decide(positions[found.left_over], last)

    # -- the input of engines ---------------------------------------------------------

    def _engine_input(self, positions: IndexArray, engine: Engine) -> EngineInput:
        """Return what the people of some rows can do, and what the engine may use.

        Parts that nobody here can change are included: the work for a person does not
        depend on the others.
        """
        task, budget, rows = self.task, self.task.budget, self.rows[positions]
        tables: tuple[OptionTable, ...] = ()
        if self.tables is not None and engine.uses_tables:
            tables, which = self.tables
            people = which.take(positions, axis=1)
            options = [
                table.options.of_people(at)
                for table, at in zip(tables, people, strict=True)
            ]
            costs = [table_costs(budget, table) for table in tables]
        else:
            options = [
                self._options(rows, part, columns, engine)
                for part, columns in task.movable
            ]
            costs = self._costs(options)
        given = EngineInput(
            batch=task.batch,
            options=options,
            costs=costs,
            tables=tables,
            rows=rows,
            denied=~task.at_target[rows],
            budget=budget,
            interventions=task.interventions,
        )
        if given.covers_all.any():
            return given
        # Single features and draws of changes need points, too.
        features = sum(len(part.actionable) for part, _ in task.movable)
        kept = task.singles.reserve(features)
        if not engine.needs_only_lists:
            kept += len(task.movable) * task.points_to_draw
        return replace(
            given, budget=replace(budget, max_points=budget.max_points - kept)
        )

    def _thinned(self, given: EngineInput) -> EngineInput:
        """Return the input with some options of a person who has too many."""
        if not given.is_heavy.any():
            return given
        options = thinned(given.options, given.half_of_points)
        return replace(given, options=options, costs=self._costs(options), tables=())

    def _costs(self, options: list[Options]) -> list[FloatArray]:
        """Return the costs of the options of each part."""
        budget = self.task.budget
        return [costs_of(budget, o.part, o.before, o.changes) for o in options]

    def _options(
        self, rows: IndexArray, part: Part, columns: IndexArray, engine: Engine
    ) -> Options:
        """Return what the people of some rows can do on a part."""
        task, budget = self.task, self.task.budget
        values = task.codes[np.ix_(rows, columns)]
        first, which = self._distinct(part, values, rows)
        return options_of(
            part,
            values[first],
            rows[first],
            which,
            OptionSettings(
                interventions=task.interventions,
                cutter=engine.cutter(task.batch, part, task.codes[:, columns]),
                knows_lines=engine.knows_lines,
                max_listed=engine.max_listed,
                seed=budget.seed,
                max_points=budget.max_points,
                to_draw=task.points_to_draw,
                only_lists=engine.needs_only_lists,
                ends=budget.cost is not None,
                deadline=budget.deadline,
            ),
        )

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
                seen = self.task.batch.point_builder.values(name, rows).astype(object)
                unclear.append(np.where(shared, seen, 0))
        return distinct_rows([*values.T, *unclear] if unclear else values)

    # -- verdicts from the results of engines -----------------------------------------

    def _write(
        self,
        verdicts: VerdictArrays,
        given: EngineInput,
        found: EngineResult,
        spent: IntArray,
    ) -> None:
        """Check the result of an engine and turn it into verdicts."""
        at_target, stuck = ~given.denied, given.is_stuck
        found.note(np.flatnonzero(stuck & ~at_target), Status.FIXED, Proof.NO_CHANGE)
        found.note(np.flatnonzero(at_target), Status.APPROVED, Proof.NONE)
        moved = found.choice != found.stay
        witness = given.denied & moved.any(axis=1)
        self._recheck(given.rows, found, witness)
        verdicts.status[:], verdicts.proof[:] = found.status, found.proof
        verdicts.used[:] = np.where(at_target | stuck, 0, found.used + spent)
        verdicts.has_witness[:] = witness & (found.status != Status.FIXED)
        verdicts.best_known[:] = found.best_known | stuck
        columns = self.columns
        for out, choice in (
            (verdicts.change, found.choice),
            (verdicts.best, found.best),
        ):
            for p in np.flatnonzero((choice != found.stay).any(axis=0)).tolist():
                out[:, columns[p]] = found.options[p].changes[choice[:, p]]
        verdicts.change[~verdicts.has_witness] = 0.0

    def _recheck(
        self, rows: IndexArray, found: EngineResult, witness: BoolArray
    ) -> None:
        """Check every witness with the constraints' own meaning and with `predict`."""
        some = np.flatnonzero(witness)
        if not len(some):
            return
        choice, tables = found.choice[some], self.tables and self.tables.tables
        ok = choices_reach_target(
            self.task.batch,
            found.options,
            rows[some],
            choice,
            found.stay[some],
            final=True,
        )
        for p, each in enumerate(found.options):
            if tables and each.changes is tables[p].options.changes:
                ok &= tables[p].feasible[choice[:, p]]
                continue
            pick, member = np.unique(choice[:, p], return_inverse=True)
            own = each.part.own(each.changes[pick])
            ok &= each.part.feasible(each.before_of(pick), own)[member]
        bad = some[~ok]
        found.note(bad, Status.UNKNOWN, Proof.CONTRADICTED)
        witness[bad] = False

    def _improve(
        self,
        verdicts: VerdictArrays,
        rows: IndexArray,
        found: EngineResult,
        engine: Engine,
    ) -> None:
        """Make witnesses smaller; with a cost, say which are the cheapest."""
        task, most = self.task, engine.max_listed
        long = []
        if task.budget.cost is None:
            if engine.knows_lines:
                long = [
                    (part, int(columns[0]))
                    for part, columns in parts_with_lines(task.actions, most)
                ]
            if not long:
                return
        change = verdicts.change.copy()
        witnesses = Witnesses(task.batch, task.actions, rows, task.codes[rows], change)
        if task.budget.cost is None:
            witnesses.shrink(long)
        else:
            shown = verdicts.has_witness & (found.proof == Proof.WITNESS)
            verdicts.proof[shown] = Proof.CHEAPEST_FOUND
            verdicts.proof[shown & found.cheapest] = Proof.CHEAPEST
            if not callable(task.budget.cost):
                self._move_inward(witnesses, verdicts, found)
        verdicts.change[:] = change

    def _move_inward(
        self, witnesses: Witnesses, verdicts: VerdictArrays, found: EngineResult
    ) -> None:
        """Move witnesses along the lines of their options, towards smaller changes."""
        single = verdicts.status == Status.SINGLE
        for p, (each, here) in enumerate(zip(found.options, self.columns, strict=True)):
            choice = found.choice[:, p]
            some = np.flatnonzero(verdicts.has_witness & (each.inward[choice] >= 0))
            if len(some):
                witnesses.move_inward(each, here, some, choice[some], single[some])


def _groups(given: EngineInput) -> list[IndexArray]:
    """Divide people into groups that an engine examines together.

    People whose options cover all feasible changes are apart from the others, who get
    fewer points. A person with too many options is alone and gets some of them.
    """
    covered, heavy = given.covers_all, given.is_heavy
    if covered.any() and not covered.all():
        return [np.flatnonzero(covered), np.flatnonzero(~covered)]
    groups = [np.flatnonzero(~heavy), *np.flatnonzero(heavy)[:, None]]
    return [some for some in groups if len(some)]
