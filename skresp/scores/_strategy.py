"""The strategy that computes the score of a feature for a row.

The first one that applies:

==============================================  =====================================
random effects are given                        sampled, with effects
                                                (`_random_effects`)
`method="sample"`                               sampled (`_sampled`)
all changes of the part can be listed           enumerated, exact (`_enumerated`)
only the feature and its effects have freedom,  exact along a line
and the model is known along the line           (`_exact_lines.known_lines`)
the interventions are few, found by the solver  enumerated, exact
                                                (`_sampled._list_interventions`)
anything else                                   sampled (`_sampled`)
==============================================  =====================================

`method="grid"` and `method="highs"` list, or raise. An integer that stands alone is
listed up to `max_listed` changes: fewer where the model is known along its line.

What can be listed is decided by `FeasibleChanges.of`, from the action set, the row's
values and `max_listed`. The functions here say which rows have no list, how long lists
may be, and how many points a sampled score gets. `_score_task` applies the table:
it scores what is listed, then what lies on lines, and draws for the rest.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._actions._feature import Feature
from skresp._model._score_function import ScoreFunction
from skresp._model.lines._score_lines import maps_lines
from skresp._typing import IndexArray
from skresp.reach._feasible_changes import (
    MAX_LISTED_BESIDE_A_LINE,
    MAX_LISTED_INTEGERS,
    FeasibleChanges,
    features_on_lines,
    may_have_long_range,
)
from skresp.reach._grid import MAX_ROWS_OF_ONE
from skresp.reach._own_changes import most_steps
from skresp.reach._part import Part, parts_of

from ._settings import ScoreSettings


def unlisted_rows(
    feasible: FeasibleChanges, settings: ScoreSettings
) -> list[IndexArray]:
    """Return groups of rows whose scores do not come from a list.

    They are rows with a long range, rows of parts without a list, and rows with a list
    if `method="sample"`. Rows that break a constraint are in no group.
    """
    if settings.method != "sample" and feasible.all_listed:
        return []
    is_long = feasible.which < 0
    unlisted = ~is_long & feasible.valid
    if len(feasible.refused):
        unlisted &= feasible.refused[feasible.which]
    groups = [is_long, unlisted]
    if settings.method == "sample":
        groups.append(~is_long & ~unlisted & feasible.valid)
    return [np.flatnonzero(group) for group in groups if group.any()]


def all_listed(actions: ActionSet, settings: ScoreSettings) -> bool:
    """Return whether the scores of all rows come from lists, whatever their values."""
    everything = settings.method == "sample" or settings.random_effects is not None
    return _n_sampled(actions, everything) == 0


def may_have_lines(actions: ActionSet) -> bool:
    """Return whether some row may have a line, so that the model must be read."""
    return bool(features_on_lines(actions, MAX_LISTED_BESIDE_A_LINE))


def max_listed(score_function: ScoreFunction, actions: ActionSet) -> int | None:
    """Return how many changes of an integer that stands alone are listed.

    Few if the model is known along every line that is left then; otherwise as many as
    possible, on the same condition. None if neither holds.
    """
    for most in (MAX_LISTED_BESIDE_A_LINE, MAX_LISTED_INTEGERS):
        if maps_lines(score_function, features_on_lines(actions, most)):
            return most
    return None


def expected_exact(
    part: Part, j: int, interventions: str, most: int, lines: bool
) -> bool | None:
    """Return whether the scores of a feature will be exact; None if only some will.

    This is the forecast of `structure_`; rows are decided by the table above.

    Parameters
    ----------
    part : Part
    j : int
        The position of an actionable feature in the part.
    interventions : {"minimal", "joint"}
    most : int
        How many changes of an integer that stands alone are listed.
    lines : bool
        Whether the model is known along lines.
    """
    if part.stands_alone:
        return lines or not may_have_long_range(part, most)
    if not _may_be_sampled(part):
        return True
    others_fixed = not any(f.can_change for k, f in enumerate(part.features) if k != j)
    if part.features[j].kind == "real":
        if not lines or part.is_pushed(j) or not part.leads_alone(j):
            return False
        return True if others_fixed else (None if interventions == "minimal" else False)
    few = interventions == "minimal" and not part.links_into[j]
    is_discrete = all(f.kind != "real" or not f.can_change for f in part.features)
    return None if few or is_discrete else False


def points_of_score(
    actions: ActionSet, max_points: int, method: str, by_chance: bool
) -> int:
    """Return the points of one score, if a person has `max_points` for all scores.

    The features whose scores may have to be sampled share the points. That depends on
    the action set alone, so a score never depends on another row.
    """
    everything = method == "sample" or by_chance
    return max(max_points // max(_n_sampled(actions, everything), 1), 1)


@lru_cache(maxsize=64)
def _n_sampled(actions: ActionSet, everything: bool) -> int:
    """Return how many features may have to be sampled."""
    return sum(
        len(part.actionable)
        for part in parts_of(actions)
        if everything or _may_be_sampled(part)
    )


def _may_be_sampled(part: Part) -> bool:
    """Return whether some row may have changes on a part that are not all listed."""
    if part.stands_alone:
        return may_have_long_range(part, MAX_LISTED_BESIDE_A_LINE)
    return math.prod(_most_changes(f) for f in part.features) > MAX_ROWS_OF_ONE


def _most_changes(feature: Feature) -> float:
    """Return the largest number of own changes of a feature, 0 included."""
    if not feature.can_change:
        return 1
    if feature.kind == "real":
        return math.inf
    if feature.kind == "integer":
        return most_steps(feature) + 1
    return len(feature.categories or (0, 1)) + 1
