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
from skresp.reach._allowance import allow
from skresp.reach._deadline import LimitError, OutOfTimeError
from skresp.reach._options import Options
from skresp.reach._part import Part
from skresp.reach._solver_search import Search
from skresp.scores._row_rng import Keys
from skresp.scores._settings import ScoreSettings
from skresp.scores._single_changes import SingleChanges, single_changes

from ._budget import SearchBudget
from ._cost import costs_of
from ._status import Proof, Status
from ._verdict_arrays import VerdictArrays


@dataclass(frozen=True)
class SingleFeatures:
    """Decides people by interventions on single features, as scores do.

    Attributes
    ----------
    batch : RowBatch
    budget : SearchBudget
    settings : ScoreSettings
        How scores are computed, without random effects.
    make_keys : callable
        Returns the random keys of all rows.
    """

    batch: RowBatch
    budget: SearchBudget
    settings: ScoreSettings
    make_keys: Callable[[], Keys]

    @classmethod
    def of(
        cls,
        batch: RowBatch,
        budget: SearchBudget,
        settings: ScoreSettings,
        make_keys: Callable[[], Keys],
    ) -> SingleFeatures:
        """Return the object for the settings of an explainer.

        Without random effects, and with sampling where enumeration is not possible.
        """
        settings = replace(
            settings,
            method="sample" if settings.method == "sample" else "auto",
            random_effects=None,
            points_per_score=min(settings.points_per_score, budget.max_points),
            deadline=budget.deadline,
        )
        return cls(batch, budget, settings, make_keys)

    @cached_property
    def keys(self) -> Keys:
        """The random keys of all rows, computed at the first use."""
        return self.make_keys()

    def reserve(self, features: int) -> int:
        """Return how many of a person's points are reserved for single features.

        Drawing samples counts towards these points, as in `explain`: they are the same
        draws.
        """
        return min(self.budget.max_points // 2, self.settings.n_samples * features)

    def settle(
        self,
        verdicts: VerdictArrays,
        rows: IndexArray,
        options: Sequence[Options],
        columns: Sequence[IndexArray],
        knows_listed: BoolArray,
    ) -> None:
        """Decide people who are `possible` or `unknown`, where scores can.

        Parameters
        ----------
        verdicts : VerdictArrays
            Of the people; updated in place.
        rows : array of shape (n_people,)
            Positions in the batch.
        options, columns : one Options and one array of feature positions per part
        knows_listed : array of shape (n_people,)
            See `EngineResult`.
        """
        proof = Proof.WITNESS if self.budget.cost is None else Proof.CHEAPEST_FOUND
        is_open = verdicts.status == Status.UNKNOWN
        if not self.budget.any_witness:
            one = self._acts_on_one(verdicts, options, columns)
            verdicts.status[one], verdicts.proof[one] = Status.SINGLE, proof
            is_open |= verdicts.status == Status.POSSIBLE
        searched = knows_listed | (verdicts.status != Status.POSSIBLE)
        if not is_open.any() or not self.budget.max_points:
            return
        least = np.full(len(rows), np.inf)
        settled = np.ones(len(rows), dtype=bool)
        try:
            for each, here in zip(options, columns, strict=True):
                people = np.flatnonzero(
                    is_open & ~(each.covers_all[each.which] & searched)
                )
                for j in each.part.actionable:
                    if self.budget.cost is None:
                        people = people[np.isinf(least[people])]
                    if len(people):
                        found = self._search(verdicts, rows, each, j, people)
                        settled[people[~found.decided]] = False
                        self._note_cheapest(verdicts, each, here, found, least)
        except OutOfTimeError:
            settled[:] = False  # witnesses found so far stay
        hit = np.isfinite(least)
        verdicts.status[hit], verdicts.proof[hit] = Status.SINGLE, proof
        verdicts.has_witness[hit] = True
        verdicts.status[settled & (verdicts.status == Status.POSSIBLE)] = Status.JOINT

    def _acts_on_one(
        self,
        verdicts: VerdictArrays,
        options: Sequence[Options],
        columns: Sequence[IndexArray],
    ) -> BoolArray:
        """Return which `possible` people have a witness that acts on one feature."""
        is_open = verdicts.status == Status.POSSIBLE
        single = np.zeros(len(is_open), dtype=bool)
        if not is_open.any():
            return single
        moved = np.zeros((len(is_open), len(options)), dtype=bool)
        for p, here in enumerate(columns):
            moved[:, p] = (verdicts.change[:, here] != 0).any(axis=1)
        for p, (each, here) in enumerate(zip(options, columns, strict=True)):
            some = np.flatnonzero(is_open & moved[:, p] & (moved.sum(axis=1) == 1))
            change = verdicts.change[np.ix_(some, here)]
            part = each.part
            if self.settings.interventions == "joint":
                one = (change[:, part.actionable] != 0).any(axis=1)
            else:
                acted = part.own(change) != 0
                alone = [j for j in part.actionable if part.leads_alone(j)]
                one = (acted.sum(axis=1) == 1) & acted[:, alone].any(axis=1)
                for k in np.flatnonzero(~one).tolist():
                    before = each.values[each.which[some[k]]]
                    one[k] = self._is_minimal(
                        verdicts, some[k], part, before, change[k]
                    )
            single[some[one]] = True
        return single

    def _is_minimal(
        self,
        verdicts: VerdictArrays,
        i: int,
        part: Part,
        before: FloatArray,
        change: FloatArray,
    ) -> bool:
        """Return whether a witness is known to be an intervention on one feature."""
        points = float(self.budget.max_points - verdicts.used[i])
        with allow(self.budget.deadline, points) as given:
            try:
                search = Search(part, before)
                return any(
                    search.is_minimal(change, j) for j in part.actionable if change[j]
                )
            except LimitError:
                return False
            finally:
                verdicts.used[i] += given.spent

    def _search(
        self,
        verdicts: VerdictArrays,
        rows: IndexArray,
        options: Options,
        j: int,
        people: IndexArray,
    ) -> SingleChanges:
        """Return interventions on feature `j` of a part that reach the target."""
        found = single_changes(
            self.batch,
            options.part,
            j,
            rows[people],
            options.values[options.which[people]],
            self.keys[rows[people]],
            self.settings,
            self.budget.max_points - verdicts.used[people],
        )
        verdicts.used[people] += found.used
        return replace(found, owner=people[found.owner])

    def _note_cheapest(
        self,
        verdicts: VerdictArrays,
        options: Options,
        columns: IndexArray,
        found: SingleChanges,
        least: FloatArray,
    ) -> None:
        """Note changes of a part that cost less than `least`, which is updated."""
        before = options.values[options.which[found.owner]]
        cost = costs_of(self.budget, options.part, before, found.change)
        for k in np.lexsort((cost, found.owner)):
            i = found.owner[k]
            if cost[k] < least[i]:
                least[i] = cost[k]
                verdicts.change[i] = 0.0
                verdicts.change[i, columns] = found.change[k]
