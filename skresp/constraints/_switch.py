"""A feature that holds others where they are while it is on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp.actions import Constraint, Feature, Truth, Values

from ._expression import total
from ._names import code_of, listed, names_of, require_kind, set_bool


@dataclass(frozen=True)
class Switch(Constraint):
    """While the switch is at `on_value` in the reached point, the targets keep still.

    Otherwise they may change, and with `force_change` at least one of them must,
    unless switch and targets all stay put.

    Examples
    --------
    >>> from skresp.constraints import Switch
    >>> Switch("retired", ["income", "hours"]).describe()
    'While retired is 1, income and hours keep their values.'
    """

    type = "switch"

    switch: str
    targets: Sequence[str]
    on_value: Any = 1
    force_change: bool = False

    def __post_init__(self) -> None:
        set_bool(self, "force_change")
        targets = names_of("Switch", self.targets, least=1)
        object.__setattr__(self, "targets", targets)
        if not isinstance(self.switch, str):
            raise TypeError(
                f"The switch of Switch must be a feature name, got {self.switch!r}."
            )
        if self.switch in targets:
            raise ValueError(
                f"Switch makes {self.switch!r} its own target; leave it out."
            )
        if isinstance(self.on_value, np.generic):
            object.__setattr__(self, "on_value", self.on_value.item())

    @property
    def features(self) -> tuple[str, ...]:
        return (self.switch, *self.targets)

    def check_features(self, features: Mapping[str, Feature]) -> None:
        require_kind(
            "Switch",
            self.switch,
            features,
            ("binary", "integer", "categorical"),
            "Make the switch a binary feature.",
        )
        code = code_of("Switch", self.switch, features[self.switch], self.on_value)
        if features[self.switch].kind == "binary" and code not in (0, 1):
            raise ValueError(
                f"Switch has on_value={self.on_value!r}, which the binary feature "
                f"{self.switch!r} cannot take. Use 0 or 1."
            )

    def coded(self, features: Mapping[str, Feature]) -> Switch:
        code = code_of("Switch", self.switch, features[self.switch], self.on_value)
        return dataclasses.replace(self, on_value=code)

    def holds(self, before: Values, after: Values) -> Truth:
        on = after[:, 0] == self.on_value
        moved = (after[:, 1:] != before[:, 1:]).any(axis=1)
        ok = ~(on & moved)
        if self.force_change:
            ok &= on | moved | (after[:, 0] == before[:, 0])
        return ok

    def turning_points(self, before: Values, rates: Values) -> list[float] | None:
        return [] if not rates[0] else None  # moved or not is the same all along

    def encode(self, program: Any) -> None:
        on = program.equals(self.switch, self.on_value)
        moved = [program.changed(name) for name in self.targets]
        for target in moved:
            program.require(on + target, upper=1)
        if self.force_change:
            forced = program.changed(self.switch) - on
            program.require(total(moved) - forced, lower=0)

    def describe(self) -> str:
        targets = listed(self.targets)
        keep = "keeps its value" if len(self.targets) == 1 else "keep their values"
        text = f"While {self.switch} is {self.on_value}, {targets} {keep}"
        if self.force_change:
            text += f"; when {self.switch} turns to another value, "
            text += "it changes" if len(self.targets) == 1 else "one of them changes"
        return f"{text}."
