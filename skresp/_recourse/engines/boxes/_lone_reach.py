"""What numbers in parts of their own can reach, for all their values at once."""

from __future__ import annotations

import numpy as np

from skresp._actions._feature import Feature, snap_to_bounds
from skresp._typing import FloatArray
from skresp.reach._own_changes import own_ranges


def lone_reach(feature: Feature, values: FloatArray) -> FloatArray:
    """Return the ends of own changes and of reached values, (n_values, 4).

    As in `Variable.own` and `Variable.reached`, for an integer or a real without
    constraints.
    """
    low, high = own_ranges(feature, values)
    if feature.kind == "integer":
        low, high = low * (feature.step or 1), high * (feature.step or 1)
    moves = low <= high
    ends = []
    for end, nearer in ((low, np.minimum), (high, np.maximum)):
        change = np.where(moves, nearer(end, 0.0), 0.0)
        # A change to a bound reaches the bound itself, whatever the rounding.
        ends.append(snap_to_bounds(feature, values, change))
    return np.column_stack([low, high, *ends])
