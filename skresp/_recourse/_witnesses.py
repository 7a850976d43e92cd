"""Witnesses, and smaller changes that are witnesses too."""

from __future__ import annotations

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

    def shrink(self, part: Part, column: int) -> None:
        """Move the change of a number in a part of its own nearer to 0.

        Between the current value and a feasible change everything is feasible, unless
        the current value is out of bounds.
        """
        people = np.flatnonzero(self.change[:, column])
        columns = np.array([column])
        bad = np.zeros(len(people))
        for _ in range(_HALVINGS):
            good = self.change[people, column]
            tried = _rounded(part, (good + bad) / 2)
            some = np.flatnonzero((tried != good) & (tried != bad))
            ok, feasible = self._apply(part, columns, people[some], tried[some, None])
            if not feasible.any():
                return
            failed = some[feasible & ~ok]
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
            ok, _ = self._apply(
                part, columns, people[some], options.changes[inward[some]]
            )
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
            ok, _ = self._apply(part, columns, people, middle)
            bad = np.where(ok[:, None], bad, middle)

    def _apply(
        self,
        part: Part,
        columns: IndexArray,
        people: IndexArray,
        change: FloatArray,
    ) -> tuple[BoolArray, BoolArray]:
        """Apply changes of a part that are feasible and reach the target.

        Returns which changes were applied, and which are feasible.
        """
        before = self.before[people]
        feasible = part.feasible(before[:, columns], part.own(change))
        ok = feasible.copy()
        some = np.flatnonzero(feasible)
        if len(some):
            points = self.change[people[some]]
            points[:, columns] = change[some]
            everything = as_one_part(self.actions)
            segment = changed_points(self.batch, everything, before[some], points)
            hit = self.batch.reaches_target(self.rows[people[some]], [segment])
            self.change[people[some[hit]]] = points[hit]
            ok[some[~hit]] = False
        return ok, feasible


def _rounded(part: Part, change: FloatArray) -> FloatArray:
    """Round the change of an integer in a part of its own."""
    feature = part.features[0]
    if len(part.names) > 1 or feature.kind != "integer":
        return change
    step = float(feature.step or 1)
    return np.rint(change / step) * step
