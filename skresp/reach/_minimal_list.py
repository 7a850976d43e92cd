"""List the minimal interventions of one person on a feature."""

from __future__ import annotations

import numpy as np

from skresp._typing import FloatArray

from ._allowance import OutOfPointsError
from ._errors import TooLargeError
from ._interventions_by_amount import free_reals, minimal_by_amount
from ._own_changes import own_changes, own_count
from ._part import Part
from ._second_real import with_second_real
from ._solver_search import MAX_BY_SOLVER, Search

# Own changes of a feature that are tried one by one.
MAX_AMOUNTS = 10_000
# Amounts for which the solver looks for other sets of features that could move.
MAX_SOLVED_AMOUNTS = 50


def list_minimal(
    part: Part,
    before: FloatArray,
    j: int,
    *,
    most: int = MAX_AMOUNTS,
    solver: bool = True,
) -> FloatArray | None:
    """Return all minimal interventions on feature `j`; None where they have no list.

    A feature with few own changes has a list, even if its part has real features: these
    matter only where they must move. With `solver=False` the solver is not used.
    """
    feature = part.features[j]
    if part.links_into[j] or own_count(feature, float(before[j])) > most:
        return None
    amounts = own_changes(feature, float(before[j]))[1:]
    by_amount = minimal_by_amount(part, before, j, amounts)
    if by_amount.known.all():
        return by_amount.changes
    search = Search(part, before) if solver else None
    reals = free_reals(part, before)
    rest = [by_amount.changes]
    try:
        more = with_second_real(part, before, j, by_amount, search)
        if any(more.stretches):
            return None
        unknown = np.flatnonzero(~more.known)
        if search is None:
            return None if len(unknown) else by_amount.changes
        if len(unknown) > MAX_SOLVED_AMOUNTS:
            return None
        if len(reals) > 1 and not search.can_stay:
            return None
        for i in unknown.tolist():
            at = search.at(j, float(before[j] + by_amount.amounts[i]))
            if by_amount.listed:
                sets, complete = search.supports([at, *search.without(by_amount.of(i))])
                complete &= not sets
            elif reals:
                return None
            else:
                changes, complete = search.minimal_at(at, j, MAX_BY_SOLVER)
                rest.append(changes)
            if not complete or not search.can_stay:
                return None
    except (TooLargeError, OutOfPointsError):
        return None
    return np.concatenate(rest)
