"""Action sets as plain values: strings, numbers, lists and mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skresp._text import quote
from skresp._validation import did_you_mean

from ._constraint import Constraint, check_keys
from ._feature import Feature


def parse_action_set(d: Any) -> tuple[dict[str, Feature], list[Constraint]]:
    """Return the features and constraints of a dict of plain values."""
    if not isinstance(d, Mapping):
        raise TypeError(
            f"An action set must be a mapping with the keys features and constraints, "
            f"got {type(d).__name__}."
        )
    check_keys("An action set", d, ("features", "constraints"))
    features, constraints = d.get("features"), d.get("constraints") or []
    if not isinstance(features, Mapping):
        raise TypeError(
            f"The features of an action set must be a mapping from name to fields, got "
            f"{quote(features)}."
        )
    if not isinstance(constraints, list | tuple):
        raise TypeError(
            f"The constraints of an action set must be a list, got "
            f"{quote(constraints)}."
        )
    return (
        {name: _parse_feature(name, fields) for name, fields in features.items()},
        [_parse_constraint(i, fields) for i, fields in enumerate(constraints, start=1)],
    )


def _parse_feature(name: str, fields: Any) -> Feature:
    """Return the feature with these fields."""
    if not isinstance(fields, Mapping):
        raise TypeError(
            f"Feature {quote(name)} must be a mapping such as {{kind: binary}}, got "
            f"{quote(fields)}."
        )
    known = [field for field in Feature.__dataclass_fields__ if field != "_"]
    check_keys(f"Feature {quote(name)}", fields, known)
    if "kind" not in fields:
        raise ValueError(
            f"Feature {quote(name)} has no kind. Add one, for example kind: integer."
        )
    try:
        return Feature(**fields)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Feature {quote(name)}: {error}") from None


def _parse_constraint(number: int, fields: Any) -> Constraint:
    """Return the constraint with these fields, the `number`-th of its list."""
    if not isinstance(fields, Mapping) or "type" not in fields:
        raise ValueError(
            f"Constraint {number} must be a mapping with a type, got {quote(fields)}."
        )
    kind = fields["type"]
    cls = Constraint.types.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise ValueError(
            f"Constraint {number} has the unknown type {quote(kind)}; the types are "
            f"{', '.join(sorted(Constraint.types))}. "
            f"{did_you_mean(kind, sorted(Constraint.types))}".rstrip()
        )
    rest = {key: value for key, value in fields.items() if key != "type"}
    try:
        return cls.from_dict(rest)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Constraint {number}: {error}") from None
