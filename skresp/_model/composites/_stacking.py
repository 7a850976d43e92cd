"""Read stacked models with a linear final step."""

from __future__ import annotations

from typing import Any

from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._model.steps._transform import scores_of_rows
from skresp._typing import FloatArray

from ._join_trees import join_trees
from ._members import (
    ReadMember,
    check_two_classes,
    probability_groups,
    second_score,
    weighted,
)


def read_stacking(
    model: Any, steps: tuple[Any, ...], read_member: ReadMember
) -> Reading:
    """Read a stacked model: the final coefficients are weights of the members."""
    if hasattr(model, "classes_"):
        check_two_classes(model)
    final = read_member(model.final_estimator_, ())
    coef, base = _coefficients(final)
    groups: list[ReadGroup] = []
    is_float32 = final.is_float32
    methods = model.stack_method_
    for member, method, weight in zip(model.estimators_, methods, coef, strict=False):
        reading = read_member(member, steps)
        groups += weighted(_predicted(reading, method), float(weight))
        is_float32 |= reading.is_float32
    rest = coef[len(methods) :]
    if len(rest):
        groups.append(ReadGroup(steps, coef=rest[None], base=base))
    else:
        groups.append(ReadGroup(groups[0].steps, base=base))
    method = "decision_function" if hasattr(model, "classes_") else "predict"
    own = scores_of_rows(model, method, steps)
    return Reading(
        join_trees(groups), own, final.prediction_link, "composite", is_float32
    )


def _coefficients(final: Reading) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients and the intercept of the final step."""
    group = final.groups[0]
    plain = len(final.groups) == 1 and group.link.is_identity
    if not plain or group.steps or group.coef is None or len(group.coef) != 1:
        raise UnreadableError(
            "Stacking is read with a linear final estimator only, such as "
            "LogisticRegression without steps before it."
        )
    assert group.base is not None
    return group.coef[0], group.base


def _predicted(reading: Reading, method: str) -> tuple[ReadGroup, ...]:
    """Return groups that add up to what a member passes on."""
    if method == "predict_proba":
        return probability_groups(reading)
    scores = ("logit", "clipped", "margin")
    if method == "decision_function" and reading.prediction_link in scores:
        return second_score(reading)
    if method == "predict" and reading.prediction_link == "identity":
        return second_score(reading)
    raise UnreadableError(
        "A member of the stack passes on labels, or scores that are not read; use "
        "members with predict_proba."
    )
