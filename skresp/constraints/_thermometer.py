"""Dummies that come on one after the other, as the marks of a thermometer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from skresp.actions import Constraint, Feature, Truth, Values

from ._expression import total
from ._names import check_direction, listed, names_of, require_kind


@dataclass(frozen=True)
class Thermometer(Constraint):
    """Each feature is on only where the one before it is; the level may be one-way.

    Examples
    --------
    >>> from skresp.constraints import Thermometer
    >>> Thermometer(["u25", "u50", "u75"], direction="decrease").describe()
    'u25, u50 and u75 come on in this order; the level only decreases.'
    """

    type = "thermometer"

    features: Sequence[str]
    direction: str | None = None

    def __post_init__(self) -> None:
        names = names_of("Thermometer", self.features, least=2)
        object.__setattr__(self, "features", names)
        check_direction("Thermometer", self.direction)

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            require_kind(
                "Thermometer",
                name,
                features,
                ("binary",),
                "Encode its thresholds as binary features first.",
            )

    def holds(self, before: Values, after: Values) -> Truth:
        ok = np.all(after[:, :-1] >= after[:, 1:], axis=1)
        climbed = after.sum(axis=1) - before.sum(axis=1)
        if self.direction == "increase":
            ok &= climbed >= 0
        elif self.direction == "decrease":
            ok &= climbed <= 0
        return ok

    def possible(self, before: Values, after: Values, bound: Sequence[int]) -> Truth:
        known = after[:, sorted(bound)]
        return np.all(known[:, :-1] >= known[:, 1:], axis=1)

    def encode(self, program: Any) -> None:
        for first, second in pairwise(self.features):
            program.require(program.reached(first) - program.reached(second), lower=0)
        climbed = total(program.change(name) for name in self.features)
        if self.direction == "increase":
            program.require(climbed, lower=0)
        elif self.direction == "decrease":
            program.require(climbed, upper=0)

    def describe(self) -> str:
        way = f"; the level only {self.direction}s" if self.direction else ""
        return f"{listed(self.features)} come on in this order{way}."
