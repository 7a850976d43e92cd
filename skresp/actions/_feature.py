"""One feature: its kind, and the limits on what a person can do to it directly."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

KINDS = ("binary", "integer", "real", "categorical")
DIRECTIONS = ("increase", "decrease")

# Slack for real values, relative to their size: a landing computed as
# before + (after - before) may miss the bound it was drawn at by a few ulps.
REAL_SLACK = 1e-9


@dataclass(frozen=True)
class Feature:
    """What a person can do to one feature directly.

    Parameters
    ----------
    kind : {"binary", "integer", "real", "categorical"}
        Binary features are 0 or 1 and take no bounds.
    lower, upper : number, optional
        Where a change may land. An integer or real feature that can change needs
        both; `ActionSet.infer` takes them from the data. They limit changes, not
        people: a current value outside them may stay where it is.
    actionable : bool, default=True
        Whether people can intervene on it. Only such features get a score.
    mutable : bool, optional
        Whether it may move at all; the same as `actionable` unless given. With
        `actionable=False, mutable=True` it moves only alongside an own change of
        some actionable feature in its part.
    direction : {"increase", "decrease"}, optional
        The only way it can move. For a categorical feature: later or earlier in
        `categories`; a current label that is not listed then stays put.
    max_increase, max_decrease : number, optional
        The largest change either way.
    step : int, optional
        For integers: changes are multiples of it (1 unless given).
    categories : sequence of labels, optional
        The labels a categorical feature can change to. Their order counts only
        where a `direction` is given.

    Examples
    --------
    >>> from skresp import Feature
    >>> Feature("integer", 0, 40, direction="increase", max_increase=2).describe()
    'up only, by at most 2'
    >>> Feature("real", 9, 3)
    Traceback (most recent call last):
    ...
    ValueError: The bounds are (9, 3); the lower bound must not exceed the upper \
one. To keep the feature fixed, pass actionable=False.
    """

    kind: str
    lower: float | None = None
    upper: float | None = None
    _: KW_ONLY
    actionable: bool = True
    mutable: bool | None = None
    direction: str | None = None
    max_increase: float | None = None
    max_decrease: float | None = None
    step: int | None = None
    categories: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"The kind is {self.kind!r}; it must be one of {', '.join(KINDS)}."
            )
        for name in ("actionable", "mutable"):
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)) and not (
                name == "mutable" and value is None
            ):
                raise TypeError(f"{name} must be True or False, got {value!r}.")
            if value is not None:
                object.__setattr__(self, name, bool(value))
        if self.actionable and self.mutable is False:
            raise ValueError(
                "actionable=True with mutable=False is a contradiction: nobody can "
                "act on what cannot move. To keep the feature fixed, pass "
                "actionable=False and leave mutable out."
            )
        if self.direction is not None and self.direction not in DIRECTIONS:
            raise ValueError(
                f"direction must be 'increase', 'decrease' or None, got "
                f"{self.direction!r}."
            )
        self._check_numbers()
        self._check_categories()

    def _check_numbers(self) -> None:
        given = {
            name: value
            for name in ("lower", "upper", "max_increase", "max_decrease", "step")
            if (value := getattr(self, name)) is not None
        }
        if given and self.kind in ("binary", "categorical"):
            name, value = next(iter(given.items()))
            way_out = (
                "it always ranges over 0 and 1; use direction to make it one-way"
                if self.kind == "binary"
                else "list the labels people can move to in categories"
            )
            raise ValueError(
                f"A {self.kind} feature takes no {name}, got {name}={value!r}: "
                f"{way_out}."
            )
        for name, value in given.items():
            object.__setattr__(self, name, _finite_number(name, value))
        if self.kind == "integer":
            for name in ("lower", "upper"):
                value = getattr(self, name)
                if value is not None and value != int(value):
                    raise ValueError(
                        f"An integer feature needs whole bounds, got {name}={value!r}. "
                        f"Round it, or make the feature 'real'."
                    )
                if value is not None:
                    object.__setattr__(self, name, int(value))
        if self.lower is not None and self.upper is not None:
            if self.lower > self.upper:
                raise ValueError(
                    f"The bounds are ({self.lower}, {self.upper}); the lower bound "
                    f"must not exceed the upper one. To keep the feature fixed, pass "
                    f"actionable=False."
                )
        for name in ("max_increase", "max_decrease"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise ValueError(
                    f"{name} is the size of a change and cannot be negative, got "
                    f"{value!r}. To forbid that side, use direction."
                )
        if self.step is not None:
            if self.kind != "integer":
                raise ValueError(
                    f"step is for integer features, got step={self.step!r} on a "
                    f"{self.kind} one. Leave it out."
                )
            if self.step < 1 or self.step != int(self.step):
                raise ValueError(
                    f"step must be a whole number of at least 1, got {self.step!r}."
                )
            object.__setattr__(self, "step", int(self.step))

    def _check_categories(self) -> None:
        if self.categories is None:
            return
        if self.kind != "categorical":
            raise ValueError(
                f"categories are for categorical features, got {self.categories!r} "
                f"on a {self.kind} one. Leave them out."
            )
        if isinstance(self.categories, str):
            raise TypeError(
                f"categories must be a list of labels, got the string "
                f"{self.categories!r}."
            )
        labels = tuple(
            c.item() if isinstance(c, np.generic) else c for c in self.categories
        )
        if not labels:
            raise ValueError(
                "The list of categories is empty; list at least one label, or pass "
                "actionable=False and leave categories out."
            )
        for label in labels:
            if not isinstance(label, (str, int, float, bool)) or label != label:
                raise TypeError(
                    f"A category must be a string, a number or a bool, got {label!r}."
                )
        if len(set(labels)) < len(labels):
            twice = next(c for c in labels if labels.count(c) > 1)
            raise ValueError(f"The category {twice!r} is listed twice; keep one.")
        object.__setattr__(self, "categories", labels)

    @property
    def can_change(self) -> bool:
        """Whether its own change may differ from 0."""
        return bool(self.actionable if self.mutable is None else self.mutable)

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound, infinite where there is none."""
        if self.kind == "binary":
            return 0.0, 1.0
        return (
            -math.inf if self.lower is None else float(self.lower),
            math.inf if self.upper is None else float(self.upper),
        )

    def own_limits(self, value: float) -> tuple[float, float]:
        """The least and the greatest own change from `value`, 0 aside.

        For binary, integer and real features; the range is empty (low above high)
        where nothing can change. 0 is always allowed and need not lie within.
        """
        if not self.can_change or math.isnan(value):
            return 1.0, -1.0
        low, high = self.bounds[0] - value, self.bounds[1] - value
        if self.direction == "increase":
            low = max(low, 0.0)
        elif self.direction == "decrease":
            high = min(high, 0.0)
        if self.max_increase is not None:
            high = min(high, self.max_increase)
        if self.max_decrease is not None:
            low = max(low, -self.max_decrease)
        if self.kind == "real" and low > high and low * high > 0:
            # A greatest step that ends on a bound, up to rounding.
            nearer = min(low, high, key=abs)
            if low - high <= float(
                slack(np.asarray(value), np.asarray(value + nearer))
            ):
                low = high = nearer
        return low, high

    def allows(self, before: ArrayLike, change: ArrayLike) -> NDArray[np.bool_]:
        """Whether each own change from each current value is within the limits.

        Values are numbers; a categorical value is its place in `categories`, or -1
        where the label is not listed.

        >>> from skresp import Feature
        >>> Feature("integer", 0, 10, max_increase=2).allows([3, 3, 12], [2, 3, -4])
        array([ True, False,  True])
        """
        x, v = np.broadcast_arrays(
            np.asarray(before, dtype=float), np.asarray(change, dtype=float)
        )
        stays = v == 0
        if not self.can_change:
            return stays
        land = x + v
        ok = ~np.isnan(x)
        if self.kind == "categorical":
            assert self.categories is not None
            ok &= (land >= 0) & (land < len(self.categories)) & (land == np.rint(land))
            if self.direction is not None:
                ok &= x >= 0  # a label that is not listed has no place in the order
        elif self.kind == "binary":
            ok &= (land == 0) | (land == 1)
        else:
            off = 0.0 if self.kind == "integer" else slack(x, land)
            ok &= (land >= self.bounds[0] - off) & (land <= self.bounds[1] + off)
            if self.max_increase is not None:
                ok &= v <= self.max_increase + off
            if self.max_decrease is not None:
                ok &= v >= -self.max_decrease - off
            if self.kind == "integer":
                ok &= v % (self.step or 1) == 0
        if self.direction == "increase":
            ok &= v > 0
        elif self.direction == "decrease":
            ok &= v < 0
        return stays | ok

    def describe(self) -> str:
        """How it can change, in words."""
        if not self.can_change:
            return "no"
        if self.kind == "categorical":
            words = {
                "increase": "only to later ones",
                "decrease": "only to earlier ones",
            }.get(self.direction or "", "yes")
        else:
            up = "up" + _at_most(self.max_increase)
            down = "down" + _at_most(self.max_decrease)
            if self.direction == "increase":
                words = "up only" + _at_most(self.max_increase, ",")
            elif self.direction == "decrease":
                words = "down only" + _at_most(self.max_decrease, ",")
            elif self.max_increase is None and self.max_decrease is None:
                words = "yes"
            else:
                words = f"{up}, {down}"
            if self.step not in (None, 1):
                words += f", in steps of {self.step}"
        return words if self.actionable else f"only along with others: {words}"

    def describe_values(self) -> str:
        """Which values a change may land on, in words."""
        if self.kind == "binary":
            return "0, 1"
        if self.kind == "categorical":
            return ", ".join(map(str, self.categories or ()))
        if self.lower is None and self.upper is None:
            return ""
        low = "" if self.lower is None else format_number(self.lower)
        high = "" if self.upper is None else format_number(self.upper)
        return f"{low}..{high}"

    def to_dict(self) -> dict[str, Any]:
        """The fields that differ from their defaults, as plain values."""
        out: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "kind" or value != field.default:
                out[field.name] = list(value) if isinstance(value, tuple) else value
        return out


def format_number(value: float) -> str:
    """A number as people write it: 5000, 0.25."""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def landed(
    feature: Feature, before: NDArray[np.float64], change: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where changes lead: a real that goes to a bound lands on it.

    `x + (bound - x)` need not be the bound, and may lie beyond it.
    """
    after = before + change
    if feature.kind != "real" or not feature.can_change:
        return after
    for bound in feature.bounds:
        near = np.abs(after - bound) <= 1e-14 * np.maximum(np.abs(before), abs(bound))
        after = np.where(near & (change != 0), bound, after)
    return after


def slack(*values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a comparison of computed reals may be off by."""
    return REAL_SLACK * np.maximum(1.0, np.maximum.reduce([np.abs(v) for v in values]))


def _at_most(limit: float | None, before: str = "") -> str:
    return "" if limit is None else f"{before} by at most {format_number(limit)}"


def _finite_number(name: str, value: Any) -> float:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not math.isfinite(value):
        raise ValueError(
            f"{name} must be finite, got {value!r}. State a bound wide enough for "
            f"everybody, or leave {name} out."
        )
    return value  # type: ignore[return-value]
