"""A weighted sum of reached values within limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp.actions import Constraint, Feature, Truth, Values, format_number, slack

from ._expression import total
from ._names import number_of, require_kind, weights_of


@dataclass(frozen=True)
class Linear(Constraint):
    """`lower <= sum of weight * reached value <= upper`.

    Examples
    --------
    >>> from skresp.constraints import Linear
    >>> Linear({"rent": 1, "loan": 1, "income": -0.5}, upper=0).describe()
    '-0.5 income + loan + rent <= 0.'
    """

    type = "linear"

    terms: Any  # a mapping from feature to weight, kept as sorted pairs
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        terms = weights_of("Linear", "terms", self.terms)
        object.__setattr__(self, "terms", terms)
        for name in ("lower", "upper"):
            if getattr(self, name) is not None:
                value = number_of("Linear", name, getattr(self, name))
                object.__setattr__(self, name, value)
        if self.lower is None and self.upper is None:
            raise ValueError(
                "Linear has neither lower nor upper and says nothing; give one."
            )
        if self.lower is not None and self.upper is not None:
            if self.lower > self.upper:
                raise ValueError(
                    f"Linear has limits ({self.lower}, {self.upper}); the lower limit "
                    f"must not exceed the upper one."
                )

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(dict(self.terms))

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            require_kind(
                "Linear",
                name,
                features,
                ("binary", "integer", "real"),
                "Labels cannot be added up; use IfThen or Reachability.",
            )

    def holds(self, before: Values, after: Values) -> Truth:
        weights = np.array([weight for _, weight in self.terms], dtype=float)
        parts = after * weights
        value = parts.sum(axis=1)
        # Whole numbers add up exactly; only fractions get the benefit of rounding.
        whole = (parts == np.rint(parts)).all(axis=1)
        off = np.where(whole, 0.0, slack(np.abs(parts).sum(axis=1)))
        ok = np.ones(len(after), dtype=bool)
        if self.lower is not None:
            ok &= value >= self.lower - off
        if self.upper is not None:
            ok &= value <= self.upper + off
        return ok

    def turning_points(self, before: Values, rates: Values) -> list[float] | None:
        weights = np.array([weight for _, weight in self.terms], dtype=float)
        speed = float(weights @ rates)
        if not speed:
            return []
        limits = [limit for limit in (self.lower, self.upper) if limit is not None]
        return [(limit - float(weights @ before)) / speed for limit in limits]

    def encode(self, program: Any) -> None:
        value = total(weight * program.reached(name) for name, weight in self.terms)
        off = 0.0
        if not all(
            program.features[name].kind != "real" and weight == round(weight)
            for name, weight in self.terms
        ):
            limits = [abs(x) for x in (self.lower, self.upper) if x is not None]
            sizes = [abs(weight * program.before[name]) for name, weight in self.terms]
            off = program.leeway(value, sum(sizes) + max(limits))
        program.require(
            value,
            -np.inf if self.lower is None else self.lower - off,
            np.inf if self.upper is None else self.upper + off,
        )

    def describe(self) -> str:
        text = ""
        for name, weight in self.terms:
            size = "" if abs(weight) == 1 else f"{format_number(abs(weight))} "
            sign = "-" if weight < 0 else "+"
            text += f" {sign} {size}{name}" if text else f"{sign}{size}{name}"
        text = text.removeprefix("+")
        if self.lower is not None and self.lower == self.upper:
            return f"{text} = {format_number(self.lower)}."
        if self.lower is not None:
            text = f"{format_number(self.lower)} <= {text}"
        if self.upper is not None:
            text = f"{text} <= {format_number(self.upper)}"
        return f"{text}."

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"terms": dict(self.terms)}
