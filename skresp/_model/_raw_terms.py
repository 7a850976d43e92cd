"""Terms of a linear model, rewritten over the columns of the model's input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from skresp._model.steps._spline_curves import spline_maps
from skresp._model.steps._transformed_columns import (
    Kind,
    TransformedColumns,
    piece_ends,
)
from skresp._model.steps._turning_curves import BranchMaps, TurningCurve
from skresp._typing import FloatArray, IndexArray

from ._terms import MappedTerm, TableTerm, Terms


def to_raw_terms(
    coef: FloatArray, transformed: TransformedColumns
) -> tuple[Terms, FloatArray]:
    """Return the terms of a linear model, and the constant that they leave."""
    n_columns, n_outputs = len(transformed.maps.raw_rows.columns), len(coef)
    terms = Terms(
        np.zeros((n_columns, n_outputs)),
        np.zeros(n_columns),
        np.zeros((n_columns, n_outputs)),
    )
    constant = np.zeros(n_outputs)
    tables: list[TableTerm] = []
    maps: list[MappedTerm] = []
    splines = spline_maps(transformed, coef)
    for c in range(n_columns):
        weighted = [k for k in transformed.columns_of(c).tolist() if coef[:, k].any()]
        if not weighted:
            continue
        if transformed.maps.raw_rows.columns[c].labels is not None:
            tables.append(_label_term(coef, transformed, c, np.array(weighted)))
            continue
        by_kind = {
            kind: np.array(
                [k for k in weighted if transformed.kinds[k] is kind], dtype=int
            )
            for kind in Kind
        }
        constant += _straight(terms, coef, transformed, c, by_kind[Kind.STRAIGHT])
        for kind in (Kind.CONSTANT, Kind.STEPS):
            if len(by_kind[kind]):
                tables.append(_step_term(coef, transformed, c, by_kind[kind]))
        curved = np.concatenate([by_kind[Kind.RISING], by_kind[Kind.FALLING]])
        if len(curved):
            maps.append(_mapped_term(coef, transformed, c, curved))
        if c in splines.curves:
            maps.append(_spline_term(transformed, c, splines))
            tables += _jump_terms(c, splines.curves[c])
    return replace(terms, tables=tuple(tables), maps=tuple(maps)), constant


def _straight(
    terms: Terms,
    coef: FloatArray,
    transformed: TransformedColumns,
    c: int,
    some: IndexArray,
) -> FloatArray:
    """Write the slopes of a column, and return the constant that they leave."""
    if not len(some):
        return np.zeros(len(coef))
    center = transformed.center[some[0]]
    values = (
        transformed.slope[some] * (center - transformed.center[some])
        + transformed.value[some]
    )
    terms.centers[c] = center
    terms.slopes[c] = coef[:, some] @ transformed.slope[some]
    terms.missing[c] = coef[:, some] @ (transformed.missing[some] - values)
    return np.asarray(coef[:, some] @ values)


def _step_term(
    coef: FloatArray, transformed: TransformedColumns, c: int, some: IndexArray
) -> TableTerm:
    """Return the term of transformed columns that are constant between edges."""
    edges = transformed.edges.get(c, np.zeros(0))
    if transformed.kinds[int(some[0])] is Kind.CONSTANT:
        edges = np.zeros(0)
    ends = piece_ends(edges)[1]
    if not len(edges):
        ends = transformed.maps.raw_rows.middle()[[c]]
    values = _weighted(coef, transformed.maps.transform_column(c, ends), some)
    return TableTerm(
        c, edges, np.vstack([values, coef[:, some] @ transformed.missing[some]])
    )


def _label_term(
    coef: FloatArray, transformed: TransformedColumns, c: int, some: IndexArray
) -> TableTerm:
    """Return the term of a column of labels."""
    labels = transformed.maps.raw_rows.columns[c].labels or ()
    values = np.zeros((0, len(coef)))
    if labels:
        rows = transformed.maps.transform_column(c, np.arange(float(len(labels))))
        values = _weighted(coef, rows, some)
    return TableTerm(
        c, None, np.vstack([values, coef[:, some] @ transformed.missing[some]])
    )


def _mapped_term(
    coef: FloatArray, transformed: TransformedColumns, c: int, some: IndexArray
) -> MappedTerm:
    """Return the term of transformed columns that rise or fall along a curve."""
    rises = [
        1.0 if transformed.kinds[k] is Kind.RISING else -1.0 for k in some.tolist()
    ]
    missing = coef[:, some] @ transformed.missing[some]
    return MappedTerm(
        c, transformed.maps, some, coef[:, some].T, np.array(rises), missing
    )


def _spline_term(
    transformed: TransformedColumns, c: int, splines: BranchMaps
) -> MappedTerm:
    """Return the term of transformed columns that follow splines."""
    curves = splines.curves[c]
    n_outputs = curves[0].weights.shape[1]
    rises = np.concatenate([curve.rises.ravel() for curve in curves])
    weights = np.tile(np.eye(n_outputs), (len(rises) // n_outputs, 1))
    missing = np.sum(
        [transformed.missing[each.transformed] @ each.weights for each in curves],
        axis=0,
    )
    return MappedTerm(c, splines, np.arange(len(rises)), weights, rises, missing)


def _jump_terms(c: int, curves: Sequence[TurningCurve]) -> list[TableTerm]:
    """Return the jumps of curves, which add nothing to a missing value."""
    out = []
    for curve in curves:
        edges, values = curve.jumps()
        if len(edges):
            none = np.zeros((1, values.shape[1]))
            out.append(TableTerm(c, edges, np.vstack([values, none])))
    return out


def _weighted(
    coef: FloatArray, transformed: FloatArray, some: IndexArray
) -> FloatArray:
    return np.asarray(transformed[:, some] @ coef[:, some].T)
