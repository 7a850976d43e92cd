"""What steps with bins, a threshold or splines get of each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from skresp._model._unreadable import UnreadableError
from skresp._typing import FloatArray

from ._elementary_steps import elementary_steps
from ._transform import as_numbers

_WITH_INPUTS = ("KBinsDiscretizer", "Binarizer", "SplineTransformer")


class StepInput(NamedTuple):
    """What a step with edges or knots gets of one column.

    Attributes
    ----------
    step : KBinsDiscretizer, Binarizer or SplineTransformer
    position : int
        The position of the input among those of the step.
    origin : int
        The column that it comes from.
    values : array of shape (n_rows,)
    """

    step: Any
    position: int
    origin: int
    values: FloatArray

    @property
    def edges(self) -> FloatArray:
        """The largest input of each piece of a step function; none for splines."""
        name = type(self.step).__name__
        if name == "KBinsDiscretizer":
            edges = self.step.bin_edges_[self.position][1:-1].astype(float)
            return np.nextafter(edges, -np.inf)
        if name == "Binarizer":
            return np.array([float(self.step.threshold)])
        return np.zeros(0)


def step_inputs(steps: Sequence[Any], rows: Any, width: int) -> list[StepInput]:
    """Return the inputs of all step functions and splines, for rows."""
    found = []
    for step, own, table in elementary_steps(steps, rows, width):
        if type(step).__name__ not in _WITH_INPUTS:
            continue
        numbers = as_numbers(table)
        if numbers is None:
            raise UnreadableError(
                f"{type(step).__name__} gets columns that are not numbers."
            )
        for i, origin in enumerate(own):
            found.append(StepInput(step, i, int(origin), numbers[:, i]))
    return found
