"""Closer bounds of the sums of trees that a model adds up in float32.

`Decision.doubt` holds for every row. The rounding error of one row depends on its own
leaves, and is often a hundred times smaller. So the model is seldom asked.
"""

from __future__ import annotations

import numpy as np

from skresp._typing import BoolArray, FloatArray

from ._decision import DOUBT, Decision
from ._group import Group
from ._score_function import ScoreFunction

# The rounding of one sum in float32, and of a score near 0 that becomes a probability.
_ROUNDING, _OF_PROBABILITY = 2.0**-24, 1e-6
# By how much the bound of the rounding error is widened.
_SAFETY = 2.0
# Rows that a base is found from.
_FEW_ROWS = 8
# Rows times trees that are worth a closer look.
_MAX_WALKS = 100_000


def adds_float32(score_function: ScoreFunction) -> bool:
    """Return whether the score is a sum of trees in float32, known for all numbers."""
    decision, (group, *_) = score_function.decision, score_function.groups
    if decision is None or decision.cut is None or decision.doubt <= DOUBT:
        return False
    is_sum = score_function.is_plain and group.trees is not None and group.terms is None
    return is_sum and len(group.base) == 1 and score_function.knows_all_numbers


def closer_answers(
    score_function: ScoreFunction, codes: FloatArray
) -> tuple[BoolArray, BoolArray]:
    """Return which rows of codes reach the target, and for which that is certain.

    Only where `adds_float32`. For too many rows it is certain for none.
    """
    group, decision = score_function.groups[0], score_function.decision
    if len(codes) * score_function.n_trees > _MAX_WALKS:
        return np.zeros(len(codes), dtype=bool), np.zeros(len(codes), dtype=bool)
    assert decision is not None
    score, error = sum_and_error(group, codes)
    gap = decision.gap(score[:, None])
    return gap > 0, np.abs(gap) > np.maximum(error, _least(decision))


def closest_base(group: Group, codes: FloatArray, own: FloatArray) -> Group:
    """Return a group with the base that the model's own scores say most closely.

    Scores far from 0 are rounded more, so the base is found from a row with a score
    near 0.

    Parameters
    ----------
    group : Group
        One output, with a base that is nearly right.
    codes : array of shape (n_rows, n_columns)
    own : array of shape (n_rows, 1)
    """
    near = np.argsort(np.abs(own[:, 0]))[:_FEW_ROWS]
    sums, error = sum_and_error(group, codes[near])
    best = int(error.argmin())
    base = group.base + (own[near[best]] - sums[best])
    return group._replace(base=base, base_error=float(error[best]))


def sum_and_error(group: Group, codes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of trees, and bounds of their errors in float32.

    A row's leaves are added tree by tree. Each sum is rounded once, and so is the
    product of a leaf and the weight of its tree. The base comes first or last.
    """
    assert group.trees is not None
    leaf = group.trees.leaves_of(group.trees.positions(codes))
    values = group.trees.leaves[leaf, 0]
    sums, base = np.cumsum(values, axis=1), float(group.base[0])
    size = np.abs(sums) + np.abs(values) + abs(base)
    error = _SAFETY * _ROUNDING * (size.sum(axis=1) + abs(base))
    return sums[:, -1] + base, error + group.base_error


def _least(decision: Decision) -> float:
    """Return the distance to the border within which the probability is rounded."""
    assert decision.cut is not None
    return max(_OF_PROBABILITY * max(abs(decision.cut), 1.0), decision.least_doubt)
