"""The scores of a model, and when they reach the target.

Tree ensembles are constant between cuts; linear models cross a threshold once. Both may
come after transformers that work column by column.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from skresp._model.trees._lines import Cells
from skresp._model.trees._score_function import read_trees
from skresp._typing import BoolArray, FloatArray

from ._decision import Decision
from ._linear import read_linear
from ._target import TargetRule
from ._unwrap import unwrap

# With fewer rows a reading cannot be checked.
_FEWEST_ROWS = 8


class LineFunction(Protocol):
    """What is known of a model beyond `predict`.

    A line goes from a row of `A` to the same row of `B`. The position on it runs from
    `low` to `high`, arrays of shape (n_lines,).
    """

    @property
    def decision(self) -> Decision | None:
        """When the scores reach the target; None where only `predict` knows."""

    def maps_lines(self, moving: Collection[str]) -> bool:
        """Return whether the scores are known along lines of these columns."""

    def cells(self, A: Any, B: Any, low: FloatArray, high: FloatArray) -> Cells | None:
        """Return the pieces of lines on which the decision does not change.

        Return None where the rows are not numeric.
        """

    def crowded(self, A: Any, B: Any, low: FloatArray, high: FloatArray) -> BoolArray:
        """Return on which lines two borders are closer than rounding."""


#: Readers of model families, tried in this order.
READERS = (read_linear, read_trees)


def read_line_function(target_rule: TargetRule, rows: Any) -> LineFunction | None:
    """Read the scores of a model along lines; return None for a black box.

    The reading is compared with the model on `rows`, in the model's input format.
    """
    model = unwrap(target_rule.model)
    if model is None or len(rows) < _FEWEST_ROWS:
        return None
    for read in READERS:
        line_function = read(target_rule, model, rows)
        if line_function is not None:
            return line_function
    return None
