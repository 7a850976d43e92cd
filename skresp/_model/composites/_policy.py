"""Read decision policies: rules as one more tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._model._links import PIECEWISE, Link
from skresp._model._policy_rules import (
    first_matches,
    outcome_positions,
    parse_rules,
    positions_of,
)
from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._model._unwrap import unwrap
from skresp._model._wrappers import policy_model
from skresp._model.steps._transform import transform_rows
from skresp._model.trees._arrays import Arithmetic, assemble
from skresp._typing import FloatArray

from ._members import ReadMember
from ._rule_tree import RuleColumns, RuleTree

# Scores are cut off here, beyond the logit of every probability.
_LIMIT = 1_000.0


def read_policy(model: Any, steps: tuple[Any, ...], read_member: ReadMember) -> Reading:
    """Read a DecisionPolicy: the model inside, and a tree that outvotes it.

    The scores of the model are cut off where that changes no decision, so that the
    leaves of the rules can be larger than all of them.
    """
    inner = read_member(policy_model(model), steps)
    rules = parse_rules(model.rules)
    if not rules:
        return inner
    position = positions_of(rules, _column_names(model))
    outcomes = outcome_positions(rules, model.classes_)
    limit = _limit(model, inner)
    groups, width = _cut_off(inner, limit), inner.groups[0].n_outputs
    values = _leaves(len(model.classes_), width, 3.0 * limit)
    columns = RuleColumns.of(rules, position)
    tree = RuleTree(rules, outcomes, columns, position).tree(values)
    output = 0 if width == 1 else -1
    ensemble = assemble([(output, tree)], width, Arithmetic())
    group = ReadGroup((*steps, columns), ensemble, base=np.zeros(width))
    classes = np.array([*outcomes, len(model.classes_)])

    def own_scores(rows: Any) -> FloatArray:
        match = first_matches(rules, transform_rows(steps, rows), position)
        scores = inner.own_scores(rows)
        if inner.prediction_link != "probability":
            scores = np.clip(scores, -limit, limit)
        return scores + values[classes[match]]

    return Reading(
        (*groups, group),
        own_scores,
        inner.prediction_link,
        "composite",
        inner.is_float32,
    )


def _column_names(model: Any) -> list[str]:
    """Return the names of the columns that a policy gets."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    n_columns = getattr(model, "n_features_in_", None)
    if n_columns is None:
        name = type(policy_model(model)).__name__
        raise UnreadableError(
            f"The model inside DecisionPolicy, {name}, does not keep the names of its "
            f"columns."
        )
    return [f"x{i}" for i in range(n_columns)]


def _limit(model: Any, inner: Reading) -> float:
    """Return a size that the scores of the model do not exceed, once cut off."""
    if inner.prediction_link == "probability":
        return 1.0
    rule = unwrap(policy_model(model)).threshold_rule
    return max(_LIMIT, 2.0 * abs(rule.threshold)) if rule is not None else _LIMIT


def _cut_off(inner: Reading, limit: float) -> tuple[ReadGroup, ...]:
    """Return the groups of the model inside, with scores within the limit."""
    groups = tuple(
        group if group.own_sums else group._replace(own_sums=inner.own_scores)
        for group in inner.groups
    )
    if inner.prediction_link == "probability":
        return groups
    group = groups[0]
    plain = group.link.is_identity and group.weight == 1.0
    if len(groups) > 1 or not plain or group.n_outputs != 1:
        raise UnreadableError(
            "Rules around a stacked model, or around scores of more than two classes "
            "that are no probabilities, are not read."
        )
    ends = np.array([-limit, limit])
    return (group._replace(link=Link(PIECEWISE, x=ends, y=ends)),)


def _leaves(n_classes: int, width: int, size: float) -> FloatArray:
    """Return what each outcome adds to the scores; nothing in the last row."""
    out = np.zeros((n_classes + 1, width))
    for k in range(n_classes):
        if width == 1:
            out[k] = size if k == 1 else -size
        else:
            out[k] = np.where(np.arange(width) == k, size, -size)
    return out
