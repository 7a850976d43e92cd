"""Dummies of one category: exactly, or at most, so many of them are on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp.actions import Constraint, Feature, Truth, Values

from ._expression import total
from ._names import listed, names_of, require_kind, set_bool


@dataclass(frozen=True)
class OneHot(Constraint):
    """Exactly (or at most) `limit` of the binary features are on.

    Examples
    --------
    >>> from skresp.constraints import OneHot
    >>> OneHot(["own", "rent", "free"]).describe()
    'Exactly one of own, rent and free is on.'
    >>> import numpy as np
    >>> OneHot(["own", "rent"]).holds(np.array([[1, 0]]), np.array([[1, 1]]))
    array([False])
    """

    type = "one_hot"

    features: Sequence[str]
    limit: int = 1
    at_most: bool = False

    def __post_init__(self) -> None:
        set_bool(self, "at_most")
        names = names_of("OneHot", self.features, least=2)
        object.__setattr__(self, "features", names)
        whole = isinstance(self.limit, (int, np.integer))
        if not whole or not 1 <= self.limit <= len(names):
            raise ValueError(
                f"The limit of OneHot must be a whole number from 1 to "
                f"{len(names)}, the number of its features, got {self.limit!r}."
            )
        object.__setattr__(self, "limit", int(self.limit))

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            require_kind(
                "OneHot",
                name,
                features,
                ("binary",),
                "For a feature with labels, use one categorical feature instead.",
            )

    def holds(self, before: Values, after: Values) -> Truth:
        on = after.sum(axis=1)
        return on <= self.limit if self.at_most else on == self.limit

    def possible(self, before: Values, after: Values, bound: Sequence[int]) -> Truth:
        on = after[:, list(bound)].sum(axis=1)
        to_come = len(self.features) - len(bound)
        enough = self.at_most or on + to_come >= self.limit
        return (on <= self.limit) & enough

    def encode(self, program: Any) -> None:
        on = total(program.reached(name) for name in self.features)
        program.require(on, 0 if self.at_most else self.limit, self.limit)

    def describe(self) -> str:
        how = "At most" if self.at_most else "Exactly"
        many = "one" if self.limit == 1 else str(self.limit)
        verb = "is" if self.limit == 1 else "are"
        return f"{how} {many} of {listed(self.features)} {verb} on."
