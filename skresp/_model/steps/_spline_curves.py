"""Weighted sums of splines as turning curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._splines import Spline, spline_cuts
from ._transformed_columns import Kind, TransformedColumns
from ._turning_curves import BranchMaps, TurningCurve, turning_curve


class SplineSum(NamedTuple):
    """A weighted sum of transformed columns that follow splines of the same input.

    Attributes
    ----------
    spline : int
    transformed : array of shape (n_transformed,)
    weights : array of shape (n_transformed, n_outputs)
    """

    spline: int
    transformed: IndexArray
    weights: FloatArray


def spline_maps(transformed: TransformedColumns, coef: FloatArray) -> BranchMaps:
    """Return the branches of the splines of a linear model.

    `coef` has the shape (n_outputs, n_transformed).
    """
    by_spline: dict[int, list[int]] = {}
    for k, column in transformed.spline_columns.items():
        if transformed.kinds[k] is Kind.SPLINE and coef[:, k].any():
            by_spline.setdefault(column.spline, []).append(k)
    sums = [
        SplineSum(n, np.array(some, dtype=np.intp), coef[:, some].T)
        for n, some in by_spline.items()
    ]
    curves: dict[int, tuple[TurningCurve, ...]] = {}
    for one, curve in zip(sums, spline_curves(transformed, sums), strict=True):
        c = transformed.splines[one.spline].column
        curves[c] = (*curves.get(c, ()), curve)
    return BranchMaps(transformed.maps, curves)


def spline_curves(
    transformed: TransformedColumns, sums: Sequence[SplineSum]
) -> list[TurningCurve]:
    """Return sums of splines in pieces on which they do not turn."""
    if not sums:
        return []
    splines = [transformed.splines[one.spline] for one in sums]
    inputs, jumps = [], []
    for spline, one in zip(splines, sums, strict=True):
        repeated = spline.knots[spline.jumps]
        turns = spline.turns(_basis_weights(transformed, spline, one))
        inputs.append(
            np.concatenate([spline.knots, np.nextafter(repeated, -np.inf), turns])
        )
        jumps.append(
            np.r_[spline.jumps, np.ones(len(repeated)), np.zeros(len(turns))] > 0
        )
    cuts = spline_cuts(transformed.maps, splines, inputs, transformed.ranges)
    return [
        _curve(transformed, spline, one, at, jump)
        for spline, one, at, jump in zip(splines, sums, cuts, jumps, strict=True)
    ]


def _basis_weights(
    transformed: TransformedColumns, spline: Spline, one: SplineSum
) -> FloatArray:
    """Return the weights of the splines themselves."""
    width = spline.basis(spline.knots[:1]).shape[1]
    out = np.zeros((width, one.weights.shape[1]))
    for k, weights in zip(one.transformed.tolist(), one.weights, strict=True):
        column = transformed.spline_columns[k]
        out[column.basis] += column.slope * weights
    return out


def _curve(
    transformed: TransformedColumns,
    spline: Spline,
    one: SplineSum,
    at: FloatArray,
    jump: BoolArray,
) -> TurningCurve:
    """Return a sum of splines, given the numbers at which it may turn or jump."""
    c = spline.column
    ends = np.unique(at[np.isfinite(at)])
    jumps = np.isin(ends, at[jump])
    if not len(ends):
        ends, jumps = transformed.maps.raw_rows.middle()[[c]], np.zeros(1, dtype=bool)
    span = max(float(np.ptp(ends)), 1e-3 * float(np.abs(ends).max()), 1e-9)
    low, high = transformed.ranges[c]
    outer = max(low, float(ends[0]) - span), min(high, float(ends[-1]) + span)
    return turning_curve(
        transformed.maps, c, one.transformed, one.weights, ends, jumps, outer
    )
