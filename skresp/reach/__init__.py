"""Feasible changes of a person, and the points they can reach."""

from ._cache import ReachCache
from ._outcome import Outcome
from ._reachable_set import ReachableSet, check_feasibility, reachable_set

__all__ = [
    "Outcome",
    "ReachCache",
    "ReachableSet",
    "check_feasibility",
    "reachable_set",
]
