"""Scores that fit the question: other readings of the same points and answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._dress import Numbers
from ._points import Points


def cost_weighted(points: Points, weight: Numbers, people: int) -> Numbers:
    r"""The share of weight, :math:`\sum w \, 1[target] / \sum w`, for each person."""
    weight = weight * points.weight
    total = np.bincount(points.owner, weight, minlength=people)
    good = np.bincount(points.owner, weight * points.reached, minlength=people)
    return good / np.where(total > 0, total, 1.0)


@dataclass(frozen=True)
class Monotone:
    """Whether moving a feature far enough one way always works, and never otherwise.

    Attributes
    ----------
    side : 1 where it works upwards, -1 downwards, 2 where every change works, up and
        down, and 0 where it is not monotone
    threshold : the reached value from which on it works, the current value where every
        change up and down works; NaN where not monotone
    """

    side: NDArray[np.int8]
    threshold: Numbers


def monotone(points: Points, people: int) -> Monotone:
    """Return for each person whether a feature is monotone.

    On one side all points beyond a threshold hit and none before it does, and none on
    the other side hits; or every point on both sides hits.
    """
    side = np.zeros(people, dtype=np.int8)
    threshold = np.full(people, np.nan)
    value = points.before[:, points.place] + points.edge
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
    threshold[points.owner[now]] = points.before[now, points.place]
    return Monotone(side, threshold)


def intuitive(points: Points, direction: int, people: int) -> NDArray[np.bool_]:
    """For each person: whether the expected direction has a hit."""
    good = points.reached & (np.sign(points.amount) == direction)
    return np.bincount(points.owner[good], minlength=people) > 0


def profile(points: Points, way: int) -> tuple[Numbers, Numbers]:
    """Sizes of change and P(target | change of at least that size), one way.

    For the points of one person.
    """
    mine = np.sign(points.amount) == way
    size, reached = np.abs(points.amount[mine]), points.reached[mine]
    order = np.argsort(size, kind="stable")
    size, reached = size[order], reached[order]
    least = np.unique(size)
    first = np.searchsorted(size, least)
    good = np.cumsum(reached[::-1])[::-1]
    return least, good[first] / (len(size) - first)
