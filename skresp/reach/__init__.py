"""From a person to the points they can reach: grid, HiGHS, sampling."""

from ._allowance import OutOfPointsError, allow, allowance
from ._bound import MOST_NODES, upper_bound
from ._cache import Reach, ReachCache, make_reaches, reach_by_solver, shared_cache
from ._deadline import NEVER, PIECE, Deadline, LimitError, OutOfTimeError, Pace
from ._distinct import distinct_rows
from ._grid import MOST_ROWS_OF_ONE
from ._interventions import (
    check_interventions,
    minimal_interventions,
    without_missing,
)
from ._minimal import list_minimal
from ._outcome import (
    ContinuousError,
    EnumerationError,
    Outcome,
    TooLargeError,
    TooManyTogetherError,
)
from ._own import own_changes, own_count
from ._part import Part, parts_of, satisfied
from ._reachable_set import (
    METHODS,
    ReachableSet,
    check_feasibility,
    check_valid,
    reachable_set,
)
from ._sample import draw_own, sample_joint, sample_minimal
from ._search import Search, cannot_move, list_by_solver

__all__ = [
    "METHODS",
    "MOST_NODES",
    "MOST_ROWS_OF_ONE",
    "NEVER",
    "PIECE",
    "ContinuousError",
    "Deadline",
    "EnumerationError",
    "LimitError",
    "OutOfPointsError",
    "OutOfTimeError",
    "Outcome",
    "Pace",
    "Part",
    "Reach",
    "ReachCache",
    "ReachableSet",
    "Search",
    "TooLargeError",
    "TooManyTogetherError",
    "allow",
    "allowance",
    "cannot_move",
    "check_feasibility",
    "check_interventions",
    "check_valid",
    "distinct_rows",
    "draw_own",
    "list_by_solver",
    "list_minimal",
    "make_reaches",
    "minimal_interventions",
    "own_changes",
    "own_count",
    "parts_of",
    "reach_by_solver",
    "reachable_set",
    "sample_joint",
    "sample_minimal",
    "satisfied",
    "shared_cache",
    "upper_bound",
    "without_missing",
]
