"""The options of one value of a part, and the settings they are made with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._deadline import NEVER, Deadline
from ._feasible_changes import MAX_LISTED_INTEGERS

# Maximum number of changes of one person on one part.
MAX_OPTIONS = 2_000_000
# Points tried along a line where nothing is known of the model.
LINE_POINTS = 65
# Distance of the points beside a cut of a model, relative to the numbers there.
LINE_END = 1e-9

#: Finds the cuts of a model along lines. Arguments: the rows of the lines, the changes
#: at their two ends, and the positions of the ends. Returns the line and the position
#: of each cut, and on which lines two cuts are closer than rounding. None in its place
#: means that the ends of a line represent all of it.
Cutter = Callable[
    [IndexArray, FloatArray, FloatArray, FloatArray, FloatArray],
    "tuple[IndexArray, FloatArray, BoolArray]",
]


@dataclass(frozen=True, kw_only=True)
class OptionSettings:
    """Settings of the options on one part.

    Attributes
    ----------
    interventions : {"minimal", "joint"}
    cutter : Cutter or None
    knows_lines : bool
        False where nothing is known of the model along lines. Then a few values of
        reals are tried, which do not cover all feasible changes.
    max_listed : int
        Maximum number of changes listed for an integer that stands alone.
    seed : int
        The seed of draws.
    max_points : int
        Maximum number of changes of one value.
    to_draw : int
        Maximum number of points that drawing changes of one value may take.
    only_lists : bool
        Whether only complete lists are wanted. A value without one has no change but
        staying put.
    ends : bool
        Whether to include the ends of the pieces of a line, which are the cheapest.
    deadline : Deadline
    """

    interventions: str = "minimal"
    cutter: Cutter | None = None
    knows_lines: bool = False
    max_listed: int = MAX_LISTED_INTEGERS
    seed: int = 0
    max_points: int = MAX_OPTIONS
    to_draw: int = MAX_OPTIONS
    only_lists: bool = False
    ends: bool = False
    deadline: Deadline = NEVER


class ValueOptions(NamedTuple):
    """The options of one value of a part, staying put first.

    Attributes
    ----------
    changes : array of shape (n_changes, n_features)
        Total changes.
    single : array of bool of shape (n_changes,)
        Which are interventions on one feature.
    covers_all : bool
        Whether every feasible change is in the list, or on a line that it represents.
    points : int
        The number of points that they cost.
    inward : array of shape (n_changes,) or None
        For each change the next smaller one along its line, if all changes in between
        are feasible, and single if this one is; otherwise -1. None where the changes
        are a complete list, or not on a line.
    spent : int
        The number of points that drawing them took.
    """

    changes: FloatArray
    single: BoolArray
    covers_all: bool
    points: int
    inward: IndexArray | None = None
    spent: int = 0
