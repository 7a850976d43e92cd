"""Certificates of linear models: each part adds its share, so the best are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import MOST_NODES, OutOfTimeError, Part, allow
from skresp.scores import Door

from ._branch import ALL, BEST, CHEAPEST
from ._cost import costs_of
from ._found import (
    BOUND,
    FIXED,
    NOT_ALL,
    SINGLE,
    UNKNOWN,
    WITNESS,
    Ask,
    Found,
    option_pairs,
)
from ._meter import metered
from ._optimum import Optimum, best_change
from ._options import Options, stands_alone
from ._run import MOST_ASKED, Run
from ._sums import search_sums
from ._tables import MOST_PARTS

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]

# How far, relative to its size, a bound over a program must lie below the decision.
_MARGIN = 1e-6
# A bound this close to what is attained is the optimum.
_CLOSE = 1e-7


@dataclass(frozen=True)
class Additive:
    """A linear model whose decision is known."""

    along: Any
    tolerance: float

    @classmethod
    def of(cls, along: Any) -> Additive:
        """The additive form of a model that can be told along lines."""
        return cls(along, along.decision.tolerance)

    fineness = 1

    @property
    def told(self) -> bool:
        """Whether the best of a line stands at one of its ends.

        With several rivals it may lie between them.
        """
        return self.along.decision.cut is not None or self.along.decision.rivals == 1

    def cutter(self, door: Door, part: Part, codes: Numbers) -> None:
        """None: the best of a line stands at one of its ends."""

    def gaps(self, points: Any) -> Numbers:
        """How far points are ahead of each rival."""
        decision = self.along.decision
        return decision.gaps(self.along.scores(points)) - decision.offset

    def gains(self, before: Any, after: Any, which: Places) -> tuple[Numbers, Numbers]:
        """Return what points add to the gaps, and the sizes of what that sums up.

        The points `after` started from those at the places `which` of `before`.
        """
        decision = self.along.decision
        gain, size = self.along.changes(before, after, which)
        return decision.gaps(gain), decision.sizes(size)

    def roundings(self, points: Any) -> tuple[Numbers, float]:
        """Return the sizes of what gaps are sums of, and how far sums may be off."""
        decision = self.along.decision
        size, share = self.along.roundings(points)
        return decision.sizes(size) + abs(decision.offset), share

    def examine(
        self,
        door: Door,
        options: Sequence[Options],
        costs: Sequence[Numbers],
        rows: Places,
        denied: Truth,
        ask: Ask,
    ) -> Found:
        """The verdicts of a run of people who are denied; of all of them the best."""
        return _Run(self, door, list(options), costs, rows, denied, ask).found()


class _Run(Run):
    """One run of people."""

    def __init__(
        self,
        model: Additive,
        door: Door,
        options: list[Options],
        costs: Sequence[Numbers],
        rows: Places,
        denied: Truth,
        ask: Ask,
    ) -> None:
        super().__init__(door, options, rows, denied, ask)
        self.model, self.costs = model, list(costs)
        points = door.wardrobe.take(rows, [])
        self.gap = model.gaps(points)
        size, share = model.roundings(points)
        optima = [self._optima(p) for p in range(len(options))]
        pairs = [self._gains(each) for each in options]
        self.gains = [gain for gain, _ in pairs]
        # What nobody can exceed, against each rival.
        self.ceiling = self.gap.copy()
        self.nodes = np.zeros(len(rows), dtype=np.int64)
        for each, (gain, sizes), found in zip(options, pairs, optima, strict=True):
            most = np.maximum.reduceat(gain, each.offsets[:-1], axis=0)
            large = np.maximum.reduceat(sizes, each.offsets[:-1], axis=0)
            for i, optimum in found.items():
                most[i] = [each.bound for each in optimum]
                large[i] = np.maximum(large[i], np.where(most[i] < np.inf, most[i], 0))
            self.ceiling += most[each.which]
            size += large[each.which]
            nodes = np.zeros(len(each.values), dtype=np.int64)
            for i, optimum in found.items():
                nodes[i] = sum(each.nodes for each in optimum)
            self.nodes += nodes[each.which]
        # A gap within this of 0 is in doubt: the terms of a person's own score, and of
        # what can be added to it, round.
        self.tolerance = np.maximum(model.tolerance, share * size.max(axis=1))
        self.start = np.cumsum([0, *(len(each.changes) for each in options)])
        width = self.gap.shape[1]
        self.gain = np.concatenate([np.zeros((0, width)), *self.gains])
        self.cost = np.concatenate([np.zeros(0), *self.costs])

    def _optima(self, p: int) -> dict[int, list[Optimum]]:
        """Bound the gains of values whose changes are not listed, rival by rival.

        The change that was found on the way joins the options of the part.
        """
        options, width = self.options[p], self.gap.shape[1]
        if stands_alone(options.part, 0) and not options.is_thinned:
            return {}  # both ends are among the options: the best of each rival
        wanted = ~options.complete
        if not self.ask.exact:
            wanted &= np.bincount(
                options.which[self.denied], minlength=len(options.values)
            ).astype(bool)
        found: dict[int, list[Optimum]] = {}
        for i in np.flatnonzero(~options.complete).tolist():
            found[i] = [Optimum(None, np.inf, 0)] * width
            if wanted[i] and not self.ask.deadline.is_over:
                found[i] = [self._optimum(options, i, r) for r in range(width)]
        extra = {
            i: optimum[0].change
            for i, optimum in found.items()
            if width == 1 and optimum[0].change is not None
        }
        if extra:
            self.options[p] = options.with_changes(extra)
            self.costs[p] = costs_of(
                self.ask, options.part, self.options[p].before, self.options[p].changes
            )
        return found

    def _optimum(self, options: Options, i: int, rival: int) -> Optimum:
        def gain(changes: Numbers) -> Numbers:
            return self._gains(options.of_changes(i, changes))[0][1:, rival]

        # Half of the points, shared by all features and rivals.
        share = self.ask.max_points // (2 * self.ask.features * self.gap.shape[1])
        nothing = Optimum(None, np.inf, 0)
        if not share:
            return nothing
        try:
            with allow(self.ask.deadline):
                return best_change(
                    options.part,
                    options.values[i],
                    gain,
                    most=min(share, MOST_NODES),
                    deadline=self.ask.deadline.at,
                )
        except OutOfTimeError:
            return nothing

    def _gains(self, options: Options) -> tuple[Numbers, Numbers]:
        """Return what each option of a part adds to the gaps, and the sizes of it."""
        pairs = option_pairs(self.door, options)
        found = [self.model.gains(*pair) for pair in pairs]
        gains, sizes = zip(*found, strict=True)
        return np.concatenate(gains), np.concatenate(sizes)

    def _rank(self, gain: Numbers) -> Numbers:
        """Round gains, to compare them.

        How the model rounds depends on the row that a value is tried in, and on the
        rows beside it; equal gains shall be equal whoever that is.
        """
        unit = max(self.model.tolerance, np.finfo(float).tiny) / 1024
        return np.rint(gain / unit)

    def found(self) -> Found:
        out = Found.blank(self.options, len(self.rows))
        out.used[:] = self.points + self.nodes
        try:
            self._best(out)
            self._singles(out)
            self._others(out, np.flatnonzero(self.denied & (out.status == UNKNOWN)))
        except OutOfTimeError:
            pass  # what has been noted stays
        return out

    def _best(self, out: Found) -> None:
        """The option of each part that adds most; with several rivals, a search."""
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
                if self.ask.deadline.is_over:
                    break
                # Half of the points; the other half is for what follows.
                budget = (self.ask.max_points - int(out.used[i])) // 2
                choice, value, done, nodes = self._search(int(i), BEST, 0.0, budget)
                out.used[i] += nodes
                self.done[i] = done
                if len(choice):
                    out.best[i], self.value[i] = choice[0], value
        # With several rivals the greatest lead is not the greatest probability.
        attained = self.ceiling[:, 0] - self.value <= _CLOSE * (1 + np.abs(self.value))
        out.best_known[:] = self.done & attained & (width == 1)

    def _singles(self, out: Found) -> None:
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
            place = (
                first
                + np.arange(len(owner))
                - np.repeat(np.cumsum(counts) - counts, counts)
            )
            some = each.single[place]
            owner, place = owner[some], place[some]
            value = (self.gap[owner] + gain[place]).min(axis=1)
            np.maximum.at(best, owner, value)
            tolerance = self.tolerance[owner]
            sure = np.flatnonzero(value > tolerance)
            here = cost[place]
            here[sure] = self._cost_where_reached(p, owner[sure], place[sure])
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
            out.choice[who, p] = place[cheaper]
            doubt = np.flatnonzero(np.abs(value) <= tolerance)
            near += [(int(owner[k]), p, int(place[k])) for k in doubt]
        known = np.isfinite(price)
        out.note(np.flatnonzero(known), SINGLE, WITNESS)
        out.cheapest[known] = self.priced[known]
        if self.ask.cost is None:
            asked = [entry for entry in near if not known[entry[0]]]
        else:
            near = [entry for entry in near if self._price(entry) < price[entry[0]]]
            asked = sorted(near, key=self._price, reverse=True)
        if asked:
            who = np.array([i for i, _, _ in asked])
            choice = self.stay(who)
            for k, (_, p, place_of) in enumerate(asked):
                choice[k, p] = place_of
            ok = self.reached(who, choice)
            out.choice[who[ok]] = choice[ok]  # of several the last, the cheapest
            out.note(who[ok], SINGLE, WITNESS)
            out.cheapest[who[ok]] = self.priced[who[ok]]

    def _price(self, entry: tuple[int, int, int]) -> float:
        _, p, place = entry
        return float(self.costs[p][place])

    def _cost_where_reached(self, p: int, owner: Places, place: Places) -> Numbers:
        """Return the costs of the nearest changes that reach the target by options.

        `place` are options of part `p` that reach it for the people `owner`. On the
        way there from the next option inward the gaps are linear.
        """
        each, cost = self.options[p], self.costs[p][place]
        inward = each.inward[place]
        if self.ask.cost is None or callable(self.ask.cost) or (inward < 0).all():
            return cost
        some = np.flatnonzero(inward >= 0)
        near, far = inward[some], place[some]
        goal = self.tolerance[owner[some], None]
        short = goal - self.gap[owner[some]] - self.gains[p][near]
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
        # Without the last digits, which depend on the row that gains are measured in.
        part, power = np.frexp(costs_of(self.ask, each.part, before, change))
        cost[some] = np.ldexp(np.rint(part * 2**36), power - 36)
        return cost

    def _others(self, out: Found, people: Places) -> None:
        tolerance = self.tolerance[people]
        value, done = self.value[people], self.done[people]
        complete = self.complete[people]
        ceiling = self.ceiling[people].min(axis=1)
        # A bound over a program is less exact than a list.
        margin = np.maximum(_MARGIN * (1.0 + np.abs(ceiling)), tolerance)
        margin = np.where(complete, tolerance, margin)
        low = (complete & done & (value < -tolerance)) | (ceiling < -margin)
        out.note(people[low], FIXED, BOUND)
        out.note(people[~complete & ~low], UNKNOWN, NOT_ALL)
        joint = people[~low & (value > tolerance)]
        close = np.abs(value) <= tolerance
        near = people[~complete & ~low & close]
        near = near[self.reached(near, out.best[near])]
        joint = np.concatenate([joint, near])
        out.choice[joint] = out.best[joint]
        if self.ask.cost is None:
            if self.gap.shape[1] == 1:
                out.choice[joint] = self._few_parts(joint, out.best[joint])
        else:
            for i in joint:
                if self.ask.deadline.is_over:
                    break
                self._cheapest(out, int(i))
        self.note_joint(out, joint, out.choice[joint])
        for i in people[complete & close]:
            if self.ask.deadline.is_over:
                break
            # Half to find them, half to ask about them.
            budget = (self.ask.max_points - int(out.used[i])) // 2
            goal = -float(self.tolerance[i])
            choice, _, ended, nodes = self._search(int(i), ALL, goal, budget)
            out.used[i] += nodes
            cost = self.cost[choice + self.start[:-1]].sum(axis=1)
            self.settle(out, int(i), choice, cost, ended)

    def _cheapest(self, out: Found, i: int) -> None:
        """The cheapest options together that reach the target.

        They are the cheapest changes only where the options are all there is: else
        several numbers can each go a part of their way.
        """
        tolerance = float(self.tolerance[i])
        for goal in (-tolerance, float(np.nextafter(tolerance, np.inf))):
            budget = self.ask.max_points - int(out.used[i])
            choice, value, ended, nodes = self._search(i, CHEAPEST, goal, budget)
            out.used[i] += nodes
            if not len(choice):
                return
            if value > tolerance or self.reached(np.array([i]), choice)[0]:
                out.choice[i] = choice[0]
                out.cheapest[i] = goal < 0 and ended and self.listed[i]
                return

    def _few_parts(self, people: Places, best: Places) -> Places:
        """Of the best of each part as few as it takes, the largest gains first."""
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

    def _search(
        self, i: int, mode: int, goal: float, budget: int
    ) -> tuple[Places, float, bool, int]:
        """Choices of options of one person, with value, whether done, and nodes."""
        stay = self.stay(np.array([i]))
        first = stay[0] + self.start[:-1]
        count = np.array([o.counts_of_people[i] for o in self.options], dtype=np.int64)
        spread = np.array(
            [
                np.abs(self.gain[f : f + c]).max() if c else 0.0
                for f, c in zip(first, count, strict=True)
            ]
        )
        order = np.argsort(-spread, kind="stable")
        order = order[(count > 1)[order] & (spread > 0)[order]]
        cut = len(order) > MOST_PARTS
        order = order[:MOST_PARTS]  # of more, the rest stay put
        best = np.full(len(order), -1, dtype=np.int64)
        room = min(MOST_ASKED, budget) if mode == ALL else 0
        found = np.full((room, len(order)), -1, np.int64)
        many, nodes, value, done = metered(
            self.ask.deadline,
            lambda meter: search_sums(
                mode,
                goal,
                budget,
                self.gap[i],
                self.gain,
                self.cost,
                first[order].astype(np.int64),
                count[order],
                best,
                found,
                meter,
            ),
        )
        if mode == ALL:
            rows = found[:many]
        else:
            rows = best[None] if (best >= 0).all() else best[None][:0]
        choice = np.repeat(stay, len(rows), axis=0)
        choice[:, order] = rows - self.start[:-1][order]
        return choice, value, bool(done) and not cut, int(nodes)
