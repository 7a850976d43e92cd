"""Several ensembles as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._arrays import Ensemble


def join(ensembles: Sequence[Ensemble], weights: Sequence[float]) -> Ensemble:
    """Return the weighted sum of ensembles with the same rule and outputs."""
    counts = [len(e.feature) for e in ensembles]
    starts = np.cumsum([0, *counts[:-1]])

    def moved(name: str) -> np.ndarray:
        parts = []
        for ensemble, start in zip(ensembles, starts, strict=True):
            nodes = getattr(ensemble, name)
            parts.append(np.where(nodes >= 0, nodes + start, -1))
        return np.concatenate(parts)

    def all_of(name: str) -> np.ndarray:
        return np.concatenate([getattr(e, name) for e in ensembles])

    scaled = list(zip(ensembles, weights, strict=True))
    return Ensemble(
        moved("roots"),
        all_of("output"),
        all_of("feature"),
        all_of("threshold"),
        moved("left"),
        moved("right"),
        all_of("missing_left"),
        np.concatenate([weight * e.leaves for e, weight in scaled]),
        np.sum([weight * e.base for e, weight in scaled], axis=0),
        ensembles[0].rule,
    )
