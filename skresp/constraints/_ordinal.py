"""One-hot encoding of ordered levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature
from skresp._text import join_words
from skresp._typing import BoolArray, FloatArray

from ._checks import check_direction, check_kind, check_names, set_bool
from ._direction import direction_text, keeps_direction, require_direction
from ._expression import total


@dataclass(frozen=True)
class Ordinal(Constraint):
    """One of the binary features is on; they encode ordered levels.

    Parameters
    ----------
    features : list of str
        Binary features, the lowest level first.
    direction : {"increase", "decrease"}, optional
        The only direction in which the level can change.
    exhaustive : bool, default=True
        Whether one feature is always on. With False all features may be off, which is
        the lowest level.

    Examples
    --------
    >>> from skresp.constraints import Ordinal
    >>> Ordinal(["school", "college", "phd"], direction="increase").describe()
    'Exactly one of school, college and phd is on; the level only increases.'
    """

    type = "ordinal"

    features: Sequence[str]
    direction: str | None = None
    exhaustive: bool = True

    def __post_init__(self) -> None:
        set_bool(self, "exhaustive")
        names = check_names("Ordinal", self.features, minimum=2)
        object.__setattr__(self, "features", names)
        check_direction("Ordinal", self.direction)

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            check_kind(
                "Ordinal",
                name,
                features,
                ("binary",),
                "For a feature with labels, use one categorical feature with a "
                "direction instead.",
            )

    @property
    def _levels(self) -> FloatArray:
        return np.arange(1.0, len(self.features) + 1)

    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        on = after.sum(axis=1)
        ok = on == 1 if self.exhaustive else on <= 1
        climbed = after @ self._levels - before @ self._levels
        return ok & keeps_direction(self.direction, climbed)

    def possible(
        self, before: FloatArray, after: FloatArray, bound: Sequence[int]
    ) -> BoolArray:
        return after[:, list(bound)].sum(axis=1) <= 1

    def encode(self, program: Any) -> None:
        on = total(program.reached(name) for name in self.features)
        program.require(on, 1 if self.exhaustive else 0, 1)
        climbed = total(
            level * program.change(name)
            for level, name in zip(self._levels, self.features, strict=True)
        )
        require_direction(program, self.direction, climbed)

    def describe(self) -> str:
        how = "Exactly" if self.exhaustive else "At most"
        way = direction_text(self.direction)
        return f"{how} one of {join_words(self.features)} is on{way}."
