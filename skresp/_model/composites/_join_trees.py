"""Trees of several groups in one group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skresp._model._reading import ReadGroup
from skresp._model.trees._join import join
from skresp._typing import FloatArray


def join_trees(groups: Sequence[ReadGroup]) -> tuple[ReadGroup, ...]:
    """Return groups with all plain trees behind the same steps in one group."""
    alike: dict[Any, list[ReadGroup]] = {}
    out: list[ReadGroup] = []
    for group in groups:
        plain = group.coef is None and group.link.is_identity
        if group.ensemble is None or not plain:
            out.append(group)
            continue
        has_base = group.base is not None
        key = tuple(map(id, group.steps)), group.ensemble.arithmetic, has_base
        alike.setdefault(key, []).append(group)
    return (*[_joined(some) for some in alike.values()], *out)


def _joined(groups: list[ReadGroup]) -> ReadGroup:
    """Return the sum of groups of trees."""
    if len(groups) == 1 and groups[0].weight == 1.0:
        return groups[0]
    weights = [group.weight for group in groups]
    ensemble = join([g.ensemble for g in groups if g.ensemble is not None], weights)
    pairs = list(zip(weights, groups, strict=True))
    bases = [weight * group.base for weight, group in pairs if group.base is not None]

    def own_sums(rows: Any) -> FloatArray:
        sums = [
            weight * group.own_sums(rows)
            for weight, group in pairs
            if group.own_sums is not None
        ]
        return np.asarray(np.sum(sums, axis=0))

    return groups[0]._replace(
        ensemble=ensemble,
        base=np.sum(bases, axis=0) if bases else None,
        weight=1.0,
        own_sums=own_sums,
    )
