"""Gains of changes for a linear model, bounds of gains, and the search over sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from skresp._numba import compiled
from skresp._recourse._cost import costs_of
from skresp._recourse._option_points import option_codes, table_codes
from skresp._recourse.engines._base import EngineInput, NotSeparableError
from skresp._recourse.engines._run_until import run_until
from skresp._recourse.engines._table_search import (
    MAX_CLOSE,
    MAX_PARTS,
    Goal,
    SearchMode,
    SearchResult,
    TableRun,
    Tables,
    branch,
    prefix_maxima,
)
from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray
from skresp.reach._allowance import allow
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._options import Options
from skresp.reach._upper_bound import MAX_NODES

from ._optimum import Optimum, best_change

if TYPE_CHECKING:
    from ._engine import LinearEngine


class OptionGains(NamedTuple):
    """The gains of the options of a part.

    Attributes
    ----------
    gain : array of shape (n_options, n_rivals)
        What each option adds to the gaps.
    bound : array of shape (n_values, n_rivals)
        The most that a change of each value adds.
    size : array of shape (n_values, n_rivals)
        The largest size of the terms of such a sum.
    best : array of shape (n_values,)
        The option of each value that adds most to the first gap.
    """

    gain: FloatArray
    bound: FloatArray
    size: FloatArray
    best: IndexArray


class AllGains(NamedTuple):
    """The gains of the options of all parts, one part after the other.

    Attributes
    ----------
    start : array of shape (n_parts + 1,)
        Where the options of each part begin.
    offsets : array of shape (n_values + 1,)
        Where the options of each value begin.
    single : array of bool of shape (n_options,)
        See `Options`.
    cost : array of shape (n_options,)
    gain, bound, size, best : arrays
        See `OptionGains`; `best` is a position in the options of the part.
    """

    start: IndexArray
    offsets: IndexArray
    single: BoolArray
    cost: FloatArray
    gain: FloatArray
    bound: FloatArray
    size: FloatArray
    best: IndexArray

    @classmethod
    def of(
        cls,
        options: Sequence[Options],
        costs: Sequence[FloatArray],
        of_parts: Sequence[OptionGains],
    ) -> AllGains:
        """Return the gains of parts; there is at least one."""
        start = np.cumsum([0, *(len(each.changes) for each in options)])
        offsets = [
            each.offsets[:-1] + begin
            for each, begin in zip(options, start, strict=False)
        ]
        return cls(
            start,
            np.concatenate([*offsets, start[-1:]]),
            np.concatenate([each.single for each in options]),
            np.concatenate(costs),
            *map(np.concatenate, zip(*of_parts, strict=True)),
        )

    def part_of(self, options: IndexArray) -> IndexArray:
        """Return the part of each of some options."""
        return np.searchsorted(self.start, options, side="right") - 1


class Gains(TableRun):
    """A run with the gains of all options for a linear model.

    Attributes
    ----------
    engine : LinearEngine
    gap : array of shape (n_people, n_rivals)
        How far each person is ahead of each rival.
    all : AllGains
        The gains of all options.
    value : array of shape (n_parts, n_people)
        The position in `all` of the value of each person on each part.
    ceiling : array of shape (n_people, n_rivals)
        Upper bounds of the gaps that each person can reach.
    tolerance : array of shape (n_people,)
        How far gaps may be off by rounding.
    nodes : array of shape (n_people,)
        Nodes of the searches for bounds.
    """

    def __init__(self, engine: LinearEngine, given: EngineInput) -> None:
        super().__init__(given)
        self.engine = engine
        gap, size, share = engine.row_gaps(self.batch)
        self.gap, size = gap[self.rows], size[self.rows]
        if np.isnan(self.gap).any():
            raise NotSeparableError
        self.value = given.value
        self.nodes = np.zeros(len(self.rows), dtype=np.int64)
        if given.tables:
            self.all = engine.kept_gains(given, self._gains_of_tables)
        else:
            optima = [self._optima(p) for p in range(len(self.options))]
            of_parts = [
                self._option_gains(each, *self._gains_of(each)) for each in self.options
            ]
            for p, bounds in enumerate(optima):
                if bounds:
                    of_parts[p] = self._bounded(of_parts[p], p, bounds)
            self.all = AllGains.of(self.options, self.costs, of_parts)
        self.ceiling = added_up(self.gap, self.all.bound[self.value])
        size = added_up(size, self.all.size[self.value])
        # The terms of a person's own score round, and so do the gains added to it.
        self.tolerance = np.maximum(engine.tolerance, share * size.max(axis=1))

    @property
    def n_rivals(self) -> int:
        """Number of scores that the target's score is compared with."""
        return self.gap.shape[1]

    def _optima(self, p: int) -> dict[int, list[Optimum]]:
        """Bound the gains of values whose options are incomplete, for each rival.

        The best change that the solver finds is added to the options of the part.
        """
        options, width = self.options[p], self.n_rivals
        if options.part.stands_alone and not options.is_thinned:
            return {}  # one of the ends, which are among the options, is the best
        wanted = ~options.covers_all
        if not self.budget.best_only:
            wanted &= np.bincount(
                options.which[self.denied], minlength=len(options.values)
            ).astype(bool)
        found: dict[int, list[Optimum]] = {}
        for i in np.flatnonzero(~options.covers_all).tolist():
            found[i] = [Optimum(None, np.inf, 0)] * width
            if wanted[i] and not self.budget.deadline.is_over:
                found[i] = [self._optimum(options, i, r) for r in range(width)]
        extra = {
            i: optimum[0].change
            for i, optimum in found.items()
            if width == 1 and optimum[0].change is not None
        }
        if extra:
            values, changes = list(extra), list(extra.values())
            self.options[p], old, _ = options.with_changes(values, changes)
            self.staying = self.staying.copy()
            self.staying[:, p] = old[self.staying[:, p]]
            self.costs[p] = costs_of(
                self.budget,
                options.part,
                self.options[p].before,
                self.options[p].changes,
            )
        return found

    def _optimum(self, options: Options, i: int, rival: int) -> Optimum:
        """Bound the gain of value `i` of a part against a rival."""

        def gain(changes: FloatArray) -> FloatArray:
            return self._gains_of(options.of_changes(i, changes))[0][1:, rival]

        # Half of the points, divided among features and rivals.
        share = self.budget.max_points // (
            2 * self.budget.n_features * self.gap.shape[1]
        )
        nothing = Optimum(None, np.inf, 0)
        if not share:
            return nothing
        try:
            with allow(self.budget.deadline):
                return best_change(
                    options.part,
                    options.values[i],
                    gain,
                    max_nodes=min(share, MAX_NODES),
                    deadline=self.budget.deadline.at,
                )
        except OutOfTimeError:
            return nothing

    def _bounded(
        self, gains: OptionGains, p: int, bounds: dict[int, list[Optimum]]
    ) -> OptionGains:
        """Return the gains of a part with bounds from programs; count their nodes."""
        bound, size = gains.bound.copy(), gains.size.copy()
        nodes = np.zeros(len(bound), dtype=np.int64)
        for i, optimum in bounds.items():
            bound[i] = [rival.bound for rival in optimum]
            finite = np.where(bound[i] < np.inf, bound[i], 0)
            size[i] = np.maximum(size[i], finite)
            nodes[i] = sum(rival.nodes for rival in optimum)
        self.nodes += nodes[self.options[p].which]
        return gains._replace(bound=bound, size=size)

    def _option_gains(
        self, options: Options, gain: FloatArray, sizes: FloatArray
    ) -> OptionGains:
        """Return the gains of options, and the greatest of each value."""
        begins = options.offsets[:-1]
        order = np.lexsort((-self.rank(gain[:, 0]), options.owner))
        return OptionGains(
            gain,
            np.maximum.reduceat(gain, begins, axis=0),
            np.maximum.reduceat(sizes, begins, axis=0),
            order[begins],
        )

    def _gains_of_tables(self) -> AllGains:
        """Return the gains of all options of tables."""
        known = self.engine.score_function
        out = []
        for each in self.options:
            after = table_codes(self.batch, known, each)
            if after is None:
                raise NotSeparableError
            gain = sizes = np.zeros((len(each.changes), self.n_rivals))
            if after:
                stay = each.offsets[each.owner]
                before = {column: codes[stay] for column, codes in after.items()}
                gain, sizes = self.engine.gains(known, before, after)
            out.append(self._option_gains(each, gain, sizes))
        return AllGains.of(self.options, self.costs, out)

    def _gains_of(self, options: Options) -> tuple[FloatArray, FloatArray]:
        """Return the gains of the options of a part, and the sizes of their terms."""
        known, codes = self.batch.coded(self.engine.score_function)
        after = option_codes(self.batch, self.engine.score_function, options)
        rows = options.rows[options.owner]
        if not after:
            gain = np.zeros((len(rows), self.n_rivals))
            return gain, gain.copy()
        before = {column: codes[rows, column] for column in after}
        return self.engine.gains(known, before, after)

    def rank(self, gain: FloatArray) -> FloatArray:
        """Round gains, to compare them.

        The rounding of the model depends on the row that a value is tried in and on
        the other rows of the batch; the comparison must not.
        """
        unit = max(self.engine.tolerance, np.finfo(float).tiny) / 1024
        return np.rint(gain / unit)

    def search(
        self, i: int, mode: SearchMode, wanted_gain: float, max_steps: int
    ) -> SearchResult:
        """Search choices of options of one person."""
        stay = self.stay(np.array([i]))
        start, mine = self.all.start[:-1], self.value[:, i]
        first = self.all.offsets[mine]
        count = self.all.offsets[mine + 1] - first
        order = self._influential_parts(first, count)
        cut = len(order) > MAX_PARTS
        order = order[:MAX_PARTS]  # other parts stay put
        best = np.full(len(order), -1, dtype=np.int64)
        room = min(MAX_CLOSE, max_steps) if mode == SearchMode.ALL else 0
        found = np.full((room, len(order)), -1, np.int64)
        many, nodes, value, done = run_until(
            self.budget.deadline,
            (0, 0, -np.inf, False),
            search_sums,
            Goal(int(mode), wanted_gain, np.inf, max_steps),
            self.gap[i],
            self.all.gain,
            self.all.cost,
            first[order].astype(np.int64),
            count[order],
            best,
            found,
        )
        if mode == SearchMode.ALL:
            rows = found[:many]
        else:
            rows = best[None] if (best >= 0).all() else best[None][:0]
        choice = np.repeat(stay, len(rows), axis=0)
        choice[:, order] = rows - start[order]
        return SearchResult(choice, float(value), int(nodes), bool(done) and not cut)

    def _influential_parts(self, first: IndexArray, count: IntArray) -> IndexArray:
        """Return the parts with gains other than 0, those with the greatest first.

        `first` and `count` say where the options of each part are in `all`.
        """
        spread = np.array(
            [
                np.abs(self.all.gain[f : f + c]).max() if c else 0.0
                for f, c in zip(first, count, strict=True)
            ]
        )
        order = np.argsort(-spread, kind="stable")
        return order[(count > 1)[order] & (spread > 0)[order]]


def added_up(start: FloatArray, added: FloatArray) -> FloatArray:
    """Return what parts add to numbers of people, in the order of the parts."""
    return np.add.accumulate(np.concatenate([start[None], added]), axis=0)[-1]


@compiled
def search_sums(  # type: ignore[no-untyped-def]
    goal, opening, gain, cost, first, count, best, found, meter
):
    """Search over all choices of one option per part, for one person.

    Parameters
    ----------
    goal : Goal
    opening : array of shape (n_scores,)
        The person's own gaps.
    gain : array of shape (n_options, n_scores)
        What each option adds to the gaps.
    cost : array of shape (n_options,)
    first, count : arrays of shape (n_parts,)
        Where the options of each part begin, and how many there are.
    best : array of shape (n_parts,)
        Gets the best choice.
    found : array of shape (n_room, n_parts)
        Gets the choices in mode ALL.
    meter : see `run_until`

    Returns
    -------
    number of choices found, nodes used, best value, whether the search finished
    """
    scores = gain.shape[1]
    parts = len(first)
    total = 0
    for a in range(parts):
        total += count[a]
    masks = np.empty(parts, np.int64)
    offsets = np.zeros(parts + 1, np.int64)
    cells = np.empty((total, scores))
    box_cost = np.empty(total)
    at = 0
    for a in range(parts):
        masks[a] = 1 << a
        for o in range(count[a]):
            box_cost[at] = cost[first[a] + o]
            for r in range(scores):
                cells[at, r] = gain[first[a] + o, r]
            at += 1
        offsets[a + 1] = at
    levels = np.empty((parts, parts + 1), np.int64)
    maxima = np.empty((2 * total + parts, scores))
    tables = Tables(masks, offsets, cells, levels, maxima)
    prefix_maxima(tables, parts, count)
    nodes, value, _, many, done, _ = branch(
        goal,
        tables,
        parts,
        count,
        opening,
        box_cost,
        offsets[:parts],
        -np.inf,
        np.inf,
        best,
        found,
        0,
        meter,
    )
    for a in range(parts):
        if best[a] >= 0:
            best[a] += first[a]
        for k in range(many):
            found[k, a] += first[a]
    return many, nodes, value, done
