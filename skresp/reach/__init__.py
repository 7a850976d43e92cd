"""From a person to the points they can reach: grid, HiGHS, sampling."""

from ._cache import Reach, ReachCache, make_reaches, shared_cache
from ._distinct import distinct_rows
from ._outcome import ContinuousError, EnumerationError, Outcome, TooLargeError
from ._part import Part, parts_of
from ._reachable_set import ReachableSet, check_feasibility, reachable_set

__all__ = [
    "ContinuousError",
    "EnumerationError",
    "Outcome",
    "Part",
    "Reach",
    "ReachCache",
    "ReachableSet",
    "TooLargeError",
    "check_feasibility",
    "distinct_rows",
    "make_reaches",
    "parts_of",
    "reachable_set",
    "shared_cache",
]
