"""Read models whose members vote."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._model.steps._transform import scores_of_rows

from ._members import (
    ReadMember,
    check_two_classes,
    own_probabilities,
    prediction_groups,
    probability_groups,
    weighted,
)


def read_voting(model: Any, steps: tuple[Any, ...], read_member: ReadMember) -> Reading:
    """Read a VotingClassifier that averages probabilities."""
    check_two_classes(model)
    if model.voting != "soft":
        raise UnreadableError("VotingClassifier is read with voting='soft' only.")
    groups: list[ReadGroup] = []
    is_float32 = False
    for member, share in _shares(model):
        reading = read_member(member, steps)
        groups += weighted(probability_groups(reading), share)
        is_float32 |= reading.is_float32
    own = own_probabilities(model, steps)
    return Reading(tuple(groups), own, "probability", "composite", is_float32)


def read_voting_regressor(
    model: Any, steps: tuple[Any, ...], read_member: ReadMember
) -> Reading:
    """Read a VotingRegressor."""
    groups: list[ReadGroup] = []
    is_float32 = False
    for member, share in _shares(model):
        reading = read_member(member, steps)
        groups += weighted(prediction_groups(reading), share)
        is_float32 |= reading.is_float32
    own = scores_of_rows(model, "predict", steps)
    return Reading(tuple(groups), own, "identity", "composite", is_float32)


def _shares(model: Any) -> list[tuple[Any, float]]:
    """Return the members, each with its share of the vote."""
    weights = model._weights_not_none
    if weights is None:
        weights = np.ones(len(model.estimators_))
    shares = np.asarray(weights, dtype=float) / np.sum(weights)
    return list(zip(model.estimators_, shares.tolist(), strict=True))
