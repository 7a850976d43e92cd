"""The one door to the model; responsiveness and how sure it is."""

from ._along import LinearAlong, TreesAlong, along_of
from ._answers import (
    ModelOutputError,
    flat,
    model_name,
    model_scores,
    predicted,
    predicted_numbers,
    probabilities,
)
from ._compiled import COMPILED, compiled
from ._decision import Decision
from ._door import Door, Segment
from ._dress import Dress, Wardrobe
from ._effects import RandomEffects
from ._ensemble import DOUBLE, SKLEARN, XGBOOST, Ensemble, link_of, own_scores
from ._interval import agresti_coull, at_most, sample_size
from ._intervals import intervals_of, join_values
from ._limits import points_of_score
from ._lines import told_lines
from ._listed import new_values
from ._lists import Question
from ._movable import movable
from ._points import Points, points_of
from ._responsiveness import (
    InvalidRowsError,
    interventions_of,
    is_listed,
    part_columns,
    score,
    whole,
)
from ._scores import Page, Scores
from ._singles import single_changes
from ._stream import Keys, row_keys
from ._target import AtLeast, AtMost, Goal, make_goal, target_warning
from ._variants import Monotone, cost_weighted, intuitive, monotone, profile

__all__ = [
    "COMPILED",
    "DOUBLE",
    "SKLEARN",
    "XGBOOST",
    "AtLeast",
    "AtMost",
    "Decision",
    "Door",
    "Dress",
    "Ensemble",
    "Goal",
    "InvalidRowsError",
    "Keys",
    "LinearAlong",
    "ModelOutputError",
    "Monotone",
    "Page",
    "Points",
    "Question",
    "RandomEffects",
    "Scores",
    "Segment",
    "TreesAlong",
    "Wardrobe",
    "agresti_coull",
    "along_of",
    "at_most",
    "compiled",
    "cost_weighted",
    "flat",
    "intervals_of",
    "interventions_of",
    "intuitive",
    "is_listed",
    "join_values",
    "link_of",
    "make_goal",
    "model_name",
    "model_scores",
    "monotone",
    "movable",
    "new_values",
    "own_scores",
    "part_columns",
    "points_of",
    "points_of_score",
    "predicted",
    "predicted_numbers",
    "probabilities",
    "profile",
    "row_keys",
    "sample_size",
    "score",
    "single_changes",
    "target_warning",
    "told_lines",
    "whole",
]
