"""A switch: while it is on, other features cannot change."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature
from skresp._text import join_words, quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import to_python

from ._checks import check_kind, check_names, code_of, set_bool
from ._expression import total


@dataclass(frozen=True)
class Switch(Constraint):
    """While the switch is on at the reached point, the targets keep their values.

    Parameters
    ----------
    switch : str
        A binary, integer or categorical feature.
    targets : list of str
        The features that cannot change while the switch is on.
    on_value : number or label, default=1
        The value at which the switch is on.
    force_change : bool, default=False
        Whether at least one target must change if the switch is off at the reached
        point, unless neither the switch nor a target changes.

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
        targets = check_names("Switch", self.targets, minimum=1)
        object.__setattr__(self, "targets", targets)
        if not isinstance(self.switch, str):
            raise TypeError(
                f"switch of Switch must be a feature name, got {quote(self.switch)}."
            )
        if self.switch in targets:
            raise ValueError(
                f"Switch makes {quote(self.switch)} its own target. Leave it out of "
                f"targets."
            )
        object.__setattr__(self, "on_value", to_python(self.on_value))

    @property
    def features(self) -> tuple[str, ...]:
        """The constrained features."""
        return (self.switch, *self.targets)

    def check_features(self, features: Mapping[str, Feature]) -> None:
        check_kind(
            "Switch",
            self.switch,
            features,
            ("binary", "integer", "categorical"),
            "Make the switch a binary feature.",
        )
        code = code_of("Switch", self.switch, features[self.switch], self.on_value)
        if features[self.switch].kind == "binary" and code not in (0, 1):
            raise ValueError(
                f"on_value of Switch must be 0 or 1 for the binary feature "
                f"{quote(self.switch)}, got on_value={quote(self.on_value)}."
            )

    def coded(self, features: Mapping[str, Feature]) -> Switch:
        code = code_of("Switch", self.switch, features[self.switch], self.on_value)
        return dataclasses.replace(self, on_value=code)

    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        on = after[:, 0] == self.on_value
        moved = (after[:, 1:] != before[:, 1:]).any(axis=1)
        ok = ~(on & moved)
        if self.force_change:
            ok &= on | moved | (after[:, 0] == before[:, 0])
        return ok

    def turning_points(
        self, before: FloatArray, rates: FloatArray
    ) -> list[float] | None:
        # With the switch still, whether a target moves is the same for all t but 0.
        return [] if not rates[0] else None

    def encode(self, program: Any) -> None:
        on = program.equals(self.switch, self.on_value)
        moved = [program.changed(name) for name in self.targets]
        for target in moved:
            program.require(on + target, upper=1)
        if self.force_change:
            forced = program.changed(self.switch) - on
            program.require(total(moved) - forced, lower=0)

    def describe(self) -> str:
        targets = join_words(self.targets)
        keep = "keeps its value" if len(self.targets) == 1 else "keep their values"
        text = f"While {self.switch} is {self.on_value}, {targets} {keep}"
        if self.force_change:
            text += f"; when {self.switch} turns to another value, "
            text += "it changes" if len(self.targets) == 1 else "one of them changes"
        return f"{text}."
