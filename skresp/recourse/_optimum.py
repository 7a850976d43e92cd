"""The best change of a part for a linear model, where the changes cannot be listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp.constraints import Expression, Program, Row, row, total
from skresp.reach import MOST_NODES, Part, Search, upper_bound

Numbers = NDArray[np.float64]
Gain = Callable[[Numbers], Numbers]

# Values of one discrete feature that get a literal each in the objective, and that are
# evaluated to see whether the model is linear in them.
_MOST_LITERALS = 200
_MOST_VALUES = 10_000
# A discrete feature whose values are on a straight line within this share of their
# size is treated as a number; what they are off is added to the bound.
_STRAIGHT = 1e-9


class Optimum(NamedTuple):
    """A good change, and an upper bound of the gain of every change.

    `change` is None where the solver found none; `bound` is infinite where there is
    no bound; `nodes` is the number of nodes of the search for the bound.
    """

    change: Numbers | None
    bound: float
    nodes: int


def best_change(
    part: Part,
    x: Numbers,
    gain: Gain,
    *,
    most: int = MOST_NODES,
    deadline: float = np.inf,
) -> Optimum:
    """Return the total change with the greatest gain, as far as it is known.

    The change comes from the solver; the bound holds whatever the solver answers.

    Parameters
    ----------
    part : Part
    x : the values of the person on the part
    gain : function of total changes, one row each
        What they add to the score: a sum over the features, linear in the reals that
        people can move.
    most, deadline : see `upper_bound`
    """
    search = Search(part, x)
    objective = _Objective(part, x, gain, search.program)
    if not objective.is_complete:
        return Optimum(None, np.inf, 0)
    goal = total(objective.terms)
    _, own = search.find(objective.rows, -1.0 * goal)
    change, attained = None, -np.inf
    if own is not None:
        change = part.total(own[None])[0]
        attained = float(gain(change[None])[0])
    bound, nodes = upper_bound(
        search.program,
        objective.rows,
        goal,
        attained=attained,
        most=most,
        deadline=deadline,
    )
    # Staying put is always possible and adds nothing.
    return Optimum(change, max(bound + objective.doubt, attained, 0.0), nodes)


@dataclass
class _Objective:
    """The gain as a sum of terms over the columns of a program.

    `rows` are rows that the terms need; `doubt` is how far the terms may be off. Where
    not `is_complete`, some feature's gain cannot be written down.
    """

    part: Part
    x: Numbers
    gain: Gain
    program: Program
    terms: list[Expression] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    doubt: float = 0.0
    is_complete: bool = True

    def __post_init__(self) -> None:
        straight = _moved_by_reals(self.part)
        for k, feature in enumerate(self.part.features):
            if np.isnan(self.x[k]):
                continue
            if feature.kind == "categorical":
                self._add_labels(k)
            elif feature.kind != "real":
                self._add_integer(k)
            else:
                self._add_real(k, k in straight)

    def _add_labels(self, k: int) -> None:
        feature = self.part.features[k]
        moves = np.arange(len(feature.categories or ())) - self.x[k]
        self._add_literals(k, moves[moves != 0])

    def _add_real(self, k: int, straight: bool) -> None:
        change = self.program.change(self.part.names[k])
        low, high = self.program.bounds(change)
        if not low < high:
            return
        if not straight:
            # Whole numbers move it, so nothing is known of the model in between.
            self.is_complete = False
            return
        self._add_slope(k, np.array([low, high]), self._alone(k, [low, high]))

    def _add_integer(self, k: int) -> None:
        name = self.part.names[k]
        low, high = self.program.bounds(self.program.change(name))
        if not low < high:
            return
        if high - low > _MOST_VALUES:
            self.is_complete = False
            return
        values = np.arange(np.ceil(low), np.floor(high) + 1)
        worth = self._alone(k, values)
        if self._add_slope(k, values, worth, _STRAIGHT):
            return
        if len(values) > _MOST_LITERALS:
            self.is_complete = False
            return
        self._add_literals(k, values[values != 0])
        # The literals "at least v" count the change and come in order. Without these
        # rows the relaxation would choose each of them by itself.
        steps = [self.program.at_least(name, self.x[k] + v) for v in values[1:]]
        counted = total(steps) - self.program.change(name)
        self.rows.append(row(counted, -values[0], -values[0]))
        for smaller, larger in pairwise(steps):
            self.rows.append(row(smaller - larger, lower=0))

    def _add_slope(
        self, k: int, moves: Numbers, worth: Numbers, share: float = np.inf
    ) -> bool:
        """Add a term in proportion to the change, unless it is off by more."""
        slope = _rounded((worth[-1] - worth[0]) / (moves[-1] - moves[0]))
        off = float(np.abs(worth - slope * moves).max())
        if off > share * max(1.0, float(np.abs(worth).max())):
            return False
        self.doubt += 2 * off
        self.terms.append(slope * self.program.change(self.part.names[k]))
        return True

    def _add_literals(self, k: int, moves: Numbers) -> None:
        """Add a term for each change of a discrete feature."""
        name = self.part.names[k]
        off = 0.0
        for move, worth in zip(moves, self._alone(k, moves), strict=True):
            literal = self.program.equals(name, float(self.x[k] + move))
            self.terms.append(_rounded(worth) * literal)
            off = max(off, abs(worth - _rounded(worth)))
        self.doubt += 2 * off

    def _alone(self, k: int, moves: Numbers | list[float]) -> Numbers:
        """Return what changes of one feature alone add."""
        change = np.zeros((len(moves), len(self.part.names)))
        change[:, k] = moves
        return self.gain(change)


def _rounded(value: float) -> float:
    """Round to 12 digits.

    The last digits of a gain depend on the row that it was measured in; the change
    that is found shall not.
    """
    return float(f"{value:.12g}")


def _moved_by_reals(part: Part) -> set[int]:
    """Return the reals that people can move, with the reals that follow them."""
    found = {
        k for k, f in enumerate(part.features) if f.kind == "real" and f.can_change
    }
    for source, target, _ in part.links:  # sources first
        if source in found:
            found.add(target)
    return found
