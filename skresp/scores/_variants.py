"""Variants of the score, from the same points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, FloatArray

from ._intervention_points import Points


def cost_weighted(points: Points, weight: FloatArray, people: int) -> FloatArray:
    r"""Return :math:`\sum w \, 1[target] / \sum w` for each person."""
    weight = weight * points.weight
    total = np.bincount(points.owner, weight, minlength=people)
    good = np.bincount(points.owner, weight * points.reached, minlength=people)
    return good / np.where(total > 0, total, 1.0)


@dataclass(frozen=True)
class Monotone:
    """Whether exactly the changes beyond a threshold on one side reach the target.

    Attributes
    ----------
    side : array of shape (n_people,)
        1 for increases, -1 for decreases, 2 where every change on both sides reaches
        the target, 0 where the feature is not monotone.
    threshold : array of shape (n_people,)
        The nearest value that reaches the target; the current value where every change
        on both sides does; NaN where the feature is not monotone.
    """

    side: NDArray[np.int8]
    threshold: FloatArray


def monotone(points: Points, people: int) -> Monotone:
    """Return for each person whether a feature is monotone.

    On one side all points beyond a threshold reach the target and none before it does,
    and none on the other side does; or every point on both sides does.
    """
    side = np.zeros(people, dtype=np.int8)
    threshold = np.full(people, np.nan)
    value = points.before[:, points.position] + points.edge
    hits = {}
    for way in (1, -1):
        on_side = np.sign(points.amount) == way
        hits[way] = np.bincount(
            points.owner[on_side & points.reached], minlength=people
        )
    for way in (1, -1):
        good = (np.sign(points.amount) == way) & points.reached
        nearest = np.full(people, np.inf)
        np.minimum.at(nearest, points.owner[good], np.abs(points.edge[good]))
        beyond = (np.sign(points.amount) == way) & (
            np.abs(points.amount) >= nearest[points.owner]
        )
        reached = np.bincount(points.owner[beyond], minlength=people)
        alone = (hits[way] > 0) & (hits[-way] == 0) & (reached == hits[way])
        side[alone] = way
        at = good & alone[points.owner]
        at &= np.abs(points.edge) == nearest[points.owner]
        threshold[points.owner[at]] = value[at]
    missed = np.bincount(points.owner[~points.reached], minlength=people)
    both = (hits[1] > 0) & (hits[-1] > 0) & (missed == 0)
    side[both] = 2
    now = both[points.owner]
    threshold[points.owner[now]] = points.before[now, points.position]
    return Monotone(side, threshold)


def intuitive(points: Points, direction: int, people: int) -> BoolArray:
    """Return for each person whether a change in one direction reaches the target."""
    good = points.reached & (np.sign(points.amount) == direction)
    return np.bincount(points.owner[good], minlength=people) > 0


def profile(points: Points, way: int) -> tuple[FloatArray, FloatArray]:
    """Return sizes of change and P(target | change of at least that size).

    For the points of one person, in one direction (1 or -1).
    """
    some = np.sign(points.amount) == way
    size, reached = np.abs(points.amount[some]), points.reached[some]
    order = np.argsort(size, kind="stable")
    size, reached = size[order], reached[order]
    least = np.unique(size)
    first = np.searchsorted(size, least)
    good = np.cumsum(reached[::-1])[::-1]
    return least, good[first] / (len(size) - first)


def line_profile(
    points: Points, way: int, step: float
) -> tuple[FloatArray, FloatArray]:
    """Return sizes of change and P(target | change of at least that size) on a line.

    For the pieces of one person's line, in one direction. `step` is the distance of
    neighbouring values of an integer, 0 for a real.
    """
    some = np.flatnonzero(np.sign(points.amount) == way)
    some = some[np.argsort(np.abs(points.edge[some]))]
    near, weight = np.abs(points.edge[some]), points.weight[some]
    hit = points.reached[some]
    if not len(near):
        return near, near
    unit = step or 1.0
    sizes = np.linspace(near.min(), (near + weight * unit).max(), 101)[:-1]
    if step:
        sizes = near.min() + np.floor((sizes - near.min()) / step) * step
    sizes = np.union1d(sizes, near)
    # Pieces do not overlap: a size lies in the last one that begins before it, or in
    # the gap after that.
    at = np.searchsorted(near, sizes, side="right") - 1
    passed = (sizes - near[at]) / unit
    passed = np.ceil(passed) if step else passed
    left = weight[at] - np.minimum(passed, weight[at])
    beyond, good = (
        np.append(np.cumsum(each[::-1])[::-1], 0.0)[at + 1]
        for each in (weight, weight * hit)
    )
    return sizes, (left * hit[at] + good) / (left + beyond)
