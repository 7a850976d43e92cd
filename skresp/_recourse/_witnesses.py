"""Witnesses, and smaller changes that are witnesses too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._options import Options
from skresp.reach._part import Part, as_one_part
from skresp.scores._changed_points import changed_points

# Halvings for any witness: they leave less than 1/4000 of the change to gain. Each
# evaluates the model once per witness.
_HALVINGS = 12
# Halvings for the cheapest witness, which end at this share of the numbers involved.
_MAX_HALVINGS = 60
_NOTHING = 1e-9
# Maximum number of options along one line that are tried one by one.
_MAX_OPTIONS = 100


@dataclass(frozen=True)
class Witnesses:
    """Points that reach the target, as changes of rows.

    Attributes
    ----------
    batch : RowBatch
    actions : ActionSet
    rows : array of shape (n_people,)
        Positions in the batch.
    before : array of shape (n_people, n_features)
        Values of the rows.
    change : array of shape (n_people, n_features)
        Total changes; updated in place by smaller changes that reach the target too.
    """

    batch: RowBatch
    actions: ActionSet
    rows: IndexArray
    before: FloatArray
    change: FloatArray

    def shrink(self, numbers: Sequence[tuple[Part, int]]) -> None:
        """Move changes of numbers nearer to 0, of each person one after another.

        Between the current value and a feasible change everything is feasible, unless
        the current value is out of bounds.

        Parameters
        ----------
        numbers : sequence of (Part, int)
            Parts with one number, and its column.
        """
        columns = np.array([column for _, column in numbers], dtype=np.intp)
        changed = self.change[:, columns] != 0
        turn = np.where(changed, changed.cumsum(axis=1), 0)
        # Every person is at another number: the model is called for all of them.
        for now in range(1, turn.max(initial=0) + 1):
            self._shrink_one_each(numbers, *np.nonzero(turn == now))

    def _shrink_one_each(
        self,
        numbers: Sequence[tuple[Part, int]],
        people: IndexArray,
        which: IndexArray,
    ) -> None:
        """Move the change of one number of each person nearer to 0."""
        groups = [(*numbers[k], np.flatnonzero(which == k)) for k in np.unique(which)]
        columns = np.array([numbers[k][1] for k in which])
        bad = np.zeros(len(people))
        for _ in range(_HALVINGS):
            good = self.change[people, columns]
            tried = (good + bad) / 2
            feasible = np.zeros(len(people), dtype=bool)
            for part, column, own in groups:
                tried[own] = _rounded(part, tried[own])
                some = own[(tried[own] != good[own]) & (tried[own] != bad[own])]
                before = self.before[people[some], column, None]
                feasible[some] = part.feasible(before, part.own(tried[some, None]))
            some = np.flatnonzero(feasible)
            if not len(some):
                return
            points = self.change[people[some]]
            points[np.arange(len(some)), columns[some]] = tried[some]
            failed = some[~self._keep(people[some], points)]
            bad[failed] = tried[failed]

    def move_inward(
        self,
        options: Options,
        columns: IndexArray,
        people: IndexArray,
        choice: IndexArray,
        single: BoolArray,
    ) -> None:
        """Move changes of a part nearer to 0 along their lines.

        Parameters
        ----------
        options : Options
            Of the part.
        columns : array of shape (n_part_features,)
            The features of the part.
        people : array of shape (n_some,)
        choice : array of shape (n_some,)
            The option of the part that each of them has.
        single : array of shape (n_some,)
            Whose change is an intervention on one feature, and must remain one.
        """
        part = options.part
        inward = options.inward[choice]
        for _ in range(_MAX_OPTIONS):
            some = np.flatnonzero((inward >= 0) & (options.single[inward] | ~single))
            ok = self._apply(part, columns, people[some], options.changes[inward[some]])
            if not ok.any():
                break
            inward[some[ok]] = options.inward[inward[some[ok]]]
        some = np.flatnonzero(inward >= 0)
        self._halve(part, columns, people[some], options.changes[inward[some]])

    def _halve(
        self, part: Part, columns: IndexArray, people: IndexArray, bad: FloatArray
    ) -> None:
        """Halve the distance to changes `bad` that do not reach the target."""
        for _ in range(_MAX_HALVINGS):
            here = np.ix_(people, columns)
            good = self.change[here]
            size = np.maximum(np.abs(good), np.abs(np.nan_to_num(self.before[here])))
            middle = _rounded(part, (good + bad) / 2)
            far = (np.abs(good - bad) > _NOTHING * size).any(axis=1)
            far &= (middle != good).any(axis=1) & (middle != bad).any(axis=1)
            people, bad, middle = people[far], bad[far], middle[far]
            if not len(people):
                return
            ok = self._apply(part, columns, people, middle)
            bad = np.where(ok[:, None], bad, middle)

    def _apply(
        self,
        part: Part,
        columns: IndexArray,
        people: IndexArray,
        change: FloatArray,
    ) -> BoolArray:
        """Apply changes of a part that are feasible and reach the target.

        Returns which changes were applied.
        """
        before = self.before[np.ix_(people, columns)]
        ok = part.feasible(before, part.own(change))
        some = np.flatnonzero(ok)
        if len(some):
            points = self.change[people[some]]
            points[:, columns] = change[some]
            ok[some] = self._keep(people[some], points)
        return ok

    def _keep(self, people: IndexArray, points: FloatArray) -> BoolArray:
        """Keep the total changes that reach the target; return which these are."""
        everything = as_one_part(self.actions)
        segment = changed_points(self.batch, everything, self.before[people], points)
        hit = self.batch.reaches_target(self.rows[people], [segment])
        self.change[people[hit]] = points[hit]
        return hit


def _rounded(part: Part, change: FloatArray) -> FloatArray:
    """Round the change of an integer in a part of its own."""
    feature = part.features[0]
    if len(part.names) > 1 or feature.kind != "integer":
        return change
    step = float(feature.step or 1)
    return np.rint(change / step) * step
