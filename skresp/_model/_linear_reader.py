"""Read linear models."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._typing import FloatArray

from ._linear import _LINEAR, _linear_link
from ._predictions import model_scores
from ._reading import ReadGroup, Reading
from ._unreadable import UnreadableError
from ._unwrap import transform_rows

LINEAR_MODELS = tuple(_LINEAR)


def read_linear_model(model: Any, steps: tuple[Any, ...]) -> Reading:
    """Read a model with one coefficient for each column."""
    coef, intercept = (getattr(model, n, None) for n in ("coef_", "intercept_"))
    if coef is None or intercept is None:
        raise UnreadableError(f"{type(model).__name__} has no coefficients.")
    if hasattr(coef, "toarray"):
        coef = coef.toarray()
    coef = np.atleast_2d(np.asarray(coef))
    single = coef.dtype.itemsize < 8
    base = np.broadcast_to(np.asarray(intercept, dtype=float), len(coef)).copy()
    method = "decision_function" if hasattr(model, "decision_function") else "predict"

    def own_scores(rows: Any) -> FloatArray:
        return np.asarray(model_scores(model, method, transform_rows(steps, rows)))

    group = ReadGroup(steps, coef=coef.astype(float), base=base)
    return Reading((group,), own_scores, _linear_link(model), "linear", single)
