"""Verdicts from the scores of single features.

Where not all changes can be listed, an engine evaluates some. Scores can decide more:
an intervention that reaches the target makes a person `single`. Where no intervention
on any feature does, a known witness makes the person `joint`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._options import Options
from skresp.scores._row_rng import Keys
from skresp.scores._settings import ScoreSettings
from skresp.scores._single_changes import single_changes

from ._budget import SearchBudget
from ._cost import costs_of
from ._status import Proof, Status
from ._verdict_arrays import VerdictArrays


@dataclass(frozen=True)
class SingleFeatures:
    """Decides people by interventions on single features, as scores do.

    Attributes
    ----------
    settings : ScoreSettings
        How scores are computed, without random effects.
    make_keys : callable
        Returns the random keys of all rows.
    """

    settings: ScoreSettings
    make_keys: Callable[[], Keys]

    @cached_property
    def keys(self) -> Keys:
        """The random keys of all rows, computed at the first use."""
        return self.make_keys()

    @classmethod
    def of(
        cls, settings: ScoreSettings, make_keys: Callable[[], Keys]
    ) -> SingleFeatures:
        """Return the object for the settings of an explainer.

        Without random effects, and with sampling where enumeration is not possible.
        """
        method = "sample" if settings.method == "sample" else "auto"
        return cls(replace(settings, method=method, effects=None), make_keys)

    def reserve(self, max_points: int, features: int) -> int:
        """Return how many of a person's points are reserved for single features.

        Drawing samples counts towards these points, as in `explain`: they are the same
        draws.
        """
        return min(max_points // 2, self.settings.n_samples * features)

    def settle(
        self,
        out: VerdictArrays,
        batch: RowBatch,
        rows: IndexArray,
        positions: IndexArray,
        options: Sequence[Options],
        columns: Sequence[IndexArray],
        budget: SearchBudget,
    ) -> None:
        """Decide people who are `possible` or `unknown`, where scores can.

        Parameters
        ----------
        out : VerdictArrays
            Updated in place.
        batch : RowBatch
        rows : array of shape (n_people,)
            Positions in the batch.
        positions : array of shape (n_people,)
            Positions in `out`.
        options, columns : one Options and one array of feature positions per part
        budget : SearchBudget
        """
        proof = Proof.WITNESS if budget.cost is None else Proof.CHEAPEST_FOUND
        one = self._acts_on_one(out, positions, options, columns)
        out.status[positions[one]], out.proof[positions[one]] = Status.SINGLE, proof
        unsettled = np.isin(out.status[positions], (Status.POSSIBLE, Status.UNKNOWN))
        some = np.flatnonzero(unsettled)
        if not len(some) or not budget.max_points:
            return
        settings = replace(
            self.settings,
            points=min(self.settings.points, budget.max_points),
            deadline=budget.deadline,
        )
        settled = np.ones(len(rows), dtype=bool)
        price = np.full(len(rows), np.inf)
        try:
            for each, here in zip(options, columns, strict=True):
                for j in each.part.actionable:
                    who = some[~each.complete[each.which[some]]]
                    if budget.cost is None:
                        who = who[np.isinf(price[who])]
                    if len(who):
                        found = single_changes(
                            batch,
                            each.part,
                            j,
                            rows[who],
                            each.values[each.which[who]],
                            self.keys[rows[who]],
                            settings,
                            budget.max_points - out.used[positions[who]],
                        )
                        out.used[positions[who]] += found.used
                        settled[who[~found.decided]] = False
                        owner, change = who[found.owner], found.change
                        before = each.values[each.which[owner]]
                        cost = costs_of(budget, each.part, before, change)
                        _note_cheapest(out, positions, here, owner, change, cost, price)
        except OutOfTimeError:
            settled[:] = False  # witnesses found so far stay
        hit = positions[np.isfinite(price)]
        out.status[hit], out.proof[hit] = Status.SINGLE, proof
        out.has_witness[hit] = True
        joint = positions[settled & (out.status[positions] == Status.POSSIBLE)]
        out.status[joint] = Status.JOINT

    def _acts_on_one(
        self,
        out: VerdictArrays,
        positions: IndexArray,
        options: Sequence[Options],
        columns: Sequence[IndexArray],
    ) -> BoolArray:
        """Return which `possible` people have a witness that acts on one feature."""
        open_ = out.status[positions] == Status.POSSIBLE
        single = np.zeros(len(positions), dtype=bool)
        moved = np.zeros((len(positions), len(options)), dtype=bool)
        for p, here in enumerate(columns):
            moved[:, p] = (out.change[np.ix_(positions, here)] != 0).any(axis=1)
        for p, (each, here) in enumerate(zip(options, columns, strict=True)):
            some = np.flatnonzero(open_ & moved[:, p] & (moved.sum(axis=1) == 1))
            change = out.change[np.ix_(positions[some], here)]
            part = each.part
            if self.settings.interventions == "joint":
                one = (change[:, part.actionable] != 0).any(axis=1)
            else:
                acted = part.own(change) != 0
                alone = [j for j in part.actionable if part.leads_alone(j)]
                one = (acted.sum(axis=1) == 1) & acted[:, alone].any(axis=1)
            single[some[one]] = True
        return single


def _note_cheapest(
    out: VerdictArrays,
    positions: IndexArray,
    columns: IndexArray,
    owner: IndexArray,
    change: FloatArray,
    cost: FloatArray,
    price: FloatArray,
) -> None:
    """Note the cheapest change of each owner that is cheaper than `price`.

    `owner` are positions in `positions` and in `price`, which is updated.
    """
    for k in np.lexsort((cost, owner)):
        i = owner[k]
        if cost[k] < price[i]:
            price[i] = cost[k]
            out.change[positions[i]] = 0.0
            out.change[positions[i], columns] = change[k]
