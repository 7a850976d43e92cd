"""What every rule between features offers; the rules stand in `skresp.constraints`."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ._feature import Feature

Values = NDArray[np.float64]
Truth = NDArray[np.bool_]


class Constraint(ABC):
    """A rule between features: its meaning, its encoding, its words.

    A subclass is a frozen dataclass that sets `type` (its name in files) and says
    its meaning once (`holds`) and its encoding once (`encode`). Naming `type` is
    what enters it in the file form.

    Values are numbers in columns ordered as `features`; a categorical value is its
    place in the feature's categories (-1 where the label is not listed).
    """

    type: ClassVar[str]
    features: Any  # the names it is about: a field, or a property of the subclass
    # Whether it can be judged only where none of its values is missing. Where one
    # is, such a rule keeps the others of its features where they are.
    needs_values: ClassVar[bool] = True
    types: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "type" in vars(cls):
            Constraint.types[cls.type] = cls

    @property
    def links(self) -> dict[tuple[str, str], float]:
        """Downstream changes it brings: `(source, target)` to scale."""
        return {}

    @abstractmethod
    def check_features(self, features: Mapping[str, Feature]) -> None:
        """Raise where the features are of kinds it is not made for."""

    def coded(self, features: Mapping[str, Feature]) -> Constraint:
        """The same rule with category labels replaced by their places."""
        return self

    @abstractmethod
    def holds(self, before: Values, after: Values) -> Truth:
        """The meaning: whether each move from a row of `before` to `after` obeys it."""

    def possible(self, before: Values, after: Values, bound: Sequence[int]) -> Truth:
        """Whether it can still hold when only the columns `bound` of `after` are known.

        May answer True too often, never False where some completion holds.
        """
        return np.ones(len(after), dtype=bool)

    def turning_points(self, before: Values, rates: Values) -> list[float] | None:
        """Where it may change its mind as the features move at these rates.

        A person is at `before`; after a change of t they are at `before + rates * t`.
        The answer is None where that cannot be told, which is always safe.
        """
        return None if rates.any() else []

    @abstractmethod
    def encode(self, program: Any) -> None:
        """The encoding: add the rows that hold exactly where `holds` is true."""

    @abstractmethod
    def describe(self) -> str:
        """The rule as a sentence."""

    def to_dict(self) -> dict[str, Any]:
        """The file form: `type` and the fields that are set."""
        out: dict[str, Any] = {"type": self.type}
        for name in _public_fields(self):
            value = getattr(self, name)
            if value is not None:
                out[name] = _plain(value)
        return out

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Constraint:
        """The constraint with these fields (without `type`)."""
        known = _public_fields(cls)
        needed = [
            field.name
            for field in dataclasses.fields(cls)  # type: ignore[arg-type]
            if field.name in known and field.default is dataclasses.MISSING
        ]
        check_keys(f"A constraint of type {cls.type!r}", fields, known, needed)
        return cls(**fields)


def check_keys(
    what: str,
    given: Mapping[str, Any],
    known: Sequence[str],
    needed: Sequence[str] = (),
) -> None:
    """Raise for a key that is not known, or needed and not there."""
    for key in needed:
        if key not in given:
            raise ValueError(f"{what} needs the key {key!r}; it has {list(given)}.")
    for key in given:
        if key not in known:
            raise ValueError(
                f"{what} has no key {key!r}; its keys are {', '.join(known)}."
            )


def _public_fields(constraint: Any) -> list[str]:
    names = [field.name for field in dataclasses.fields(constraint)]
    return [name for name in names if not name.startswith("_")]


def _plain(value: Any) -> Any:
    return [_plain(v) for v in value] if isinstance(value, tuple) else value
