"""Read TransformedTargetRegressor."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._model._reading import Reading
from skresp._model._unreadable import UnreadableError
from skresp._typing import FloatArray

from ._members import ReadMember


def read_transformed_target(
    model: Any, steps: tuple[Any, ...], read_member: ReadMember
) -> Reading:
    """Read a TransformedTargetRegressor: its scores are those of the regressor.

    They become predictions only at the end, so a target is compared with the scores.
    """
    reading = read_member(model.regressor_, steps)
    if reading.prediction_link not in ("identity", "monotone"):
        raise UnreadableError(
            "The regressor inside TransformedTargetRegressor turns its score into "
            "another prediction in a way that is not read."
        )
    inner = reading.to_prediction

    def to_prediction(scores: FloatArray) -> FloatArray:
        numbers = scores if inner is None else inner(scores)
        back = model.transformer_.inverse_transform(numbers[:, None])
        return np.asarray(back, dtype=float).reshape(len(numbers))

    return reading._replace(prediction_link="monotone", to_prediction=to_prediction)
