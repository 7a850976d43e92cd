"""Read models whose members are fitted on drawn rows and columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skresp._model._links import PredictionLink
from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._model.steps._transform import scores_of_rows
from skresp._typing import IndexArray

from ._join_trees import join_trees
from ._members import (
    ReadMember,
    check_two_classes,
    own_probabilities,
    prediction_groups,
    probability_groups,
    weighted,
)
from ._take_columns import TakeColumns


def read_bagging(
    model: Any, steps: tuple[Any, ...], read_member: ReadMember
) -> Reading:
    """Read a BaggingClassifier: the mean of the members' probabilities."""
    check_two_classes(model)
    for member in model.estimators_:
        check_two_classes(member)
        if not hasattr(member, "predict_proba"):
            raise UnreadableError(
                "BaggingClassifier counts the votes of members without predict_proba; "
                "use members that have it, such as LogisticRegression instead of "
                "LinearSVC."
            )
    groups, is_float32 = [], False
    for reading, taken in _readings(model, steps, read_member):
        groups += [
            _untaken(g, steps, taken, model) for g in probability_groups(reading)
        ]
        is_float32 |= reading.is_float32
    own = own_probabilities(model, steps)
    return _mean(groups, len(model.estimators_), own, "probability", is_float32)


def read_bagging_regressor(
    model: Any, steps: tuple[Any, ...], read_member: ReadMember
) -> Reading:
    """Read a BaggingRegressor: the mean of the members' predictions."""
    groups, is_float32 = [], False
    for reading, taken in _readings(model, steps, read_member):
        groups += [_untaken(g, steps, taken, model) for g in prediction_groups(reading)]
        is_float32 |= reading.is_float32
    own = scores_of_rows(model, "predict", steps)
    return _mean(groups, len(model.estimators_), own, "identity", is_float32)


def _readings(
    model: Any, steps: tuple[Any, ...], read_member: ReadMember
) -> list[tuple[Reading, TakeColumns]]:
    """Return the readings of the members, each behind the columns that it gets."""
    out = []
    for member, features in zip(
        model.estimators_, model.estimators_features_, strict=True
    ):
        taken = TakeColumns(np.asarray(features, dtype=np.intp))
        out.append((read_member(member, (*steps, taken)), taken))
    return out


def _untaken(
    group: ReadGroup, steps: tuple[Any, ...], taken: TakeColumns, model: Any
) -> ReadGroup:
    """Return a group over all columns, where no other step comes after `taken`."""
    if group.steps != (*steps, taken):
        return group
    at: IndexArray = taken.positions
    ensemble, coef = group.ensemble, group.coef
    if ensemble is not None:
        column = np.where(ensemble.column < 0, -1, at[ensemble.column])
        ensemble = replace(ensemble, column=column)
    if coef is not None:
        wide = np.zeros((len(coef), model.n_features_in_))
        np.add.at(wide.T, at, coef.T)  # a column may be drawn twice
        coef = wide
    return group._replace(steps=steps, ensemble=ensemble, coef=coef)


def _mean(
    groups: list[ReadGroup],
    count: int,
    own: Any,
    link: PredictionLink,
    is_float32: bool,
) -> Reading:
    """Return the reading of the mean of members."""
    joined = join_trees(weighted(groups, 1.0 / count))
    only_trees = len(joined) == 1 and joined[0].ensemble is not None
    family = "trees" if only_trees else "composite"
    return Reading(joined, own, link, family, is_float32)
