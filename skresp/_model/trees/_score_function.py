"""The scores of a tree ensemble after the steps of a pipeline."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skresp._model._decision import DOUBT, DOUBT32, Decision, decision_of, is_confirmed
from skresp._model._target import TargetRule
from skresp._model._unwrap import (
    ROUNDINGS,
    Unwrapped,
    as_numbers,
    coarsest,
    maps_lines,
    transform_rows,
)
from skresp._typing import BoolArray, FloatArray

from ._arrays import XGBOOST, Ensemble
from ._lines import Cells, crowded_cuts, sweep
from ._reading import dense, link_of, read_ensemble


@dataclass(frozen=True)
class TreeScoreFunction:
    """The scores of a tree ensemble and of the steps before it.

    Attributes
    ----------
    steps : tuple
        The transformers before the trees.
    ensemble : Ensemble
    decision : Decision or None
        None where only `predict` knows when the target is reached.
    is_sparse : bool
        Whether the trees get a sparse matrix.
    """

    steps: tuple[Any, ...]
    ensemble: Ensemble
    decision: Decision | None
    is_sparse: bool = False

    def numbers(self, rows: Any) -> FloatArray | None:
        """Return rows as the trees get them; None where they are not numeric."""
        transformed = transform_rows(self.steps, rows)
        return as_numbers(dense(transformed, self.ensemble.rule == XGBOOST))

    def maps_lines(self, moving: Collection[str]) -> bool:
        """Return whether the scores are known along lines of these columns."""
        # XGBoost takes a 0 in a sparse matrix for a missing value.
        if moving and self.is_sparse and self.ensemble.rule == XGBOOST:
            return False
        return maps_lines(self.steps, moving)

    def cells(self, A: Any, B: Any, low: FloatArray, high: FloatArray) -> Cells | None:
        """Return the pieces of the lines from the rows of A to those of B."""
        ends = self.numbers(A), self.numbers(B)
        if ends[0] is None or ends[1] is None:
            return None
        rate = (ends[1] - ends[0]) / (high - low)[:, None]
        rate[np.isnan(rate)] = 0.0  # a missing value stays missing
        start = ends[0] - rate * low[:, None]
        cells = sweep(self.ensemble, start, rate, low, high)
        return replace(cells, error=self._error(A, ends[0], ends[1], rate))

    def crowded(self, A: Any, B: Any, low: FloatArray, high: FloatArray) -> BoolArray:
        """Return on which lines two borders are closer than rounding."""
        first, last = self.numbers(A), self.numbers(B)
        if first is None or last is None:
            return np.ones(len(low), dtype=bool)
        return crowded_cuts(self.ensemble, first, last, low, high)

    def _error(
        self, A: Any, first: FloatArray, last: FloatArray, rate: FloatArray
    ) -> FloatArray:
        """Return the error of the borders from scaling, in units of the line."""
        size = np.maximum(np.abs(first), np.abs(last))
        moving = rate != 0
        share = np.divide(size, np.abs(rate), out=np.zeros_like(rate), where=moving)
        tables = (A, transform_rows(self.steps, A[:1])) if self.steps else (A,)
        return ROUNDINGS * coarsest(*tables) * share.max(axis=1, initial=0.0)


def read_trees(
    target_rule: TargetRule, model: Unwrapped, rows: Any
) -> TreeScoreFunction | None:
    """Read a tree ensemble; return None for other models.

    The reading is compared with the model on `rows`, in the model's input format.
    """
    given = transform_rows(model.steps, rows)
    if type(model.final).__module__.split(".")[0] == "xgboost":
        numbers = as_numbers(dense(given, True))
    else:
        numbers = as_numbers(dense(given, False))
    ensemble = None if numbers is None else read_ensemble(model.final, given)
    if numbers is None or ensemble is None:
        return None
    doubt = DOUBT32 if ensemble.rule == XGBOOST else DOUBT
    sums = ensemble.sums(numbers)
    link = link_of(model.final)
    decision = None
    if link is not None:
        decision = decision_of(target_rule, sums, doubt, link, model.threshold_rule)
    if decision is not None and not is_confirmed(decision, target_rule, sums, rows):
        decision = None  # the model has another rule, which only `predict` knows
    return TreeScoreFunction(model.steps, ensemble, decision, hasattr(given, "tocoo"))
