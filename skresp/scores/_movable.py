"""Who can move what: whether a person has any intervention on a feature at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp.actions import ActionSet
from skresp.reach import Part, TooManyTogetherError, parts_of

from ._dress import Numbers
from ._lists import Lists, Places, Question, look_up
from ._responsiveness import ROWS_AT_ONCE, part_columns
from ._sampled import draws
from ._stream import Keys

Truth = NDArray[np.bool_]


def movable(actions: ActionSet, codes: Numbers, keys: Keys) -> Truth:
    """Where the interventions on a feature are not empty; the model is not asked.

    Either reading of interventions gives the same answer: where some change moves a
    feature, so does one in which nothing moves that need not.

    Parameters
    ----------
    codes : array of shape (n_rows, n_features)
        The rows as numbers; valid rows only.
    keys : array of shape (n_rows,)
        The rows' random keys, for features whose changes can only be drawn.
    """
    out = np.zeros(codes.shape, dtype=bool)
    for part, columns in zip(parts_of(actions), part_columns(actions), strict=True):
        if part.actionable:
            for start in range(0, len(codes), ROWS_AT_ONCE):
                run = slice(start, min(start + ROWS_AT_ONCE, len(codes)))
                found = _on_part(part, codes[run][:, columns], keys[run])
                out[run, columns[list(part.actionable)]] = found
    return out


def _on_part(part: Part, values: Numbers, keys: Keys) -> Truth:
    """One column for each actionable feature of the part."""
    try:
        lists = look_up(part, values, Question())
    except TooManyTogetherError:
        half = len(values) // 2
        halves = slice(None, half), slice(half, None)
        return np.concatenate([_on_part(part, values[h], keys[h]) for h in halves])
    out = np.zeros((len(values), len(part.actionable)), dtype=bool)
    listed = np.flatnonzero(lists.which >= 0)
    if len(listed):
        moves = np.array(
            [reach.minimal[:, part.actionable].any(axis=0) for reach in lists.reaches]
        )
        out[listed] = moves[lists.which[listed]]
    # One draw settles it for almost everybody; nobody is written off before as many
    # were tried as for a score.
    left = np.ones_like(out)
    for few in (Question(n_samples=1), Question()):
        _draw(lists, few, keys, out, left)
        left = ~out
    return out


def _draw(
    lists: Lists, question: Question, keys: Keys, out: Truth, left: Truth
) -> None:
    for some, draw in draws(lists, question):
        for k, j in enumerate(lists.part.actionable):
            asked: Places = np.flatnonzero(left[some, k])
            if len(asked):
                drawn = draw(j, asked, keys[some[asked]])
                out[some[asked], k] = drawn.counts > 0
