"""Thermometer encoding: a feature is on only if the one before it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature
from skresp._text import join_words
from skresp._typing import BoolArray, FloatArray

from ._checks import check_direction, check_kind, check_names
from ._direction import direction_text, keeps_direction, require_direction
from ._expression import total


@dataclass(frozen=True)
class Thermometer(Constraint):
    """Each binary feature is on only if the one before it is on.

    Such features encode thresholds, for example utilisation above 25, 50 and 75
    percent. The level is the number of features that are on.

    Parameters
    ----------
    features : list of str
        Binary features, the lowest threshold first.
    direction : {"increase", "decrease"}, optional
        The only direction in which the level can change.

    Examples
    --------
    >>> from skresp.constraints import Thermometer
    >>> Thermometer(["u25", "u50", "u75"], direction="decrease").describe()
    'u25, u50 and u75 are switched on in this order; the level only decreases.'
    """

    type = "thermometer"

    features: Sequence[str]
    direction: str | None = None

    def __post_init__(self) -> None:
        names = check_names("Thermometer", self.features, minimum=2)
        object.__setattr__(self, "features", names)
        check_direction("Thermometer", self.direction)

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            check_kind(
                "Thermometer",
                name,
                features,
                ("binary",),
                "Encode its thresholds as binary features first.",
            )

    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        ok = np.all(after[:, :-1] >= after[:, 1:], axis=1)
        climbed = after.sum(axis=1) - before.sum(axis=1)
        return ok & keeps_direction(self.direction, climbed)

    def possible(
        self, before: FloatArray, after: FloatArray, bound: Sequence[int]
    ) -> BoolArray:
        known = after[:, sorted(bound)]
        return np.all(known[:, :-1] >= known[:, 1:], axis=1)

    def encode(self, program: Any) -> None:
        for first, second in pairwise(self.features):
            program.require(program.reached(first) - program.reached(second), lower=0)
        climbed = total(program.change(name) for name in self.features)
        require_direction(program, self.direction, climbed)

    def describe(self) -> str:
        way = direction_text(self.direction)
        return f"{join_words(self.features)} are switched on in this order{way}."
