"""Read models whose scores are sums of trees.

To add a library, write a module with `READERS`, `scores` and `prediction_link`, and add
it to `LIBRARIES`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._model._links import PredictionLink
from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._model._unwrap import transform_rows
from skresp._typing import FloatArray

from . import _catboost, _lightgbm, _sklearn, _xgboost
from ._arrays import XGBOOST, UnsupportedTreesError

#: Readers by the package of a model. The package itself is not imported.
LIBRARIES: dict[str, Any] = {
    "catboost": _catboost,
    "lightgbm": _lightgbm,
    "sklearn": _sklearn,
    "xgboost": _xgboost,
}


def library_of(model: Any) -> Any:
    """Return the module that reads models of this library; None if there is none."""
    return LIBRARIES.get(type(model).__module__.split(".")[0])


def read_tree_model(model: Any, steps: tuple[Any, ...]) -> Reading:
    """Read a model whose scores are sums of trees."""
    made: tuple[Any, ...] = steps
    try:
        try:
            ensemble = _reader_of(model)(model)
        except UnsupportedTreesError:
            ensemble, splits = library_of(model).read_categories(model)
            made = (*steps, splits)
    except UnsupportedTreesError:
        raise UnreadableError(
            f"The trees of this {type(model).__name__} are of a kind that is not read."
        ) from None

    def scores(rows: Any) -> FloatArray:
        return np.asarray(own_scores(model, transform_rows(steps, rows)))

    group = ReadGroup(made, ensemble=ensemble)
    is_float32 = ensemble.rule == XGBOOST
    return Reading((group,), scores, prediction_link(model), "trees", is_float32)


def own_scores(model: Any, Z: Any) -> FloatArray:
    """Return the scores that a model itself reports, of shape (n_rows, n_scores)."""
    return (library_of(model) or _sklearn).scores(model, Z)


def prediction_link(model: Any) -> PredictionLink | None:
    """Return how predictions follow from scores; None where that is not known."""
    library = library_of(model)
    return None if library is None else library.prediction_link(model)


def _reader_of(model: Any) -> Any:
    """Return the reader for a model, by the names of its base classes."""
    for kind in type(model).__mro__:
        library = LIBRARIES.get(kind.__module__.split(".")[0])
        reader = None if library is None else library.READERS.get(kind.__name__)
        if reader is not None:
            return reader
    return None
