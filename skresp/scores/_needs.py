"""What a column must have room for: all that the feature in it may become."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import ActionSet


@dataclass(frozen=True)
class Need:
    """What a column that moves must have room for."""

    fractions: bool
    labels: tuple[Any, ...]
    reach: float  # how far effects may carry it
    bounds: tuple[float, float]

    def met_by(self, values: NDArray[Any]) -> bool:
        """Whether the dtype of a column of plain numbers can hold all it may become."""
        if self.labels:
            return False
        if values.dtype.kind == "f":
            return True
        if self.fractions:
            return False
        if values.dtype.kind == "b":
            return bool(self.bounds[0] >= 0 and self.bounds[1] <= 1)
        if values.dtype.itemsize == 8 or not len(values):
            return True
        limits = np.iinfo(values.dtype)
        low = min(float(values.min()), self.bounds[0]) - self.reach
        high = max(float(values.max()), self.bounds[1]) + self.reach
        return bool(limits.min <= low and high <= limits.max)


@lru_cache(maxsize=64)
def needs_of(actions: ActionSet) -> dict[str, Need]:
    """The features that may move, and what that takes."""
    out: dict[str, Need] = {}
    span: dict[str, float] = {}
    for name in actions.effect_order:
        f = actions.features[name]
        arriving = [
            abs(scale) * span[source]
            for (source, target), scale in actions.effects.items()
            if target == name
        ]
        low, high = f.bounds if f.can_change else (np.inf, -np.inf)
        own = high - low if f.can_change and f.kind != "categorical" else 0.0
        span[name] = own + sum(arriving)
        if f.can_change or arriving:
            labels = tuple(f.categories or ()) if f.kind == "categorical" else ()
            bounds = (np.inf, -np.inf) if labels else (low, high)
            out[name] = Need(f.kind == "real", labels, sum(arriving), bounds)
    return out
