"""What a search can come to: the closed vocabulary of answers and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from skresp.actions import format_number


class Outcome(Enum):
    """Whether something feasible exists. A time-out is not a no."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNDECIDED = "undecided"


class EnumerationError(ValueError):
    """A reachable set that cannot be listed."""


class ContinuousError(EnumerationError):
    """A part in which a real feature can move has no list of points."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"Feature {name!r} is real and can change, so its part has no list of "
            f"points. Use method='sample' (or 'auto') to draw from it."
        )


class TooLargeError(EnumerationError):
    """A part with more changes than can be listed."""

    def __init__(self, names: Sequence[str], size: float, most: float) -> None:
        self.names, self.size, self.most = tuple(names), size, most
        super().__init__(
            f"The part ({', '.join(names)}) has at least {format_number(size)} changes "
            f"to go through for one person, more than the {format_number(most)} "
            f"allowed. Use method='sample' (or 'auto') to draw from it, raise "
            f"max_points, narrow the bounds, or set a step."
        )

    def __reduce__(self) -> tuple[type[TooLargeError], tuple[object, ...]]:
        return TooLargeError, (self.names, self.size, self.most)


class TooManyTogetherError(Exception):
    """Several people at once exceed the memory meant for them; ask about fewer."""
