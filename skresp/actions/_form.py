"""Features and constraints from plain values, with errors that name their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._constraint import Constraint, check_keys
from ._feature import Feature


def read_feature(name: str, fields: Any) -> Feature:
    """The feature that these fields state."""
    if not isinstance(fields, Mapping):
        raise TypeError(
            f"Feature {name!r}: expected a mapping such as {{kind: binary}}, got "
            f"{fields!r}."
        )
    known = [f for f in Feature.__dataclass_fields__ if f != "_"]
    check_keys(f"Feature {name!r}", fields, known)
    if "kind" not in fields:
        raise ValueError(
            f"Feature {name!r} has no kind; add kind: integer, or another."
        )
    try:
        return Feature(**fields)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Feature {name!r}: {error}") from None


def read_rule(place: int, fields: Any) -> Constraint:
    """The constraint that these fields state, the `place`-th of its list."""
    if not isinstance(fields, Mapping) or "type" not in fields:
        raise ValueError(
            f"Constraint {place + 1}: expected a mapping with a type, got {fields!r}."
        )
    rest = {key: value for key, value in fields.items() if key != "type"}
    kind = Constraint.types.get(fields["type"])
    if kind is None:
        raise ValueError(
            f"Constraint {place + 1} has the unknown type {fields['type']!r}; the "
            f"types are {', '.join(sorted(Constraint.types))}."
        )
    try:
        return kind.from_dict(rest)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Constraint {place + 1}: {error}") from None
