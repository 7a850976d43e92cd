"""The points that changes lead to, in the model's input format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skresp._actions._feature import snap_to_bounds
from skresp._model._point_builder import PointBuilder
from skresp._model._row_batch import RowBatch, Segment
from skresp._typing import FloatArray
from skresp.reach._part import Part


def changed_points(
    batch: RowBatch,
    part: Part,
    before: FloatArray,
    change: FloatArray,
    exact: Mapping[int, FloatArray] | None = None,
) -> Segment:
    """Return the points that changes of a part lead to; see `new_values`."""
    new = new_values(part, before, change, batch.point_builder, exact)
    return Segment(0, len(change), new)


def new_values(
    part: Part,
    before: FloatArray,
    change: FloatArray,
    point_builder: PointBuilder,
    exact: Mapping[int, FloatArray] | None = None,
) -> dict[int, Any]:
    """Return the values of each column that moves, after each change.

    Parameters
    ----------
    before, change : array of shape (n_changes, n_features)
        Current values and total changes on the part.
    exact : mapping of int to array of shape (n_changes,), optional
        Reached values of some features of the part, where adding the change to the
        current value would round.

    Returns
    -------
    dict of column position to array, or to (labels, mask)
    """
    out: dict[int, Any] = {}
    for k, (name, feature) in enumerate(zip(part.names, part.features, strict=True)):
        moved = change[:, k] != 0
        if not moved.any():
            continue
        after = snap_to_bounds(feature, before[:, k], change[:, k])
        if exact is not None and k in exact:
            after = exact[k]
        if point_builder.is_number(name):
            out[point_builder.position[name]] = point_builder.new_values(
                name, feature, after
            )
        else:
            moved &= ~np.isnan(before[:, k])
            labels = point_builder.new_values(
                name, feature, np.where(moved, after, 0.0)
            )
            out[point_builder.position[name]] = labels, moved
    return out
