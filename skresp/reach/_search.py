"""Feasible changes of one person by the solver: find, cut, find again.

The paper's Find1DAction with no-good cuts, and CheckFeasibility. For parts too large
for the grid, for parts with real features, and as the referee of the grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from skresp.constraints import Expression, Program, Row, row, total

from ._allowance import OutOfPointsError
from ._deadline import LimitError
from ._interventions import minimal_interventions
from ._outcome import ContinuousError, EnumerationError, Outcome, TooLargeError
from ._own import own_count
from ._part import Numbers, Part, Truth
from ._solver import TIME_LIMIT, solve

# Sets of features that must move, before there are too many to tell apart.
MOST_SUPPORTS = 1_000
# Points the solver lists before sampling is the better way.
MOST_BY_SOLVER = 1_000
# How far a real may be off a value that was asked for, as a share of its size.
_ASKED = 1e-14


@dataclass
class Search:
    """The program of one person on one part, and the questions put to it."""

    part: Part
    before: Numbers
    time_limit: float = TIME_LIMIT
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        self.program = self.part.program(self.before)

    # -- one answer ----------------------------------------------------------------

    def find(
        self, extra: Sequence[Row], objective: Expression
    ) -> tuple[Outcome, Numbers | None]:
        """Return own changes with a small objective, re-checked by the meaning."""
        return solve(
            self.program,
            extra,
            objective,
            self._accept,
            time_limit=self.time_limit,
        )

    def _accept(
        self, columns: Numbers, asked: Mapping[int, float] | None = None
    ) -> Numbers | None:
        """Return the own changes behind a solution, None where the meaning refuses.

        `asked` are total changes that the point must have, whatever the solution says.
        """
        for clean in (self._cleaned, self._within):
            own = self._own_changes(columns, asked or {}, clean)
            if self.part.feasible(self.before[None], own[None])[0]:
                if self._as_asked(self.part.total(own[None])[0], asked or {}):
                    return own
        return None

    def _own_changes(
        self,
        columns: Numbers,
        asked: Mapping[int, float],
        clean: Callable[[int, float, float], float],
    ) -> Numbers:
        part = self.part
        own = np.zeros(len(part.names))
        change = np.zeros(len(part.names))
        for k in part.order:
            arriving = float(sum(s * change[i] for i, s in part.links_into[k]))
            if k not in asked:
                amount = self.program.own(part.names[k]).value(columns)
                own[k] = clean(k, amount, arriving)
            elif part.features[k].can_change:
                own[k] = asked[k] - arriving
                if part.features[k].kind == "real" and arriving:
                    near = _ASKED * max(abs(asked[k]), abs(arriving))
                    own[k] = 0.0 if abs(own[k]) <= near else own[k]
            change[k] = own[k] + arriving
        return own

    def _as_asked(self, change: Numbers, asked: Mapping[int, float]) -> bool:
        """Return whether a total change is as asked: exactly, reals by their slack."""
        for k, wanted in asked.items():
            off = 0.0
            if self.part.features[k].kind == "real":
                off = _ASKED * max(abs(self.before[k]), abs(self.before[k] + wanted))
            if not abs(change[k] - wanted) <= off:
                return False
        return True

    def _cleaned(self, k: int, amount: float, arriving: float) -> float:
        """An own change without the solver's rounding."""
        if self.part.features[k].kind == "real":
            near = 1e-9 * max(1.0, abs(self.before[k]), abs(arriving))
            if abs(amount) <= near:
                return 0.0
            if abs(amount + arriving) <= near:
                return -arriving
        return self._within(k, amount, arriving)

    def _within(self, k: int, amount: float, arriving: float) -> float:
        """Return an own change within the limits of its feature."""
        feature = self.part.features[k]
        if feature.kind != "real":
            return float(round(amount))
        low, high = feature.own_limits(float(self.before[k]))
        return float(min(max(amount, low), high)) if amount else 0.0

    def feasible(self, reached: Mapping[int, float]) -> Outcome:
        """CheckFeasibility: whether some change gets these features to these values.

        Discrete values are met exactly, real ones up to 1e-14 of their size. Where
        every feature has its value there is one change, and the meaning judges it.
        """
        asked = {k: value - float(self.before[k]) for k, value in reached.items()}
        for k, wanted in asked.items():
            if self.part.features[k].kind != "real" and wanted != round(wanted):
                return Outcome.INFEASIBLE
        # No solver where nothing else has to move, or where nothing else is left to.
        if self._accept(np.zeros(len(self.program.column_lower)), asked) is not None:
            return Outcome.FEASIBLE
        if all(k in asked or np.isnan(b) for k, b in enumerate(self.before)):
            return Outcome.INFEASIBLE
        extra = [self.at(position, value) for position, value in reached.items()]
        return solve(
            self.program,
            extra,
            Expression(),
            partial(self._accept, asked=asked),
            time_limit=self.time_limit,
        )[0]

    def at(self, position: int, value: float) -> Row:
        """Return the row that a feature reaches a value."""
        name = self.part.names[position]
        if self.part.features[position].kind == "categorical":
            return row(self.program.equals(name, value), 1, 1)
        change, before = self.program.change(name), float(self.before[position])
        off = 0.0
        if self.part.features[position].kind == "real":
            off = self.program.leeway(change, abs(value) + abs(before))
        return row(change - (value - before), -off, off)

    def without(self, changes: Numbers) -> list[Row]:
        """Return rows that exclude the sets of features that move in some changes.

        What contains such a set is excluded with it.
        """
        return [
            self._not_all(np.flatnonzero(moved))
            for moved in np.unique(changes != 0, axis=0)
        ]

    def _not_all(self, features: Iterable[int]) -> Row:
        names = [self.part.names[k] for k in features]
        inside = total(self.program.changed(name) for name in names)
        return row(inside, upper=len(names) - 1)

    # -- all answers ----------------------------------------------------------------

    def changes(self, j: int | None, most: int) -> tuple[Numbers, bool]:
        """All feasible total changes (those that move feature `j`), nearest first.

        The second value tells whether the list is known to be complete.
        """
        self._check_listable()
        extra = []
        if j is not None and np.isnan(self.before[j]):
            return np.zeros((0, len(self.part.names))), True  # it stays missing
        if j is not None:
            extra.append(row(self.program.changed(self.part.names[j]), lower=1))
        changes, complete = self._enumerate(extra, self._distance(), most)
        return changes, complete and self.can_stay

    def minimal(self, j: int, most: int) -> tuple[Numbers, bool]:
        """The minimal interventions on feature `j`, and whether that is all of them."""
        self._check_listable()
        if self.part.features[j].kind == "real" or np.isnan(self.before[j]):
            # It moves only by effects, to values that no list of its own tells.
            changes, complete = self.changes(j, most)
            return changes[_minimal_rows(changes, j)], complete
        found: list[Numbers] = []
        complete = True
        for value in self._values(j, most):
            left = most - sum(map(len, found))
            changes, all_of_them = self.minimal_at(self.at(j, value), j, left)
            complete &= all_of_them
            found.append(changes)
        width = len(self.part.names)
        return np.concatenate(
            [np.zeros((0, width)), *found]
        ), complete and self.can_stay

    @cached_property
    def can_stay(self) -> bool:
        """Whether the solver finds that staying put is feasible, as it always is.

        A solver that does not is not believed where it calls something infeasible.
        """
        still = [row(self.program.own(name), 0, 0) for name in self.part.names]
        return self.find(still, Expression())[0] is Outcome.FEASIBLE

    def supports(
        self, extra: Sequence[Row], most: int = MOST_SUPPORTS
    ) -> tuple[list[tuple[int, ...]], bool]:
        """Sets of features that must move, none containing an earlier one.

        The second value tells whether these are all of them.
        """
        names = self.part.names
        moved = total(self.program.changed(name) for name in names)
        cuts = list(extra)
        found: list[tuple[int, ...]] = []
        while len(found) < most:
            outcome, own = self.find(cuts, moved)
            if own is None:
                return found, outcome is Outcome.INFEASIBLE
            support = tuple(np.flatnonzero(self.part.total(own[None])[0]).tolist())
            if any(set(earlier) <= set(support) for earlier in found):
                return found, False  # the solver does not respect its own cut
            found.append(support)
            if not support:
                return found, True
            cuts.append(self._not_all(support))
        return found, False

    def minimal_at(self, at: Row, j: int, most: int) -> tuple[Numbers, bool]:
        """Return the minimal interventions with one value, and whether that is all."""
        supports, complete = self.supports([at])
        found = [np.zeros((0, len(self.part.names)))]
        for support in supports:
            still = [
                row(self.program.change(name), 0, 0)
                for k, name in enumerate(self.part.names)
                if k not in support
            ]
            changes, all_of_them = self._enumerate([at, *still], Expression(), most)
            complete &= all_of_them
            found.append(changes)
        changes = np.concatenate(found)
        # A wrong optimum could offer a set that is not minimal; all sets that are have
        # been found by now, so the definition itself decides.
        return changes[_minimal_rows(changes, j)], complete

    def _enumerate(
        self, extra: list[Row], objective: Expression, most: int
    ) -> tuple[Numbers, bool]:
        cuts = list(extra)
        found: list[Numbers] = []
        while True:
            outcome, own = self.find(cuts, objective)
            if own is None:
                width = len(self.part.names)
                changes = np.array(found).reshape(-1, width)
                return changes, outcome is Outcome.INFEASIBLE
            if len(found) >= most:
                raise TooLargeError(self.part.names, len(found) + 1, most)
            change = self.part.total(own[None])[0]
            found.append(change)
            after = {
                name: self.before[k] + change[k]
                for k, name in enumerate(self.part.names)
                if not np.isnan(self.before[k]) and self.part.features[k].kind != "real"
            }
            cuts.append(row(self.program.agreement(after), upper=len(after) - 1))

    def _check_listable(self) -> None:
        for name, feature, value in zip(
            self.part.names, self.part.features, self.before, strict=True
        ):
            if feature.kind == "real" and own_count(feature, value) > 1:
                raise ContinuousError(name)

    def _values(self, j: int, most: int) -> list[float]:
        """The values feature `j` may reach, its current one aside."""
        feature, before = self.part.features[j], float(self.before[j])
        if feature.kind == "categorical":
            codes = range(len(feature.categories or ()))
            return [float(code) for code in codes if code != before]
        low, high = self.program.bounds(self.program.change(self.part.names[j]))
        if high - low > most:
            raise TooLargeError(self.part.names, high - low, most)
        steps = np.arange(np.ceil(low), np.floor(high) + 1)
        return (before + steps[steps != 0]).tolist()

    def _distance(self) -> Expression:
        """The sum of the absolute changes; a change of label counts 1."""
        terms = []
        for name, feature in zip(self.part.names, self.part.features, strict=True):
            change = self.program.change(name)
            if feature.kind == "categorical":
                terms.append(self.program.changed(name))
                continue
            low, high = self.program.bounds(change)
            if low < high:
                size = self.program.column(0, max(-low, high), integer=False)
                self.program.require(size - change, lower=0)
                self.program.require(size + change, lower=0)
                terms.append(size)
        return total(terms)


def list_by_solver(
    part: Part, before: Numbers, j: int, interventions: str, most: int = MOST_BY_SOLVER
) -> Numbers | None:
    """The interventions on a feature, listed by the solver; None where it gave up."""
    search = Search(part, before)
    try:
        if interventions == "minimal":
            changes, complete = search.minimal(j, most)
        else:
            changes, complete = search.changes(j, most)
    except (EnumerationError, OutOfPointsError):
        return None
    return changes if complete else None


def cannot_move(part: Part, before: Numbers, j: int) -> bool:
    """Return whether the solver proves that no feasible change moves a feature."""
    search = Search(part, before)
    moves = row(search.program.changed(part.names[j]), lower=1)
    try:
        outcome, _ = search.find([moves], Expression())
        return outcome is Outcome.INFEASIBLE and search.can_stay
    except LimitError:
        return False


def _minimal_rows(changes: Numbers, j: int) -> Truth:
    return minimal_interventions(changes, np.array([0, len(changes)]))[:, j]
