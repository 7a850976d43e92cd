"""A statement about one feature at the reached point, as IfThen uses it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp.actions import Feature, Truth, Values, check_keys, slack

from ._expression import Expression, total
from ._names import code_of, listed

OPS = ("<=", ">=", "==", "!=", "in")


@dataclass(frozen=True)
class Condition:
    """`feature op value`; for `in` the value is a tuple of values."""

    feature: str
    op: str
    value: Any

    def __post_init__(self) -> None:
        if not isinstance(self.feature, str):
            raise TypeError(
                f"A condition starts with a feature name, got {self.feature!r}."
            )
        if self.op not in OPS:
            raise ValueError(
                f"The condition on {self.feature!r} has the operator {self.op!r}; it "
                f"must be one of {', '.join(OPS)}."
            )
        value = self.value
        if self.op == "in":
            if isinstance(value, str) or not np.iterable(value) or not list(value):
                raise TypeError(
                    f"The condition on {self.feature!r} with 'in' needs a list of "
                    f"values, got {value!r}."
                )
            value = tuple(map(_plain, value))
        object.__setattr__(self, "value", _plain(value))

    @classmethod
    def of(cls, what: str, given: Any) -> Condition:
        """A condition from a triple, or from its file form."""
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            keys = "feature", "op", "value"
            check_keys("A condition", given, keys, keys)
            given = tuple(given[key] for key in keys)
        if not isinstance(given, (tuple, list)) or len(given) != 3:
            raise TypeError(
                f"{what} of IfThen must be a triple (feature, op, value), got "
                f"{given!r}."
            )
        return cls(*given)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values it names."""
        return self.value if self.op == "in" else (self.value,)

    def check_feature(self, feature: Feature) -> None:
        """Raise where the feature cannot be compared so."""
        if feature.kind == "categorical" and self.op in ("<=", ">="):
            raise ValueError(
                f"IfThen compares the categorical feature {self.feature!r} by "
                f"{self.op!r}. Name the labels with 'in' instead."
            )
        for value in self.values:
            code_of("IfThen", self.feature, feature, value)

    def coded(self, feature: Feature) -> Condition:
        """The condition with labels replaced by their places."""
        codes = tuple(
            code_of("IfThen", self.feature, feature, value) for value in self.values
        )
        return dataclasses.replace(self, value=codes if self.op == "in" else codes[0])

    def true(self, values: Values) -> Truth:
        """Where it is true."""
        # Fractions get the benefit of rounding, as in Linear; whole numbers do not.
        off = np.where(values == np.rint(values), 0.0, slack(values))
        if self.op == "<=":
            return values <= self.value + off
        if self.op == ">=":
            return values >= self.value - off
        wanted = np.asarray(self.values, dtype=float)
        found = (np.abs(values[:, None] - wanted) <= off[:, None]).any(axis=1)
        return ~found if self.op == "!=" else found

    def literal(self, program: Any) -> Expression:
        """The expression that is 1 where it is true and 0 where not."""
        if self.op == "<=":
            return program.at_most(self.feature, self.value)
        if self.op == ">=":
            return program.at_least(self.feature, self.value)
        equal = total(
            program.equals(self.feature, value) for value in dict.fromkeys(self.values)
        )
        if not equal.terms:  # a real may be near to several values at once
            equal = Expression(constant=min(equal.constant, 1.0))
        return 1.0 - equal if self.op == "!=" else equal

    def describe(self) -> str:
        """The condition in words."""
        if self.op == "in":
            return f"{self.feature} is {listed(map(str, self.values), 'or')}"
        words = {"==": "is", "!=": "is not", "<=": "is at most", ">=": "is at least"}
        return f"{self.feature} {words[self.op]} {self.value}"

    def to_dict(self) -> dict[str, Any]:
        """The file form."""
        value = list(self.value) if self.op == "in" else self.value
        return {"feature": self.feature, "op": self.op, "value": value}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
