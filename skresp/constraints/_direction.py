"""The only direction in which the level of an ordered encoding can change."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._typing import BoolArray, FloatArray

from ._expression import Expression


def keeps_direction(direction: str | None, climbed: FloatArray) -> BoolArray:
    """Return where a change of the level respects the direction."""
    if direction is None:
        return np.ones(len(climbed), dtype=bool)
    return climbed >= 0 if direction == "increase" else climbed <= 0


def require_direction(program: Any, direction: str | None, climbed: Expression) -> None:
    """Add the same rule to a program."""
    if direction == "increase":
        program.require(climbed, lower=0)
    elif direction == "decrease":
        program.require(climbed, upper=0)


def direction_text(direction: str | None) -> str:
    """Return the end of a sentence that describes the rule."""
    return f"; the level only {direction}s" if direction else ""
