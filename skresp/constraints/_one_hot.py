"""One-hot encoding: exactly or at most a number of binary features are on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature
from skresp._text import join_words, quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import is_integer

from ._checks import check_kind, check_names, set_bool
from ._expression import total


@dataclass(frozen=True)
class OneHot(Constraint):
    """Exactly or at most `limit` of the binary features are on.

    Parameters
    ----------
    features : list of str
        Binary features, for example the dummies of one category.
    limit : int, default=1
        The number of features that are on.
    at_most : bool, default=False
        Whether fewer may be on.

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
        names = check_names("OneHot", self.features, minimum=2)
        object.__setattr__(self, "features", names)
        if not is_integer(self.limit) or not 1 <= self.limit <= len(names):
            raise ValueError(
                f"limit of OneHot must be a whole number from 1 to {len(names)}, the "
                f"number of its features, got {quote(self.limit)}."
            )
        object.__setattr__(self, "limit", int(self.limit))

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            check_kind(
                "OneHot",
                name,
                features,
                ("binary",),
                "For a feature with labels, use one categorical feature instead.",
            )

    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        on = after.sum(axis=1)
        return on <= self.limit if self.at_most else on == self.limit

    def possible(
        self, before: FloatArray, after: FloatArray, bound: Sequence[int]
    ) -> BoolArray:
        on = after[:, list(bound)].sum(axis=1)
        n_open = len(self.features) - len(bound)
        enough = self.at_most or on + n_open >= self.limit
        return (on <= self.limit) & enough

    def encode(self, program: Any) -> None:
        on = total(program.reached(name) for name in self.features)
        program.require(on, 0 if self.at_most else self.limit, self.limit)

    def describe(self) -> str:
        how = "At most" if self.at_most else "Exactly"
        many = "one" if self.limit == 1 else str(self.limit)
        verb = "is" if self.limit == 1 else "are"
        return f"{how} {many} of {join_words(self.features)} {verb} on."
