"""Feasible changes of one person by the solver: find one, exclude it, find the next.

The paper's Find1DAction with no-good cuts, and CheckFeasibility. For parts that are too
large for the grid, for parts with real features, and to check the grid in tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from skresp._typing import FloatArray
from skresp.constraints._expression import Expression, total
from skresp.constraints._program import Program, Row, row

from ._allowance import OutOfPointsError
from ._deadline import LimitError
from ._errors import ContinuousError, EnumerationError, TooLargeError
from ._highs import solve
from ._interventions import minimal_of_one, without_missing
from ._outcome import Outcome
from ._own_changes import own_count
from ._part import Part

# Maximum number of sets of features that must move.
MAX_SUPPORTS = 1_000
# Points that the solver lists. With more, sampling is the better way.
MAX_BY_SOLVER = 1_000
# The error of a real relative to a value that the caller demands.
_ASKED = 1e-14


@dataclass
class Search:
    """The feasible changes of one person on one part, by the solver.

    Attributes
    ----------
    part : Part
    before : array of shape (n_features,)
        The person's values on the part.
    program : Program
    """

    part: Part
    before: FloatArray
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        self.program = self.part.program(self.before)

    # -- one change ------------------------------------------------------------------

    def find(
        self, extra: Sequence[Row], objective: Expression
    ) -> tuple[Outcome, FloatArray | None]:
        """Return own changes with a small objective, checked by the constraints."""
        return solve(self.program, extra, objective, self._accept)

    def _accept(
        self, columns: FloatArray, asked: Mapping[int, float] | None = None
    ) -> FloatArray | None:
        """Return the own changes of a solution; None where they are infeasible.

        `asked` are total changes that replace those of the solution.
        """
        for clean in (self._cleaned, self._within):
            own = self._own_changes(columns, asked or {}, clean)
            if self.part.feasible(self.before[None], own[None])[0]:
                if self._as_asked(self.part.total(own[None])[0], asked or {}):
                    return own
        return None

    def _own_changes(
        self,
        columns: FloatArray,
        asked: Mapping[int, float],
        clean: Callable[[int, float, float], float],
    ) -> FloatArray:
        """Return the own changes of a solution, without the solver's rounding."""
        part = self.part
        own = np.zeros(len(part.names))
        change = np.zeros(len(part.names))
        for k in part.order:
            effect = float(part.effects_on(change, k))
            if k not in asked:
                amount = self.program.own(part.names[k]).value(columns)
                own[k] = clean(k, amount, effect)
            elif part.features[k].can_change:
                own[k] = asked[k] - effect
                if part.features[k].kind == "real" and effect:
                    near = _ASKED * max(abs(asked[k]), abs(effect))
                    own[k] = 0.0 if abs(own[k]) <= near else own[k]
            change[k] = own[k] + effect
        return own

    def _as_asked(self, change: FloatArray, asked: Mapping[int, float]) -> bool:
        """Return whether total changes are as asked, reals up to rounding."""
        for k, wanted in asked.items():
            off = 0.0
            if self.part.features[k].kind == "real":
                off = _ASKED * max(abs(self.before[k]), abs(self.before[k] + wanted))
            if not abs(change[k] - wanted) <= off:
                return False
        return True

    def _cleaned(self, k: int, amount: float, effect: float) -> float:
        """Return an own change without the solver's rounding."""
        if self.part.features[k].kind == "real":
            near = 1e-9 * max(1.0, abs(self.before[k]), abs(effect))
            if abs(amount) <= near:
                return 0.0
            if abs(amount + effect) <= near:
                return -effect
        return self._within(k, amount, effect)

    def _within(self, k: int, amount: float, effect: float) -> float:
        """Return an own change within the limits of its feature."""
        feature = self.part.features[k]
        if feature.kind != "real":
            return float(round(amount))
        low, high = feature.own_limits(float(self.before[k]))
        return float(min(max(amount, low), high)) if amount else 0.0

    def feasible(self, reached: Mapping[int, float]) -> Outcome:
        """Return whether some change gives these features these values.

        The paper's CheckFeasibility. Discrete values are met exactly, real ones up to
        1e-14 of their size. Where every feature has its value there is one change, and
        no solver is needed.
        """
        asked = {k: value - float(self.before[k]) for k, value in reached.items()}
        for k, wanted in asked.items():
            if self.part.features[k].kind != "real" and wanted != round(wanted):
                return Outcome.INFEASIBLE
        # No solver is needed if nothing else has to move, or nothing else can.
        if self._accept(np.zeros(len(self.program.column_lower)), asked) is not None:
            return Outcome.FEASIBLE
        if all(k in asked or np.isnan(b) for k, b in enumerate(self.before)):
            return Outcome.INFEASIBLE
        extra = [self.at(position, value) for position, value in reached.items()]
        accept = partial(self._accept, asked=asked)
        return solve(self.program, extra, Expression(), accept)[0]

    def at(self, position: int, value: float) -> Row:
        """Return the row that a feature reaches a value."""
        name = self.part.names[position]
        if self.part.features[position].kind == "categorical":
            return row(self.program.equals(name, value), 1, 1)
        return self.between(position, value, value)

    def between(self, position: int, low: float, high: float) -> Row:
        """Return the row that a number reaches a value within limits."""
        name = self.part.names[position]
        change, before = self.program.change(name), float(self.before[position])
        off = 0.0
        if self.part.features[position].kind == "real":
            off = self.program.leeway(change, max(abs(low), abs(high)) + abs(before))
        return row(change - (low - before), -off, high - low + off)

    def without(self, changes: FloatArray) -> list[Row]:
        """Return rows that exclude the sets of features that move in some changes.

        All sets that contain such a set are excluded too.
        """
        return [
            self._not_all(np.flatnonzero(moved))
            for moved in np.unique(without_missing(changes, self.before) != 0, axis=0)
        ]

    def _not_all(self, features: Iterable[int]) -> Row:
        """Return the row that says that some of these features stays put."""
        names = [self.part.names[k] for k in features]
        inside = total(self.program.changed(name) for name in names)
        return row(inside, upper=len(names) - 1)

    # -- all changes -----------------------------------------------------------------

    def changes(self, j: int | None, most: int) -> tuple[FloatArray, bool]:
        """Return all feasible total changes, or those that move `j`, nearest first.

        The second value is whether the list is known to be complete.
        """
        self._check_listable()
        extra = []
        if j is not None and np.isnan(self.before[j]):
            return np.zeros((0, len(self.part.names))), True  # it stays missing
        if j is not None:
            extra.append(row(self.program.changed(self.part.names[j]), lower=1))
        changes, complete = self._enumerate(extra, self._distance(), most)
        return changes, complete and self.can_stay

    def minimal(self, j: int, most: int) -> tuple[FloatArray, bool]:
        """Return the minimal interventions on `j`, and whether these are all."""
        self._check_listable()
        if self.part.features[j].kind == "real" or np.isnan(self.before[j]):
            # It moves only by effects, so its values cannot be listed.
            changes, complete = self.changes(j, most)
            return changes[minimal_of_one(changes)[:, j]], complete
        listed = [np.zeros((0, len(self.part.names)))]
        complete = True
        for value in self._values(j, most):
            left = most - sum(map(len, listed))
            changes, all_of_them = self.minimal_at(self.at(j, value), j, left)
            complete &= all_of_them
            listed.append(changes)
        return np.concatenate(listed), complete and self.can_stay

    def interventions(
        self, j: int, interventions: str, most: int
    ) -> tuple[FloatArray, bool]:
        """Return the interventions on `j`, and whether these are all."""
        if interventions == "minimal":
            return self.minimal(j, most)
        return self.changes(j, most)

    @cached_property
    def can_stay(self) -> bool:
        """Whether the solver finds that staying put is feasible, as it always is.

        If it does not, its "infeasible" is not trusted.
        """
        still = [row(self.program.own(name), 0, 0) for name in self.part.names]
        return self.find(still, Expression())[0] is Outcome.FEASIBLE

    def supports(
        self, extra: Sequence[Row], most: int = MAX_SUPPORTS
    ) -> tuple[list[tuple[int, ...]], bool]:
        """Return sets of features that must move, none containing an earlier one.

        The second value is whether these are all.
        """
        names = self.part.names
        moved = total(self.program.changed(name) for name in names)
        cuts = list(extra)
        sets: list[tuple[int, ...]] = []
        while len(sets) < most:
            outcome, own = self.find(cuts, moved)
            if own is None:
                return sets, outcome is Outcome.INFEASIBLE
            support = tuple(np.flatnonzero(self.part.total(own[None])[0]).tolist())
            if any(set(earlier) <= set(support) for earlier in sets):
                return sets, False  # the solver ignores its own cut
            sets.append(support)
            if not support:
                return sets, True
            cuts.append(self._not_all(support))
        return sets, False

    def is_minimal(self, change: FloatArray, j: int) -> bool:
        """Return whether a change is known to be a minimal intervention on `j`.

        It is one if no change to the same value of `j` moves fewer of its features.
        """
        names, moved = self.part.names, np.flatnonzero(change)
        still = [
            row(self.program.change(name), 0, 0)
            for k, name in enumerate(names)
            if k not in moved
        ]
        at = self.at(j, float(self.before[j] + change[j]))
        rows = [at, *still, self._not_all(moved.tolist())]
        return self.find(rows, Expression())[0] is Outcome.INFEASIBLE

    def minimal_at(self, at: Row, j: int, most: int) -> tuple[FloatArray, bool]:
        """Return the minimal interventions at one value, and whether these are all."""
        supports, complete = self.supports([at])
        listed = [np.zeros((0, len(self.part.names)))]
        for support in supports:
            still = [
                row(self.program.change(name), 0, 0)
                for k, name in enumerate(self.part.names)
                if k not in support
            ]
            changes, all_of_them = self._enumerate([at, *still], Expression(), most)
            complete &= all_of_them
            listed.append(changes)
        changes = np.concatenate(listed)
        # A wrong optimum could give a set that is not minimal. All minimal sets are
        # listed by now, so the definition can be applied.
        return changes[minimal_of_one(changes)[:, j]], complete

    def _enumerate(
        self, extra: list[Row], objective: Expression, most: int
    ) -> tuple[FloatArray, bool]:
        """Return all total changes under extra rows, and whether these are all."""
        cuts = list(extra)
        listed: list[FloatArray] = []
        while True:
            outcome, own = self.find(cuts, objective)
            if own is None:
                width = len(self.part.names)
                changes = np.array(listed).reshape(-1, width)
                return changes, outcome is Outcome.INFEASIBLE
            if len(listed) >= most:
                raise TooLargeError(self.part.names, len(listed) + 1, most)
            change = self.part.total(own[None])[0]
            listed.append(change)
            after = {
                name: self.before[k] + change[k]
                for k, name in enumerate(self.part.names)
                if not np.isnan(self.before[k]) and self.part.features[k].kind != "real"
            }
            cuts.append(row(self.program.agreement(after), upper=len(after) - 1))

    def _check_listable(self) -> None:
        """Raise where a real feature can change."""
        for name, feature, value in zip(
            self.part.names, self.part.features, self.before, strict=True
        ):
            if feature.kind == "real" and own_count(feature, value) > 1:
                raise ContinuousError(name)

    def _values(self, j: int, most: int) -> list[float]:
        """Return the values that feature `j` may reach, without the current one."""
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
        """Return the sum of the absolute changes; a change of label counts 1."""
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
    part: Part,
    before: FloatArray,
    j: int,
    interventions: str,
    most: int = MAX_BY_SOLVER,
) -> FloatArray | None:
    """List the interventions on a feature by the solver; None if it cannot."""
    search = Search(part, before)
    try:
        changes, complete = search.interventions(j, interventions, most)
    except (EnumerationError, OutOfPointsError):
        return None
    return changes if complete else None


def cannot_move(part: Part, before: FloatArray, j: int) -> bool:
    """Return whether the solver proves that no feasible change moves a feature."""
    search = Search(part, before)
    moves = row(search.program.changed(part.names[j]), lower=1)
    try:
        outcome, _ = search.find([moves], Expression())
        return outcome is Outcome.INFEASIBLE and search.can_stay
    except LimitError:
        return False
