"""Features: kinds, and limits on the changes that a person can make directly."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skresp._text import number, quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import check_bool, check_encodable, check_finite, to_python

KINDS = ("binary", "integer", "real", "categorical")
DIRECTIONS = ("increase", "decrease")

_BINARY_WORDS = {
    None: "from no to yes, from yes to no",
    "increase": "only from no to yes",
    "decrease": "only from yes to no",
}

# Tolerance for real values, relative to their size: a reached value computed as
# before + (after - before) may differ from the bound it came from by a few ulps.
REAL_SLACK = 1e-9
# How far from a bound a reached value still counts as the bound itself.
ROUNDING_AT_BOUNDS = 1e-14

# Values are floats; beyond this integer, a float and the float plus 1 may be equal.
MAX_INTEGER = 2**53


@dataclass(frozen=True)
class Feature:
    """The kind of a feature, and the changes that a person can make to it directly.

    Parameters
    ----------
    kind : {"binary", "integer", "real", "categorical"}
        Binary features are 0 or 1 and take no bounds.
    lower, upper : number, optional
        Bounds of the value after a change. An integer or real feature that can change
        needs both; `ActionSet.infer` takes them from the data. They limit changes,
        not people: a current value outside them is allowed.
    actionable : bool, default=True
        Whether people can intervene on it. Only actionable features get a score.
    mutable : bool, optional
        Whether it can change at all; by default the same as `actionable`. With
        `actionable=False, mutable=True` it changes only together with an own change
        of an actionable feature in its part.
    direction : {"increase", "decrease"}, optional
        The only direction in which it can change. For a categorical feature
        "increase" means later in `categories`; a current label that is not listed
        then cannot change.
    max_increase, max_decrease : number, optional
        The largest change in each direction.
    step : int, optional
        For integers: changes are multiples of it; by default 1.
    categories : sequence of labels, optional
        The labels that a categorical feature can change to. Their order matters only
        if a `direction` is given.

    Examples
    --------
    >>> from skresp import Feature
    >>> Feature("integer", 0, 40, direction="increase", max_increase=2).describe()
    'up only, by at most 2'
    >>> Feature("real", 9, 3)
    Traceback (most recent call last):
    ...
    ValueError: lower must not exceed upper, got lower=9, upper=3. To keep the \
feature fixed, pass actionable=False.
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
                f"kind must be one of {', '.join(KINDS)}, got {quote(self.kind)}."
            )
        for name in ("actionable", "mutable"):
            value = getattr(self, name)
            if name == "actionable" or value is not None:
                object.__setattr__(self, name, check_bool(name, value))
        if self.actionable and self.mutable is False:
            raise ValueError(
                "actionable=True with mutable=False is a contradiction: people cannot "
                "act on a feature that cannot change. To keep the feature fixed, pass "
                "actionable=False and leave mutable out."
            )
        if self.direction is not None and self.direction not in DIRECTIONS:
            raise ValueError(
                f"direction must be 'increase', 'decrease' or None, got "
                f"{quote(self.direction)}."
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
            remedy = (
                "Leave it out; use direction to allow one change only"
                if self.kind == "binary"
                else "List the labels that people can change to in categories"
            )
            raise ValueError(
                f"A {self.kind} feature takes no {name}, got {name}={quote(value)}. "
                f"{remedy}."
            )
        for name, value in given.items():
            remedy = f"Give a bound wide enough for everybody, or leave {name} out."
            object.__setattr__(self, name, check_finite(name, value, remedy))
        self._check_bounds()
        for name in ("max_increase", "max_decrease"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise ValueError(
                    f"{name} is the size of a change and cannot be negative, got "
                    f"{quote(value)}. To allow one direction only, use direction."
                )
        if self.step is not None:
            self._check_step(self.step)

    def _check_bounds(self) -> None:
        if self.kind == "integer":
            for name in ("lower", "upper"):
                value = getattr(self, name)
                if value is not None and value != int(value):
                    raise ValueError(
                        f"The bounds of an integer feature must be whole numbers, got "
                        f"{name}={quote(value)}. Round it, or make the feature 'real'."
                    )
                if value is not None:
                    object.__setattr__(self, name, int(value))
                if value is not None and self.can_change and abs(value) > MAX_INTEGER:
                    raise ValueError(
                        f"The bounds of an integer feature that can change must be "
                        f"between -{MAX_INTEGER} and {MAX_INTEGER}, since larger "
                        f"integers cannot be told apart as floats, got "
                        f"{name}={quote(int(value))}. Use larger units, or pass "
                        f"actionable=False."
                    )
        if self.lower is not None and self.upper is not None:
            if self.lower > self.upper:
                raise ValueError(
                    f"lower must not exceed upper, got lower={self.lower}, "
                    f"upper={self.upper}. To keep the feature fixed, pass "
                    f"actionable=False."
                )

    def _check_step(self, step: float) -> None:
        if self.kind != "integer":
            raise ValueError(
                f"step is for integer features only, got step={quote(step)} for a "
                f"{self.kind} feature. Leave it out."
            )
        if step < 1 or step != int(step):
            raise ValueError(
                f"step must be a whole number of at least 1, got {quote(step)}."
            )
        object.__setattr__(self, "step", int(step))

    def _check_categories(self) -> None:
        if self.categories is None:
            return
        if self.kind != "categorical":
            raise ValueError(
                f"categories are for categorical features only, got "
                f"{quote(self.categories)} for a {self.kind} feature. Leave them out."
            )
        if not isinstance(self.categories, Iterable) or isinstance(
            self.categories, (str, bytes, Mapping, set, frozenset)
        ):
            raise TypeError(
                f"categories must be a list of labels, got {quote(self.categories)}. "
                f"Put the labels in a list."
            )
        labels = tuple(map(to_python, self.categories))
        if not labels:
            raise ValueError(
                "categories must have at least one label, got an empty list. List "
                "labels, or pass actionable=False and leave categories out."
            )
        for label in labels:
            if not isinstance(label, (str, int, float, bool)) or label != label:
                raise TypeError(
                    f"A category must be a string, a number or a bool, got "
                    f"{quote(label)}."
                )
            if isinstance(label, str):
                check_encodable("categories", label)
        if len(set(labels)) < len(labels):
            twice = next(c for c in labels if labels.count(c) > 1)
            raise ValueError(
                f"categories must be distinct, got {quote(twice)} twice. Keep one of "
                f"them."
            )
        texts = [str(label) for label in labels]
        if len(set(texts)) < len(texts):
            twice = next(text for text in texts if texts.count(text) > 1)
            alike = [label for label in labels if str(label) == twice]
            raise ValueError(
                f"categories must differ as texts too, got {quote(alike[0])} and "
                f"{quote(alike[1])}. Use one of the two, also in the data."
            )
        object.__setattr__(self, "categories", labels)

    @property
    def can_change(self) -> bool:
        """Return whether its own change may differ from 0."""
        return bool(self.actionable if self.mutable is None else self.mutable)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the lower and the upper bound, infinite if there is none."""
        if self.kind == "binary":
            return 0.0, 1.0
        return (
            -math.inf if self.lower is None else float(self.lower),
            math.inf if self.upper is None else float(self.upper),
        )

    def own_limits(self, value: float) -> tuple[float, float]:
        """Return the smallest and the largest own change from `value`, apart from 0.

        For binary, integer and real features. The range is empty (low above high) if
        the value cannot change. A change of 0 is always allowed, also if 0 is outside
        the range.
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
            # The largest change ends at a bound, up to rounding.
            nearer = min(low, high, key=abs)
            tolerance = slack(np.asarray(value), np.asarray(value + nearer))
            if low - high <= float(tolerance):
                low = high = nearer
        return low, high

    def allows(self, before: ArrayLike, change: ArrayLike) -> BoolArray:
        """Return whether own changes from current values are within the limits.

        Parameters
        ----------
        before, change : array-like
            Current values and own changes, broadcast against each other. A
            categorical value is its position in `categories`, -1 for a label that is
            not listed.

        Returns
        -------
        array of bool

        Examples
        --------
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
        after = x + v
        ok = ~np.isnan(x)
        if self.kind == "categorical":
            assert self.categories is not None
            listed = (after >= 0) & (after < len(self.categories))
            ok &= listed & (after == np.rint(after))
            if self.direction is not None:
                ok &= x >= 0  # a label that is not listed has no position in the order
        elif self.kind == "binary":
            ok &= (after == 0) | (after == 1)
        else:
            tolerance = 0.0 if self.kind == "integer" else slack(x, after)
            low, high = self.bounds
            ok &= (after >= low - tolerance) & (after <= high + tolerance)
            if self.max_increase is not None:
                ok &= v <= self.max_increase + tolerance
            if self.max_decrease is not None:
                ok &= v >= -self.max_decrease - tolerance
            if self.kind == "integer":
                ok &= v % (self.step or 1) == 0
        if self.direction == "increase":
            ok &= v > 0
        elif self.direction == "decrease":
            ok &= v < 0
        return stays | ok

    def describe(self) -> str:
        """Return how it can change, in words."""
        if not self.can_change:
            return "no"
        if self.kind == "categorical":
            words = self._describe_labels()
        elif self.kind == "binary":
            words = _BINARY_WORDS[self.direction]
        else:
            words = self._describe_range()
        return words if self.actionable else f"only together with others: {words}"

    def _describe_labels(self) -> str:
        if self.direction is not None:
            which = "a later" if self.direction == "increase" else "an earlier"
            return f"only to {which} value in the list"
        if self.categories is not None and len(self.categories) == 1:
            return f"only to {self.categories[0]}"
        return "to any value in the list"

    def _describe_range(self) -> str:
        up, down = _at_most(self.max_increase), _at_most(self.max_decrease)
        if self.direction == "increase":
            words = f"up only,{up}" if up else "up only"
        elif self.direction == "decrease":
            words = f"down only,{down}" if down else "down only"
        else:
            words = f"up{up}, down{down}" if up or down else "up or down"
        if self.step not in (None, 1):
            words += f", in steps of {number(self.step)}"
        return words

    def describe_values(self) -> str:
        """Return the values that it can change to, in words."""
        if self.kind == "binary":
            return "0 (no), 1 (yes)"
        if self.kind == "categorical":
            return ", ".join(map(str, self.categories or ()))
        if self.lower is None:
            return "" if self.upper is None else f"at most {number(self.upper)}"
        if self.upper is None:
            return f"at least {number(self.lower)}"
        return f"{number(self.lower)} to {number(self.upper)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults."""
        out: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "kind" or value != field.default:
                out[field.name] = list(value) if isinstance(value, tuple) else value
        return out


def snap_to_bounds(
    feature: Feature, before: FloatArray, change: FloatArray
) -> FloatArray:
    """Return the values after changes; a real value next to a bound becomes the bound.

    Rounding can make `x + (bound - x)` differ from `bound`, and exceed it.
    """
    if feature.kind != "real" or not feature.can_change:
        return before + change
    return snap_to(feature.bounds, before, change)


def snap_to(
    bounds: Sequence[float | FloatArray],
    before: float | FloatArray,
    change: float | FloatArray,
) -> FloatArray:
    """Return the values after changes; one next to a bound becomes the bound."""
    after = np.asarray(before + change)
    for bound in bounds:
        size = np.maximum(np.abs(before), np.abs(bound))
        near = np.abs(after - bound) <= ROUNDING_AT_BOUNDS * size
        after = np.where(near & (change != 0), bound, after)
    return after


def slack(*values: FloatArray) -> FloatArray:
    """Return the tolerance of a comparison of computed real values."""
    return REAL_SLACK * np.maximum(1.0, np.maximum.reduce([np.abs(v) for v in values]))


def _at_most(limit: float | None) -> str:
    return "" if limit is None else f" by at most {number(limit)}"
