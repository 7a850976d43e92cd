"""The engine for linear models: parts add up, so the best choice is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skresp._model._change_scorer import Answers, answers_of
from skresp._model._decision import DOUBT, ROUNDINGS, Decision
from skresp._model._listed_answers import runs_of_points
from skresp._model._row_batch import RowBatch
from skresp._model._score_function import ScoreFunction
from skresp._recourse._cost import costs_of
from skresp._recourse._status import Proof, Status
from skresp._recourse.engines._base import Engine, EngineInput, EngineResult
from skresp._recourse.engines._table_search import SearchMode
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._feasible_changes import MAX_LISTED_INTEGERS

from ._gains import AllGains, Gains, added_up

# How far, relative to its size, a bound from a program must lie below the threshold.
_MARGIN = 1e-6
# Approximate maximum number of single interventions that are looked at together.
_MAX_SINGLES = 500_000
# A bound this close to an attained value is the optimum.
_CLOSE = 1e-7


@dataclass(frozen=True)
class LinearEngine(Engine):
    """Add up the gains of parts and search the best sum.

    Attributes
    ----------
    score_function : ScoreFunction
    decision : Decision
    max_listed : int
    """

    score_function: ScoreFunction
    decision: Decision
    max_listed: int

    decides_unlisted = True
    uses_tables = True

    @classmethod
    def of(
        cls, score_function: ScoreFunction, decision: Decision, max_listed: int
    ) -> LinearEngine:
        """Return the engine for a linear model.

        Where lines are not known, integers are listed as for a black box.
        """
        engine = cls(score_function, decision, max_listed)
        if engine.knows_lines:
            return engine
        return cls(score_function, decision, MAX_LISTED_INTEGERS)

    @property
    def knows_lines(self) -> bool:
        """Whether one of the ends of a line is its best point.

        With several rivals the best may lie between the ends.
        """
        return self.decision.cut is not None or self.decision.rivals == 1

    @property
    def is_additive(self) -> bool:
        """Whether there is one gap, the sum of the gains of all parts."""
        return self.knows_lines

    @cached_property
    def tolerance(self) -> float:
        """How far a gap may be off by rounding, at least."""
        return self.decision.tolerance

    def gains(
        self,
        known: ScoreFunction,
        before: Mapping[int, FloatArray],
        after: Mapping[int, FloatArray],
    ) -> tuple[FloatArray, FloatArray]:
        """Return what changes add to the gaps, and the sizes of the terms added up.

        `before` and `after` are codes by column of the model.
        """
        terms = known.groups[0].terms
        assert terms is not None
        gain, size = terms.changes(before, after)
        return self.decision.gaps(gain), self.decision.sizes(size)

    def answers(self, batch: RowBatch) -> Answers | None:
        """Return which rows reach the target unchanged, or that the model knows."""
        known, codes = batch.coded(self.score_function)
        gap, size, share = self.row_gaps(batch)
        doubt = np.maximum(self.tolerance, share * size.max(axis=1))
        doubt = np.where(known.known_rows(codes), doubt, np.inf)
        return answers_of(gap.min(axis=1), doubt)

    def row_gaps(self, batch: RowBatch) -> tuple[FloatArray, FloatArray, float]:
        """Return how far all rows of a batch are ahead of each rival.

        Also the sizes of the terms of these gaps, and the relative error of a sum.
        """
        if "gaps" not in batch.kept:
            known, codes = batch.coded(self.score_function)
            group = known.groups[0]
            assert group.terms is not None
            sums, size = group.terms.sums_and_sizes(codes)
            sums[~known.known_rows(codes)] = np.nan
            size += np.abs(group.base)
            dtype = np.float32 if self.decision.doubt > DOUBT else np.float64
            share = (2 * group.terms.n_terms + ROUNDINGS) * float(np.finfo(dtype).eps)
            batch.kept["gaps"] = (
                self.decision.margins(known.of_sums([sums])),
                self.decision.sizes(size) + abs(self.decision.offset),
                share,
            )
        gaps, sizes, error = batch.kept["gaps"]
        return gaps, sizes, error

    def kept_gains(self, given: EngineInput, make: Callable[[], AllGains]) -> AllGains:
        """Return the gains of tables of options, kept until there are other tables."""
        key = *map(id, given.tables), given.batch.point_builder.block_types
        kept = self._kept.get("gains")
        if kept is None or kept[0] != key:
            # The tables themselves are kept too, so that no other ones get their ids.
            kept = self._kept["gains"] = key, make(), given.tables
        found: AllGains = kept[1]
        return found

    @cached_property
    def _kept(self) -> dict[str, Any]:
        """What was made of tables of options."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was made of tables of options."""
        return {k: v for k, v in self.__dict__.items() if k != "_kept"}

    def examine(self, given: EngineInput) -> EngineResult:
        """Compute verdicts for people who are denied, and the best score of all."""
        return _LinearRun(self, given).solve()


class _LinearRun(Gains):
    """One call of `LinearEngine.examine`."""

    def solve(self) -> EngineResult:
        """Compute verdicts and best choices."""
        out = EngineResult.blank(self.options, self.staying)
        out.used[:] = self.points + self.nodes
        try:
            value, done = self._best(out)
            self._singles(out)
            rest = np.flatnonzero(self.denied & (out.status == Status.UNKNOWN))
            self._others(out, rest, value[rest], done[rest])
        except OutOfTimeError:
            pass  # verdicts noted so far stay
        return out

    def _best(self, out: EngineResult) -> tuple[FloatArray, BoolArray]:
        """Note the best choices; return their least gaps, and which are surely best."""
        if self.n_rivals > 1:
            # The greatest lead is not the greatest probability: no best is known.
            return self._search_best(out)
        value = self._add_best_options(out)
        attained = self.ceiling[:, 0] - value <= _CLOSE * (1 + np.abs(value))
        out.best_known[:] = attained
        return value, np.ones(len(value), dtype=bool)

    def _add_best_options(self, out: EngineResult) -> FloatArray:
        """Take the option of each part with the greatest gain; return the gaps."""
        top = self.all.best[self.value]
        out.best[:] = top.T
        gain = self.all.gain[top + self.all.start[:-1, None], 0]
        return added_up(self.gap[:, 0], gain)

    def _search_best(self, out: EngineResult) -> tuple[FloatArray, BoolArray]:
        """Search the best sum of gains of people who are denied."""
        value = np.full(len(self.rows), -np.inf)
        done = np.zeros(len(self.rows), dtype=bool)
        for i in np.flatnonzero(self.denied).tolist():
            if self.budget.deadline.is_over:
                break
            # Half of the points; the other half is for the cheapest choice.
            max_steps = (self.budget.max_points - int(out.used[i])) // 2
            found = self.search(i, SearchMode.BEST, 0.0, max_steps)
            out.used[i] += found.nodes
            done[i] = found.done
            if len(found.choice):
                out.best[i], value[i] = found.choice[0], found.value
        return value, done

    # -- one change at a time ---------------------------------------------------------

    def _singles(self, out: EngineResult) -> None:
        """Note the cheapest single intervention that reaches the target."""
        least = np.full(len(self.rows), np.inf)
        close: list[tuple[int, int]] = []
        for owner, option in self._single_options():
            value = (self.gap[owner] + self.all.gain[option]).min(axis=1)
            if not self.batch.uses_kernels:
                value = self.signed(value, owner, self._single_choice(owner, option))
            tolerance = self.tolerance[owner]
            sure = value > tolerance
            if sure.any():
                self._note_cheapest(out, owner[sure], option[sure], least)
            doubtful = np.abs(value) <= tolerance
            if doubtful.any():
                pairs = owner[doubtful].tolist(), option[doubtful].tolist()
                close += zip(*pairs, strict=True)
        known = np.isfinite(least)
        out.note(known, Status.SINGLE, Proof.WITNESS)
        out.cheapest[known] = self.priced[known]
        if self.budget.cost is None:
            close = [(i, option) for i, option in close if not known[i]]
        else:
            cost = self.all.cost
            close = [(i, option) for i, option in close if cost[option] < least[i]]
            close.sort(key=lambda entry: float(cost[entry[1]]), reverse=True)
        if close:
            self._evaluate_singles(out, close)

    def _single_options(self) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Yield the single interventions of denied people, on some parts at a time.

        As people and as options in `all`, the options of one part after the other.
        """
        people = np.flatnonzero(self.denied)
        begin = self.all.offsets[self.value[:, people]]
        counts = self.all.offsets[self.value[:, people] + 1] - begin
        for run in runs_of_points(counts.sum(axis=1), _MAX_SINGLES):
            many = counts[run].ravel()
            owner = np.repeat(np.tile(people, len(counts[run])), many)
            shift = begin[run].ravel() - (np.cumsum(many) - many)
            option = np.repeat(shift, many) + np.arange(len(owner))
            some = self.all.single[option]
            yield owner[some], option[some]

    def _single_choice(self, people: IndexArray, option: IndexArray) -> IndexArray:
        """Return the choices that take one option of `all` each."""
        choice, part = self.stay(people), self.all.part_of(option)
        choice[np.arange(len(people)), part] = option - self.all.start[part]
        return choice

    def _note_cheapest(
        self,
        out: EngineResult,
        owner: IndexArray,
        option: IndexArray,
        least: FloatArray,
    ) -> None:
        """Note options that cost less than `least`, which is updated."""
        cost = self._cost_where_reached(owner, option)
        order = np.lexsort((cost, owner))
        people, first = np.unique(owner[order], return_index=True)
        lead = order[first]
        cheaper = cost[lead] < least[people]
        people, lead = people[cheaper], lead[cheaper]
        least[people] = cost[lead]
        out.choice[people] = self._single_choice(people, option[lead])

    def _evaluate_singles(
        self, out: EngineResult, entries: list[tuple[int, int]]
    ) -> None:
        """Evaluate interventions (person, option), cheapest last."""
        people, option = np.array(entries).T
        choice = self._single_choice(people, option)
        ok = self.reaches_target(people, choice)
        people = people[ok]
        out.choice[people] = choice[ok]  # the last of several stays
        out.note(people, Status.SINGLE, Proof.WITNESS)
        out.cheapest[people] = self.priced[people]

    def _cost_where_reached(self, owner: IndexArray, option: IndexArray) -> FloatArray:
        """Return the costs of the smallest changes that reach the target.

        With `option` the people `owner` do; on a line a smaller change may do as well.
        """
        cost = self.all.cost[option]
        if self.budget.cost is None or callable(self.budget.cost):
            return cost
        part = self.all.part_of(option)
        for p in np.unique(part).tolist():
            mine = np.flatnonzero(part == p)
            position = option[mine] - self.all.start[p]
            cost[mine] = self._cost_on_lines(p, owner[mine], position)
        return cost

    def _cost_on_lines(
        self, p: int, owner: IndexArray, position: IndexArray
    ) -> FloatArray:
        """Return the costs of the smallest changes that reach the target on lines.

        `position` are options of part `p` with which the people `owner` reach the
        target. From the next option inward to such an option the gaps are linear.
        """
        each, cost = self.options[p], self.costs[p][position]
        inward = each.inward[position]
        if (inward < 0).all():
            return cost
        gain = self.all.gain[self.all.start[p] : self.all.start[p + 1]]
        some = np.flatnonzero(inward >= 0)
        near, far = inward[some], position[some]
        wanted_gain = self.tolerance[owner[some], None]
        short = wanted_gain - self.gap[owner[some]] - gain[near]
        share = np.divide(
            short,
            gain[far] - gain[near],
            out=np.zeros_like(short),
            where=short > 0,
        ).max(axis=1)
        step = each.changes[far] - each.changes[near]
        change = each.changes[near] + np.clip(share, 0, 1)[:, None] * step
        if each.part.features[0].kind == "integer" and len(each.part.names) == 1:
            unit = np.copysign(each.part.features[0].step or 1, change)
            change = np.ceil(change / unit) * unit
        before = each.before_of(far)
        # Drop the last digits: they depend on the row that gains were computed in.
        part, power = np.frexp(costs_of(self.budget, each.part, before, change))
        cost[some] = np.ldexp(np.rint(part * 2**36), power - 36)
        return cost

    # -- all parts together -----------------------------------------------------------

    def _others(
        self,
        out: EngineResult,
        people: IndexArray,
        value: FloatArray,
        done: BoolArray,
    ) -> None:
        """Decide people without a single intervention that reaches the target.

        `value` are their best gaps as far as known, `done` says which are sure.
        """
        if not len(people):
            return
        tolerance, covered = self.tolerance[people], self.covers_all[people]
        ceiling = self.ceiling[people].min(axis=1)
        # A bound from a program is less exact than a list.
        margin = np.maximum(_MARGIN * (1.0 + np.abs(ceiling)), tolerance)
        margin = np.where(covered, tolerance, margin)
        low = (covered & done & (value < -tolerance)) | (ceiling < -margin)
        out.note(people[low], Status.FIXED, Proof.BOUND)
        out.note(people[~covered & ~low], Status.UNKNOWN, Proof.INCOMPLETE)
        close = np.abs(value) <= tolerance
        near = people[~covered & ~low & close]
        if len(near):
            near = near[self.reaches_target(near, out.best[near])]
        self._joint(out, np.concatenate([people[~low & (value > tolerance)], near]))
        self.settle_close(out, people[covered & close], self.tolerance)

    def _joint(self, out: EngineResult, people: IndexArray) -> None:
        """Note witnesses of people whose best choice reaches the target."""
        out.choice[people] = out.best[people]
        if self.budget.cost is not None:
            for i in people.tolist():
                if self.budget.deadline.is_over:
                    break
                self._cheapest(out, i)
        elif self.n_rivals == 1:
            out.choice[people] = self._few_parts(people, out.best[people])
        self.note_joint(out, people, out.choice[people])

    def _cheapest(self, out: EngineResult, i: int) -> None:
        """Search the cheapest choice that reaches the target.

        It is the cheapest change only where the options are all feasible changes:
        otherwise several numbers can each go part of the way.
        """
        tolerance = float(self.tolerance[i])
        for wanted_gain in (-tolerance, float(np.nextafter(tolerance, np.inf))):
            max_steps = self.budget.max_points - int(out.used[i])
            found = self.search(i, SearchMode.CHEAPEST, wanted_gain, max_steps)
            out.used[i] += found.nodes
            if not len(found.choice):
                return
            sure = found.value > tolerance
            if sure or self.reaches_target(np.array([i]), found.choice)[0]:
                out.choice[i] = found.choice[0]
                out.cheapest[i] = wanted_gain < 0 and found.done and self.listed[i]
                return

    def _few_parts(self, people: IndexArray, best: IndexArray) -> IndexArray:
        """Keep the largest gains of a choice that reach the target; undo the rest."""
        gains = self.all.gain[best + self.all.start[:-1], 0]
        order = np.argsort(-self.rank(gains), axis=1, kind="stable")
        before = np.cumsum(np.take_along_axis(gains, order, axis=1), axis=1)
        before = np.concatenate([np.zeros((len(people), 1)), before[:, :-1]], axis=1)
        enough = self.gap[people] + before > self.tolerance[people, None]
        needed = np.empty(best.shape, dtype=bool)
        np.put_along_axis(needed, order, ~enough, axis=1)
        return np.where(needed, best, self.stay(people))
