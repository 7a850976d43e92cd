"""Limits on a weighted sum of reached values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature, slack
from skresp._text import number
from skresp._typing import BoolArray, FloatArray
from skresp._validation import check_finite

from ._checks import check_kind, check_weights
from ._expression import total


@dataclass(frozen=True)
class Linear(Constraint):
    """The weighted sum of reached values is within limits.

    Parameters
    ----------
    terms : mapping of feature to weight
    lower, upper : number, optional
        The limits of the sum; at least one is needed.

    Examples
    --------
    >>> from skresp.constraints import Linear
    >>> Linear({"rent": 1, "loan": 1, "income": -0.5}, upper=0).describe()
    'loan + rent is at most 0.5 x income.'
    """

    type = "linear"

    terms: Any  # stored as sorted pairs (feature, weight)
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        terms = check_weights("Linear", "terms", self.terms)
        object.__setattr__(self, "terms", terms)
        for name in ("lower", "upper"):
            if getattr(self, name) is not None:
                value = check_finite(f"{name} of Linear", getattr(self, name))
                object.__setattr__(self, name, value)
        if self.lower is None and self.upper is None:
            raise ValueError(
                "Linear needs lower or upper, got neither lower nor upper."
            )
        if self.lower is not None and self.upper is not None:
            if self.lower > self.upper:
                raise ValueError(
                    f"lower of Linear must not exceed upper, got lower={self.lower}, "
                    f"upper={self.upper}."
                )

    @property
    def features(self) -> tuple[str, ...]:
        """The constrained features."""
        return tuple(dict(self.terms))

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            check_kind(
                "Linear",
                name,
                features,
                ("binary", "integer", "real"),
                "Labels cannot be added up; use IfThen or Reachability.",
            )

    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        weights = np.array([weight for _, weight in self.terms], dtype=float)
        products = after * weights
        value = products.sum(axis=1)
        # Sums of whole numbers are exact; only fractions may be off by rounding.
        whole = (products == np.rint(products)).all(axis=1)
        tolerance = np.where(whole, 0.0, slack(np.abs(products).sum(axis=1)))
        ok = np.ones(len(after), dtype=bool)
        if self.lower is not None:
            ok &= value >= self.lower - tolerance
        if self.upper is not None:
            ok &= value <= self.upper + tolerance
        return ok

    def turning_points(
        self, before: FloatArray, rates: FloatArray
    ) -> list[float] | None:
        weights = np.array([weight for _, weight in self.terms], dtype=float)
        rate = float(weights @ rates)
        if not rate:
            return []
        limits = [limit for limit in (self.lower, self.upper) if limit is not None]
        return [(limit - float(weights @ before)) / rate for limit in limits]

    def encode(self, program: Any) -> None:
        value = total(weight * program.reached(name) for name, weight in self.terms)
        leeway = 0.0
        if not all(
            program.features[name].kind != "real" and weight == round(weight)
            for name, weight in self.terms
        ):
            limits = [abs(x) for x in (self.lower, self.upper) if x is not None]
            sizes = [abs(weight * program.before[name]) for name, weight in self.terms]
            leeway = program.leeway(value, sum(sizes) + max(limits))
        program.require(
            value,
            -np.inf if self.lower is None else self.lower - leeway,
            np.inf if self.upper is None else self.upper + leeway,
        )

    def describe(self) -> str:
        added = [(name, weight) for name, weight in self.terms if weight > 0]
        taken = [(name, -weight) for name, weight in self.terms if weight < 0]
        left, zero = _sum_text(self.terms), "0"
        if added and taken and {self.lower, self.upper} <= {0, None}:
            left, zero = _sum_text(added), _sum_text(taken)
        limits = [
            f"{relation} {number(limit) if limit else zero}"
            for relation, limit in (("at least", self.lower), ("at most", self.upper))
            if limit is not None
        ]
        if self.lower == self.upper:
            return f"{left} equals {limits[0].removeprefix('at least ')}."
        return f"{left} is {' and '.join(limits)}."

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"terms": dict(self.terms)}


def _sum_text(terms: Iterable[tuple[str, float]]) -> str:
    """Return a weighted sum as text: 'loan - 0.5 x income'."""
    text = ""
    for name, weight in terms:
        size = "" if abs(weight) == 1 else f"{number(abs(weight))} x "
        if text:
            text += " - " if weight < 0 else " + "
        elif weight < 0:
            text = "-"
        text += f"{size}{name}"
    return text
