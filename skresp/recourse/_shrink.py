"""A witness moves a number no further than it takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp.actions import ActionSet
from skresp.reach import Part
from skresp.scores import Door, Segment, new_values, whole

from ._options import Options

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Truth = NDArray[np.bool_]

# Each halving asks the model once about every witness; so many leave less than a
# four-thousandth of the change to gain.
_HALVINGS = 12
# Where the cheapest witness is asked for, as many as leave nothing to gain: a change
# within this share of the numbers around it.
_MOST_HALVINGS = 60
_NOTHING = 1e-9
# Options along one line that are tried one after the other.
_MOST_OPTIONS = 100


def shrink(
    door: Door,
    actions: ActionSet,
    part: Part,
    column: int,
    rows: Places,
    before: Numbers,
    change: Numbers,
) -> None:
    """Bring the change of a number that stands alone nearer to 0, in place.

    `change` are total changes, one row each, that reach the target; they still do
    afterwards, and the limits of a number that stands alone allow all that is between
    its value and a change that they allow, but for values that lie out of bounds.
    """
    feature = part.features[0]
    step = float(feature.step or 1) if feature.kind == "integer" else 0.0
    everything = whole(actions)
    good, bad = change[:, column].copy(), np.zeros(len(change))
    for _ in range(_HALVINGS):
        tried = (good + bad) / 2
        if step:
            tried = np.rint(tried / step) * step
        own = np.zeros((len(tried), 1))
        own[:, 0] = tried
        ok = (tried != good) & (tried != bad)
        ok &= part.feasible(before[:, [column]], own)
        some = np.flatnonzero(ok)
        if not len(some):
            return
        points = change[some].copy()
        points[:, column] = tried[some]
        new = new_values(everything, before[some], points, door.wardrobe)
        hit = door.ask(rows[some], [Segment(0, len(some), new)])
        good[some[hit]] = tried[some[hit]]
        bad[some[~hit]] = tried[some[~hit]]
        change[:, column] = good


@dataclass(frozen=True)
class Move:
    """Brings changes of a part nearer to 0 along their lines.

    Attributes
    ----------
    door, actions : what asks the model
    options : Options
        Of the part.
    columns : array of shape (n_part_features,)
        Where its features are.
    rows : array of shape (n_people,)
    before, change : arrays of shape (n_people, n_features)
        Values and total changes that reach the target; `change` is updated in place
        by changes that do, too.
    """

    door: Door
    actions: ActionSet
    options: Options
    columns: Places
    rows: Places
    before: Numbers
    change: Numbers

    def inward(self, choice: Places, single: Truth) -> Numbers:
        """Return the total changes after moving as far inward as the target allows.

        Parameters
        ----------
        choice : array of shape (n_people,)
            The option of the part that each person has.
        single : array of shape (n_people,)
            Whose change is an intervention on one feature, and must stay one.
        """
        options = self.options
        inward = options.inward[choice]
        for _ in range(_MOST_OPTIONS):
            some = np.flatnonzero((inward >= 0) & (options.single[inward] | ~single))
            ok = np.zeros(len(inward), dtype=bool)
            ok[some] = self._try(some, options.changes[inward[some]])
            if not ok.any():
                break
            inward[ok] = options.inward[inward[ok]]
        some = np.flatnonzero(inward >= 0)
        self._halve(some, options.changes[inward[some]])
        return self.change

    def _halve(self, people: Places, bad: Numbers) -> None:
        """Halve the way to changes that do not reach the target, again and again."""
        for _ in range(_MOST_HALVINGS):
            here = np.ix_(people, self.columns)
            good = self.change[here]
            size = np.maximum(np.abs(good), np.abs(np.nan_to_num(self.before[here])))
            middle = self._rounded((good + bad) / 2)
            far = (np.abs(good - bad) > _NOTHING * size).any(axis=1)
            far &= (middle != good).any(axis=1) & (middle != bad).any(axis=1)
            people, bad, middle = people[far], bad[far], middle[far]
            if not len(people):
                return
            ok = self._try(people, middle)
            bad = np.where(ok[:, None], bad, middle)

    def _rounded(self, change: Numbers) -> Numbers:
        """Round the change of a whole number that stands alone."""
        part = self.options.part
        feature = part.features[0]
        if len(part.names) > 1 or feature.kind != "integer":
            return change
        step = float(feature.step or 1)
        return np.rint(change / step) * step

    def _try(self, people: Places, change: Numbers) -> Truth:
        """Take changes of the part that are feasible and reach the target."""
        part = self.options.part
        before = self.before[people]
        ok = part.feasible(before[:, self.columns], part.own(change))
        some = np.flatnonzero(ok)
        if len(some):
            points = self.change[people[some]]
            points[:, self.columns] = change[some]
            new = new_values(
                whole(self.actions), before[some], points, self.door.wardrobe
            )
            hit = self.door.ask(self.rows[people[some]], [Segment(0, len(some), new)])
            self.change[people[some[hit]]] = points[hit]
            ok[some[~hit]] = False
        return ok
