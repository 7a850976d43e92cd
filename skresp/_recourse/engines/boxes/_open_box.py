"""Boxes in which propagation finds no feasible point, decided by the solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skresp._actions._feature import snap_to
from skresp._typing import BoolArray, FloatArray
from skresp.constraints._expression import Expression
from skresp.constraints._program import Row, row
from skresp.reach._deadline import Deadline
from skresp.reach._outcome import Outcome
from skresp.reach._solver_search import Search
from skresp.reach._upper_bound import upper_bound

from ._person import PartState
from ._rules import REAL
from ._variables import Variables
from ._work import PersonArrays, Work

# Distance of points from the borders of a box, as a share of its width.
_INSIDE = 1e-3


@dataclass
class OpenBox:
    """The current box of a search.

    Attributes
    ----------
    change : list of array or None
        A feasible change within the box, one array for each part.
    is_empty : bool
        Whether the box is proved to have no feasible change.
    """

    person: PersonArrays
    work: Work
    variables: Variables
    parts: Sequence[PartState]
    change: list[FloatArray] | None = None
    is_empty: bool = False

    def solve(self, deadline: Deadline) -> bool:
        """Look for a feasible change, part by part; return whether there is one.

        Parts do not depend on each other. That a part has none counts only where a
        bound proves it.
        """
        found = []
        for p, state in enumerate(self.parts):
            if state.changes is None:
                change = self._solve_part(p, state, deadline)
            else:
                inside = [c for c in state.changes if self._contains(p, c)]
                change = inside[0] if inside else None
                self.is_empty |= not inside
            if self.is_empty:
                return False
            found.append(change)
        if any(change is None for change in found):
            return False
        self.change = [change for change in found if change is not None]
        return True

    def contains(self, change: Sequence[FloatArray]) -> bool:
        """Return whether a change reaches values in the box."""
        return all(self._contains(p, each) for p, each in enumerate(change))

    def _solve_part(
        self, p: int, state: PartState, deadline: Deadline
    ) -> FloatArray | None:
        """Return a feasible change of one part within the box; None without one."""
        search = Search(state.part, state.before)
        outcome, rows = Outcome.UNDECIDED, []
        # First away from the borders of the box, where rounding decides.
        for inside in (_INSIDE, 0.0):
            rows = self._rows(p, search, inside)
            outcome, own = search.find(rows, Expression())
            if own is not None:
                change = state.part.total(own[None])[0]
                if self._contains(p, change):
                    return change
        if outcome is Outcome.INFEASIBLE:
            bound = upper_bound(
                search.program, rows, Expression(), deadline=deadline.at
            )
            self.is_empty = bound.value == -np.inf
        return None

    def _contains(self, p: int, change: FloatArray) -> bool:
        """Return whether the reached values of a part are in the box."""
        n, rules = len(self.variables.all), self.person.rules
        for k, variable in enumerate(self.variables.all):
            if variable.part != p:
                continue
            moved = change[variable.position]
            value = float(snap_to(variable.bounds, variable.before, moved))
            if not self.work.low[n + k] <= value <= self.work.high[n + k]:
                return False
            for v in np.flatnonzero(rules.view_variable == k).tolist():
                inside = (rules.view_low[v] <= value) & (value <= rules.view_high[v])
                if not (inside & self._positions(v)).any():
                    return False
        return True

    def _positions(self, view: int) -> BoolArray:
        """Return which positions of a view are in the box."""
        words = self.work.words[view].astype("<u8")
        bits = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
        return bits[: self.person.rules.view_low.shape[1]]

    def _rows(self, p: int, search: Search, inside: float) -> list[Row]:
        """Return the box as rows of a part's program.

        The intervals of reals are smaller by a share `inside` of their width.
        """
        n, rows, rules = len(self.variables.all), [], self.person.rules
        for k, variable in enumerate(self.variables.all):
            if variable.part != p:
                continue
            name = self.parts[p].part.names[variable.position]
            low, high = float(self.work.low[n + k]), float(self.work.high[n + k])
            away = inside * (high - low) if variable.kind == REAL else 0.0
            rows.append(row(search.program.reached(name), low + away, high - away))
            v = int(rules.label_view[k])
            if v >= 0:
                left = set(rules.view_low[v][self._positions(v)].tolist())
                for value in (variable.allowed or set()) - left:
                    if low <= value <= high:
                        rows.append(row(search.program.equals(name, value), 0, 0))
        return rows
