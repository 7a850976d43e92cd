"""The engine for models with a score function: branch and bound over boxes."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from skresp._model._row_batch import RowBatch
from skresp._model._score_function import ScoreFunction
from skresp._recourse._cost import costs_of
from skresp._recourse._status import Proof, Status
from skresp._recourse.engines._base import Engine, EngineInput, EngineResult, EngineRun
from skresp._typing import FloatArray, IndexArray
from skresp.reach._allowance import allow
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._feasible_changes import MAX_LISTED_BESIDE_A_LINE
from skresp.reach._part import Part

from ._case import Case, ListedPart
from ._curve_tables import CurveTables, check_monotone, first_tables
from ._lone_reach import lone_reach
from ._make_solver import make_solver
from ._model_arrays import ModelArrays
from ._person import PartState, make_variables
from ._solve import Change, Solver
from ._variables import UnknownValueError, Variables
from ._work import Arena

# Changes of a part that are listed. With more, the features of the part are variables.
_MAX_LISTED = 2_000
# People whose curves are tabulated together.
_MAX_TABULATED = 128


@dataclass(frozen=True)
class BoxEngine(Engine):
    """Search boxes of changes, with bounds of the score in each box.

    Attributes
    ----------
    score_function : ScoreFunction
        One with a decision, and a form that kernels know (see `ModelArrays.of`).
    arrays : ModelArrays
        Its arrays.
    """

    score_function: ScoreFunction
    arrays: ModelArrays

    decides_unlisted = True
    needs_only_lists = True
    max_listed = MAX_LISTED_BESIDE_A_LINE

    @classmethod
    def of(cls, score_function: ScoreFunction) -> BoxEngine | None:
        """Return the engine for a score function; None where it has no arrays."""
        arrays = ModelArrays.of(score_function)
        return None if arrays is None else cls(score_function, arrays)

    def examine(self, given: EngineInput) -> EngineResult:
        """Compute verdicts for people who are denied; best scores stay unknown."""
        if given.budget.best_only:
            return EngineResult.blank(given.options, given.stay)
        return _BoxRun(given, self).solve()


# Of batches with labels of their own: the score function that knows them, as arrays.
# A batch is examined in many runs.
_EXTENDED: WeakKeyDictionary[RowBatch, tuple[ScoreFunction, ModelArrays]]
_EXTENDED = WeakKeyDictionary()


def _arrays_of(engine: BoxEngine, batch: RowBatch, known: ScoreFunction) -> ModelArrays:
    """Return the arrays of the score function that knows the labels of a batch."""
    if known is engine.score_function:
        return engine.arrays
    kept = _EXTENDED.get(batch)
    if kept is None or kept[0] is not known:
        arrays = ModelArrays.of(known)
        assert arrays is not None
        kept = _EXTENDED[batch] = known, arrays
    return kept[1]


class _BoxRun(EngineRun):
    """One call of `BoxEngine.examine`."""

    def __init__(self, given: EngineInput, engine: BoxEngine) -> None:
        super().__init__(given)
        self.given = given
        known, self.codes = given.batch.coded(engine.score_function)
        self.columns = known.columns
        self.arrays = arrays = _arrays_of(engine, given.batch, known)
        trees = len(arrays.forest.roots) + len(arrays.curves)
        self.arena = Arena(arrays.forest.top.shape[1], trees)
        self.known: dict[int, tuple[Variables, CurveTables]] = {}
        position = self.batch.point_builder.position
        self.positions = [
            [position[name] for name in each.part.names] for each in self.options
        ]
        self.reach = [
            lone_reach(each.part.features[0], each.values[:, 0])
            if self._is_lone(each.part, at[0])
            else None
            for each, at in zip(self.options, self.positions, strict=True)
        ]

    def solve(self) -> EngineResult:
        """Compute the verdicts."""
        out = EngineResult.blank(self.options, self.staying)
        cases: dict[int, Case] = {}
        people = np.flatnonzero(self.denied).tolist()
        for at, i in enumerate(people):
            if self.budget.deadline.is_over:
                break
            try:
                if self.arrays.curves and at % _MAX_TABULATED == 0:
                    self._tabulate(people[at : at + _MAX_TABULATED])
                with allow(self.budget.deadline):
                    case = self._case(i)
            except OutOfTimeError:
                break
            except UnknownValueError:
                out.left_over[i] = True
                continue
            # Where scores are level with the border, all changes are evaluated instead.
            if case.proof == Proof.INCOMPLETE and self.given.listed[i]:
                out.left_over[i] = True
                continue
            cases[i] = case
            out.used[i] = case.used
            out.note(i, case.status, case.proof)
        self._note_candidates(out, cases)
        return out

    # -- one person --------------------------------------------------------------------

    def _tabulate(self, people: list[int]) -> None:
        """Tabulate the curves of people, in a few calls of the steps before the model.

        The knots of a person do not depend on the others.
        """
        self.known = {}
        variables = {}
        for i in people:
            with suppress(UnknownValueError):
                codes = self.codes[self.rows[i]]
                variables[i] = make_variables(self.columns, codes, self._states(i)[0])
        with allow(self.budget.deadline):
            tables = first_tables(
                self.arrays.curves,
                [self.codes[self.rows[i]] for i in variables],
                list(variables.values()),
            )
        self.known = {
            i: (variables[i], table) for i, table in zip(variables, tables, strict=True)
        }

    def _is_lone(self, part: Part, column: int) -> bool:
        """Return whether a part is a number by itself, which the model takes as one."""
        return part.stands_alone and (column < 0 or self.columns[column].labels is None)

    def _states(self, i: int) -> tuple[list[PartState], list[ListedPart]]:
        """Return what a person can do on each part, and the listed interventions."""
        states, listed = [], []
        for p, each in enumerate(self.options):
            value = int(each.which[i])
            here = slice(each.offsets[value], each.offsets[value + 1])
            changes: FloatArray | None = each.changes[here]
            if each.listed[value]:
                some = here.start + np.flatnonzero(each.single[here])
                single = ListedPart(p, each.changes[some], self.costs[p][some])
                listed.append(single)
            # One feature is a variable of its own, for which a list adds nothing.
            is_long = here.stop - here.start > _MAX_LISTED
            if not each.listed[value] or each.part.is_unconstrained or is_long:
                changes = None
            before, lone = each.values[value], self.reach[p]
            reach = None
            if lone is not None and changes is None and not math.isnan(before[0]):
                reach = lone[value].tolist()
            states.append(
                PartState(each.part, before, self.positions[p], changes, reach)
            )
        return states, listed

    def _solver(self, i: int, states: list[PartState]) -> Solver:
        """Return what searches the boxes of one person."""
        known = self.known.get(i)
        if known is not None:
            check_monotone(known[1])
        elif self.arrays.curves:
            raise UnknownValueError
        codes = self.codes[self.rows[i]]
        return make_solver(self.arrays, self.columns, codes, states, self.arena, known)

    def _case(self, i: int) -> Case:
        """Search the boxes of one person."""
        states, listed = self._states(i)
        solver, budget = self._solver(i, states), self.budget

        def price(p: int, change: FloatArray) -> float:
            state = states[p]
            cost = costs_of(budget, state.part, state.before[None], change[None])
            return float(cost[0])

        case = Case(
            solver,
            budget.max_points,
            budget.deadline,
            self.given.interventions,
            None if budget.cost is None else price,
        )
        case.decide(listed)
        del case.solver  # its arrays are not kept for all people at once
        return case

    # -- all people --------------------------------------------------------------------

    def _note_candidates(self, out: EngineResult, cases: dict[int, Case]) -> None:
        """Note the first candidate of each person that reaches the target.

        The model decides ties, those of all people together.
        """
        found = [(i, each) for i, case in cases.items() for each in case.candidates]
        people = np.array([i for i, _ in found], dtype=np.intp)
        tied = np.array([each.is_tie for _, each in found], dtype=bool)
        choice = self._add_options(out, people, [each.change for _, each in found])
        reached, answered = ~tied, True
        try:
            reached[tied] = self.reaches_target(people[tied], choice[tied])
        except OutOfTimeError:
            answered = False
        hits = {int(people[k]): k for k in np.flatnonzero(reached)[::-1]}
        for i, case in cases.items():
            if not answered and case.has_ties:
                has_witness = case.witness is not None
                status = Status.POSSIBLE if has_witness else Status.UNKNOWN
                out.note(i, status, case.proof)
            out.knows_listed[i] = case.knows_singles and (answered or not case.has_ties)
            if i in hits:
                out.choice[i] = choice[hits[i]]
                if answered or not case.has_ties:
                    is_single = found[hits[i]][1].is_single
                    status = Status.SINGLE if is_single else case.status_of_several
                    out.note(i, status, Proof.WITNESS)
                out.cheapest[i] = case.is_cheapest and self.priced[i]

    def _add_options(
        self, out: EngineResult, people: IndexArray, changes: list[Change]
    ) -> IndexArray:
        """Add changes of people to the options; return them as choices."""
        choice = np.empty((len(people), len(self.options)), dtype=np.intp)
        for p, each in enumerate(self.options):
            values = each.which[people]
            known = each.offsets[values]  # of those who stay put
            moved = [k for k, change in enumerate(changes) if change[p].any()]
            for k in moved:
                known[k] = each.position_of(int(values[k]), changes[k][p])
            extra = np.flatnonzero(known < 0)
            if not len(extra):
                choice[:, p] = known
                continue
            self.options[p], old, new = each.with_changes(
                values[extra].tolist(), [changes[k][p] for k in extra]
            )
            choice[:, p] = old[known]
            choice[extra, p] = new
            out.choice[:, p] = old[out.choice[:, p]]
            out.best[:, p] = old[out.best[:, p]]
            out.stay[:, p] = old[out.stay[:, p]]
        out.options, self.staying = list(self.options), out.stay
        return choice
