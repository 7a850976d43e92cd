"""The one door to the model; responsiveness and how sure it is."""

from ._door import Door
from ._dress import Dress, Wardrobe
from ._interval import agresti_coull, at_most, sample_size
from ._lists import Question
from ._responsiveness import (
    InvalidRowsError,
    Scores,
    intervals_of,
    interventions_of,
    is_listed,
    score,
)
from ._stream import row_keys
from ._target import AtLeast, AtMost, Goal, flat, make_goal

__all__ = [
    "AtLeast",
    "AtMost",
    "Door",
    "Dress",
    "Goal",
    "InvalidRowsError",
    "Question",
    "Scores",
    "Wardrobe",
    "agresti_coull",
    "at_most",
    "flat",
    "intervals_of",
    "interventions_of",
    "is_listed",
    "make_goal",
    "row_keys",
    "sample_size",
    "score",
]
