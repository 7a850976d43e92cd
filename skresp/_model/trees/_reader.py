"""Read tree ensembles of all libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._model._unwrap import transform_rows
from skresp._typing import FloatArray

from ._arrays import XGBOOST, UnsupportedTreesError
from ._reading import library_of, link_of, own_scores, reader_of


def read_tree_model(model: Any, steps: tuple[Any, ...]) -> Reading:
    """Read a model whose scores are sums of trees."""
    made: tuple[Any, ...] = steps
    try:
        try:
            ensemble = reader_of(model)(model)
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
    single = ensemble.rule == XGBOOST
    return Reading((group,), scores, link_of(model), "trees", single)
