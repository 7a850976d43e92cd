"""Checks of the parameters of constraints: names, kinds, directions, weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from skresp._actions._feature import DIRECTIONS, Feature
from skresp._text import quote, quote_all
from skresp._validation import check_bool, check_finite


def check_names(
    constraint: str, names: Iterable[str], *, minimum: int
) -> tuple[str, ...]:
    """Return the names of features as a tuple; they are distinct strings."""
    if isinstance(names, str):
        raise TypeError(
            f"{constraint} needs a list of feature names, got the string "
            f"{quote(names)}. Put it in a list."
        )
    if not isinstance(names, Iterable):
        raise TypeError(
            f"{constraint} needs a list of feature names, got {quote(names)}."
        )
    out = tuple(names)
    for name in out:
        if not isinstance(name, str):
            raise TypeError(f"{constraint} needs feature names, got {quote(name)}.")
    if len(set(out)) < len(out):
        twice = next(name for name in out if out.count(name) > 1)
        raise ValueError(
            f"{constraint} names {quote(twice)} twice. Name each feature once."
        )
    if len(out) < minimum:
        raise ValueError(
            f"{constraint} needs at least {minimum} "
            f"feature{'' if minimum == 1 else 's'}, got {list(out)}."
        )
    return out


def check_kind(
    constraint: str,
    name: str,
    features: Mapping[str, Feature],
    kinds: tuple[str, ...],
    remedy: str,
) -> None:
    """Raise ValueError unless the feature is of one of these kinds."""
    kind = features[name].kind
    if kind not in kinds:
        raise ValueError(
            f"{constraint} needs {' or '.join(kinds)} features, but {quote(name)} is "
            f"{kind}. {remedy}"
        )


def check_direction(constraint: str, direction: str | None) -> None:
    """Raise ValueError unless the direction is a known one or None."""
    if direction is not None and direction not in DIRECTIONS:
        raise ValueError(
            f"direction of {constraint} must be 'increase', 'decrease' or None, got "
            f"{quote(direction)}."
        )


def check_weights(
    constraint: str, parameter: str, weights: Any
) -> tuple[tuple[str, float], ...]:
    """Return a mapping of feature to number as sorted pairs.

    Sorted pairs are hashable, and equal mappings give equal pairs.
    """
    if isinstance(weights, tuple):  # from dataclasses.replace or pickle
        weights = dict(weights)
    if not isinstance(weights, Mapping) or not weights:
        raise TypeError(
            f"{parameter} of {constraint} must be a mapping from feature to number "
            f"with at least one entry, got {quote(weights)}."
        )
    check_names(constraint, weights, minimum=1)
    return tuple(
        (
            name,
            check_finite(f"{parameter}[{quote(name)}] of {constraint}", weights[name]),
        )
        for name in sorted(weights)
    )


def set_bool(constraint: Any, name: str) -> None:
    """Check a boolean field of a frozen constraint, and store it as a bool."""
    full_name = f"{name} of {type(constraint).__name__}"
    value = check_bool(full_name, getattr(constraint, name))
    object.__setattr__(constraint, name, value)


def code_of(constraint: str, name: str, feature: Feature, value: Any) -> float:
    """Return the code of a value: the position of a label, or the number itself."""
    if feature.kind != "categorical":
        if isinstance(value, bool):
            value = int(value)
        if not isinstance(value, Real) or not math.isfinite(value):
            raise ValueError(
                f"{constraint} has the value {quote(value)} for {quote(name)}, which "
                f"is {feature.kind}. Use a number."
            )
        return float(value)
    if feature.categories is None:
        raise ValueError(
            f"{constraint} needs the categories of {quote(name)}, which lists none. "
            f"Add categories=[...] to the feature."
        )
    if value not in feature.categories:
        raise ValueError(
            f"{constraint} has the value {quote(value)} for {quote(name)}, whose "
            f"categories are {quote_all(feature.categories)}."
        )
    return float(feature.categories.index(value))
