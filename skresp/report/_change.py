"""A change that works in the words of a notice."""

from __future__ import annotations

from typing import Any

from skresp.explain import WorkingChange, number, percent, state

_MOST_RANGES = 4
# Beyond so many changes a share says more than a count.
_FEW = 12


def works(change: WorkingChange, always: bool = False) -> str:
    """Return which values work; with `always`, which do whatever else changes."""
    found = change.always if always else change.ranges or change.values
    if change.values:
        return _or([state(v, change.kind) for v in found])
    return _or([part for pair in found for part in _range(pair, change.step)])


def _range(pair: tuple[float, float], step: int) -> list[str]:
    low, high = pair
    if low == high:
        return [number(low)]
    if step > 1 and high - low == step:
        return [number(low), number(high)]
    steps = f" in steps of {number(step)}" if step > 1 else ""
    return [f"{number(low)} to {number(high)}{steps}"]


def share(change: WorkingChange) -> str:
    """Return how many of the changes open to the person work."""
    c = change
    if not c.exact:
        return (
            f"About {percent(c.score)} of {c.n} changes that were tried work (between "
            f"{percent(c.lower)} and {percent(c.upper)} of all)."
        )
    if c.score == 0:
        return "No other value works."
    if 0 < c.n <= _FEW:
        if c.hits == c.n:
            return "Every change open to you works."
        verb = "works" if c.hits == 1 else "work"
        return f"{c.hits} of the {c.n} changes open to you {verb}."
    return f"{percent(c.score)} of the changes open to you work."


def _or(parts: list[Any]) -> str:
    if len(parts) > _MOST_RANGES:
        parts = [*parts[:_MOST_RANGES], f"{len(parts) - _MOST_RANGES} other ranges"]
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} or {parts[-1]}"
