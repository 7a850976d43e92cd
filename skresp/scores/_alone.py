"""Features that stand alone: one number, tied to nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp.actions import Feature, slack
from skresp.reach import Part

from ._dress import Numbers

# An integer feature by itself with more changes than this is drawn from, not listed.
MOST_LISTED = 10_000
# The same where the model can be told along its line, which is as exact and cheaper.
MOST_LISTED_BESIDE_A_LINE = 100


def stands_alone(part: Part) -> bool:
    """Whether a part is one numeric feature without constraints."""
    return (
        len(part.names) == 1
        and not part.constraints
        and part.features[0].kind in ("integer", "real")
    )


def own_ranges(feature: Feature, values: Numbers) -> tuple[Numbers, Numbers]:
    """The least and greatest own change, in steps, for each value; empty where none.

    The vectorised form of `Feature.own_limits`.
    """
    low, high = feature.bounds[0] - values, feature.bounds[1] - values
    if feature.direction == "increase":
        low = np.maximum(low, 0.0)
    elif feature.direction == "decrease":
        high = np.minimum(high, 0.0)
    if feature.max_increase is not None:
        high = np.minimum(high, feature.max_increase)
    if feature.max_decrease is not None:
        low = np.maximum(low, -feature.max_decrease)
    if feature.kind == "integer":
        step = feature.step or 1
        low, high = np.ceil(low / step), np.floor(high / step)
    else:  # a greatest step that ends on a bound, up to rounding
        nearer = np.where(np.abs(high) <= np.abs(low), high, low)
        meet = (low > high) & (low * high > 0)
        meet &= low - high <= slack(values, values + nearer)
        low, high = np.where(meet, nearer, low), np.where(meet, nearer, high)
    nothing = ~(low <= high)  # a missing value compares false
    return np.where(nothing, 1.0, low), np.where(nothing, 0.0, high)


def is_drawn_from(
    part: Part, values: Numbers, most: int | None = None
) -> NDArray[np.bool_]:
    """For a feature that stands alone: whose changes are too many to list."""
    low, high = own_ranges(part.features[0], values[:, 0])
    if part.features[0].kind == "real":
        return low < high
    return high - low + 1 > (MOST_LISTED if most is None else most)
