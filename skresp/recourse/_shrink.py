"""A witness moves a number no further than it takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp.actions import ActionSet
from skresp.reach import Part
from skresp.scores import Door, Segment, new_values, whole

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

# Each halving asks the model once about every witness; so many leave less than a
# four-thousandth of the change to gain.
_HALVINGS = 12


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
