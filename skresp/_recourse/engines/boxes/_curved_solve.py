"""Searches of one person where the model has curves.

The search sees upper bounds of curves, so a point that it finds may be refused. Points
count by lower bounds, which are exact at knots. A box that the bounds do not decide
gets knots of its own, a few times over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from skresp._typing import FloatArray
from skresp.reach._allowance import allow
from skresp.reach._deadline import Deadline, OutOfTimeError

from ._curve_tables import CurveTables, fill, merged
from ._curves import Curve
from ._forest import OF_TREES, Forest
from ._open_box import OpenBox
from ._person import PartState
from ._search import Stop
from ._solve import MAX_OPEN, Change, Finding, Solver
from ._variables import Variables
from ._work import Arena, PersonArrays, Work

# Pieces of an undecided box along each variable, how often, and how many boxes.
_PIECES, _ROUNDS, _MAX_BOXES = 32, 5, 400


class _Box(NamedTuple):
    """A box of changes, see `Work`."""

    low: FloatArray
    high: FloatArray
    words: Any


class CurvedSolver(Solver):
    """Searches the boxes of one person, with tables in place of curves.

    Attributes
    ----------
    curves : sequence of Curve
    tables : CurveTables
        Those of the person, over all that can be reached.
    """

    def __init__(
        self,
        person: PersonArrays,
        work: Work,
        variables: Variables,
        parts: Sequence[PartState],
        arena: Arena,
        curves: Sequence[Curve],
        tables: CurveTables,
    ) -> None:
        super().__init__(person, work, variables, parts, arena)
        self.curves, self.tables = curves, tables
        self._columns = variables.of_column
        self._nodes = int(work.node_end[0])
        self._trees = int(work.tree_end[0])
        self._use(tables)

    def _use(self, tables: CurveTables) -> None:
        """Put tables into the forest, behind the person's own trees."""
        self._current = tables
        self._lower: Forest | None = None
        while True:
            forest = self.arena.forest
            node, tree = tables.write(
                self.curves,
                self._columns,
                forest,
                self._nodes,
                self._trees,
                lower=False,
            )
            if node >= 0:
                break
            self.arena.grow()
        self.work = self.work._replace(forest=forest)
        self.work.node_end[0], self.work.tree_end[0] = node, tree

    def gap_bounds(self, reached: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return bounds of the smallest gap at rows of reached values."""
        return self.lower_gaps(reached), self._gaps_of(self.work, reached)

    @property
    def _lower_work(self) -> Work:
        """The memory with the person's forest of lower bounds, exact at knots."""
        if self._lower is None:
            self._lower = self._lower_forest()
        return self.work._replace(forest=self._lower)

    def _lower_forest(self) -> Forest:
        """Return the person's trees with lower bounds of curves."""
        nodes, trees = self._nodes, self._trees
        room = sum(4 * len(k.at) for k in self._current.knots.values())
        old = self.work.forest
        many = int(self.work.tree_end[0])
        size = nodes + room * max(len(self.curves), 1)
        new = Forest.empty(size, many, old.top.shape[1])
        for name in Forest._fields:
            kept = trees if name in OF_TREES else nodes
            getattr(new, name)[:kept] = getattr(old, name)[:kept]
        self._current.write(self.curves, self._columns, new, nodes, trees, lower=True)
        return new

    def _run(self, max_points: int, deadline: Deadline) -> Finding:
        """Search the stack until a witness is found, or nothing is left."""
        out, work = Finding(), self.work
        self._whole = _Box(
            work.level_low[0].copy(), work.level_high[0].copy(), work.level_words[0]
        )
        resolved, boxes = self._search(out, max_points, deadline)
        for _ in range(_ROUNDS):
            if out.witness is not None or not resolved or not boxes:
                break
            resolved = len(boxes) <= _MAX_BOXES
            if resolved:
                resolved, boxes = self._divide(boxes, out, max_points, deadline)
        if self._current is not self.tables:
            self._use(self.tables)
        if out.witness is not None:
            out.witness = self._smaller(self._without_needless(out.witness))
        out.is_exhausted = out.witness is None and resolved and not boxes
        return out

    def _divide(
        self, boxes: list[_Box], out: Finding, max_points: int, deadline: Deadline
    ) -> tuple[bool, list[_Box]]:
        """Search boxes again, with knots of their own."""
        finer = []
        for box in boxes:
            more = {}
            for c, k in self._columns.items():
                knots = self.tables.knots.get(c)
                if knots is not None and not knots.listed:
                    low, high = box.low[self.n + k], box.high[self.n + k]
                    more[c] = knots.inside(float(low), float(high), _PIECES)
            finer.append(more)
        try:
            with allow(deadline):
                fill(self.curves, finer)
        except OutOfTimeError:
            return False, boxes
        left: list[_Box] = []
        for box, more in zip(boxes, finer, strict=True):
            every = dict(self.tables.knots)
            for c, some in more.items():
                every[c] = merged(every[c], some)
            self._use(CurveTables(every))
            self.work.start(*box)
            resolved, others = self._search(out, max_points, deadline)
            left += others
            if out.witness is not None or not resolved:
                return resolved, left
        return True, left

    def _search(
        self, out: Finding, max_points: int, deadline: Deadline
    ) -> tuple[bool, list[_Box]]:
        """Search the stack; return whether that was possible, and undecided boxes."""
        boxes: list[_Box] = []
        max_opened, resolved = out.opened + MAX_OPEN, True
        while (stop := self._next(out, max_points, deadline)) != Stop.DONE:
            if stop is None:
                return False, boxes
            change, is_last = self._found(stop)
            best, gap = self._at_knots(change)
            # Only a point of the box itself can stand for the box.
            if is_last and not (gap > self.tolerance or self._contains(change)):
                change, is_decided = self._solve_box(out, max_opened, deadline)
                resolved = resolved and is_decided
                best, gap = self._at_knots(change)
            if gap > self.tolerance:
                out.witness = best
                break
            if change is None or not is_last:
                continue
            upper = float(self._gaps_of(self.work, self.reached([change]))[0])
            if not gap >= upper - self.tolerance:
                work = self.work
                boxes.append(_Box(work.low.copy(), work.high.copy(), work.words.copy()))
                continue
            # Nothing in the box is better than this point, up to rounding. If the
            # model refuses it, it may still accept another one, unless all are equal.
            is_level = self._is_level()
            tie = change if is_level or best is None else best
            resolved = out.add_tie(tie) and is_level and resolved
        return resolved, boxes

    def _contains(self, change: Change | None) -> bool:
        """Return whether the current box contains a change."""
        box = OpenBox(self.person, self.work, self.variables, self.parts)
        return change is not None and box.contains(change)

    def _is_level(self) -> bool:
        """Return whether all curves are constant in the box that is searched."""
        low, high = self.work.low[self.n :], self.work.high[self.n :]
        for c, k in self._columns.items():
            knots = self._current.knots.get(c)
            if knots is None or knots.listed or low[k] == high[k]:
                continue
            first = max(int(np.searchsorted(knots.at, low[k], side="right")) - 1, 0)
            last = int(np.searchsorted(knots.at, high[k]))
            for values in knots.values:
                if (values[first : last + 1] != values[first]).any():
                    return False
        return True

    def _at_knots(self, change: Change | None) -> tuple[Change | None, float]:
        """Move numbers in parts of their own to the better knot beside them.

        Returns the new change and its gap; minus infinity where there is no change.
        """
        if change is None:
            return None, -np.inf
        gap = float(self.gaps([change])[0])
        low, high = self._whole.low[self.n :], self._whole.high[self.n :]
        for k, variable in enumerate(self.variables.all):
            p = variable.part
            knots = self._current.knots.get(variable.column)
            if knots is None or knots.listed or not self.parts[p].part.is_unconstrained:
                continue
            if not low[k] < high[k]:  # the search is about other variables
                continue
            at = int(np.searchsorted(knots.at, variable.before + change[p][0]))
            tried = []
            for j in (at - 1, at):
                if 0 <= j < len(knots.at):
                    other = list(change)
                    other[p] = np.array([knots.at[j] - variable.before])
                    tried.append(other)
            tried = [other for other in tried if self._is_feasible(other)]
            if tried:
                gaps = self.gaps(tried)
                best = int(np.argmax(gaps))
                if gaps[best] > gap:
                    change, gap = tried[best], float(gaps[best])
        return change, gap
