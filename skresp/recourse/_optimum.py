"""The change of a part that a linear model likes best, where it cannot be listed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skresp.constraints import Expression, total
from skresp.reach import Outcome, Part, Search

Numbers = NDArray[np.float64]

# Values of one discrete feature that are told apart in the objective.
_MOST_VALUES = 200


def best_change(
    part: Part, x: Numbers, gain: Callable[[Numbers], Numbers]
) -> Numbers | None:
    """The total change with the greatest gain, by the solver; None where undecided.

    `gain` tells what total changes of the part add to the score, each feature by
    itself. The optimum counts only where two runs of the solver agree.
    """
    search = Search(part, x)
    program = search.program
    terms: list[Expression] = []
    for k, (name, feature) in enumerate(zip(part.names, part.features, strict=True)):
        if np.isnan(x[k]):
            continue
        if feature.kind == "categorical":
            moves = np.arange(len(feature.categories or ())) - x[k]
        else:
            low, high = program.bounds(program.change(name))
            if not low < high:
                continue
            if feature.kind == "real":
                terms.append(
                    float(_alone(gain, part, k, [1.0])[0]) * program.change(name)
                )
                continue
            if high - low > _MOST_VALUES:
                return None
            moves = np.arange(np.ceil(low), np.floor(high) + 1)
        moves = moves[moves != 0]
        for move, worth in zip(moves, _alone(gain, part, k, moves), strict=True):
            terms.append(float(worth) * program.equals(name, float(x[k] + move)))
    outcome, own = search.find([], -1.0 * total(terms), certain=True)
    if outcome is not Outcome.FEASIBLE or own is None:
        return None
    return part.total(own[None])[0]


def _alone(
    gain: Callable[[Numbers], Numbers], part: Part, k: int, moves: Numbers | list[float]
) -> Numbers:
    """What changes of one feature alone add."""
    change = np.zeros((len(moves), len(part.names)))
    change[:, k] = moves
    return gain(change)
