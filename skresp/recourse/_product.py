"""Certificates of any model: its answers to every combination, within a budget.

One change at a time first, then two parts at once, three, and so on, the cheap ones
before the dear; whoever has found a way is asked about no more.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp.reach import OutOfTimeError, Part
from skresp.scores import Door

from ._found import (
    EXHAUSTION,
    FIXED,
    JOINT,
    NOT_ALL,
    POSSIBLE,
    SINGLE,
    UNKNOWN,
    WITNESS,
    Ask,
    Found,
)
from ._options import Options
from ._run import Run

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]

# Points of one person in one round, at first and at most.
_FIRST_ROUND = 64
_LARGEST_ROUND = 4_096
# Combinations from all over, where there are too many to go through soon.
_AT_RANDOM = 1_024


@dataclass(frozen=True)
class Product:
    """A model of which nothing is known but its answers."""

    fineness = 1
    told = False

    def cutter(self, door: Door, part: Part, codes: Numbers) -> None:
        """None: nothing is known along lines."""

    def examine(
        self,
        door: Door,
        options: Sequence[Options],
        costs: Sequence[Numbers],
        rows: Places,
        denied: Truth,
        ask: Ask,
    ) -> Found:
        """The verdicts of a run of people who are denied."""
        if ask.exact:
            return Found.blank(options, len(rows))  # the best is never known
        return _Run(door, list(options), costs, rows, denied, ask).found()


class _Run(Run):
    """One run of people."""

    def __init__(
        self,
        door: Door,
        options: list[Options],
        costs: Sequence[Numbers],
        rows: Places,
        denied: Truth,
        ask: Ask,
    ) -> None:
        super().__init__(door, options, rows, denied, ask)
        # The options of each value, cheapest first; staying put costs nothing.
        self.order = [
            np.lexsort((np.arange(len(cost)), cost, each.owner))
            for each, cost in zip(options, costs, strict=True)
        ]
        self.costs = costs

    def found(self) -> Found:
        out = Found.blank(self.options, len(self.rows))
        singles_seen = self._search(out, self._singles, SINGLE, self.denied)
        left = self.denied & (out.status == UNKNOWN) & singles_seen
        all_seen = self._search(out, self._several, JOINT, left) & singles_seen
        self._undo_needless(out)
        rest = self.denied & (out.status == UNKNOWN)
        out.note(np.flatnonzero(rest & all_seen & self.complete), FIXED, EXHAUSTION)
        out.note(np.flatnonzero(rest & all_seen & ~self.complete), UNKNOWN, NOT_ALL)
        # Where not all single changes are listed, one that works may be missing.
        doubtful = (out.status == JOINT) & ~self.complete
        out.note(np.flatnonzero(doubtful), POSSIBLE, WITNESS)
        return out

    def _undo_needless(self, out: Found) -> None:
        """Take back, part by part, what the target is reached without."""
        people = np.flatnonzero(out.status == JOINT)
        # Each part that a person can move is one question more.
        parts = np.zeros(len(self.rows), dtype=np.int64)
        for each in self.options:
            parts += each.counts_of_people > 1
        people = people[(out.used + parts)[people] <= self.ask.max_points]
        stay = self.stay(people)
        for p in range(len(self.options)):
            moved = out.choice[people] != stay
            # Of two changes both are needed: one alone does not help.
            some = moved[:, p] & (moved.sum(axis=1) > 2)
            if some.any():
                tried = out.choice[people[some]]
                tried[:, p] = stay[some, p]
                out.used[people[some]] += 1
                try:
                    ok = self.reached(people[some], tried)
                except OutOfTimeError:
                    return
                out.choice[people[some][ok]] = tried[ok]

    def _search(
        self,
        out: Found,
        source: Callable[[int], Iterator[Places]],
        status: int,
        who: Truth,
    ) -> Truth:
        """Ask about the points of a source, some of everybody at a time.

        Returns of whom all points were seen, or enough, before the time was up.
        """
        seen = np.zeros(len(self.rows), dtype=bool)
        with contextlib.suppress(OutOfTimeError):
            self._search_on(out, source, status, who, seen)
        return seen

    def _search_on(
        self,
        out: Found,
        source: Callable[[int], Iterator[Places]],
        status: int,
        who: Truth,
        seen: Truth,
    ) -> None:
        waiting = {int(i): _Tap(source(int(i))) for i in np.flatnonzero(who)}
        size = _FIRST_ROUND
        while waiting:
            self.ask.deadline.check()
            people: list[int] = []
            points: list[Places] = []
            for i, tap in list(waiting.items()):
                batch = tap.take(min(size, self.ask.max_points - int(out.used[i])))
                if len(batch):
                    people.append(i)
                    points.append(batch)
                    out.used[i] += len(batch)
                else:
                    seen[i] = tap.is_dry
                    del waiting[i]
                if people and (sum(map(len, points)) >= self.door.batch):
                    self._ask(out, people, points, status, waiting, seen)
                    people, points = [], []
            if people:
                self._ask(out, people, points, status, waiting, seen)
            size = min(2 * size, _LARGEST_ROUND)

    def _ask(
        self,
        out: Found,
        people: list[int],
        points: list[Places],
        status: int,
        waiting: dict[int, _Tap],
        seen: Truth,
    ) -> None:
        counts = [len(batch) for batch in points]
        choice = np.concatenate(points)
        who = np.repeat(people, counts)
        ok = self.reached(who, choice)
        cost = np.zeros(len(choice))
        for p, each in enumerate(self.costs):
            cost += each[choice[:, p]]
        hits = np.flatnonzero(ok)
        for k in hits[np.lexsort((-cost[hits], who[hits]))]:  # the cheapest comes last
            i = int(who[k])
            out.choice[i] = choice[k]
            out.note(i, status, WITNESS)
            # Single changes come in the order of their costs, several at once do not.
            out.cheapest[i] = status == SINGLE and self.priced[i]
            waiting.pop(i, None)
            seen[i] = True

    # -- points of one person ---------------------------------------------------------

    def _lists(self, i: int) -> list[Places]:
        """The options of a person on each part, staying put first."""
        out = []
        for each, order in zip(self.options, self.order, strict=True):
            value = each.which[i]
            out.append(order[each.offsets[value] : each.offsets[value + 1]])
        return out

    def _singles(self, i: int) -> Iterator[Places]:
        """Interventions on one feature, all parts together, the cheapest first."""
        yield from self._one_part(i, single=True)

    def _one_part(self, i: int, single: bool) -> Iterator[Places]:
        lists = self._lists(i)
        stay = np.array([options[0] for options in lists], dtype=np.intp)
        parts, found = [stay[:0]], [stay[:0]]
        price = [np.zeros(0)]
        for p, (each, options) in enumerate(zip(self.options, lists, strict=True)):
            moves = options[1:][each.single[options[1:]] == single]
            parts.append(np.full(len(moves), p))
            found.append(moves)
            price.append(self.costs[p][moves])
        order = np.argsort(np.concatenate(price), kind="stable")
        part, move = np.concatenate(parts)[order], np.concatenate(found)[order]
        for start in range(0, len(order), _LARGEST_ROUND):
            some = slice(start, start + _LARGEST_ROUND)
            choice = np.repeat(stay[None], len(part[some]), axis=0)
            choice[np.arange(len(choice)), part[some]] = move[some]
            yield choice

    def _several(self, i: int) -> Iterator[Places]:
        """Everything else: fewer parts before more."""
        yield from self._one_part(i, single=False)
        lists = self._lists(i)
        stay = np.array([options[0] for options in lists], dtype=np.intp)
        movable = [p for p, options in enumerate(lists) if len(options) > 1]
        if math.prod(len(options) for options in lists) > _LARGEST_ROUND:
            yield self._random(i, lists)
        for many in range(2, len(movable) + 1):
            for parts in itertools.combinations(movable, many):
                sizes = [len(lists[p]) - 1 for p in parts]
                for start in range(0, math.prod(sizes), _LARGEST_ROUND):
                    stop = min(start + _LARGEST_ROUND, math.prod(sizes))
                    picks = np.unravel_index(np.arange(start, stop), sizes)
                    choice = np.repeat(stay[None], stop - start, axis=0)
                    for p, pick in zip(parts, picks, strict=True):
                        choice[:, p] = lists[p][1 + pick]
                    yield choice

    def _random(self, i: int, lists: list[Places]) -> Places:
        """Combinations from all over: near ones alone may miss what is easy to find.

        They depend on what the person can move and on nothing else: which other parts
        are there depends on the other people.
        """
        movable = [p for p, options in enumerate(lists) if len(options) > 1]
        content = [
            self.options[p].values[self.options[p].which[i]] + 0.0 for p in movable
        ]
        words = np.concatenate(content).view(np.uint32).tolist()
        rng = np.random.default_rng([self.ask.seed, *words])
        choice = np.repeat(self.stay(np.array([i])), _AT_RANDOM, axis=0)
        for p in movable:
            choice[:, p] = lists[p][rng.integers(len(lists[p]), size=_AT_RANDOM)]
        return choice


class _Tap:
    """Points of a source, as many at a time as are wanted."""

    def __init__(self, source: Iterator[Places]) -> None:
        self._source = source
        self._held: list[Places] = []
        self.is_dry = False

    def take(self, many: int) -> Places:
        """The next points, at most so many."""
        held = sum(map(len, self._held))
        while held < max(many, 1) and not self.is_dry:
            batch = next(self._source, None)
            if batch is None:
                self.is_dry = True
            else:
                self._held.append(batch)
                held += len(batch)
        if not self._held:
            return np.zeros((0, 0), dtype=np.intp)
        joined = np.concatenate(self._held)
        self.is_dry = self.is_dry and len(joined) <= max(many, 0)
        self._held = [joined[max(many, 0) :]] if len(joined) > max(many, 0) else []
        return joined[: max(many, 0)]
