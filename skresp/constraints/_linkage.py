"""A deterministic downstream effect of one feature on others."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from skresp.actions import Constraint, Feature, Truth, Values, format_number, slack

from ._names import listed, require_kind, set_bool, weights_of


@dataclass(frozen=True)
class Linkage(Constraint):
    """Each unit by which `source` changes moves every target by its scale.

    An effect reaches features that nobody can change directly (age), follows along
    chains, and adds up where several linkages meet. It may carry a target beyond
    the target's own limits, unless `keep_bounds` is set; it never makes a binary
    anything but 0 or 1. A missing target stays missing.

    How effects add up is settled where all linkages of a part are known (`links`);
    what this rule alone has to judge is `keep_bounds`.

    Examples
    --------
    >>> from skresp.constraints import Linkage
    >>> Linkage("years_employed", {"age": 1}).describe()
    'Each unit of change in years_employed changes age by 1.'
    """

    type = "linkage"
    needs_values: ClassVar[bool] = False

    source: str
    effects: Any  # a mapping from target to scale, kept as sorted pairs
    keep_bounds: bool = False
    # Filled in by `coded`: the bounds to keep, a pair for each target.
    _bounds: tuple[tuple[float, float], ...] = field(
        default=(), repr=False, compare=False
    )

    def __post_init__(self) -> None:
        set_bool(self, "keep_bounds")
        if not isinstance(self.source, str):
            raise TypeError(
                f"The source of Linkage must be a feature name, got {self.source!r}."
            )
        effects = weights_of("Linkage", "effects", self.effects)
        object.__setattr__(self, "effects", effects)
        if self.source in dict(effects):
            raise ValueError(
                f"Linkage makes {self.source!r} its own target, a cycle; leave it out "
                f"of the effects."
            )

    @property
    def features(self) -> tuple[str, ...]:
        return (self.source, *dict(self.effects))

    @property
    def links(self) -> dict[tuple[str, str], float]:
        return {(self.source, target): scale for target, scale in self.effects}

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            require_kind(
                "Linkage",
                name,
                features,
                ("binary", "integer", "real"),
                "State what a label implies with IfThen or Reachability.",
            )
        for name, scale in self.effects:
            target = features[name]
            if target.kind != "real" and features[self.source].kind == "real":
                raise ValueError(
                    f"Linkage leads from the real feature {self.source!r} to the "
                    f"{target.kind} feature {name!r}, which would leave its kind. "
                    f"Make {name!r} real, or {self.source!r} integer."
                )
            if target.kind != "real" and scale != round(scale):
                raise ValueError(
                    f"Linkage has the fractional scale {scale!r} onto the "
                    f"{target.kind} feature {name!r}, which would leave its kind. Use "
                    f"a whole scale, or make {name!r} real."
                )
            if self.keep_bounds and target.bounds == (-np.inf, np.inf):
                raise ValueError(
                    f"Linkage keeps the bounds of {name!r}, which has none. Give it "
                    f"lower or upper, or leave keep_bounds out."
                )

    def coded(self, features: Mapping[str, Feature]) -> Linkage:
        bounds = tuple(features[target].bounds for target, _ in self.effects)
        return dataclasses.replace(self, _bounds=bounds)

    def holds(self, before: Values, after: Values) -> Truth:
        ok = np.ones(len(after), dtype=bool)
        if self.keep_bounds:
            for i, (low, high) in enumerate(self._bounds, start=1):
                was, now = before[:, i], after[:, i]
                # Only fractions get the benefit of rounding, as in Linear.
                off = np.where(now == np.rint(now), 0.0, slack(now))
                inside = (now >= low - off) & (now <= high + off)
                ok &= inside | (now == was) | np.isnan(was)
        return ok

    def turning_points(self, before: Values, rates: Values) -> list[float] | None:
        if not self.keep_bounds:
            return []
        return [
            (bound - was) / rate
            for bounds, was, rate in zip(
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
            was = program.before[name]
            off = 0.0
            if program.features[name].kind == "real":
                off = float(slack(np.asarray(was)))
            if low - off <= was <= high + off:
                low, high = min(low, was), max(high, was)
                if off:
                    sizes = [abs(x) for x in (was, low, high) if np.isfinite(x)]
                    off = program.leeway(program.change(name), sum(sizes))
                program.require(program.reached(name), low - off, high + off)
            elif was == was:  # outside, not missing: it may only stay or come in
                moved = program.changed(name)
                program.require_if(moved, program.reached(name), low, high)

    def describe(self) -> str:
        effects = [f"{name} by {format_number(scale)}" for name, scale in self.effects]
        limits = ", within its bounds" if self.keep_bounds else ""
        return (
            f"Each unit of change in {self.source} changes {listed(effects)}{limits}."
        )

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"effects": dict(self.effects)}
