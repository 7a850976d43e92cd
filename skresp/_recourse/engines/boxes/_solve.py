"""Searches of one person: of one feature, one part, or everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._actions._feature import snap_to
from skresp._typing import BoolArray, FloatArray
from skresp.reach._allowance import allowance
from skresp.reach._deadline import Deadline

from ._forest import Box
from ._open_box import OpenBox
from ._person import PartState
from ._point_gaps import gaps_of, needless
from ._rules import INTEGER, LABEL, REAL
from ._search import Stop, search
from ._single_bounds import single_bounds
from ._variables import Variables
from ._work import Arena, PersonArrays, Work, grown

# Boxes between two looks at the clock: a few milliseconds.
_SLICE = 200
# Points in doubt that are kept for the model.
_MAX_TIES = 256
#: Boxes of one search given to the solver.
MAX_OPEN = 64
# Halvings of the change of a number; they leave less than 1/4000 of it to gain.
_HALVINGS = 12

#: Total changes of a person, one array for each part.
Change = list[FloatArray]


@dataclass
class Finding:
    """What a search found.

    Attributes
    ----------
    witness : Change or None
        A feasible change beyond the border.
    ties : list of Change
        Feasible changes that only the model can decide.
    is_exhausted : bool
        Whether nothing but the ties can reach the target.
    boxes, opened : int
        The number of boxes that were searched, and of those given to the solver.
    """

    witness: Change | None = None
    ties: list[Change] = field(default_factory=list)
    is_exhausted: bool = False
    boxes: int = 0
    opened: int = 0
    _seen: set[bytes] = field(default_factory=set)

    @property
    def used(self) -> int:
        """The number of boxes and points."""
        return self.boxes + self.opened + len(self.ties)

    def add_tie(self, change: Change) -> bool:
        """Add a tie unless it is known; return False where there is no room."""
        key = np.concatenate([np.zeros(0), *change]).tobytes()
        if key in self._seen:
            return True
        if len(self.ties) >= _MAX_TIES:
            return False
        self._seen.add(key)
        self.ties.append(change)
        return True


class Solver:
    """Searches the boxes of one person.

    Attributes
    ----------
    person : PersonArrays
    work : Work
    variables : Variables
    parts : sequence of PartState
    arena : Arena
    stay : Change
        No change of any part.
    """

    def __init__(
        self,
        person: PersonArrays,
        work: Work,
        variables: Variables,
        parts: Sequence[PartState],
        arena: Arena,
    ) -> None:
        self.person, self.work, self.variables = person, work, variables
        self.parts, self.arena = parts, arena
        self.n = len(variables.all)
        self.low, self.high = work.level_low[0].copy(), work.level_high[0].copy()
        self.words = work.level_words[0].copy()
        self.part_of = np.array([each.part for each in variables.all], dtype=np.intp)
        ends = np.cumsum([0, *(len(state.before) for state in parts)])
        position = np.array([each.position for each in variables.all], dtype=np.intp)
        # Where variables are in the changes of all parts, one after another.
        self._at = ends[self.part_of] + position
        self.stay = [np.zeros(len(state.before)) for state in parts]

    @property
    def tolerance(self) -> float:
        """The size of gaps that are in doubt."""
        return float(self.person.channels.tolerance)

    def everything(self, max_points: int, deadline: Deadline) -> Finding:
        """Search all changes of all parts."""
        self.work.start(self.low, self.high, self.words)
        return self._run(max_points, deadline)

    def within(
        self, p: int, max_points: int, deadline: Deadline, only: int | None = None
    ) -> Finding:
        """Search the changes of one part, or of one feature with its effects.

        Parameters
        ----------
        p : int
            The part; the others stay as they are.
        max_points : int
        deadline : Deadline
        only : int, optional
            The position of the only feature with an own change.
        """
        rules, n = self.person.rules, self.n
        low, high = np.zeros(2 * n), np.zeros(2 * n)
        low[n:] = high[n:] = rules.before
        mine = np.flatnonzero(self.part_of == p)
        for k in mine.tolist():
            low[n + k], high[n + k] = self.low[n + k], self.high[n + k]
            if only is None or self.variables.all[k].position == only:
                low[k], high[k] = self.low[k], self.high[k]
        words = self._words_before.copy()
        views = np.isin(rules.view_variable, mine)
        words[views] = self.words[views]
        self.work.start(low, high, words)
        return self._run(max_points, deadline)

    def hopeless(self) -> BoolArray:
        """Return the variables that reach the target by no change of their own alone.

        A bound shows it, with the first box of the search `within` the part of such a
        variable, if it has no constraints.
        """
        reach = Box(self.low[self.n :], self.high[self.n :], self.words)
        given = self.person, self.work, reach, self._words_before
        bounds = allowance().deadline.call(single_bounds, *given)
        return np.asarray(bounds < -self.tolerance)

    @cached_property
    def moving_parts(self) -> BoolArray:
        """Which parts the person can change."""
        out = np.zeros(len(self.parts), dtype=bool)
        out[self.part_of[self.low[self.n :] < self.high[self.n :]]] = True
        return out

    @cached_property
    def _words_before(self) -> NDArray[np.uint64]:
        """The words of views in which every variable stays as it is."""
        rules, words = self.person.rules, np.zeros_like(self.words)
        for v, k in enumerate(rules.view_variable.tolist()):
            before = rules.before[k]
            here = (rules.view_low[v] <= before) & (before <= rules.view_high[v])
            at = int(np.flatnonzero(here)[0])
            words[v, at // 64] = np.uint64(1) << np.uint64(at % 64)
        return words

    def gaps(self, changes: Sequence[Change]) -> FloatArray:
        """Return lower bounds of the smallest gap at each of some changes."""
        return self.lower_gaps(self.reached(changes))

    def reached(self, changes: Sequence[Change]) -> FloatArray:
        """Return the values of variables that changes reach, one row each."""
        moved = np.reshape(
            [self._moved(each) for each in changes], (len(changes), self.n)
        )
        return self.after(slice(None), moved)

    def after(self, k: Any, moved: Any) -> FloatArray:
        """Return the values of variables after changes."""
        rules = self.person.rules
        bounds = rules.bound_low[k], rules.bound_high[k]
        return snap_to(bounds, rules.before[k], moved)

    def _moved(self, change: Change) -> FloatArray:
        """Return the changes of variables."""
        return np.concatenate([np.zeros(0), *change])[self._at]

    def gap_bounds(self, reached: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper bounds of the smallest gap at rows of reached values.

        They are equal: the gaps are known.
        """
        gaps = self.lower_gaps(reached)
        return gaps, gaps

    def lower_gaps(self, reached: FloatArray) -> FloatArray:
        """Return lower bounds of the smallest gap at rows of reached values."""
        return self._gaps_of(self._lower_work, reached)

    @property
    def _lower_work(self) -> Work:
        """The memory with the person's forest of lower bounds."""
        return self.work

    def _gaps_of(self, work: Work, reached: FloatArray) -> FloatArray:
        """Return the smallest gap at rows of reached values, by a forest."""
        deadline = allowance().deadline
        return np.asarray(deadline.call(gaps_of, self.person, work, reached))

    def _run(self, max_points: int, deadline: Deadline) -> Finding:
        """Search the stack until a witness is found, or nothing is left."""
        out, resolved = Finding(), True
        linear = bool(self.person.slopes.moves.any())
        while (stop := self._next(out, max_points, deadline)) != Stop.DONE:
            if stop is None:
                return out
            change, is_last = self._found(stop)
            if change is None and is_last:
                change, is_decided = self._solve_box(out, MAX_OPEN, deadline)
                resolved = resolved and is_decided
                if change is not None:
                    gap = float(self.gaps([change])[0])
                    stop = Stop.POINT if gap > self.tolerance else Stop.TIE
                    resolved = resolved and gap >= -self.tolerance
            if change is None:
                continue
            if stop == Stop.POINT:
                out.witness = self._smaller(self._without_needless(change))
                return out
            # A linear term may be larger elsewhere in the box.
            resolved = resolved and not (linear and is_last)
            resolved = out.add_tie(change) and resolved
        out.is_exhausted = resolved
        return out

    def _next(self, out: Finding, max_points: int, deadline: Deadline) -> Stop | None:
        """Search until something is found; None where points or time run out."""
        # What is found in the last box may cost a point, too.
        while (left := max_points - out.used) >= 2 and not deadline.is_over:
            before = int(self.work.counter[1])
            limit = before + min(_SLICE, left - 1)
            stop = deadline.call(search, self.person, self.work, limit)
            out.boxes += int(self.work.counter[1]) - before
            if stop == Stop.FULL:
                self.work = grown(self.work, self.arena)
            elif stop != Stop.PAUSED:
                return Stop(stop)
        return None

    def _found(self, stop: Stop) -> tuple[Change | None, bool]:
        """Return the change that was found, and whether it decides its box.

        None where there is none, or where a constraint without a kernel forbids it.
        """
        if stop == Stop.OPEN:
            return None, True
        change = self._change()
        is_last = bool(self.work.flags[0])
        return (change if self._is_feasible(change) else None), is_last

    def _solve_box(
        self, out: Finding, max_opened: int, deadline: Deadline
    ) -> tuple[Change | None, bool]:
        """Return a change in the current box, and whether the box is decided.

        It is not where neither a change nor a proof that there is none was found.
        """
        out.opened += 1
        if out.opened > max_opened:
            return None, False
        box = OpenBox(self.person, self.work, self.variables, self.parts)
        has_change = box.solve(deadline)
        return box.change, has_change or box.is_empty

    def _change(self) -> Change:
        """Return the total changes of the current point."""
        point, lists = self.work.point, {}
        own: dict[int, FloatArray] = {}
        for k in np.flatnonzero(point.own).tolist():
            p, variable = int(self.part_of[k]), self.variables.all[k]
            mine = own.setdefault(p, np.zeros((1, len(self.parts[p].before))))
            mine[0, variable.position] = point.own[k]
        for i, (members, _) in enumerate(self.variables.lists):
            p = self.variables.all[members[0]].part
            lists[p] = int(point.option[i] - self.person.rules.list_start[i])
        out = list(self.stay)
        for p, state in enumerate(self.parts):
            if state.changes is not None:
                out[p] = state.changes[lists.get(p, 0)]
            elif p in own:
                out[p] = state.part.total(own[p])[0]
        return out

    def _is_feasible(self, change: Change) -> bool:
        """Return whether changes satisfy the constraints' own meaning."""
        moved, asked = self._moved(change), self._asked.copy()
        asked[self.part_of[~self._is_within(slice(None), moved)]] = True
        for p in np.flatnonzero(asked).tolist():
            state = self.parts[p]
            if state.changes is None:
                own = state.part.own(change[p][None])
                if not state.part.feasible(state.before[None], own)[0]:
                    return False
        return True

    @cached_property
    def _asked(self) -> BoolArray:
        """Which parts are no reals in parts of their own, or cannot move."""
        out = np.ones(len(self.parts), dtype=bool)
        reals = self.part_of[self.person.rules.kind == REAL].tolist()
        out[[p for p in reals if self.parts[p].part.is_unconstrained]] = False
        return out

    def _is_within(self, k: Any, moved: Any) -> Any:
        """Return whether changes of variables are 0, or within their own limits.

        Then a real in a part of its own may change so: the limits are rounded by less
        than the tolerance of `Feature.allows`.
        """
        rules = self.person.rules
        inside = (rules.own_low[k] <= moved) & (moved <= rules.own_high[k])
        return (moved == 0) | inside

    def _without_needless(self, change: Change) -> Change:
        """Take back the change of each part without which the target is reached."""
        moved = np.array([p for p, each in enumerate(change) if each.any()], np.intp)
        given = self.person, self._lower_work, self.reached([change])[0], moved
        change = list(change)
        for p in moved[allowance().deadline.call(needless, *given)].tolist():
            change[p] = self.stay[p]
        return change

    def _smaller(self, change: Change) -> Change:
        """Move the changes of numbers in parts of their own nearer to 0."""
        reached = self.reached([change])
        for k, variable in enumerate(self.variables.all):
            p, state = variable.part, self.parts[variable.part]
            if not state.part.is_unconstrained or variable.kind == LABEL:
                continue
            good, bad = change[p][0], 0.0
            if good == bad:
                continue
            for _ in range(_HALVINGS):
                tried = (good + bad) / 2
                if variable.kind == INTEGER:
                    tried = np.rint(tried / variable.step) * variable.step
                if tried in (good, bad):
                    break
                is_better = variable.kind == REAL and self._is_within(k, tried)
                if not is_better:
                    is_better = state.part.features[0].allows(variable.before, tried)
                if is_better:
                    reached[0, k] = self.after(k, tried)
                    is_better = self.lower_gaps(reached)[0] > self.tolerance
                if is_better:
                    good = tried
                else:
                    bad = tried
            if good != change[p][0]:
                change[p] = np.array([good])
            reached[0, k] = self.after(k, good)
        return change
