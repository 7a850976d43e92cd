"""Minimal interventions on one feature, amount by amount, without listing the part.

For most amounts nothing else has to move, which takes one check of the constraints.
The rest of the part is enumerated only for the other amounts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._allowance import allowance
from ._grid import list_changes
from ._interventions import minimal_of_one, without_missing
from ._own_changes import own_count
from ._part import Part


@dataclass(frozen=True)
class InterventionsByAmount:
    """Minimal interventions of one person on a feature, by the amount of its change.

    Attributes
    ----------
    amounts : array of shape (n_amounts,)
    changes : array of shape (n_changes, n_features)
        Total changes, ordered by amount.
    counts : array of shape (n_amounts,)
        The number of changes of each amount.
    known : array of bool of shape (n_amounts,)
        Where these are all minimal interventions of that amount. Elsewhere they are
        those of some sets of features that move: all of each set, and no other real
        that can move by itself moves in it.
    listed : bool
        False where the other features have too many changes to enumerate. Amounts
        that are not known then have no changes here.
    """

    amounts: FloatArray
    changes: FloatArray
    counts: IndexArray
    known: BoolArray
    listed: bool = True

    def of(self, i: int) -> FloatArray:
        """Return the changes of the i-th amount."""
        stop = int(self.counts[: i + 1].sum())
        return self.changes[stop - int(self.counts[i]) : stop]


def minimal_by_amount(
    part: Part, before: FloatArray, j: int, amounts: FloatArray
) -> InterventionsByAmount:
    """Return the minimal interventions on feature `j` with these own changes of it.

    The amounts are distinct and not 0. Where linkages lead to this feature, only
    amounts are known for which nothing else has to move.
    """
    own = np.zeros((len(amounts), len(part.names)))
    own[:, j] = amounts
    origin = np.broadcast_to(before, own.shape)
    with_effects = part.total(own)
    # Nothing else moves: this set is contained in every other set of features. A
    # missing value stays missing, whatever its change.
    alone = np.where(np.isnan(before), with_effects, own)
    by_itself = part.feasible(origin, part.own(alone))
    # It moves with its effects, and nothing can cancel those.
    forced = ~by_itself & part.feasible(origin, own)
    forced &= _is_forced(part, before, j, amounts, with_effects)
    if part.links_into[j]:
        forced[:] = False
    changes = np.where(by_itself[:, None], alone, with_effects)
    known = by_itself | forced
    interventions = [changes[known]]
    positions = [np.flatnonzero(known)]
    left = np.flatnonzero(~known)
    rest: tuple[FloatArray, IndexArray] | None = None
    if len(left) and not part.links_into[j]:
        rest = _with_others(part, before, j, amounts[left])
    if rest is not None:
        interventions.append(rest[0])
        positions.append(left[rest[1]])
        known[left] = not set(free_reals(part, before)) - {j}
    at = np.concatenate(positions)
    order = np.argsort(at, kind="stable")
    counts = np.bincount(at, minlength=len(amounts))
    listed = rest is not None or not len(left)
    ordered = np.concatenate(interventions)[order]
    return InterventionsByAmount(amounts, ordered, counts, known, listed)


def free_reals(part: Part, before: FloatArray) -> list[int]:
    """Return the positions of the real features that have a range to move in."""
    return [
        k
        for k, feature in enumerate(part.features)
        if feature.kind == "real" and np.isinf(own_count(feature, float(before[k])))
    ]


def movable_reals(part: Part, before: FloatArray) -> list[int]:
    """Return the reals that can move by themselves, perhaps to one value only."""
    return [
        k
        for k, feature in enumerate(part.features)
        if feature.kind == "real" and own_count(feature, float(before[k])) > 1
    ]


def _is_forced(
    part: Part, before: FloatArray, j: int, amounts: FloatArray, changes: FloatArray
) -> BoolArray:
    """Return where every feature downstream of `j` must move by exactly this effect.

    It must where own changes of other features cannot cancel the effect. The ranges
    are wider than what is feasible, so the result errs on the safe side.
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
    moved = without_missing(changes, before) != 0
    moved[:, j] = False
    may_stay = (low <= 0) & (high >= 0)
    by_itself = np.array(
        [own_count(f, float(v)) > 1 for f, v in zip(part.features, before, strict=True)]
    )
    return ~(moved & (may_stay | by_itself)).any(axis=1)


def _own_range(part: Part, before: FloatArray, k: int) -> tuple[float, float]:
    """Return the smallest and largest own change of a feature, 0 included."""
    feature, value = part.features[k], float(before[k])
    if feature.kind == "categorical":
        return 0.0, 0.0  # takes part in no linkage
    low, high = feature.own_limits(value)
    return (min(low, 0.0), max(high, 0.0)) if low <= high else (0.0, 0.0)


def _with_others(
    part: Part, before: FloatArray, j: int, amounts: FloatArray
) -> tuple[FloatArray, IndexArray] | None:
    """Return minimal changes with the other discrete features free, and their amounts.

    The second array holds positions in `amounts`. Return None where the grid is too
    large. Changes with an effect on another real that can move by itself are left out:
    they are single points of a range.
    """
    reals = free_reals(part, before)
    own = {k: np.zeros(1) for k in reals}
    own[j] = np.concatenate([[0.0], amounts])
    limit = allowance().deadline
    listing = list_changes(part, before[None], deadline=limit, own=own)
    if listing.refused:
        return None
    changes = listing.changes
    changes = changes[minimal_of_one(without_missing(changes, before))[:, j]]
    sources = {source for k in reals if k != j for source, _ in part.links_into[k]}
    changes = changes[(changes[:, sorted(sources)] == 0).all(axis=1)]
    order = np.argsort(amounts)
    return changes, order[np.searchsorted(amounts[order], changes[:, j])]
