"""Verification engines: what they get, what they return, what all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._model._change_scorer import Answers
from skresp._model._row_batch import RowBatch
from skresp._recourse._budget import SearchBudget
from skresp._recourse._option_points import choices_reach_target
from skresp._recourse._status import Proof, Status
from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray
from skresp.reach._option_table import OptionTable
from skresp.reach._options import Options
from skresp.reach._part import Part
from skresp.reach._value_index import ValueIndex, index_of_tables
from skresp.reach._value_options import Cutter


class NotSeparableError(Exception):
    """The model cannot be split into independent contributions of parts."""


@dataclass(frozen=True, kw_only=True)
class EngineInput:
    """People to examine, with what they can do.

    Attributes
    ----------
    batch : RowBatch
    options : one Options per part
    costs : one array per part
        The cost of each option.
    rows : array of shape (n_people,)
        Positions in the batch.
    denied : array of shape (n_people,)
        Who is not at the target.
    budget : SearchBudget
    interventions : {"minimal", "joint"}
    tables : one OptionTable per part, or none
        What the options are of, where all of them are lists that were kept.
    """

    batch: RowBatch
    options: Sequence[Options]
    costs: Sequence[FloatArray]
    rows: IndexArray
    denied: BoolArray
    budget: SearchBudget
    interventions: str
    tables: tuple[OptionTable, ...] = ()

    @cached_property
    def _index(self) -> ValueIndex:
        """What is known of the values of all parts."""
        if self.tables:
            return index_of_tables(self.tables)
        return ValueIndex.of(self.options)

    @cached_property
    def value(self) -> IndexArray:
        """The value of each person on each part, (n_parts, n_people)."""
        return self._index.of_people(self.options, len(self.rows))

    @cached_property
    def stay(self) -> IndexArray:
        """The choices of staying put, of shape (n_people, n_parts)."""
        return np.ascontiguousarray(self._index.stay[self.value].T)

    @cached_property
    def is_stuck(self) -> BoolArray:
        """Who is known to have no feasible change."""
        return np.asarray(self._index.is_stuck[self.value].all(axis=0))

    @cached_property
    def covers_all(self) -> BoolArray:
        """Whose options represent every feasible change, see `Options`."""
        return np.asarray(self._index.covers_all[self.value].all(axis=0))

    @cached_property
    def listed(self) -> BoolArray:
        """Whose options are a list of every feasible change, see `Options`."""
        return np.asarray(self._index.listed[self.value].all(axis=0))

    @cached_property
    def points(self) -> IntArray:
        """How many points the options of each person count for."""
        return self._index.points[self.value].sum(axis=0)

    @cached_property
    def spent(self) -> IntArray:
        """How many points drawing the options of each person took."""
        return self._index.spent[self.value].sum(axis=0)

    @property
    def half_of_points(self) -> int:
        """Half of the budget, rounded up."""
        return -(-self.budget.max_points // 2)

    @cached_property
    def is_heavy(self) -> BoolArray:
        """Who has more options than the budget allows.

        Where not all changes are listed, half of the points is for the search.
        """
        most = np.where(self.covers_all, self.budget.max_points, self.half_of_points)
        return self.denied & (self.points > most)


@dataclass(kw_only=True)
class EngineResult:
    """Verdicts of people.

    Attributes
    ----------
    options : one Options per part
        Those that choices refer to; an engine may have added some.
    status, proof : arrays of shape (n_people,)
        Values of `Status` and `Proof`.
    stay : array of shape (n_people, n_parts)
        Staying put, as a position in the options of each part.
    choice : array of shape (n_people, n_parts)
        The witness, likewise.
    used : array of shape (n_people,)
        Number of points or partial choices evaluated.
    best : array of shape (n_people, n_parts)
        The choice with the greatest score, where `best_known`.
    best_known : array of shape (n_people,)
    cheapest : array of shape (n_people,)
        Whether no other choice of the same status is cheaper.
    left_over : array of shape (n_people,)
        People that the engine leaves to an evaluation of their options by the model.
    knows_listed : array of shape (n_people,)
        Whether it is known of all single interventions among a person's options if they
        reach the target, unless the person is undecided.
    """

    options: list[Options]
    status: NDArray[np.int8]
    proof: NDArray[np.int8]
    stay: IndexArray
    choice: IndexArray
    used: IntArray
    best: IndexArray
    best_known: BoolArray
    cheapest: BoolArray
    left_over: BoolArray
    knows_listed: BoolArray

    @classmethod
    def blank(cls, options: Sequence[Options], stay: IndexArray) -> EngineResult:
        """Return a result in which nothing is known and all people stay put.

        `stay` are the choices of staying put.
        """
        people = len(stay)
        return cls(
            options=list(options),
            status=np.full(people, Status.UNKNOWN, dtype=np.int8),
            proof=np.full(people, Proof.OUT_OF_BUDGET, dtype=np.int8),
            stay=stay.copy(),
            choice=stay.copy(),
            used=np.zeros(people, dtype=np.int64),
            best=stay.copy(),
            best_known=np.zeros(people, dtype=bool),
            cheapest=np.zeros(people, dtype=bool),
            left_over=np.zeros(people, dtype=bool),
            knows_listed=np.ones(people, dtype=bool),
        )

    def note(self, people: Any, status: Status, proof: Proof) -> None:
        """Set status and proof of some people."""
        self.status[people] = status
        self.proof[people] = proof


class Engine(ABC):
    """Computes verdicts for one kind of model.

    Attributes
    ----------
    max_listed : int
        Maximum number of changes listed for an integer in a part of its own. With more
        changes the integer moves along a line, as a real does.
    """

    max_listed: int

    @property
    def knows_lines(self) -> bool:
        """Whether a few points determine the decision along a whole line."""
        return False

    @property
    def decides_unlisted(self) -> bool:
        """Whether it decides people whose options do not cover all feasible changes."""
        return False

    @property
    def is_additive(self) -> bool:
        """Whether the best changes of all parts make the best choice: no search."""
        return False

    @property
    def uses_tables(self) -> bool:
        """Whether it keeps what it makes of tables of options."""
        return False

    @property
    def needs_only_lists(self) -> bool:
        """Whether options of parts whose changes cannot be listed are not used."""
        return False

    @property
    def max_line_pieces(self) -> int:
        """Maximum number of pieces that the model's cuts divide a line into."""
        return 1

    def splits_on(self, names: Collection[str]) -> int:
        """Return how many nodes of trees split on these features."""
        return 0

    def cutter(self, batch: RowBatch, part: Part, codes: FloatArray) -> Cutter | None:
        """Return the function that finds where the decision may change on lines.

        None where the ends of a line are enough, or where nothing is known between
        them (see `knows_lines`).

        Parameters
        ----------
        batch : RowBatch
        part : Part
            What the lines belong to.
        codes : array of shape (n_rows, n_part_features)
            Values of all rows of the batch.
        """
        return None

    def answers(self, batch: RowBatch) -> Answers | None:
        """Return which rows reach the target unchanged, see `ChangeScorer`.

        None where the engine does not know.
        """
        return None

    @abstractmethod
    def examine(self, given: EngineInput) -> EngineResult:
        """Compute verdicts for people who are denied.

        With `budget.best_only`, search the best score of every person instead. Raises
        NotSeparableError where the engine cannot handle the rows.
        """


class EngineRun:
    """One call of `Engine.examine`; subclasses add the search.

    Attributes
    ----------
    batch, options, costs, rows, denied, budget, covers_all, listed, points :
        See `EngineInput`.
    staying : array of shape (n_people, n_parts)
        The choices of staying put.
    priced : array of shape (n_people,)
        Whose cheapest option is their cheapest change. A callable cost is known only
        at the options themselves.
    """

    def __init__(self, given: EngineInput) -> None:
        self.batch, self.rows = given.batch, given.rows
        self.options, self.costs = list(given.options), list(given.costs)
        self.denied, self.budget = given.denied, given.budget
        self.covers_all, self.listed = given.covers_all, given.listed
        self.points, self.staying = given.points, given.stay
        self.priced = self.listed if callable(self.budget.cost) else self.covers_all

    def stay(self, people: IndexArray) -> IndexArray:
        """Return the choices of staying put."""
        return self.staying[people]

    def reaches_target(self, people: IndexArray, choice: IndexArray) -> BoolArray:
        """Return which choices reach the target, according to the model."""
        return choices_reach_target(
            self.batch, self.options, self.rows[people], choice, self.stay(people)
        )

    def signed(
        self, gap: FloatArray, people: IndexArray, choice: IndexArray
    ) -> FloatArray:
        """Return gaps of choices with the signs that the model itself gives them."""
        return np.where(self.reaches_target(people, choice), np.abs(gap), -np.abs(gap))
