"""The share of a line that reaches the target, where the margin is smooth.

Turns of the margin between the points of a grid are searched too, and ends of pieces
are bisected with `predict`.
"""

from __future__ import annotations

import numpy as np

from .climb import line_range, line_values, margin

# Parts of a stretch that are looked at in one call of the model, and calls.
_SHARES = np.arange(1, 16) / 16
_ROUNDS = 12


def smooth_share(world, person, name, values, works):
    """Return the share of a line; `works` says what `predict` answers at values."""
    low, high = line_range(world, person, name)

    def points(at):
        return world.points(person.i, line_values_only(world, person, name, at))

    def reaches(at):
        return world.reaches(points(at))

    at, works = with_turns(
        np.r_[low, values, high], lambda at: margin(world, points(at)), reaches
    )
    first, last = at[:-1], at[1:]
    share = (last - first)[works[:-1] & works[1:]].sum()
    change = works[:-1] != works[1:]
    left, right, is_left = first[change], last[change], works[:-1][change]
    a, b = left.copy(), right.copy()
    for _ in range(_ROUNDS):
        if not len(a):
            break
        grid = a[:, None] + (b - a)[:, None] * _SHARES
        same = reaches(grid.ravel()).reshape(grid.shape) == is_left[:, None]
        first = np.argmin(np.c_[same, np.zeros(len(a), dtype=bool)], axis=1)
        edges, each = np.c_[a, grid, b], np.arange(len(a))
        a, b = edges[each, first], edges[each, first + 1]
    share += np.where(is_left, a - left, right - b).sum()
    return share / (high - low)


def line_values_only(world, person, name, values):
    """Return the columns along a line on which every change is feasible."""
    return line_values(world, person, name, values, check=False)[0]


def with_turns(at, margins, reaches):
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
    for _ in range(_ROUNDS - 4):
        grid = np.c_[a, a[:, None] + (b - a)[:, None] * _SHARES, b]
        margin_there = sign[:, None] * margins(grid.ravel()).reshape(grid.shape)
        best = np.clip(np.argmax(margin_there, axis=1), 1, grid.shape[1] - 2)
        each = np.arange(len(a))
        a, b = grid[each, best - 1], grid[each, best + 1]
    at = np.unique(np.r_[at, (a + b) / 2])
    return at, reaches(at)
