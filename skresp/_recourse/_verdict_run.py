"""Decide the verdicts of rows with an engine, and check its witnesses."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from skresp._typing import BoolArray, IndexArray, IntArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._errors import TooManyTogetherError
from skresp.reach._feasible_changes import parts_with_lines
from skresp.scores._score_task import InvalidRowsError

from ._engine_inputs import alike, engine_input, with_fewer_options
from ._option_points import choices_reach_target
from ._row_tables import RowTables, row_tables
from ._status import Proof, Status
from ._verdict_arrays import VerdictArrays
from ._verification_task import VerificationTask
from ._witnesses import Witnesses
from .engines._base import Engine, EngineInput, EngineResult, NotSeparableError
from .engines._black_box import BlackBoxEngine


def verdicts_of(task: VerificationTask, rows: IndexArray) -> VerdictArrays:
    """Compute the verdicts of rows."""
    engine, codes = task.engine, task.codes[rows]
    tables = row_tables(codes, task.actions, task.interventions, engine, task.budget)
    valid = task.is_valid(rows, tables)
    if task.invalid_rows == "raise" and not valid.all():
        raise InvalidRowsError
    out = task.undecided(rows)
    out.status[~valid], out.proof[~valid] = Status.INVALID, Proof.NONE
    wanted = valid & task.answered[rows]
    if not (task.budget.best_only or engine.is_additive):
        wanted &= ~task.at_target[rows]  # nothing is said of the others
    good = np.flatnonzero(wanted)
    if len(good):
        with suppress(OutOfTimeError):  # then they stay unknown
            _VerdictRun(task, rows, out, tables).decide(good, engine)
    return out


@dataclass(frozen=True)
class _VerdictRun:
    """One call of `verdicts_of`.

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
        known = self.tables and self.tables.take(positions)
        given = engine_input(self.task, rows, engine, known)
        if given.tables and given.is_heavy.any():
            # Only options of these people can be thinned, not those of a table.
            replace(self, tables=None).decide(positions, engine)
            return
        spent = given.spent
        groups = alike(given)
        if len(groups) > 1:
            for some in groups:
                self.decide(positions[some], engine)
            return
        if not (given.covers_all.any() or engine.decides_unlisted):
            boxes = self.task.box_engine()
            if boxes is not None and not self.task.budget.best_only:
                self.decide(positions, boxes)
                return
        given = with_fewer_options(given)
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
