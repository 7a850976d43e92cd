"""Values, ranges and shares of a change that works, as text."""

from __future__ import annotations

import numpy as np

from skresp._actions._feature import Feature
from skresp._explain._working_values import WorkingChange
from skresp._text import decimals, join_words, number, percent, state

from . import _sentences as say

_MAX_RANGES = 4
# A range narrower than this share of what the person can reach is hard to aim at.
_SLIVER = 0.01
# With more changes than this a share says more than a count.
_FEW = 12


def works(change: WorkingChange, feature: Feature, always: bool = False) -> str:
    """Return which values work; with `always`, which do whatever else changes."""
    found = change.always if always else change.ranges or change.values
    if change.values:
        return _or([state(value, change.kind) for value in found])
    if change.ends is not None:
        found = _without_slivers(change, feature)
    pieces = [_range(pair, change.step, feature) for pair in found]
    text = _or([text for piece in pieces for text in piece])
    if change.step > 1 and any(high - low > change.step for low, high in found):
        text += f", in steps of {number(change.step)}"
    return text


def _without_slivers(
    change: WorkingChange, feature: Feature
) -> list[tuple[float, float]]:
    """Return the ranges of a line without those that are too narrow to aim at.

    They stay if there is no other, and if the example may be one of them.
    """
    if change.kind != "real" or len(change.moves) > 1:
        return change.ranges
    down, up = feature.own_limits(float(change.now))
    wide = [
        (low, high)
        for (low, high), at_end in zip(change.ranges, change.ends or (), strict=True)
        if any(at_end) or high - low >= _SLIVER * (up - down)
    ]
    return wide or change.ranges


def _range(pair: tuple[float, float], step: int, feature: Feature) -> list[str]:
    low, high = pair
    if low == high:
        return [number(low)]
    if feature.kind == "integer" and high - low == step:
        return [number(low), number(high)]
    # Other bounds are shown: beyond them nothing was checked.
    if low == 0 == feature.lower:
        return [f"{number(high)} or less"]
    return [f"{number(low)} to {number(high)}"]


def _or(texts: list[str]) -> str:
    if len(texts) > _MAX_RANGES:
        texts = [*texts[:_MAX_RANGES], f"{len(texts) - _MAX_RANGES} other ranges"]
    return join_words(texts, "or")


def current(value: object, feature: Feature, others: list[float]) -> str:
    """Return the current value of a feature, with few decimals.

    Rounding keeps it on the same side of every number in `others`, the values that the
    text compares it with.

    >>> debt = Feature("real", 0, 1)
    >>> current(0.771845631, debt, [0.57]), current(0.5704, debt, [0.57])
    ('0.77', '0.5704')
    """
    if feature.kind != "real" or not isinstance(value, (float, np.floating)):
        return state(value, feature.kind)
    exact = float(value)
    if not np.isfinite(exact):
        return number(exact)
    low, high = feature.bounds
    span = high - low if np.isfinite(high - low) else abs(exact)
    for digits in range(decimals(span), 17):
        short = round(exact, digits)
        if all(np.sign(short - v) == np.sign(exact - v) for v in others):
            return number(short)
    return number(exact)


def share(change: WorkingChange) -> str:
    """Return how many of the possible changes work."""
    c = change
    if not c.share_known:
        return say.SHARE_UNKNOWN.format(hits=c.hits, n=c.n)
    if not c.exact:
        return say.SHARE_SAMPLED.format(
            share=percent(c.score, words=True),
            n=c.n,
            lower=percent(c.lower, words=True),
            upper=percent(c.upper, words=True),
        )
    if c.score == 0:
        return say.ISOLATED
    if not 0 < c.n <= _FEW:
        return say.SHARE_EXACT.format(share=percent(c.score, words=True))
    if c.hits == c.n:
        return say.SHARE_ALL
    verb = "works" if c.hits == 1 else "work"
    return say.SHARE_COUNTED.format(hits=c.hits, n=c.n, verb=verb)
