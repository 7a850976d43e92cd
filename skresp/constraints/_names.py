"""Checks that the constraints share: names, kinds, directions, numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from skresp.actions import DIRECTIONS, Feature


def names_of(constraint: str, names: Iterable[str], *, least: int) -> tuple[str, ...]:
    """The names as a tuple, distinct and at least `least` of them."""
    if isinstance(names, str):
        raise TypeError(
            f"{constraint} needs a list of feature names, got the string {names!r}. "
            f"Write [{names!r}, ...]."
        )
    out = tuple(names)
    for name in out:
        if not isinstance(name, str):
            raise TypeError(f"{constraint} needs feature names, got {name!r}.")
    if len(set(out)) < len(out):
        twice = next(name for name in out if out.count(name) > 1)
        raise ValueError(f"{constraint} names {twice!r} twice; name each feature once.")
    if len(out) < least:
        raise ValueError(
            f"{constraint} needs at least {least} features, got {list(out)}."
        )
    return out


def require_kind(
    constraint: str,
    name: str,
    features: Mapping[str, Feature],
    kinds: tuple[str, ...],
    way_out: str,
) -> None:
    """Raise unless the feature is of one of these kinds."""
    kind = features[name].kind
    if kind not in kinds:
        raise ValueError(
            f"{constraint} needs {' or '.join(kinds)} features, but {name!r} is "
            f"{kind}. {way_out}"
        )


def check_direction(constraint: str, direction: str | None) -> None:
    """Raise unless the direction is a known one or None."""
    if direction is not None and direction not in DIRECTIONS:
        raise ValueError(
            f"The direction of {constraint} must be 'increase', 'decrease' or None, "
            f"got {direction!r}."
        )


def weights_of(
    constraint: str, what: str, weights: Any
) -> tuple[tuple[str, float], ...]:
    """A mapping feature -> number as sorted pairs, so that equal ones compare equal."""
    if isinstance(weights, tuple):  # as dataclasses.replace and pickle hand it on
        weights = dict(weights)
    if not isinstance(weights, Mapping) or not weights:
        raise TypeError(
            f"The {what} of {constraint} must be a mapping from feature to number "
            f"with at least one entry, got {weights!r}."
        )
    names_of(constraint, weights, least=1)
    return tuple(
        (name, number_of(constraint, f"{what}[{name!r}]", weights[name]))
        for name in sorted(weights)
    )


def number_of(constraint: str, what: str, value: Any) -> float:
    """A finite number."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{what} of {constraint} must be a number, got {value!r}.")
    if not math.isfinite(value):
        raise ValueError(f"{what} of {constraint} must be finite, got {value!r}.")
    return value  # type: ignore[return-value]


def bool_of(constraint: str, what: str, value: Any) -> bool:
    """A truth value, and no word that looks like one."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{what} of {constraint} must be True or False (true or false in a file), "
            f"got {value!r}."
        )
    return bool(value)


def set_bool(constraint: Any, *names: str) -> None:
    """Check and settle boolean fields of a frozen constraint."""
    for name in names:
        value = bool_of(type(constraint).__name__, name, getattr(constraint, name))
        object.__setattr__(constraint, name, value)


def code_of(constraint: str, name: str, feature: Feature, label: Any) -> float:
    """The place of a label in a categorical feature, or a number as it is."""
    if feature.kind != "categorical":
        if isinstance(label, bool):
            label = int(label)
        if not isinstance(label, Real) or not math.isfinite(label):
            raise ValueError(
                f"{constraint} names the value {label!r} of {name!r}, which is "
                f"{feature.kind}. Name a number."
            )
        return float(label)
    if feature.categories is None:
        raise ValueError(
            f"{constraint} needs the categories of {name!r}, which lists none. Add "
            f"categories=[...] to the feature."
        )
    if label not in feature.categories:
        raise ValueError(
            f"{constraint} names the value {label!r} of {name!r}, whose categories "
            f"are {', '.join(map(repr, feature.categories))}."
        )
    return float(feature.categories.index(label))


def listed(names: Iterable[str], last: str = "and") -> str:
    """Names as people list them: 'a, b and c'."""
    *most, final = names
    return f"{', '.join(most)} {last} {final}" if most else final
