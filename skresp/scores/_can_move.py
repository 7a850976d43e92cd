"""Whether people have any intervention on a feature at all."""

from __future__ import annotations

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._typing import BoolArray, FloatArray
from skresp.reach._errors import TooManyTogetherError
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._part import Part, located_parts

from ._row_rng import Keys
from ._sampled import draw
from ._score_task import ROWS_AT_ONCE
from ._settings import ScoreSettings
from ._strategy import unlisted_rows


def can_move(actions: ActionSet, codes: FloatArray, keys: Keys) -> BoolArray:
    """Return which features each person may be able to move.

    False only where it is proved that no change moves the feature. The model is not
    called. "minimal" and "joint" interventions give the same answer:
    where some change moves a feature, a minimal one does too.

    Parameters
    ----------
    actions : ActionSet
    codes : array of shape (n_rows, n_features)
        The rows as numbers; valid rows only.
    keys : array of shape (n_rows,)
        The rows' random keys, for features whose changes can only be drawn.

    Returns
    -------
    array of bool of shape (n_rows, n_features)
    """
    out = np.zeros(codes.shape, dtype=bool)
    for part, columns in located_parts(actions):
        if part.actionable:
            for start in range(0, len(codes), ROWS_AT_ONCE):
                run = slice(start, min(start + ROWS_AT_ONCE, len(codes)))
                moves = _can_move_on_part(part, codes[run][:, columns], keys[run])
                out[run, columns[list(part.actionable)]] = moves
    return out


def _can_move_on_part(part: Part, values: FloatArray, keys: Keys) -> BoolArray:
    """Return the same for one part, with a column for each actionable feature."""
    try:
        feasible = FeasibleChanges.of(part, values)
    except TooManyTogetherError:
        half = len(values) // 2
        halves = slice(None, half), slice(half, None)
        return np.concatenate(
            [_can_move_on_part(part, values[h], keys[h]) for h in halves]
        )
    out = np.zeros((len(values), len(part.actionable)), dtype=bool)
    listed = np.flatnonzero(feasible.which >= 0)
    if len(listed):
        moves = np.array(
            [
                reach.minimal[:, part.actionable].any(axis=0)
                for reach in feasible.reaches
            ]
        )
        out[listed] = moves[feasible.which[listed]]
    # One draw is enough for almost everybody; only a proof rules a feature out.
    for settings, final in (
        (ScoreSettings(n_samples=1), False),
        (ScoreSettings(), True),
    ):
        for some in unlisted_rows(feasible, settings):
            for k, j in enumerate(part.actionable):
                rows = some[~out[some, k]]
                if len(rows):
                    drawn = draw(feasible, rows, j, keys[rows], settings)
                    out[rows, k] = (drawn.counts > 0) | (final & ~drawn.exact)
    return out
