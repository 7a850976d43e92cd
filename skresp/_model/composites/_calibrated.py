"""Read calibrated classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._model._links import PIECEWISE, SIGMOID, Link
from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._text import quote

from ._members import (
    ReadMember,
    check_two_classes,
    own_probabilities,
    single_group,
    weighted,
)


def read_calibrated(
    model: Any, steps: tuple[Any, ...], read_member: ReadMember
) -> Reading:
    """Read a CalibratedClassifierCV: a group with a link for each fold."""
    check_two_classes(model)
    groups: list[ReadGroup] = []
    is_float32 = False
    share = 1.0 / len(model.calibrated_classifiers_)
    for member in model.calibrated_classifiers_:
        reading = read_member(member.estimator, steps)
        group = single_group(reading)._replace(link=_link(member, reading))
        groups += weighted([group], share)
        is_float32 |= reading.is_float32
    own = own_probabilities(model, steps)
    return Reading(tuple(groups), own, "probability", "composite", is_float32)


def _link(member: Any, reading: Reading) -> Link:
    """Return the link of one fold."""
    (calibrator,) = member.calibrators
    # Without a decision function, a probability is calibrated.
    has_scores = hasattr(member.estimator, "decision_function")
    of_probability = not has_scores and reading.prediction_link == "logit"
    if member.method == "sigmoid":
        slope, intercept = -float(calibrator.a_), -float(calibrator.b_)
        return Link(SIGMOID, slope, intercept, of_probability=of_probability)
    if member.method == "isotonic":
        x = np.asarray(calibrator.X_thresholds_, dtype=float)
        y = np.asarray(calibrator.y_thresholds_, dtype=float)
        return Link(PIECEWISE, x=x, y=y, of_probability=of_probability)
    if member.method == "temperature" and has_scores:
        return Link(SIGMOID, 2.0 * float(calibrator.beta_))  # softmax of -s and s
    raise UnreadableError(
        f"CalibratedClassifierCV is read with method='sigmoid' or 'isotonic' here, not "
        f"{quote(member.method)}; 'temperature' needs a model with decision_function."
    )
