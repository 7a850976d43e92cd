"""Implication between two conditions on the reached point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skresp._actions._constraint import Constraint, check_keys
from skresp._actions._feature import Feature
from skresp._typing import BoolArray, FloatArray

from ._condition import Condition


@dataclass(frozen=True)
class IfThen(Constraint):
    """If one condition is true at the reached point, so is another.

    Parameters
    ----------
    if_, then : tuple (feature, op, value)
        The conditions. `op` is one of "<=", ">=", "==", "!=" and "in"; for "in" the
        value is a list.

    Examples
    --------
    >>> from skresp.constraints import IfThen
    >>> IfThen(("job", "==", "none"), ("income", "<=", 500)).describe()
    'Where job is none, income is at most 500.'
    """

    type = "if_then"

    if_: Any  # stored as a Condition
    then: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "if_", Condition.of("if_ of IfThen", self.if_))
        object.__setattr__(self, "then", Condition.of("then of IfThen", self.then))

    @property
    def features(self) -> tuple[str, ...]:
        """The constrained features."""
        return tuple(dict.fromkeys((self.if_.feature, self.then.feature)))

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for condition in (self.if_, self.then):
            condition.check_feature(features[condition.feature])

    def coded(self, features: Mapping[str, Feature]) -> IfThen:
        return IfThen(
            self.if_.coded(features[self.if_.feature]),
            self.then.coded(features[self.then.feature]),
        )

    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        return ~self.if_.true(after[:, 0]) | self.then.true(after[:, -1])

    def turning_points(
        self, before: FloatArray, rates: FloatArray
    ) -> list[float] | None:
        points = []
        for condition, i in ((self.if_, 0), (self.then, -1)):
            if rates[i]:
                points += [(value - before[i]) / rates[i] for value in condition.values]
        return points

    def encode(self, program: Any) -> None:
        program.require(self.then.literal(program) - self.if_.literal(program), lower=0)

    def describe(self) -> str:
        return f"Where {self.if_.describe()}, {self.then.describe()}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "type": self.type,
            "if": self.if_.to_dict(),
            "then": self.then.to_dict(),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Constraint:
        keys = "if", "then"
        check_keys("A constraint of type 'if_then'", fields, keys, keys)
        return cls(fields["if"], fields["then"])
