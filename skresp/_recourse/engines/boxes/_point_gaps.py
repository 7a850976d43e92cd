"""Gaps at single points of a person, compiled by numba."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled, compiled_part
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._channels import add_slopes, least_gap
from ._forest import add_leaves
from ._witness import position_of
from ._work import PersonArrays, Work


@compiled
def gaps_of(person: PersonArrays, work: Work, reached: FloatArray) -> FloatArray:
    """Return the smallest gap at each row of reached values; NaN where not known."""
    out = np.empty(len(reached))
    for i in range(len(reached)):
        work.point.reached[:] = reached[i]
        out[i] = _gap_at_reached(person, work)
    return out


@compiled
def needless(
    person: PersonArrays, work: Work, reached: FloatArray, parts: IndexArray
) -> BoolArray:
    """Return the parts without whose change the target is still reached.

    The changes of the parts are taken back one after the other, and stay so where the
    gap stays beyond the border.

    Parameters
    ----------
    reached : array of shape (n_variables,)
        The values that all parts together reach.
    parts : array of shape (n_parts,)
    """
    rules, point = person.rules, work.point
    left, out = reached.copy(), np.zeros(len(parts), dtype=np.bool_)
    for i in range(len(parts)):
        point.reached[:] = left
        for k in range(len(left)):
            if rules.part[k] == parts[i]:
                point.reached[k] = rules.before[k]
        if _gap_at_reached(person, work) > person.channels.tolerance:
            left[:] = point.reached
            out[i] = True
    return out


@compiled_part
def _gap_at_reached(person: PersonArrays, work: Work) -> float:
    """Return the smallest gap at the reached values of the current point, or NaN."""
    point, rules = work.point, person.rules
    known = True
    for v in range(len(rules.view_variable)):
        p = position_of(rules, v, point.reached[rules.view_variable[v]])
        point.position[v] = p
        known = known and p >= 0
    return gap_at_point(person, work) if known else np.nan


@compiled_part
def gap_at_point(person: PersonArrays, work: Work) -> float:
    """Return the smallest gap at the current point, from the person's own forest."""
    point, sums = work.point, work.sums
    sums[:] = work.constants[0]
    add_leaves(
        work.forest,
        0,
        work.tree_end[0],
        person.tables,
        point.reached,
        point.position,
        sums,
    )
    add_slopes(person.slopes, point.reached, point.reached, sums)
    return least_gap(person.channels, sums, work.nothing)
