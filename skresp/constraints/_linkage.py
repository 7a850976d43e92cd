"""Downstream effects of one feature on others."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature, slack
from skresp._text import join_words, number, quote
from skresp._typing import BoolArray, FloatArray

from ._checks import check_kind, check_weights, set_bool


@dataclass(frozen=True)
class Linkage(Constraint):
    """A change of one feature changes others by a multiple of it.

    Effects also change features that nobody can change directly, such as age. They
    follow chains of linkages, and effects of several linkages on one target add up.
    An effect can move its target outside the target's own limits, unless
    `keep_bounds` is set. A change that would give a binary feature a value other than
    0 or 1 is infeasible. A missing target stays missing.

    Parameters
    ----------
    source : str
        The feature that causes the effects.
    effects : mapping of feature to number
        By how much each target changes per unit of change of the source.
    keep_bounds : bool, default=False
        Whether the reached value of each target must be within its bounds.

    Examples
    --------
    >>> from skresp.constraints import Linkage
    >>> Linkage("years_employed", {"age": 1}).describe()
    'Each unit of change in years_employed changes age by 1.'
    """

    type = "linkage"
    needs_values: ClassVar[bool] = False

    source: str
    effects: Any  # stored as sorted pairs (target, scale)
    keep_bounds: bool = False
    # Set by `coded`: lower and upper bound of each target.
    _bounds: tuple[tuple[float, float], ...] = field(
        default=(), repr=False, compare=False
    )

    def __post_init__(self) -> None:
        set_bool(self, "keep_bounds")
        if not isinstance(self.source, str):
            raise TypeError(
                f"source of Linkage must be a feature name, got {quote(self.source)}."
            )
        effects = check_weights("Linkage", "effects", self.effects)
        object.__setattr__(self, "effects", effects)
        if self.source in dict(effects):
            raise ValueError(
                f"Linkage makes {quote(self.source)} its own target, a cycle. Leave it "
                f"out of effects."
            )

    @property
    def features(self) -> tuple[str, ...]:
        """The constrained features."""
        return (self.source, *dict(self.effects))

    @property
    def links(self) -> dict[tuple[str, str], float]:
        return {(self.source, target): scale for target, scale in self.effects}

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            check_kind(
                "Linkage",
                name,
                features,
                ("binary", "integer", "real"),
                "Use IfThen or Reachability for labels.",
            )
        for name, scale in self.effects:
            target = features[name]
            if target.kind != "real" and features[self.source].kind == "real":
                raise ValueError(
                    f"Linkage leads from the real feature {quote(self.source)} to the "
                    f"{target.kind} feature {quote(name)}, which would get values that "
                    f"are not {target.kind}. Make {quote(name)} real, or "
                    f"{quote(self.source)} integer."
                )
            if target.kind != "real" and scale != round(scale):
                raise ValueError(
                    f"Linkage has the fractional scale {quote(scale)} for the "
                    f"{target.kind} feature {quote(name)}, which would get values that "
                    f"are not {target.kind}. Use a whole number, or make {quote(name)} "
                    f"real."
                )
            if self.keep_bounds and target.bounds == (-np.inf, np.inf):
                raise ValueError(
                    f"Linkage has keep_bounds=True, but its target {quote(name)} has "
                    f"no bounds. Give it lower or upper, or leave keep_bounds out."
                )

    def coded(self, features: Mapping[str, Feature]) -> Linkage:
        bounds = tuple(features[target].bounds for target, _ in self.effects)
        return dataclasses.replace(self, _bounds=bounds)

    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        ok = np.ones(len(after), dtype=bool)
        if self.keep_bounds:
            for i, (low, high) in enumerate(self._bounds, start=1):
                old, new = before[:, i], after[:, i]
                # Only fractions may be off by rounding, as in Linear.
                tolerance = np.where(new == np.rint(new), 0.0, slack(new))
                inside = (new >= low - tolerance) & (new <= high + tolerance)
                ok &= inside | (new == old) | np.isnan(old)
        return ok

    def turning_points(
        self, before: FloatArray, rates: FloatArray
    ) -> list[float] | None:
        if not self.keep_bounds:
            return []
        return [
            (bound - old) / rate
            for bounds, old, rate in zip(
                self._bounds, before[1:], rates[1:], strict=True
            )
            if rate
            for bound in bounds
            if np.isfinite(bound)
        ]

    def encode(self, program: Any) -> None:
        if not self.keep_bounds:
            return
        for (name, _), (low, high) in zip(self.effects, self._bounds, strict=True):
            old = program.before[name]
            tolerance = 0.0
            if program.features[name].kind == "real":
                tolerance = float(slack(np.asarray(old)))
            if low - tolerance <= old <= high + tolerance:
                low, high = min(low, old), max(high, old)
                leeway = 0.0
                if tolerance:
                    sizes = [abs(x) for x in (old, low, high) if np.isfinite(x)]
                    leeway = program.leeway(program.change(name), sum(sizes))
                program.require(program.reached(name), low - leeway, high + leeway)
            elif not np.isnan(old):  # outside: it may only stay or move inside
                moved = program.changed(name)
                program.require_if(moved, program.reached(name), low, high)

    def describe(self) -> str:
        effects = join_words(
            f"{name} by {number(abs(scale))}"
            f"{' in the opposite direction' if scale < 0 else ''}"
            for name, scale in self.effects
        )
        return f"Each unit of change in {self.source} changes {effects}{self._limits}."

    @property
    def _limits(self) -> str:
        return ", within its bounds" if self.keep_bounds else ""

    def _describe_for(self, features: Mapping[str, Feature]) -> str:
        source = features[self.source]
        if source.kind != "binary":
            return self.describe()
        ways = []
        if source.direction != "decrease":
            ways.append(f"Turning {self.source} on {self._added(1)}")
        if source.direction != "increase":
            start = "turning it" if ways else f"Turning {self.source}"
            ways.append(f"{start} off {self._added(-1)}")
        return f"{'; '.join(ways)}{self._limits}."

    def _added(self, change: int) -> str:
        """Return what a change of the source adds to its targets."""
        return join_words(
            f"adds {number(scale * change)} to {name}"
            if scale * change > 0
            else f"takes {number(-scale * change)} from {name}"
            for name, scale in self.effects
        )

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"effects": dict(self.effects)}
