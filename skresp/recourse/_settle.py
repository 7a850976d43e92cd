"""People of whom it is open whether a single feature would do.

Where not all changes can be listed, an engine tries some. What scores know of single
features decides more: an intervention that reaches the target makes a person `single`;
where every feature is settled without one, a witness that is known makes them `joint`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skresp.reach import OutOfTimeError
from skresp.scores import Door, Keys, Question, single_changes

from ._cost import costs_of
from ._found import CHEAPEST_FOUND, JOINT, POSSIBLE, SINGLE, UNKNOWN, WITNESS, Ask
from ._judged import Judged
from ._options import Options

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class Singles:
    """What scores know of single features.

    Attributes
    ----------
    question : how scores are computed; random effects play no part
    make_keys : gives the random keys of all rows
    """

    question: Question
    make_keys: Callable[[], Keys]

    @cached_property
    def keys(self) -> Keys:
        """The random keys of all rows, made where they are needed."""
        return self.make_keys()

    @classmethod
    def of(cls, question: Question, make_keys: Callable[[], Keys]) -> Singles:
        """Return what scores know, with nothing refused and nothing left to chance."""
        method = "sample" if question.method == "sample" else "auto"
        return cls(replace(question, method=method, effects=None), make_keys)

    def reserve(self, max_points: int, features: int) -> int:
        """Return how many of a person's points are kept for single features."""
        return min(max_points // 2, self.question.n_samples * features)

    def settle(
        self,
        out: Judged,
        door: Door,
        rows: Places,
        places: Places,
        options: Sequence[Options],
        columns: Sequence[Places],
        ask: Ask,
    ) -> None:
        """Decide people who are `possible` or `unknown`, where scores tell more.

        `rows` are positions in the wardrobe, `places` the positions in `out`.
        """
        proof = WITNESS if ask.cost is None else CHEAPEST_FOUND
        one = self._acts_on_one(out, places, options, columns)
        out.status[places[one]], out.proof[places[one]] = SINGLE, proof
        unsettled = np.isin(out.status[places], (POSSIBLE, UNKNOWN))
        some = np.flatnonzero(unsettled)
        if not len(some) or not ask.max_points:
            return
        question = replace(
            self.question,
            points=min(self.question.points, ask.max_points),
            deadline=ask.deadline,
        )
        settled = np.ones(len(rows), dtype=bool)
        price = np.full(len(rows), np.inf)
        try:
            for each, here in zip(options, columns, strict=True):
                for j in each.part.actionable:
                    who = some[~each.complete[each.which[some]]]
                    if ask.cost is None:
                        who = who[np.isinf(price[who])]
                    if len(who):
                        found = single_changes(
                            door,
                            each.part,
                            j,
                            rows[who],
                            each.values[each.which[who]],
                            self.keys[rows[who]],
                            question,
                            ask.max_points - out.used[places[who]],
                        )
                        out.used[places[who]] += found.used
                        settled[who[~found.settled]] = False
                        owner, change = who[found.owner], found.change
                        before = each.values[each.which[owner]]
                        cost = costs_of(ask, each.part, before, change)
                        _note_cheapest(out, places, here, owner, change, cost, price)
        except OutOfTimeError:
            settled[:] = False  # what was found stays found
        hit = places[np.isfinite(price)]
        out.status[hit], out.proof[hit] = SINGLE, proof
        out.has_witness[hit] = True
        joint = places[settled & (out.status[places] == POSSIBLE)]
        out.status[joint] = JOINT

    def _acts_on_one(
        self,
        out: Judged,
        places: Places,
        options: Sequence[Options],
        columns: Sequence[Places],
    ) -> Truth:
        """Return who is `possible` though their witness acts on one feature only."""
        open_ = out.status[places] == POSSIBLE
        single = np.zeros(len(places), dtype=bool)
        moved = np.zeros((len(places), len(options)), dtype=bool)
        for p, here in enumerate(columns):
            moved[:, p] = (out.change[np.ix_(places, here)] != 0).any(axis=1)
        for p, (each, here) in enumerate(zip(options, columns, strict=True)):
            some = np.flatnonzero(open_ & moved[:, p] & (moved.sum(axis=1) == 1))
            change = out.change[np.ix_(places[some], here)]
            part = each.part
            if self.question.interventions == "joint":
                one = (change[:, part.actionable] != 0).any(axis=1)
            else:
                acted = part.own(change) != 0
                alone = [j for j in part.actionable if part.leads_alone(j)]
                one = (acted.sum(axis=1) == 1) & acted[:, alone].any(axis=1)
            single[some[one]] = True
        return single


def _note_cheapest(
    out: Judged,
    places: Places,
    columns: Places,
    owner: Places,
    change: Numbers,
    cost: Numbers,
    price: Numbers,
) -> None:
    """Note the cheapest change of each owner, where it is cheaper than their price."""
    for k in np.lexsort((cost, owner)):
        i = owner[k]
        if cost[k] < price[i]:
            price[i] = cost[k]
            out.change[places[i]] = 0.0
            out.change[places[i], columns] = change[k]
