"""How many points one sampled score may propose."""

from __future__ import annotations

import math

from skresp.actions import ActionSet, Feature
from skresp.reach import MOST_ROWS_OF_ONE, Part, parts_of

from ._alone import MOST_LISTED_BESIDE_A_LINE, stands_alone


def points_of_score(
    actions: ActionSet, max_points: int, method: str, by_chance: bool
) -> int:
    """Return the points of one score, where a person has `max_points` in all.

    The features whose scores may have to be sampled share them. That depends on the
    action set alone, so a score never depends on the row of somebody else.
    """
    everything = method == "sample" or by_chance
    features = sum(
        len(part.actionable)
        for part in parts_of(actions)
        if everything or _may_be_sampled(part)
    )
    return max(max_points // max(features, 1), 1)


def _may_be_sampled(part: Part) -> bool:
    """Whether somebody may have changes on a part that are not all listed."""
    most = MOST_LISTED_BESIDE_A_LINE if stands_alone(part) else MOST_ROWS_OF_ONE
    return math.prod(_most_changes(f) for f in part.features) > most


def _most_changes(feature: Feature) -> float:
    """How many changes a feature has for anybody, staying put included."""
    if not feature.can_change:
        return 1
    if feature.kind == "real":
        return math.inf
    if feature.kind == "integer":
        low, high = feature.bounds
        return (high - low) // (feature.step or 1) + 2
    return len(feature.categories or (0, 1)) + 1
