"""The values that a model's column must be able to hold after a change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._actions._action_set import ActionSet


@dataclass(frozen=True)
class ColumnNeed:
    """What the dtype of a column must be able to hold.

    Attributes
    ----------
    fractions : bool
        Whether values may be fractions.
    labels : tuple
        The labels of a categorical feature; empty for numbers.
    effect_span : float
        How far effects can move a value beyond the feature's own bounds.
    bounds : (lower, upper)
        Bounds of the feature's own changes; (inf, -inf) where it has none.
    """

    fractions: bool
    labels: tuple[Any, ...]
    effect_span: float
    bounds: tuple[float, float]

    def is_met_by(self, values: NDArray[Any]) -> bool:
        """Return whether the dtype of a numeric column can hold every such value."""
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
        low = min(float(values.min()), self.bounds[0]) - self.effect_span
        high = max(float(values.max()), self.bounds[1]) + self.effect_span
        return bool(limits.min <= low and high <= limits.max)


@lru_cache(maxsize=64)
def column_needs(actions: ActionSet) -> dict[str, ColumnNeed]:
    """Return the needs of the columns whose features may change, by feature."""
    needs: dict[str, ColumnNeed] = {}
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
            needs[name] = ColumnNeed(f.kind == "real", labels, sum(arriving), bounds)
    return needs


@lru_cache(maxsize=64)
def needs_labels(actions: ActionSet) -> bool:
    """Return whether a column must be able to hold labels."""
    return any(need.labels for need in column_needs(actions).values())
