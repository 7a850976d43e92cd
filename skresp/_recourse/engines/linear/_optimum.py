"""Best change of a part for a linear model, where changes cannot be listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from skresp._typing import FloatArray
from skresp.constraints._expression import Expression, total
from skresp.constraints._program import Program, Row, row
from skresp.reach._part import Part
from skresp.reach._solver_search import Search
from skresp.reach._upper_bound import MAX_NODES, upper_bound

Gain = Callable[[FloatArray], FloatArray]

# Values of one discrete feature that get a literal each in the objective, and that are
# evaluated to see whether the model is linear in them.
_MAX_LITERALS = 200
_MAX_VALUES = 10_000
# A discrete feature whose values are on a straight line within this share of their
# size is treated as a number; what they are off is added to the bound.
_STRAIGHT = 1e-9


class Optimum(NamedTuple):
    """A good change, and an upper bound of the gain of every change.

    `change` is None where the solver found none; `bound` is infinite where there is
    no bound; `nodes` is the number of nodes of the search for the bound.
    """

    change: FloatArray | None
    bound: float
    nodes: int


def best_change(
    part: Part,
    x: FloatArray,
    gain: Gain,
    *,
    max_nodes: int = MAX_NODES,
    deadline: float = np.inf,
) -> Optimum:
    """Return the total change with the greatest gain, as far as it is known.

    The change comes from the solver; the bound holds whatever the solver answers.

    Parameters
    ----------
    part : Part
    x : array of shape (n_part_features,)
        The person's values.
    gain : callable
        Takes total changes, one per row, and returns what they add to the score: a sum
        over the features, linear in the reals that people can move.
    max_nodes, deadline : see `upper_bound`
    """
    search = Search(part, x)
    objective = _Objective(part, x, gain, search.program)
    if not objective.is_complete:
        return Optimum(None, np.inf, 0)
    wanted_gain = total(objective.terms)
    _, own = search.find(objective.rows, -1.0 * wanted_gain)
    change, attained = None, -np.inf
    if own is not None:
        change = part.total(own[None])[0]
        attained = float(gain(change[None])[0])
    bound, nodes = upper_bound(
        search.program,
        objective.rows,
        wanted_gain,
        attained=attained,
        most=max_nodes,
        deadline=deadline,
    )
    # Staying put is always possible and adds nothing.
    return Optimum(change, max(bound + objective.doubt, attained, 0.0), nodes)


@dataclass
class _Objective:
    """The gain as a sum of terms over the columns of a program.

    Attributes
    ----------
    part, x, gain : see `best_change`
    program : Program
    terms : list of Expression
    rows : list of Row
        Rows of the program that the terms need.
    doubt : float
        How far the sum of terms may be off.
    is_complete : bool
        Whether the gains of all features could be expressed.
    """

    part: Part
    x: FloatArray
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
        """Add the terms of a categorical feature."""
        feature = self.part.features[k]
        moves = np.arange(len(feature.categories or ())) - self.x[k]
        self._add_literals(k, moves[moves != 0])

    def _add_real(self, k: int, straight: bool) -> None:
        """Add the term of a real; `straight` if it moves with reals alone."""
        change = self.program.change(self.part.names[k])
        low, high = self.program.bounds(change)
        if not low < high:
            return
        if not straight:
            # Integers move it, so nothing is known of the model in between.
            self.is_complete = False
            return
        self._add_slope(k, np.array([low, high]), self._gain_of(k, [low, high]))

    def _add_integer(self, k: int) -> None:
        """Add the term or terms of an integer or binary feature."""
        name = self.part.names[k]
        low, high = self.program.bounds(self.program.change(name))
        if not low < high:
            return
        if high - low > _MAX_VALUES:
            self.is_complete = False
            return
        values = np.arange(np.ceil(low), np.floor(high) + 1)
        worth = self._gain_of(k, values)
        if self._add_slope(k, values, worth, _STRAIGHT):
            return
        if len(values) > _MAX_LITERALS:
            self.is_complete = False
            return
        self._add_literals(k, values[values != 0])
        # The literals "at least v" add up to the change and are ordered. Without these
        # rows the relaxation would choose each literal by itself.
        steps = [self.program.at_least(name, self.x[k] + v) for v in values[1:]]
        counted = total(steps) - self.program.change(name)
        self.rows.append(row(counted, -values[0], -values[0]))
        for smaller, larger in pairwise(steps):
            self.rows.append(row(smaller - larger, lower=0))

    def _add_slope(
        self, k: int, moves: FloatArray, worth: FloatArray, share: float = np.inf
    ) -> bool:
        """Add a term proportional to the change; return whether it was added.

        It is added if its relative error is at most `share`.
        """
        slope = _rounded((worth[-1] - worth[0]) / (moves[-1] - moves[0]))
        off = float(np.abs(worth - slope * moves).max())
        if off > share * max(1.0, float(np.abs(worth).max())):
            return False
        self.doubt += 2 * off
        self.terms.append(slope * self.program.change(self.part.names[k]))
        return True

    def _add_literals(self, k: int, moves: FloatArray) -> None:
        """Add a term for each change of a discrete feature."""
        name = self.part.names[k]
        off = 0.0
        for move, worth in zip(moves, self._gain_of(k, moves), strict=True):
            literal = self.program.equals(name, float(self.x[k] + move))
            self.terms.append(_rounded(worth) * literal)
            off = max(off, abs(worth - _rounded(worth)))
        self.doubt += 2 * off

    def _gain_of(self, k: int, moves: FloatArray | list[float]) -> FloatArray:
        """Return the gains of changes of one feature."""
        change = np.zeros((len(moves), len(self.part.names)))
        change[:, k] = moves
        return self.gain(change)


def _rounded(value: float) -> float:
    """Round to 12 digits.

    The last digits of a gain depend on the row that it was computed in; the change
    that is found must not.
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
