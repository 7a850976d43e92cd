"""The engine for linear models: parts add up, so the best choice is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._model._linear import LinearScoreFunction
from skresp._model._row_batch import RowBatch
from skresp._recourse._cost import costs_of
from skresp._recourse._status import Proof, Status
from skresp._recourse.engines._base import EngineInput, EngineResult
from skresp._recourse.engines._table_search import SearchMode
from skresp._typing import FloatArray, IndexArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._feasible_changes import MOST_LISTED_INTEGERS
from skresp.reach._part import Part

from ._gains import Gains

# How far, relative to its size, a bound from a program must lie below the threshold.
_MARGIN = 1e-6
# A bound this close to an attained value is the optimum.
_CLOSE = 1e-7


@dataclass(frozen=True)
class LinearEngine:
    """Add up the gains of parts and search the best sum.

    Attributes
    ----------
    score_function : LinearScoreFunction
    most_listed : int
        Value of `max_listed` where `knows_lines`.
    """

    score_function: LinearScoreFunction
    most_listed: int

    max_line_pieces = 1

    @property
    def knows_lines(self) -> bool:
        """Whether one of the ends of a line is its best point.

        With several rivals the best may lie between the ends.
        """
        decision = self.score_function.decision
        return decision.cut is not None or decision.rivals == 1

    @property
    def max_listed(self) -> int:
        """Maximum number of changes listed for an integer in a part of its own."""
        return self.most_listed if self.knows_lines else MOST_LISTED_INTEGERS

    @property
    def tolerance(self) -> float:
        """How far a gap may be off by rounding, at least."""
        return self.score_function.decision.tolerance

    def cutter(self, batch: RowBatch, part: Part, codes: FloatArray) -> None:
        """Return None: one of the ends of a line is its best point."""

    def gaps(self, points: Any) -> FloatArray:
        """Return how far points are ahead of each rival."""
        decision = self.score_function.decision
        return decision.gaps(self.score_function.scores(points)) - decision.offset

    def gains(
        self, before: Any, after: Any, which: IndexArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what changes add to the gaps, and the sizes of the terms added up.

        `which` are the positions in `before` that the points `after` started from.
        """
        decision = self.score_function.decision
        gain, size = self.score_function.changes(before, after, which)
        return decision.gaps(gain), decision.sizes(size)

    def roundings(self, points: Any) -> tuple[FloatArray, float]:
        """Return the sizes of the terms of gaps, and the relative error of a sum."""
        decision = self.score_function.decision
        size, share = self.score_function.roundings(points)
        return decision.sizes(size) + abs(decision.offset), share

    def examine(self, given: EngineInput) -> EngineResult:
        """Compute verdicts for people who are denied, and the best of everybody."""
        return _Run(self, given).solve()


class _Run(Gains):
    """One call of `LinearEngine.examine`."""

    def solve(self) -> EngineResult:
        """Compute verdicts and best choices."""
        out = EngineResult.blank(self.options, len(self.rows))
        out.used[:] = self.points + self.nodes
        try:
            self._best(out)
            self._singles(out)
            self._others(
                out, np.flatnonzero(self.denied & (out.status == Status.UNKNOWN))
            )
        except OutOfTimeError:
            pass  # verdicts noted so far stay
        return out

    def _best(self, out: EngineResult) -> None:
        """Take the option of each part with the greatest gain.

        With several rivals the best sum is searched.
        """
        n, width = self.gap.shape
        self.value = np.full(n, -np.inf)
        self.done = np.zeros(n, dtype=bool)
        if width == 1:
            self.value = self.gap[:, 0].copy()
            for p, (each, gain) in enumerate(
                zip(self.options, self.gains, strict=True)
            ):
                order = np.lexsort((-self._rank(gain[:, 0]), each.owner))
                top = order[each.offsets[:-1]]
                out.best[:, p] = top[each.which]
                self.value += gain[top, 0][each.which]
            self.done[:] = True
        else:
            for i in np.flatnonzero(self.denied):
                if self.budget.deadline.is_over:
                    break
                # Half of the points; the other half is for the cheapest choice.
                max_steps = (self.budget.max_points - int(out.used[i])) // 2
                choice, value, done, nodes = self._search(
                    int(i), SearchMode.BEST, 0.0, max_steps
                )
                out.used[i] += nodes
                self.done[i] = done
                if len(choice):
                    out.best[i], self.value[i] = choice[0], value
        # With several rivals the greatest lead is not the greatest probability.
        attained = self.ceiling[:, 0] - self.value <= _CLOSE * (1 + np.abs(self.value))
        out.best_known[:] = self.done & attained & (width == 1)

    def _singles(self, out: EngineResult) -> None:
        """Note the cheapest single intervention that reaches the target."""
        people = np.flatnonzero(self.denied)
        best = np.full(len(self.rows), -np.inf)
        price = np.full(len(self.rows), np.inf)
        near: list[tuple[int, int, int]] = []
        for p, (each, gain, cost) in enumerate(
            zip(self.options, self.gains, self.costs, strict=True)
        ):
            counts = each.counts_of_people[people]
            owner = np.repeat(people, counts)
            first = np.repeat(each.offsets[each.which[people]], counts)
            position = (
                first
                + np.arange(len(owner))
                - np.repeat(np.cumsum(counts) - counts, counts)
            )
            some = each.single[position]
            owner, position = owner[some], position[some]
            value = (self.gap[owner] + gain[position]).min(axis=1)
            np.maximum.at(best, owner, value)
            tolerance = self.tolerance[owner]
            sure = np.flatnonzero(value > tolerance)
            here = cost[position]
            here[sure] = self._cost_where_reached(p, owner[sure], position[sure])
            order = sure[np.lexsort((here[sure], owner[sure]))]
            lead = (
                order[np.r_[True, owner[order][1:] != owner[order][:-1]]]
                if len(order)
                else order
            )
            cheaper = lead[here[lead] < price[owner[lead]]]
            who = owner[cheaper]
            price[who] = here[cheaper]
            out.choice[who] = self.stay(who)
            out.choice[who, p] = position[cheaper]
            doubt = np.flatnonzero(np.abs(value) <= tolerance)
            near += [(int(owner[k]), p, int(position[k])) for k in doubt]
        known = np.isfinite(price)
        out.note(np.flatnonzero(known), Status.SINGLE, Proof.WITNESS)
        out.cheapest[known] = self.priced[known]
        if self.budget.cost is None:
            asked = [entry for entry in near if not known[entry[0]]]
        else:
            near = [entry for entry in near if self._price(entry) < price[entry[0]]]
            asked = sorted(near, key=self._price, reverse=True)
        if asked:
            who = np.array([i for i, _, _ in asked])
            choice = self.stay(who)
            for k, (_, p, option) in enumerate(asked):
                choice[k, p] = option
            ok = self.reaches_target(who, choice)
            out.choice[who[ok]] = choice[ok]  # the last of several is the cheapest
            out.note(who[ok], Status.SINGLE, Proof.WITNESS)
            out.cheapest[who[ok]] = self.priced[who[ok]]

    def _price(self, entry: tuple[int, int, int]) -> float:
        _, p, position = entry
        return float(self.costs[p][position])

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

    def _others(self, out: EngineResult, people: IndexArray) -> None:
        """Decide people without a single intervention that reaches the target."""
        tolerance = self.tolerance[people]
        value, done = self.value[people], self.done[people]
        complete = self.complete[people]
        ceiling = self.ceiling[people].min(axis=1)
        # A bound from a program is less exact than a list.
        margin = np.maximum(_MARGIN * (1.0 + np.abs(ceiling)), tolerance)
        margin = np.where(complete, tolerance, margin)
        low = (complete & done & (value < -tolerance)) | (ceiling < -margin)
        out.note(people[low], Status.FIXED, Proof.BOUND)
        out.note(people[~complete & ~low], Status.UNKNOWN, Proof.INCOMPLETE)
        joint = people[~low & (value > tolerance)]
        close = np.abs(value) <= tolerance
        near = people[~complete & ~low & close]
        near = near[self.reaches_target(near, out.best[near])]
        joint = np.concatenate([joint, near])
        out.choice[joint] = out.best[joint]
        if self.budget.cost is None:
            if self.gap.shape[1] == 1:
                out.choice[joint] = self._few_parts(joint, out.best[joint])
        else:
            for i in joint:
                if self.budget.deadline.is_over:
                    break
                self._cheapest(out, int(i))
        self.note_joint(out, joint, out.choice[joint])
        for i in people[complete & close]:
            if self.budget.deadline.is_over:
                break
            # Half of the points to find choices, half to evaluate them.
            max_steps = (self.budget.max_points - int(out.used[i])) // 2
            wanted_gain = -float(self.tolerance[i])
            choice, _, ended, nodes = self._search(
                int(i), SearchMode.ALL, wanted_gain, max_steps
            )
            out.used[i] += nodes
            cost = self.cost[choice + self.start[:-1]].sum(axis=1)
            self.settle(out, int(i), choice, cost, ended)

    def _cheapest(self, out: EngineResult, i: int) -> None:
        """Search the cheapest choice that reaches the target.

        It is the cheapest change only where the options are everything the person can
        do: otherwise several numbers can each go part of the way.
        """
        tolerance = float(self.tolerance[i])
        for wanted_gain in (-tolerance, float(np.nextafter(tolerance, np.inf))):
            max_steps = self.budget.max_points - int(out.used[i])
            choice, value, ended, nodes = self._search(
                i, SearchMode.CHEAPEST, wanted_gain, max_steps
            )
            out.used[i] += nodes
            if not len(choice):
                return
            if value > tolerance or self.reaches_target(np.array([i]), choice)[0]:
                out.choice[i] = choice[0]
                out.cheapest[i] = wanted_gain < 0 and ended and self.listed[i]
                return

    def _few_parts(self, people: IndexArray, best: IndexArray) -> IndexArray:
        """Keep the largest gains of a choice that reach the target; undo the rest."""
        gains = np.array(
            [gain[best[:, p], 0] for p, gain in enumerate(self.gains)]
        ).T.reshape(best.shape)
        order = np.argsort(-self._rank(gains), axis=1, kind="stable")
        before = np.cumsum(np.take_along_axis(gains, order, axis=1), axis=1)
        before = np.concatenate([np.zeros((len(people), 1)), before[:, :-1]], axis=1)
        enough = self.gap[people] + before > self.tolerance[people, None]
        needed = np.empty(best.shape, dtype=bool)
        np.put_along_axis(needed, order, ~enough, axis=1)
        return np.where(needed, best, self.stay(people))
