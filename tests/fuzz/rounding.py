"""Where rounding decides: the model itself is of two minds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .climb import line_range, margin
from .smooth_lines import line_values_only, with_turns

# Near a turn of the margin, how far to look as a share of the range, and at what.
_NEAR, _POINTS = 4e-8, 200
# So many changes of the answer close to one turn are rounding.
_FLIPS = 4
# A turn as close to the border as this may be left open: a search by bounds would
# divide the line into more pieces than it keeps.
_CLOSE = 1e-9
# Rows of a call are rounded differently in groups of four or eight.
_COPIES = (1, 4, 8, 9)


def depends_on_call(world, point) -> bool:
    """Return whether the answer for a point depends on the other rows of the call."""
    answers = [world.reaches(pd.concat([point] * n)) for n in _COPIES]
    return len(np.unique(np.concatenate(answers))) > 1


def decides_on_line(world, person, name, values) -> bool:
    """Return whether a turn of the margin along a line is too close to the border.

    The answer flickers there, or the probability is as good as the threshold.
    """
    low, high = line_range(world, person, name)

    def points(at):
        return world.points(person.i, line_values_only(world, person, name, at))

    at, _ = with_turns(
        np.r_[low, values, high],
        lambda at: margin(world, points(at)),
        lambda at: world.reaches(points(at)),
    )
    turns = np.setdiff1d(at, np.r_[low, values, high])
    if world.threshold is not None and len(turns):
        at = world.model.classes_.tolist().index(world.target)
        likely = world.model.predict_proba(points(turns))[:, at]
        if np.abs(likely - world.threshold).min() < _CLOSE:
            return True
    near = np.linspace(-_NEAR, _NEAR, _POINTS) * (high - low)
    for turn in turns:
        works = world.reaches(points(np.clip(turn + near, low, high)))
        if np.count_nonzero(works[1:] != works[:-1]) >= _FLIPS:
            return True
    return False
