"""Conditions on one feature, used by IfThen and DecisionPolicy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._actions._constraint import check_keys
from skresp._actions._feature import Feature, slack
from skresp._text import join_words, quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import to_python

from ._checks import code_of
from ._expression import Expression, total

OPS = ("<=", ">=", "==", "!=", "in")


@dataclass(frozen=True)
class Condition:
    """The condition `feature op value`.

    Parameters
    ----------
    feature : str
    op : {"<=", ">=", "==", "!=", "in"}
    value : number or label
        For "in" a list of them, kept as a tuple.
    """

    feature: str
    op: str
    value: Any

    def __post_init__(self) -> None:
        if not isinstance(self.feature, str):
            raise TypeError(
                f"The feature of a condition must be a name, got {quote(self.feature)}."
            )
        if self.op not in OPS:
            raise ValueError(
                f"The operator of the condition on {quote(self.feature)} must be one "
                f"of {', '.join(OPS)}, got {quote(self.op)}."
            )
        value = self.value
        if self.op == "in":
            if isinstance(value, str) or not np.iterable(value) or not list(value):
                raise TypeError(
                    f"The condition on {quote(self.feature)} with 'in' needs a list of "
                    f"values, got {quote(value)}."
                )
            value = tuple(map(to_python, value))
        object.__setattr__(self, "value", to_python(value))

    @classmethod
    def of(cls, name: str, given: Any) -> Condition:
        """Return a condition from a triple, or from a mapping as in files.

        `name` is what an error message calls it.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            keys = "feature", "op", "value"
            check_keys("A condition", given, keys, keys)
            given = tuple(given[key] for key in keys)
        if not isinstance(given, (tuple, list)) or len(given) != 3:
            raise TypeError(
                f"{name} must be a triple (feature, op, value), got {quote(given)}."
            )
        return cls(*given)

    @property
    def values(self) -> tuple[Any, ...]:
        """Return the values that the feature is compared with."""
        return self.value if self.op == "in" else (self.value,)

    def check_feature(self, feature: Feature) -> None:
        """Raise ValueError if the feature cannot be compared with the value."""
        if feature.kind == "categorical" and self.op in ("<=", ">="):
            raise ValueError(
                f"IfThen compares the categorical feature {quote(self.feature)} by "
                f"{quote(self.op)}, but labels have no order. List labels with 'in'."
            )
        for value in self.values:
            code_of("IfThen", self.feature, feature, value)

    def coded(self, feature: Feature) -> Condition:
        """Return the condition with labels replaced by their positions."""
        codes = tuple(
            code_of("IfThen", self.feature, feature, value) for value in self.values
        )
        return dataclasses.replace(self, value=codes if self.op == "in" else codes[0])

    def true(self, values: FloatArray) -> BoolArray:
        """Return where the condition is true, a mask over values of the feature."""
        # Fractions may be off by rounding, as in Linear; whole numbers may not.
        tolerance = np.where(values == np.rint(values), 0.0, slack(values))
        if self.op == "<=":
            return values <= self.value + tolerance
        if self.op == ">=":
            return values >= self.value - tolerance
        wanted = np.asarray(self.values, dtype=float)
        distance = np.abs(values[:, None] - wanted)
        equal = (distance <= tolerance[:, None]).any(axis=1)
        return ~equal if self.op == "!=" else equal

    def literal(self, program: Any) -> Expression:
        """Return an expression that is 1 where the condition is true, otherwise 0."""
        if self.op == "<=":
            return program.at_most(self.feature, self.value)
        if self.op == ">=":
            return program.at_least(self.feature, self.value)
        equal = total(
            program.equals(self.feature, value) for value in dict.fromkeys(self.values)
        )
        if not equal.terms:  # a real value may equal several values up to rounding
            equal = Expression(constant=min(equal.constant, 1.0))
        return 1.0 - equal if self.op == "!=" else equal

    def describe(self) -> str:
        """Return the condition in words."""
        if self.op == "in":
            return f"{self.feature} is {join_words(map(str, self.values), 'or')}"
        words = {"==": "is", "!=": "is not", "<=": "is at most", ">=": "is at least"}
        return f"{self.feature} {words[self.op]} {self.value}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, as they are written to files."""
        value = list(self.value) if self.op == "in" else self.value
        return {"feature": self.feature, "op": self.op, "value": value}
