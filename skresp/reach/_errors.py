"""Errors of the listing of feasible changes."""

from __future__ import annotations

from collections.abc import Sequence

from skresp._text import number, quote, quote_names


class EnumerationError(ValueError):
    """Feasible changes cannot be listed."""


class ContinuousError(EnumerationError):
    """A real feature of the part can change, so its changes cannot be listed."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"Feature {quote(name)} is real and can change, so the points of its "
            f"part cannot be listed. Use method='sample' or 'auto' to sample them."
        )


class TooLargeError(EnumerationError):
    """A part has more changes than may be listed."""

    def __init__(self, names: Sequence[str], size: float, most: float) -> None:
        self.names, self.size, self.most = tuple(names), size, most
        super().__init__(
            f"The part ({quote_names(names)}) has at least {number(size)} changes "
            f"for one person, more than the {number(most)} allowed. Use "
            f"method='sample' or 'auto' to sample them, raise max_points, narrow the "
            f"bounds, or set a step."
        )

    def __reduce__(self) -> tuple[type[TooLargeError], tuple[object, ...]]:
        return TooLargeError, (self.names, self.size, self.most)


class TooManyTogetherError(Exception):
    """Several people together exceed the memory limit; process fewer at once."""
