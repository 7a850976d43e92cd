"""Checks of what an action set is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skresp._text import number, quote
from skresp._validation import check_encodable, check_feature_names

from ._constraint import Constraint
from ._feature import Feature, slack

# Constraints compare real values up to rounding. That may be at most this share of the
# range of a feature, so that no reached point is visibly outside a constraint.
_COARSEST = 1e-4


def check_feature(name: Any, feature: Any) -> None:
    """Raise an error for a name or feature that an action set cannot have."""
    if not isinstance(name, str):
        raise TypeError(f"Feature names must be strings, got {quote(name)}.")
    check_encodable("Feature names", name)
    if not isinstance(feature, Feature):
        raise TypeError(
            f"features[{quote(name)}] must be a Feature, got {quote(feature)}."
        )
    if not feature.can_change:
        return
    if feature.kind in ("integer", "real"):
        for bound in ("lower", "upper"):
            if getattr(feature, bound) is None:
                raise ValueError(
                    f"Feature {quote(name)} can change but has no {bound} bound. Give "
                    f"it both bounds, infer them from data with ActionSet.infer, or "
                    f"pass actionable=False."
                )
    if feature.kind == "categorical" and feature.categories is None:
        raise ValueError(
            f"Feature {quote(name)} can change but lists no categories. Give it "
            f"categories=[...], infer them from data with ActionSet.infer, or pass "
            f"actionable=False."
        )


def check_constraint(rule: Any, features: Mapping[str, Feature]) -> None:
    """Raise an error for what is no constraint, or does not fit its features."""
    if not isinstance(rule, Constraint):
        raise TypeError(
            f"constraints must be a list of skresp.constraints.Constraint, got "
            f"{quote(rule)} in it."
        )
    check_feature_names(type(rule).__name__, rule.features, features)
    rule.check_features(features)


def check_distinct(rules: tuple[Constraint, ...]) -> None:
    """Raise ValueError if a constraint occurs twice."""
    if len(set(rules)) < len(rules):
        twice = next(rule for rule in rules if rules.count(rule) > 1)
        raise ValueError(
            f"constraints must be distinct, got {quote(twice)} twice. Keep one of "
            f"them; to double an effect, double its scale."
        )


def check_precision(
    rules: tuple[Constraint, ...], features: Mapping[str, Feature]
) -> None:
    """Raise ValueError if constraints compare a feature too coarsely for its range."""
    for name in dict.fromkeys(name for rule in rules for name in rule.features):
        feature = features[name]
        low, high = feature.bounds
        if feature.kind != "real" or not feature.can_change or low == high:
            continue
        off = float(slack(np.array(low), np.array(high)))
        if off > _COARSEST * (high - low):
            raise ValueError(
                f"Feature {quote(name)} is in a constraint, and constraints compare "
                f"its values up to {off:.1g}, which is too coarse for a range from "
                f"{number(low)} to {number(high)}. Give it in smaller units if the "
                f"range is small, or measured from a nearer origin if the values are "
                f"large."
            )
