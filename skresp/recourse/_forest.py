"""Certificates of tree ensembles: exact, by branch and bound over tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import OutOfTimeError, Part, allowance
from skresp.scores import Door

from ._boxes import search, search_all
from ._branch import ALL, CHEAPEST
from ._classes import Classes, Coder, classes_of, tolerance_of
from ._compile import Trees
from ._cuts import Cutter
from ._found import (
    BOUND,
    FIXED,
    NOT_ALL,
    SINGLE,
    UNKNOWN,
    WITNESS,
    Ask,
    Found,
)
from ._layout import Layout
from ._meter import metered
from ._one_part import alone_all, sums_of
from ._options import Options
from ._run import MOST_ASKED, Run
from ._tables import MOST_PARTS

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class Forest:
    """A tree ensemble whose decision is known."""

    along: Any
    coder: Coder
    trees: Trees
    base: Numbers
    tolerance: float

    told = True

    @classmethod
    def of(cls, along: Any) -> Forest:
        """The forest of a model that can be told along lines."""
        coder = Coder.of(along.ensemble)
        allowance().deadline.check()
        trees, base = coder.trees(along.ensemble, along.decision)
        tolerance = tolerance_of(trees, along.decision, along.ensemble.rule)
        return cls(along, coder, trees, base, tolerance)

    def cutter(self, door: Door, part: Part, codes: Numbers) -> Cutter:
        """Where along lines of a part the trees may change their mind."""
        return Cutter(self.along, door, part, codes)

    @property
    def fineness(self) -> int:
        """Into how many pieces a line may be cut."""
        return max([1, *(len(cuts) for cuts in self.coder.thresholds.values())])

    def examine(
        self,
        door: Door,
        options: Sequence[Options],
        costs: Sequence[Numbers],
        rows: Places,
        denied: Truth,
        ask: Ask,
    ) -> Found:
        """The verdicts of a run of people who are denied; of the others the best."""
        classes = classes_of(door, self.along, self.coder, options, costs, rows)
        run = _Run(self, door, list(options), rows, denied, ask, classes)
        return run.found()


class _Run(Run):
    """One run of people through a forest."""

    def __init__(
        self,
        forest: Forest,
        door: Door,
        options: list[Options],
        rows: Places,
        denied: Truth,
        ask: Ask,
        classes: Classes,
    ) -> None:
        super().__init__(door, options, rows, denied, ask)
        self.forest, self.classes = forest, classes
        self.layout = Layout.of(classes.first, classes.count)
        self.gain = np.zeros((len(self.layout.owner), forest.trees.gain.shape[1]))
        self.still = np.zeros((len(rows), self.gain.shape[1]))

    def found(self) -> Found:
        """The verdicts of those who are denied, and the best of all where asked."""
        forest, classes = self.forest, self.classes
        n, parts = classes.first.shape
        out = Found.blank(self.options, n)
        everybody = np.arange(n) if self.ask.exact else np.flatnonzero(self.denied)
        try:
            self._alone(
                everybody,
                classes.codes,
                classes.first,
                classes.count,
                self.layout.start,
                self.still,
                self.gain,
            )
        except OutOfTimeError:
            return out
        owner, part = self.layout.owner, self.layout.part
        self.alone = (forest.base + self.still[owner] + self.gain).min(axis=1)
        size = np.abs(self.gain).max(axis=1, initial=0.0)
        self.influence = np.zeros((n, parts))
        np.maximum.at(self.influence, (owner, part), size)
        out.used[:] = self.points
        if self.ask.exact:
            self._best(out)
            return out
        try:
            self._singles(out)
            rest = np.flatnonzero(self.denied & (out.status == UNKNOWN))
            self._others(out, rest)
        except OutOfTimeError:
            pass  # what has been noted stays
        return out

    def _alone(
        self,
        people: Places,
        codes: Any,
        first: Any,
        count: Any,
        start: Any,
        stay: Numbers,
        gain: Numbers,
    ) -> None:
        """`alone_all`, some trees at a time."""
        trees, classes = self.forest.trees, self.classes
        for some in self.ask.deadline.slices(len(trees.roots)):
            alone_all(
                people,
                trees._replace(roots=trees.roots[some]),
                classes.part_of,
                classes.slot_of,
                codes,
                classes.class_code,
                first,
                count,
                start,
                stay,
                gain,
            )

    # -- one change at a time ---------------------------------------------------------

    def _singles(self, out: Found) -> None:
        classes, tolerance = self.classes, self.forest.tolerance
        owner = self.layout.owner
        price = classes.single_cost[self.layout.which]
        some = self.denied[owner] & np.isfinite(price)
        sure = np.flatnonzero(some & (self.alone > tolerance))
        # The cheapest of each person comes last, and stays.
        self._note_single(out, sure[np.lexsort((-price[sure], owner[sure]))])
        least = np.full(len(self.rows), np.inf)
        if self.ask.cost is None:
            least[out.status == SINGLE] = -np.inf
        else:
            np.minimum.at(least, owner[sure], price[sure])
        near = np.flatnonzero(
            some & (np.abs(self.alone) <= tolerance) & (price < least[owner])
        )
        if len(near):
            # So near that only the model itself can tell.
            near = near[np.lexsort((-price[near], owner[near]))]
            choice = self._single_choice(near)
            ok = self.reached(owner[near], choice)
            self._note_single(out, near[ok])

    def _single_choice(self, entries: Places) -> Places:
        """Choices in which but one part does not stay put."""
        choice = self.stay(self.layout.owner[entries])
        moved = self.classes.single[self.layout.which[entries]]
        choice[np.arange(len(entries)), self.layout.part[entries]] = moved
        return choice

    def _note_single(self, out: Found, entries: Places) -> None:
        """Note a way of each owner, the last of several."""
        who, back = np.unique(self.layout.owner[entries][::-1], return_index=True)
        last = entries[::-1][back]
        out.choice[who] = self._single_choice(last)
        out.note(who, SINGLE, WITNESS)
        out.cheapest[who] = self.priced[who]

    # -- all parts together -----------------------------------------------------------

    def _search_all(
        self, out: Found, people: Places, value: Numbers, enough: float
    ) -> tuple[Any, Truth]:
        """Classes that beat the values given, and who was searched to the end."""
        forest, classes = self.forest, self.classes
        n, parts = classes.first.shape
        choice = np.full((n, parts), -1, dtype=np.int64)
        done = np.zeros(n, dtype=bool)
        used = np.zeros(n, dtype=np.int64)
        few = (classes.count[people] > 1).sum(axis=1) <= MOST_PARTS
        people = people[few]
        deadline = self.ask.deadline
        budget = self.ask.max_points - out.used
        for chunk in np.array_split(
            people, max(1, len(people) // (1 if deadline.is_limited else 64))
        ):
            if deadline.is_over or not len(chunk):
                break

            def attempt(meter: Any, chunk: Places = chunk) -> None:
                search_all(
                    chunk,
                    enough,
                    budget,
                    forest.trees,
                    forest.base,
                    classes.part_of,
                    classes.slot_of,
                    classes.codes,
                    classes.class_code,
                    classes.cost,
                    classes.first,
                    classes.count,
                    self.influence,
                    value,
                    choice,
                    used,
                    done,
                    meter,
                )

            metered(deadline, attempt)
        out.used += used
        return choice, done

    def _best(self, out: Found) -> None:
        """The choice with the greatest gap of everybody."""
        n = len(self.rows)
        top = self.layout.best(self.alone)
        value = self.alone[top].copy()
        choice, done = self._search_all(out, np.arange(n), value, np.inf)
        out.best[:] = self._as_options(np.arange(n), choice)
        still = np.flatnonzero((choice < 0).all(axis=1))  # one change does as much
        entry = top[still]
        out.best[still] = self.stay(still)
        moved = self.classes.option[self.layout.which[entry]]
        out.best[still, self.layout.part[entry]] = moved
        # With several rivals the greatest lead is not the greatest probability.
        out.best_known[:] = done & self.complete & (len(self.forest.base) == 1)

    def _as_options(self, people: Places, choice: Any) -> Places:
        """Classes as options, the cheapest of each; staying put where there is none."""
        if not len(self.classes.option):
            return self.stay(people)
        picked = self.classes.option[np.maximum(choice, 0)]
        return np.where(choice >= 0, picked, self.stay(people))

    def _others(self, out: Found, people: Places) -> None:
        """Those whom no single change helps: several at once, or nothing."""
        tolerance = self.forest.tolerance
        n, parts = self.classes.first.shape
        value = np.full(n, -tolerance)
        classes = np.full((n, parts), -1, dtype=np.int64)
        done = np.zeros(n, dtype=bool)
        self._step_by_step(out, people, value, classes)
        if self.ask.cost is None:
            rest = people[value[people] <= tolerance]
            found, done = self._search_all(out, rest, value, tolerance)
            classes[rest] = found[rest]
        else:
            for i in people:
                if self.ask.deadline.is_over:
                    break
                self._cheapest(out, int(i), value, classes, done)
        sure = value[people] > tolerance
        joint = people[sure]
        if self.ask.cost is None:
            self._undo_needless(joint, classes)
        self.note_joint(out, joint, self._as_options(joint, classes[joint]))
        # Where the list of changes is not complete, one that helps may be missing.
        low = people[~sure & done[people] & (value[people] <= -tolerance)]
        out.note(low[self.complete[low]], FIXED, BOUND)
        out.note(low[~self.complete[low]], UNKNOWN, NOT_ALL)
        for i in people[~sure & (value[people] > -tolerance)]:
            if self.ask.deadline.is_over:
                break
            self._near_border(out, int(i))

    def _step_by_step(
        self, out: Found, people: Places, value: Numbers, chosen: Any
    ) -> None:
        """Take the best change of one part, then of another, while that helps.

        Whoever gets to the target this way needs no search. `value` and `chosen` are
        set for them.
        """
        forest, given, tolerance = self.forest, self.classes, self.forest.tolerance
        n, parts = len(people), given.first.shape[1]
        first, count = given.first[people], given.count[people].copy()
        codes = given.codes[people]
        layout = Layout.of(first, count)
        steps = np.full((n, parts), -1, dtype=np.int64)
        reach = np.full(n, -np.inf)
        active = np.arange(n)
        while len(active):
            # A step is one partial choice.
            active = active[out.used[people[active]] < self.ask.max_points]
            out.used[people[active]] += 1
            stay = np.zeros((n, self.gain.shape[1]))
            gain = np.zeros((len(layout.owner), self.gain.shape[1]))
            try:
                self._alone(active, codes, first, count, layout.start, stay, gain)
            except OutOfTimeError:
                break
            gaps = (forest.base + stay[layout.owner] + gain).min(axis=1)
            taken = count[layout.owner, layout.part] == 1  # have had their turn
            gaps[taken] = -np.inf
            top = layout.best(gaps)
            active = active[gaps[top[active]] > reach[active]]
            entry = top[active]
            reach[active] = gaps[entry]
            steps[active, layout.part[entry]] = layout.which[entry]
            codes[active] = given.moved(people[active], steps[active])
            count[active, layout.part[entry]] = 1
            active = active[(reach[active] <= tolerance)]
            active = active[(count[active] > 1).any(axis=1)]
        there = reach > tolerance
        value[people[there]] = reach[there]
        chosen[people[there]] = steps[there]

    def _undo_needless(self, people: Places, chosen: Any) -> None:
        """Take back, part by part, what the target is reached without."""
        forest, given = self.forest, self.classes
        for p in range(chosen.shape[1]):
            # Of two changes both are needed: one alone does not help.
            some = (chosen[people, p] >= 0) & ((chosen[people] >= 0).sum(axis=1) > 2)
            who = people[some]
            if not len(who):
                continue
            tried = chosen[who]
            tried[:, p] = -1
            sums = sums_of(forest.trees, given.moved(who, tried))
            ok = (forest.base + sums).min(axis=1) > forest.tolerance
            chosen[who[ok], p] = -1

    def _search(
        self, i: int, mode: int, goal: float, budget: int, best: Any, found: Any
    ) -> Any:
        forest, classes = self.forest, self.classes
        order = np.argsort(-self.influence[i], kind="stable")
        order = order[classes.count[i, order] > 1]
        place = np.full(len(self.options) + 1, -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        if len(order) > MOST_PARTS:
            return order, (0, 0, -np.inf, False)
        return order, metered(
            self.ask.deadline,
            lambda meter: search(
                mode,
                goal,
                np.inf,
                budget,
                forest.trees,
                forest.base,
                place[classes.part_of],
                classes.slot_of,
                classes.codes[i],
                classes.class_code,
                classes.cost,
                classes.first[i, order],
                classes.count[i, order],
                -np.inf,
                best,
                found,
                meter,
            ),
        )

    def _cheapest(
        self, out: Found, i: int, value: Numbers, classes: Any, done: Truth
    ) -> None:
        """The cheapest choice that may reach the target, or else that surely does."""
        parts = int((self.classes.count[i] > 1).sum())
        tolerance = self.forest.tolerance
        for goal in (-tolerance, float(np.nextafter(tolerance, np.inf))):
            best = np.full(parts, -1, dtype=np.int64)
            nothing = np.zeros((0, parts), dtype=np.int64)
            budget = self.ask.max_points - int(out.used[i])
            order, answer = self._search(i, CHEAPEST, goal, budget, best, nothing)
            _, nodes, found, ended = answer
            out.used[i] += nodes
            done[i] |= ended
            if found < goal:
                return
            tried = np.full((1, classes.shape[1]), -1, dtype=np.int64)
            tried[0, order] = best
            who = np.array([i])
            doubtful = found <= tolerance
            if not doubtful or self.reached(who, self._as_options(who, tried))[0]:
                value[i] = max(found, np.nextafter(tolerance, np.inf))
                classes[i] = tried[0]
                out.cheapest[i] = goal < 0 and ended and self.priced[i]
                return
            value[i] = max(value[i], float(np.nextafter(found, np.inf)))

    def _near_border(self, out: Found, i: int) -> None:
        """Somebody whose best is so near to the border that the model must be asked."""
        parts = int((self.classes.count[i] > 1).sum())
        budget = self.ask.max_points - int(out.used[i])
        # Half to find them, half to ask about them.
        found = np.full((min(MOST_ASKED, budget // 2), parts), -1, dtype=np.int64)
        best = np.full(parts, -1, dtype=np.int64)
        order, (count, nodes, _, done) = self._search(
            i, ALL, -self.forest.tolerance, budget // 2, best, found
        )
        out.used[i] += nodes
        choice = np.full((count, len(self.options)), -1, dtype=np.int64)
        choice[:, order] = found[:count]
        cost = np.where(choice >= 0, self.classes.cost[np.maximum(choice, 0)], 0.0)
        picks = self._as_options(np.full(count, i), choice)
        self.settle(out, i, picks, cost.sum(axis=1), bool(done))
