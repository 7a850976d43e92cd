"""The engine for models of which only predictions are known."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from skresp._recourse._status import Proof, Status
from skresp._typing import BoolArray, IndexArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._feasible_changes import MAX_LISTED_INTEGERS

from ._base import Engine, EngineInput, EngineResult, EngineRun

# Points of one person in the first round of questions to the model, and at most.
_FIRST_ROUND = 64
_LARGEST_ROUND = 4_096
# Random combinations of a person who has more than a round of them.
_RANDOM_CHOICES = 1_024


@dataclass(frozen=True)
class BlackBoxEngine(Engine):
    """Evaluate combinations of changes with `predict`, within a budget.

    Changes of one part come first, then of two parts, three, and so on, cheap ones
    before expensive ones. The search for a person ends at the first witness.

    Attributes
    ----------
    decides_unlisted : bool
        True where it is the last engine to ask.
    """

    decides_unlisted: bool = False

    max_listed = MAX_LISTED_INTEGERS

    def examine(self, given: EngineInput) -> EngineResult:
        """Compute verdicts for people who are denied; best scores stay unknown."""
        if given.budget.best_only:
            return EngineResult.blank(given.options, given.stay)
        return _BlackBoxRun(given).solve()


class _BlackBoxRun(EngineRun):
    """One call of `BlackBoxEngine.examine`."""

    def __init__(self, given: EngineInput) -> None:
        super().__init__(given)
        # The options of each value, cheapest first; staying put costs nothing.
        self.order = [
            np.lexsort((np.arange(len(cost)), cost, each.owner))
            for each, cost in zip(self.options, self.costs, strict=True)
        ]

    def solve(self) -> EngineResult:
        """Compute the verdicts."""
        out = EngineResult.blank(self.options, self.staying)
        singles_seen = self._search(out, self._singles, Status.SINGLE, self.denied)
        left = self.denied & (out.status == Status.UNKNOWN) & singles_seen
        all_seen = self._search(out, self._several, Status.JOINT, left) & singles_seen
        self._undo_needless(out)
        rest = self.denied & (out.status == Status.UNKNOWN) & all_seen
        out.note(np.flatnonzero(rest & self.covers_all), Status.FIXED, Proof.EXHAUSTION)
        out.note(
            np.flatnonzero(rest & ~self.covers_all), Status.UNKNOWN, Proof.INCOMPLETE
        )
        # Where not all single changes are listed, one that works may be missing.
        doubtful = (out.status == Status.JOINT) & ~self.covers_all
        out.note(np.flatnonzero(doubtful), Status.POSSIBLE, Proof.WITNESS)
        return out

    def _undo_needless(self, out: EngineResult) -> None:
        """Take back the change of each part without which the target is reached."""
        people = np.flatnonzero(out.status == Status.JOINT)
        # Each part that a person can move costs one more point.
        parts = np.zeros(len(self.rows), dtype=np.int64)
        for each in self.options:
            parts += each.counts_of_people > 1
        people = people[(out.used + parts)[people] <= self.budget.max_points]
        stay = self.stay(people)
        for p in range(len(self.options)):
            moved = out.choice[people] != stay
            # Of two changes both are needed: neither works alone.
            some = moved[:, p] & (moved.sum(axis=1) > 2)
            if some.any():
                tried = out.choice[people[some]]
                tried[:, p] = stay[some, p]
                out.used[people[some]] += 1
                try:
                    ok = self.reaches_target(people[some], tried)
                except OutOfTimeError:
                    return
                out.choice[people[some][ok]] = tried[ok]

    def _search(
        self,
        out: EngineResult,
        source: Callable[[int], Iterator[IndexArray]],
        status: Status,
        who: BoolArray,
    ) -> BoolArray:
        """Evaluate the choices that `source` yields for some people.

        Returns whose search ended within points and time, with a witness or because
        all choices were evaluated.
        """
        ended = np.zeros(len(self.rows), dtype=bool)
        waiting = {i: _ChoiceStream(source(i)) for i in np.flatnonzero(who).tolist()}
        with contextlib.suppress(OutOfTimeError):
            for people, choice in self._rounds(out, waiting, ended):
                for i in self._note_cheapest(out, people, choice, status):
                    waiting.pop(i, None)
                    ended[i] = True
        return ended

    def _rounds(
        self,
        out: EngineResult,
        waiting: dict[int, _ChoiceStream],
        ended: BoolArray,
    ) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Yield people and choices to evaluate, some of each person per round.

        This makes batches large. People without points or choices left stop waiting.
        """
        size = _FIRST_ROUND
        while waiting:
            self.budget.deadline.check()
            people: list[int] = []
            choices: list[IndexArray] = []
            for i, stream in list(waiting.items()):
                left = self.budget.max_points - int(out.used[i])
                chunk = stream.take(max(min(size, left), 0))
                if len(chunk):
                    people += [i] * len(chunk)
                    choices.append(chunk)
                    out.used[i] += len(chunk)
                else:
                    ended[i] = stream.is_exhausted
                    del waiting[i]
                if people and len(people) >= self.batch.batch_size:
                    yield np.array(people), np.concatenate(choices)
                    people, choices = [], []
            if people:
                yield np.array(people), np.concatenate(choices)
            size = min(2 * size, _LARGEST_ROUND)

    def _note_cheapest(
        self, out: EngineResult, people: IndexArray, choice: IndexArray, status: Status
    ) -> list[int]:
        """Evaluate choices, note the cheapest witness of each person; return whose."""
        hits = np.flatnonzero(self.reaches_target(people, choice))
        people, choice = people[hits], choice[hits]
        cost = np.zeros(len(choice))
        for p, each in enumerate(self.costs):
            cost += each[choice[:, p]]
        order = np.lexsort((-cost, people))[::-1]  # of equal costs the last
        who, first = np.unique(people[order], return_index=True)
        out.choice[who] = choice[order[first]]
        out.note(who, status, Proof.WITNESS)
        # Single changes are sorted by cost, combinations are not.
        out.cheapest[who] = self.priced[who] & (status == Status.SINGLE)
        return who.tolist()

    # -- choices of one person --------------------------------------------------------

    def _sorted_options(self, i: int) -> list[IndexArray]:
        """Return the options of a person on each part, the cheapest first.

        Staying put comes before all others.
        """
        out = []
        for each, order in zip(self.options, self.order, strict=True):
            value = each.which[i]
            out.append(order[each.offsets[value] : each.offsets[value + 1]])
        return out

    def _singles(self, i: int) -> Iterator[IndexArray]:
        """Yield interventions on one feature, of all parts, the cheapest first."""
        yield from self._one_part(i, single=True)

    def _one_part(self, i: int, single: bool) -> Iterator[IndexArray]:
        """Yield changes of one part that are, or are not, single interventions."""
        lists = self._sorted_options(i)
        stay = np.array([options[0] for options in lists], dtype=np.intp)
        parts, moves = [stay[:0]], [stay[:0]]
        price = [np.zeros(0)]
        for p, (each, options) in enumerate(zip(self.options, lists, strict=True)):
            here = options[1:][each.single[options[1:]] == single]
            parts.append(np.full(len(here), p))
            moves.append(here)
            price.append(self.costs[p][here])
        order = np.argsort(np.concatenate(price), kind="stable")
        part, move = np.concatenate(parts)[order], np.concatenate(moves)[order]
        for start in range(0, len(order), _LARGEST_ROUND):
            some = slice(start, start + _LARGEST_ROUND)
            choice = np.repeat(stay[None], len(part[some]), axis=0)
            choice[np.arange(len(choice)), part[some]] = move[some]
            yield choice

    def _several(self, i: int) -> Iterator[IndexArray]:
        """Yield all other choices, fewer parts before more."""
        yield from self._one_part(i, single=False)
        lists = self._sorted_options(i)
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

    def _random(self, i: int, lists: list[IndexArray]) -> IndexArray:
        """Return random combinations, since a witness may need many parts.

        They depend on the values that the person can change only. Other parts may be
        present because of other people.
        """
        movable = [p for p, options in enumerate(lists) if len(options) > 1]
        content = [
            self.options[p].values[self.options[p].which[i]] + 0.0 for p in movable
        ]
        words = np.concatenate(content).view(np.uint32).tolist()
        rng = np.random.default_rng([self.budget.seed, *words])
        choice = np.repeat(self.stay(np.array([i])), _RANDOM_CHOICES, axis=0)
        for p in movable:
            choice[:, p] = lists[p][rng.integers(len(lists[p]), size=_RANDOM_CHOICES)]
        return choice


class _ChoiceStream:
    """Chunks of choices, handed out in any number."""

    def __init__(self, source: Iterator[IndexArray]) -> None:
        self._source = source
        self._held: list[IndexArray] = []
        self.is_exhausted = False

    def take(self, most: int) -> IndexArray:
        """Return the next choices, at most `most`."""
        held = sum(map(len, self._held))
        # One choice is fetched even for most=0, to learn whether there is any.
        while held < max(most, 1) and not self.is_exhausted:
            chunk = next(self._source, None)
            if chunk is None:
                self.is_exhausted = True
            else:
                self._held.append(chunk)
                held += len(chunk)
        if not self._held:
            return np.zeros((0, 0), dtype=np.intp)
        joined = np.concatenate(self._held)
        self.is_exhausted = self.is_exhausted and len(joined) <= most
        self._held = [joined[most:]] if len(joined) > most else []
        return joined[:most]
