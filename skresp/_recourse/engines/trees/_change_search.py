"""Gains of equivalent changes of a tree ensemble, and searches over choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skresp._recourse.engines._base import EngineInput, EngineResult
from skresp._recourse.engines._run_until import run_until
from skresp._recourse.engines._table_search import (
    MAX_CLOSE,
    MAX_PARTS,
    Goal,
    SearchMode,
    SearchResult,
    TableRun,
)
from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray
from skresp.reach._deadline import OutOfTimeError

from ._combination_search import search, search_all
from ._equivalent_changes import EquivalentChanges
from ._nodes import tree_sums
from ._part_gains import PartGains
from ._single_part import GainIndex, least_gaps

if TYPE_CHECKING:
    from ._engine import TreeEngine

# People in one call of a kernel, where there is no time limit.
_PEOPLE_PER_CALL = 64


class ChangeSearch(TableRun):
    """A run with searches over equivalent changes.

    A choice of changes has a column per part, with -1 for staying put.

    Attributes
    ----------
    engine : TreeEngine
    changes : EquivalentChanges
    index : GainIndex
        Of the changes of all people.
    gains_of : PartGains
        Computes the gains of single changes.
    rounds : list of Round or None
        Where changes go in large trees; None where people walk alone.
    gap : array of shape (n_entries,)
        The least gap after the change of one part.
    influence : array of shape (n_people, n_parts)
        The greatest effect that a change of each part has by itself.
    """

    def __init__(
        self,
        engine: TreeEngine,
        given: EngineInput,
        changes: EquivalentChanges,
        gains_of: PartGains,
    ) -> None:
        super().__init__(given)
        self.engine, self.changes = engine, changes
        deadline = self.budget.deadline
        self.index = GainIndex.of(deadline, changes.first, changes.counts)
        self.gains_of = gains_of
        self.rounds = gains_of.rounds(len(self.rows))

    def add_gains(self, people: IndexArray) -> None:
        """Compute `gap` and `influence` of people."""
        stay, gain = self._part_gains(people, self.changes, self.index)
        self.gap, self.influence = self._least_gaps(stay, gain, self.index)

    def _least_gaps(
        self, stay: FloatArray, gain: FloatArray, index: GainIndex
    ) -> tuple[FloatArray, FloatArray]:
        """Return the least gap after each change, and the effect of each part."""
        given = self.engine.base, index.start, stay, gain
        gaps, effect = self.budget.deadline.call(least_gaps, *given)
        return gaps, effect

    def _gaps(
        self, people: IndexArray, changes: EquivalentChanges, index: GainIndex
    ) -> FloatArray:
        """Compute the least gap after each change of people."""
        return self._least_gaps(*self._part_gains(people, changes, index), index)[0]

    def _gaps_of(self, people: IndexArray) -> FloatArray:
        """Return `gap` of people, one after the other."""
        first, end = self.index.start[people, 0], self.index.start[people, -1]
        counts = end - first
        begin = first - (np.cumsum(counts) - counts)
        return self.gap[np.repeat(begin, counts) + np.arange(int(counts.sum()))]

    def _part_gains(
        self, people: IndexArray, changes: EquivalentChanges, index: GainIndex
    ) -> tuple[FloatArray, FloatArray]:
        """Return sums of trees where people stay put, and gains of changes."""
        width = self.engine.trees.gain.shape[1]
        stay = np.zeros((len(changes.codes), width))
        gain = np.zeros((len(index.owner), width))
        deadline = self.budget.deadline
        self.gains_of.add(deadline, self.rounds, people, changes, index, stay, gain)
        return stay, gain

    def as_options(self, people: IndexArray, choice: IntArray) -> IndexArray:
        """Return the cheapest options of a choice of changes."""
        if not len(self.changes.option):
            return self.stay(people)
        picked = self.changes.option[np.maximum(choice, 0)]
        return np.where(choice >= 0, picked, self.stay(people))

    def search_best(
        self, out: EngineResult, people: IndexArray, value: FloatArray, enough: float
    ) -> tuple[IntArray, BoolArray]:
        """Search choices of people whose gaps exceed `value`, which is updated.

        A search ends at a gap above `enough`. Returns the choices, and whether
        the search of each person finished.
        """
        changes = self.changes
        n, parts = changes.first.shape
        choice = np.full((n, parts), -1, dtype=np.int64)
        done = np.zeros(n, dtype=bool)
        used = np.zeros(n, dtype=np.int64)
        people = people[(changes.counts[people] > 1).sum(axis=1) <= MAX_PARTS]
        deadline = self.budget.deadline
        max_steps = self.budget.max_points - out.used
        per_call = 1 if deadline.is_limited else _PEOPLE_PER_CALL
        n_chunks = max(1, len(people) // per_call)
        for chunk in np.array_split(people, n_chunks) if len(people) else ():
            if deadline.is_over:
                break
            run_until(
                deadline,
                None,
                search_all,
                chunk,
                enough,
                max_steps,
                self.engine.trees,
                self.engine.base,
                changes,
                self.influence,
                value,
                choice,
                used,
                done,
            )
        out.used += used
        return choice, done

    def search(
        self, i: int, mode: SearchMode, wanted_gain: float, max_steps: int
    ) -> SearchResult:
        """Search choices of options of one person."""
        found = self.search_changes(i, mode, wanted_gain, max_steps)
        people = np.full(len(found.choice), i)
        return found._replace(choice=self.as_options(people, found.choice))

    def search_changes(
        self, i: int, mode: SearchMode, wanted_gain: float, max_steps: int
    ) -> SearchResult:
        """Search choices of changes of one person."""
        changes = self.changes
        room = min(MAX_CLOSE, max_steps) if mode == SearchMode.ALL else 0
        order = np.argsort(-self.influence[i], kind="stable")
        order = order[changes.counts[i, order] > 1]
        position = np.full(len(self.options) + 1, -1, dtype=np.int64)
        position[order] = np.arange(len(order))
        best = np.full(len(order), -1, dtype=np.int64)
        found = np.full((room, len(order)), -1, dtype=np.int64)
        count, nodes, value, done = nothing = 0, 0, -np.inf, False
        if len(order) <= MAX_PARTS:
            count, nodes, value, done = run_until(
                self.budget.deadline,
                nothing,
                search,
                Goal(int(mode), wanted_gain, np.inf, max_steps),
                self.engine.trees,
                self.engine.base,
                changes,
                changes.codes[i],
                position[changes.part_of],
                changes.first[i, order],
                changes.counts[i, order],
                -np.inf,
                best,
                found,
            )
        rows = found[:count] if mode == SearchMode.ALL else best[None]
        choice = np.full((len(rows), len(self.options)), -1, dtype=np.int64)
        choice[:, order] = rows
        return SearchResult(choice, float(value), int(nodes), bool(done))

    def search_greedily(
        self, out: EngineResult, people: IndexArray, value: FloatArray, chosen: IntArray
    ) -> None:
        """Take the best change of one part, then of another, while the gap grows.

        People who reach the target in this way need no search. `value` and `chosen`
        are set for them.
        """
        tolerance = self.engine.tolerance
        steps = np.full((len(people), len(self.options)), -1, dtype=np.int64)
        reached = np.full(len(people), -np.inf)
        active = np.arange(len(people))
        while True:
            # A step counts as one partial choice.
            active = active[out.used[people[active]] < self.budget.max_points]
            out.used[people[active]] += 1
            if not len(active):
                break
            try:
                gaps, index = self._gaps_after(people[active], steps[active])
            except OutOfTimeError:
                break
            top = index.best(gaps)
            grows = gaps[top] > reached[active]
            active, top = active[grows], top[grows]
            reached[active] = gaps[top]
            steps[active, index.part[top]] = index.which[top]
            active = active[reached[active] <= tolerance]
            open_parts = self.changes.counts[people[active]] > 1
            active = active[(open_parts & (steps[active] < 0)).any(axis=1)]
        there = reached > tolerance
        value[people[there]] = reached[there]
        chosen[people[there]] = steps[there]

    def _gaps_after(
        self, people: IndexArray, steps: IntArray
    ) -> tuple[FloatArray, GainIndex]:
        """Return the least gap after each further change of people, and their index.

        `steps` are the changes they have already; other changes of these parts have
        a gap of -inf.
        """
        taken = steps >= 0
        changes = self.changes._replace(
            codes=self.changes.codes_after(people, steps, self.budget.deadline),
            first=self.changes.first[people],
            counts=np.where(taken, 1, self.changes.counts[people]),
        )
        deadline = self.budget.deadline
        index = GainIndex.of(deadline, changes.first, changes.counts)
        if taken.any():
            gaps = self._gaps(np.arange(len(people)), changes, index)
        else:
            gaps = self._gaps_of(people)
        flat = changes.counts.ravel()
        gaps[np.repeat(flat == 1, flat)] = -np.inf
        return gaps, index

    def undo_needless(self, people: IndexArray, chosen: IntArray) -> None:
        """Take back the change of each part without which the target is reached."""
        engine = self.engine
        if not ((chosen[people] >= 0).sum(axis=1) > 2).any():
            return
        for p in range(chosen.shape[1]):
            # Of two changes both are needed: neither works alone.
            some = (chosen[people, p] >= 0) & ((chosen[people] >= 0).sum(axis=1) > 2)
            who = people[some]
            if not len(who):
                continue
            tried = chosen[who]
            tried[:, p] = -1
            codes = self.changes.codes_after(who, tried, self.budget.deadline)
            sums = self.budget.deadline.call(tree_sums, engine.trees, codes)
            ok = (engine.base + sums).min(axis=1) > engine.tolerance
            chosen[who[ok], p] = -1
