"""Combinations of the discrete values of a part with reals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from skresp._typing import FloatArray
from skresp.constraints._expression import Expression
from skresp.constraints._program import Row, row

from ._allowance import allowance
from ._grid import list_changes
from ._interventions_by_amount import movable_reals
from ._outcome import Outcome
from ._own_changes import draw_own
from ._part import Part
from ._solver_search import Search


def configuration_source(
    search: Search, j: int | None, rng: np.random.Generator
) -> Callable[[], dict[int, float] | None]:
    """Return a function that proposes discrete reached values with equal probability.

    From those that satisfy every constraint without a free real, if they can be listed;
    else from all combinations of own changes. A proposal is rejected if its real slice
    is empty.
    """
    part, before = search.part, search.before
    discrete = discrete_positions(search)
    listed = changes_without_reals(part, before)
    if listed is not None:
        if j is not None:
            listed = listed[listed[:, j] != 0]
        after = np.unique((before + listed)[:, discrete], axis=0).tolist()
        if not after:
            return lambda: None
        return lambda: dict(zip(discrete, after[rng.integers(len(after))], strict=True))

    def propose() -> dict[int, float]:
        own = np.zeros((1, len(before)))
        for k in discrete:
            feature, value = part.features[k], float(before[k])
            own[0, k] = draw_own(feature, value, 1, rng, zero=True)[0]
        after = before + part.total(own)[0]
        return {k: float(after[k]) for k in discrete}

    return propose


def changes_without_reals(part: Part, before: FloatArray) -> FloatArray | None:
    """Return the changes of discrete features that constraints without reals allow.

    Return None where these are too many.
    """
    return changes_without(part, before, movable_reals(part, before))


def changes_without(
    part: Part,
    before: FloatArray,
    reals: Sequence[int],
    own: Mapping[int, FloatArray] | None = None,
) -> FloatArray | None:
    """Return the changes of the other features that constraints without reals allow.

    Return None where these are too many.

    Parameters
    ----------
    part : Part
    before : array of shape (n_features,)
    reals : sequence of int
        The reals that stay put. Constraints on what they affect do not count either.
    own : mapping of position to own changes, optional
        The own changes of some other features, instead of all.
    """
    names = {part.names[k] for k in part.downstream(reals)}
    relaxed = replace(
        part,
        # A feature that is only mutable may move alongside a real.
        features=tuple(
            replace(f, actionable=f.can_change, mutable=None) for f in part.features
        ),
        constraints=tuple(r for r in part.constraints if not names & {*r.features}),
    )
    listing = list_changes(
        relaxed,
        before[None],
        deadline=allowance().deadline,
        own=dict.fromkeys(reals, np.zeros(1)) | dict(own or {}),
    )
    return None if listing.refused else listing.changes


def discrete_positions(search: Search) -> list[int]:
    """Return the positions of the discrete features whose value is not missing."""
    return [
        k
        for k, feature in enumerate(search.part.features)
        if feature.kind != "real" and not np.isnan(search.before[k])
    ]


def find_configurations(
    search: Search, extra: Sequence[Row], most: int
) -> tuple[list[dict[int, float]], bool]:
    """Return at most `most` feasible combinations of discrete reached values.

    The second value is whether these are all.
    """
    part, program = search.part, search.program
    discrete = discrete_positions(search)
    cuts = list(extra)
    listed: list[dict[int, float]] = []
    while True:
        outcome, own = search.find(cuts, Expression())
        if own is None:
            return listed, outcome is Outcome.INFEASIBLE
        if len(listed) >= most:
            return listed, False
        after = search.before + part.total(own[None])[0]
        listed.append({k: float(after[k]) for k in discrete})
        if not discrete:
            return listed, True
        same = program.agreement({part.names[k]: after[k] for k in discrete})
        cuts.append(row(same, upper=len(discrete) - 1))
