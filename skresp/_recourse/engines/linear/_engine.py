"""The engine for linear models: parts add up, so the best choice is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skresp._model._change_scorer import Answers, answers_of
from skresp._model._decision import DOUBT, ROUNDINGS, Decision
from skresp._model._row_batch import RowBatch
from skresp._model._score_function import ScoreFunction
from skresp._recourse._cost import costs_of
from skresp._recourse._status import Proof, Status
from skresp._recourse.engines._base import Engine, EngineInput, EngineResult
from skresp._recourse.engines._table_search import SearchMode
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._feasible_changes import MAX_LISTED_INTEGERS

from ._gains import Gains, OptionGains

# How far, relative to its size, a bound from a program must lie below the threshold.
_MARGIN = 1e-6
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

    @property
    def tolerance(self) -> float:
        """How far a gap may be off by rounding, at least."""
        return self.decision.tolerance

    def gaps(self, known: ScoreFunction, codes: FloatArray) -> FloatArray:
        """Return how far rows are ahead of each rival.

        `known` is the score function with all labels of the rows.
        """
        return self.decision.margins(known.scores(codes))

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

    def roundings(
        self, known: ScoreFunction, codes: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return the sizes of the terms of gaps, and the relative error of a sum."""
        group = known.groups[0]
        assert group.terms is not None
        size = group.terms.sums_and_sizes(codes)[1] + np.abs(group.base)
        dtype = np.float32 if self.decision.doubt > DOUBT else np.float64
        share = (2 * group.terms.n_terms + ROUNDINGS) * float(np.finfo(dtype).eps)
        return self.decision.sizes(size) + abs(self.decision.offset), share

    def answers(self, batch: RowBatch) -> Answers | None:
        """Return which rows reach the target unchanged, or that the model knows."""
        known, codes = batch.coded(self.score_function)
        gap, size, share = self.row_gaps(batch)
        doubt = np.maximum(self.tolerance, share * size.max(axis=1))
        doubt = np.where(known.known_rows(codes), doubt, np.inf)
        return answers_of(gap.min(axis=1), doubt)

    def row_gaps(self, batch: RowBatch) -> tuple[FloatArray, FloatArray, float]:
        """Return the gaps of all rows of a batch, and `roundings` of them."""
        if "gaps" not in batch.kept:
            known, codes = batch.coded(self.score_function)
            gaps = self.gaps(known, codes)
            batch.kept["gaps"] = gaps, *self.roundings(known, codes)
        gaps, size, share = batch.kept["gaps"]
        return gaps, size, share

    def kept_gains(
        self, given: EngineInput, make: Callable[[], list[OptionGains]]
    ) -> list[OptionGains]:
        """Return the gains of tables of options, kept until there are other tables."""
        key = *map(id, given.tables), given.batch.point_builder.block_types
        kept = self._kept.get("gains")
        if kept is None or kept[0] != key:
            # The tables themselves are kept too, so that no other ones get their ids.
            kept = self._kept["gains"] = key, make(), given.tables
        found: list[OptionGains] = kept[1]
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
        out = EngineResult.blank(self.options, len(self.rows))
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
        value = self.gap[:, 0].copy()
        for p, (each, gain) in enumerate(zip(self.options, self.gains, strict=True)):
            top = self.best[p][each.which]
            out.best[:, p] = top
            value += gain[top, 0]
        return value

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
        close: list[tuple[int, int, int]] = []
        for p in range(len(self.options)):
            owner, position = self._single_options(p)
            value = (self.gap[owner] + self.gains[p][position]).min(axis=1)
            if not self.batch.uses_kernels:
                choice = self.stay(owner)
                choice[:, p] = position
                value = self.signed(value, owner, choice)
            tolerance = self.tolerance[owner]
            sure = value > tolerance
            self._note_cheapest(out, p, owner[sure], position[sure], least)
            doubtful = np.abs(value) <= tolerance
            pairs = zip(owner[doubtful], position[doubtful], strict=True)
            close += [(int(i), p, int(option)) for i, option in pairs]
        known = np.isfinite(least)
        out.note(np.flatnonzero(known), Status.SINGLE, Proof.WITNESS)
        out.cheapest[known] = self.priced[known]
        if self.budget.cost is None:
            close = [entry for entry in close if not known[entry[0]]]
        else:
            close = [entry for entry in close if self._price(entry) < least[entry[0]]]
            close.sort(key=self._price, reverse=True)
        if close:
            self._evaluate_singles(out, close)

    def _single_options(self, p: int) -> tuple[IndexArray, IndexArray]:
        """Return the single interventions of denied people on a part.

        As people and as positions in the options of the part.
        """
        each, people = self.options[p], np.flatnonzero(self.denied)
        counts = each.counts_of_people[people]
        owner = np.repeat(people, counts)
        begin = each.offsets[each.which[people]] - (np.cumsum(counts) - counts)
        position = np.repeat(begin, counts) + np.arange(len(owner))
        some = each.single[position]
        return owner[some], position[some]

    def _note_cheapest(
        self,
        out: EngineResult,
        p: int,
        owner: IndexArray,
        position: IndexArray,
        least: FloatArray,
    ) -> None:
        """Note options of a part that cost less than `least`, which is updated."""
        cost = self._cost_where_reached(p, owner, position)
        order = np.lexsort((cost, owner))
        people, first = np.unique(owner[order], return_index=True)
        lead = order[first]
        cheaper = cost[lead] < least[people]
        people, lead = people[cheaper], lead[cheaper]
        least[people] = cost[lead]
        out.choice[people] = self.stay(people)
        out.choice[people, p] = position[lead]

    def _price(self, entry: tuple[int, int, int]) -> float:
        _, p, option = entry
        return float(self.costs[p][option])

    def _evaluate_singles(
        self, out: EngineResult, entries: list[tuple[int, int, int]]
    ) -> None:
        """Evaluate interventions (person, part, option), cheapest last."""
        people = np.array([i for i, _, _ in entries])
        choice = self.stay(people)
        for k, (_, p, option) in enumerate(entries):
            choice[k, p] = option
        ok = self.reaches_target(people, choice)
        people = people[ok]
        out.choice[people] = choice[ok]  # the last of several stays
        out.note(people, Status.SINGLE, Proof.WITNESS)
        out.cheapest[people] = self.priced[people]

    def _cost_where_reached(
        self, p: int, owner: IndexArray, position: IndexArray
    ) -> FloatArray:
        """Return the costs of the smallest changes that reach the target on lines.

        `position` are options of part `p` with which the people `owner` reach the
        target. From the next option inward to such an option the gaps are linear.
        """
        each, cost = self.options[p], self.costs[p][position]
        inward = each.inward[position]
        if self.budget.cost is None or callable(self.budget.cost) or (inward < 0).all():
            return cost
        some = np.flatnonzero(inward >= 0)
        near, far = inward[some], position[some]
        wanted_gain = self.tolerance[owner[some], None]
        short = wanted_gain - self.gap[owner[some]] - self.gains[p][near]
        share = np.divide(
            short,
            self.gains[p][far] - self.gains[p][near],
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
        gains = np.array(
            [gain[best[:, p], 0] for p, gain in enumerate(self.gains)]
        ).T.reshape(best.shape)
        order = np.argsort(-self.rank(gains), axis=1, kind="stable")
        before = np.cumsum(np.take_along_axis(gains, order, axis=1), axis=1)
        before = np.concatenate([np.zeros((len(people), 1)), before[:, :-1]], axis=1)
        enough = self.gap[people] + before > self.tolerance[people, None]
        needed = np.empty(best.shape, dtype=bool)
        np.put_along_axis(needed, order, ~enough, axis=1)
        return np.where(needed, best, self.stay(people))
