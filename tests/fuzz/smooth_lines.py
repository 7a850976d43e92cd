"""The share of a line that reaches the target, where the margin is smooth.

Turns of the margin between the points of a grid are searched too, and ends of pieces
are bisected with `predict`.
"""

from __future__ import annotations

import numpy as np

from .climb import line_range, line_values, margin

_GOLDEN = (np.sqrt(5) - 1) / 2


def smooth_share(world, person, name, values, works):
    """Return the share of a line; `works` says what `predict` answers at values."""
    low, high = line_range(world, person, name)

    def points(at):
        return world.points(person.i, line_values_only(world, person, name, at))

    def reaches(at):
        return world.reaches(points(at))

    at, works = _with_turns(
        np.r_[low, values, high], lambda at: margin(world, points(at)), reaches
    )
    first, last = at[:-1], at[1:]
    share = (last - first)[works[:-1] & works[1:]].sum()
    change = works[:-1] != works[1:]
    left, right, is_left = first[change], last[change], works[:-1][change]
    a, b = left.copy(), right.copy()
    for _ in range(45):
        if not len(a):
            break
        middle = (a + b) / 2
        same = reaches(middle) == is_left
        a, b = np.where(same, middle, a), np.where(same, b, middle)
    share += np.where(is_left, a - left, right - b).sum()
    return share / (high - low)


def line_values_only(world, person, name, values):
    """Return the columns along a line on which every change is feasible."""
    return line_values(world, person, name, values, check=False)[0]


def _with_turns(at, margins, reaches):
    """Return points and answers, with turns added that may be answered otherwise."""
    value, works = margins(at), reaches(at)
    inner, left, right = value[1:-1], value[:-2], value[2:]
    top = (inner >= left) & (inner >= right) & ~works[1:-1]
    low = (inner <= left) & (inner <= right) & works[1:-1]
    places = 1 + np.flatnonzero(top | low)
    if not len(places):
        return at, works
    sign = np.where(works[places], -1.0, 1.0)
    a, b = at[places - 1], at[places + 1]
    for _ in range(40):
        c, d = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
        both = margins(np.r_[c, d]).reshape(2, -1)
        better = sign * both[0] > sign * both[1]
        a, b = np.where(better, a, c), np.where(better, d, b)
    at = np.unique(np.r_[at, (a + b) / 2])
    return at, reaches(at)
