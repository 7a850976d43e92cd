"""Several ensembles as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._arrays import Ensemble


def join(ensembles: Sequence[Ensemble], weights: Sequence[float]) -> Ensemble:
    """Return the weighted sum of ensembles with the same arithmetic and outputs."""
    counts = [len(e.column) for e in ensembles]
    starts = np.cumsum([0, *counts[:-1]])

    def moved(name: str) -> np.ndarray:
        parts = []
        for ensemble, start in zip(ensembles, starts, strict=True):
            nodes = getattr(ensemble, name)
            parts.append(np.where(nodes >= 0, nodes + start, -1))
        return np.concatenate(parts)

    same = ("output", "column", "threshold", "missing_left")
    scaled = list(zip(ensembles, weights, strict=True))
    return Ensemble(
        **{name: moved(name) for name in ("roots", "left", "right")},
        **{n: np.concatenate([getattr(e, n) for e in ensembles]) for n in same},
        leaves=np.concatenate([weight * e.leaves for e, weight in scaled]),
        n_outputs=ensembles[0].n_outputs,
        arithmetic=ensembles[0].arithmetic,
        grain=0.0,  # weighted leaves are rounded
    )
