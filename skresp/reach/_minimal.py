"""Minimal interventions on one feature, amount by amount, without listing the part.

For most amounts nothing else has to move, which the meaning of the constraints tells
at once. Only for the others the rest of the part is gone through.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._allowance import OutOfPointsError, allowance
from ._grid import list_changes
from ._interventions import minimal_interventions
from ._outcome import TooLargeError
from ._own import own_changes, own_count
from ._part import Numbers, Part, Truth
from ._search import MOST_BY_SOLVER, Search

# Own changes of a feature that are gone through one by one.
MOST_LISTED = 10_000
# Amounts for which the solver is asked whether something else could move instead.
MOST_ASKED = 50


@dataclass(frozen=True)
class Settled:
    """Minimal interventions of one person on a feature, by the amount of its change.

    Attributes
    ----------
    amounts : array of shape (n_amounts,)
    changes : array of shape (n_changes, n_features)
        Total changes, ordered by amount.
    counts : array of shape (n_amounts,)
        How many of the changes have each amount.
    known : array of shape (n_amounts,)
        Where these are all the minimal interventions of that amount. Elsewhere they
        are those of some sets of features that move: all of each set, and no other
        real with freedom of its own moves in it or is moved by it.
    listed : bool
        False where the other features have too many changes to go through; amounts
        that are not known then have no changes here.
    """

    amounts: Numbers
    changes: Numbers
    counts: NDArray[np.intp]
    known: Truth
    listed: bool = True

    def of(self, i: int) -> Numbers:
        """Return the changes of the i-th amount."""
        stop = int(self.counts[: i + 1].sum())
        return self.changes[stop - int(self.counts[i]) : stop]


def settle(part: Part, before: Numbers, j: int, amounts: Numbers) -> Settled:
    """Return the minimal interventions on feature `j` by these own changes of it.

    The amounts are distinct and not 0, and nothing else changes the feature.
    """
    alone = np.zeros((len(amounts), len(part.names)))
    alone[:, j] = amounts
    origin = np.broadcast_to(before, alone.shape)
    # The feature moves and nothing else: contained in every other set of features.
    first = part.feasible(origin, part.own(alone))
    # It moves with its effects, and nothing could take those back.
    with_effects = part.total(alone)
    second = ~first & part.feasible(origin, alone)
    second &= _is_forced(part, before, j, amounts, with_effects)
    changes = np.where(first[:, None], alone, with_effects)
    known = first | second
    found = [changes[known]]
    whose = [np.flatnonzero(known)]
    left = np.flatnonzero(~known)
    rest: tuple[Numbers, NDArray[np.intp]] | None = None
    if len(left):
        rest = _with_others(part, before, j, amounts[left])
    if rest is not None:
        found.append(rest[0])
        whose.append(left[rest[1]])
        known[left] = not set(free_reals(part, before)) - {j}
    at = np.concatenate(whose)
    order = np.argsort(at, kind="stable")
    counts = np.bincount(at, minlength=len(amounts))
    listed = rest is not None or not len(left)
    return Settled(amounts, np.concatenate(found)[order], counts, known, listed)


def free_reals(part: Part, before: Numbers) -> list[int]:
    """Return the positions of the real features that can move by themselves."""
    return [
        k
        for k, feature in enumerate(part.features)
        if feature.kind == "real" and np.isinf(own_count(feature, float(before[k])))
    ]


def _is_forced(
    part: Part, before: Numbers, j: int, amounts: Numbers, changes: Numbers
) -> Truth:
    """Return where every feature that follows `j` must move, and as it does.

    It must where no own changes of other features add up to the opposite effect. The
    ranges are wider than what is feasible, so that the answer errs on the safe side.
    """
    low, high = np.zeros_like(changes), np.zeros_like(changes)
    for k in part.order:
        if k == j:
            low[:, k] = high[:, k] = amounts
            continue
        first, last = _own_range(part, before, k)
        low[:, k], high[:, k] = first, last
        for source, scale in part.links_into[k]:
            ends = np.sort([scale * low[:, source], scale * high[:, source]], axis=0)
            low[:, k] += ends[0]
            high[:, k] += ends[1]
    moved = changes != 0
    moved[:, j] = False
    may_stay = (low <= 0) & (high >= 0)
    by_itself = np.array(
        [own_count(f, float(v)) > 1 for f, v in zip(part.features, before, strict=True)]
    )
    return ~(moved & (may_stay | by_itself)).any(axis=1)


def _own_range(part: Part, before: Numbers, k: int) -> tuple[float, float]:
    """Return the least and greatest own change of a feature, 0 included."""
    feature, value = part.features[k], float(before[k])
    if feature.kind == "categorical":
        return 0.0, 0.0  # takes part in no linkage
    low, high = feature.own_limits(value)
    return (min(low, 0.0), max(high, 0.0)) if low <= high else (0.0, 0.0)


def _with_others(
    part: Part, before: Numbers, j: int, amounts: Numbers
) -> tuple[Numbers, NDArray[np.intp]] | None:
    """Return minimal changes with the other discrete features free, by the grid.

    The second value tells the amount of each. None where the grid is too large. Left
    out are changes with an effect on another real that has freedom of its own: they
    are single points of a range.
    """
    reals = free_reals(part, before)
    own = {k: np.zeros(1) for k in reals}
    own[j] = np.concatenate([[0.0], amounts])
    limit = allowance().deadline
    listing = list_changes(part, before[None], deadline=limit, own=own)
    if listing.refused:
        return None
    changes = listing.changes
    marked = minimal_interventions(changes, np.array([0, len(changes)]))[:, j]
    changes = changes[marked]
    sources = {source for k in reals if k != j for source, _ in part.links_into[k]}
    changes = changes[(changes[:, sorted(sources)] == 0).all(axis=1)]
    order = np.argsort(amounts)
    return changes, order[np.searchsorted(amounts[order], changes[:, j])]


def list_minimal(
    part: Part,
    before: Numbers,
    j: int,
    *,
    most: int = MOST_LISTED,
    solver: bool = True,
) -> Numbers | None:
    """Return all minimal interventions on feature `j`; None where it has no list.

    It has one where the feature has few own changes, whatever else is in its part: a
    real feature beside it matters only where it must move along. With `solver=False`
    only lists that need no solver are made.
    """
    feature = part.features[j]
    if part.links_into[j] or own_count(feature, float(before[j])) > most:
        return None
    found = settle(part, before, j, own_changes(feature, float(before[j]))[1:])
    unknown = np.flatnonzero(~found.known)
    if not len(unknown):
        return found.changes
    if not solver or len(unknown) > MOST_ASKED:
        return None
    search = Search(part, before)
    reals = bool(free_reals(part, before))
    rest = [found.changes]
    try:
        for i in unknown.tolist():
            at = search.at(j, float(before[j] + found.amounts[i]))
            if found.listed:
                sets, complete = search.supports([at, *search.without(found.of(i))])
                complete &= not sets
            elif reals:
                return None
            else:
                changes, complete = search.minimal_at(at, j, MOST_BY_SOLVER)
                rest.append(changes)
            if not complete or not search.can_stay:
                return None
    except (TooLargeError, OutOfPointsError):
        return None
    return np.concatenate(rest)
