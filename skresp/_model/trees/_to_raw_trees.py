"""Trees over transformed columns, rewritten over the columns of the model's input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model._unreadable import UnreadableError
from skresp._model.steps._raw_thresholds import Thresholds, raw_thresholds
from skresp._model.steps._spline_curves import SplineSum, spline_curves
from skresp._model.steps._transformed_columns import (
    Kind,
    TransformedColumns,
    piece_ends,
)
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._arrays import Ensemble
from ._raw_trees import RawTrees
from ._thresholds import last_to_the_left

# The largest number of entries of all tables of listed columns.
_MAX_ENTRIES = 200_000_000


class Tables(NamedTuple):
    """The tables of listed columns, so that labels can be added later.

    Attributes
    ----------
    transformed : array of shape (n_tables,)
        The transformed column that a table compares.
    threshold : array of shape (n_tables,)
        Its largest value that goes left.
    missing_left : array of shape (n_tables,), bool
        Whether a value that the model sees as missing goes left.
    """

    transformed: IndexArray
    threshold: FloatArray
    missing_left: BoolArray

    def goes_left(self, some: IndexArray, transformed: FloatArray) -> BoolArray:
        """Return which rows some tables send left, of shape (n_some, n_rows)."""
        z = transformed[:, self.transformed[some]].T
        below = z <= self.threshold[some][:, None]
        return np.where(np.isnan(z), self.missing_left[some][:, None], below)


def to_raw_trees(
    ensemble: Ensemble, transformed: TransformedColumns
) -> tuple[RawTrees, Tables]:
    """Rewrite trees so that they split on the columns of the model's input."""
    return _ToRawTrees(ensemble, transformed).rewritten()


class _ToRawTrees:
    """The work of `to_raw_trees`."""

    def __init__(self, ensemble: Ensemble, transformed: TransformedColumns) -> None:
        self.ensemble, self.transformed = ensemble, transformed
        origins = transformed.maps.origins
        n_nodes = len(ensemble.column)
        self.nodes = np.flatnonzero(ensemble.column >= 0)
        self.compared = ensemble.column[self.nodes]
        threshold = ensemble.threshold[self.nodes]
        self.last = last_to_the_left(threshold, ensemble.arithmetic)
        self.column = np.full(n_nodes, -1, dtype=np.int32)
        self.column[self.nodes] = origins[self.compared]
        self.threshold = np.zeros(n_nodes)
        self.missing_left = ensemble.missing_left.copy()
        self.left, self.right = ensemble.left.copy(), ensemble.right.copy()
        self.is_listed = np.array(
            [column.labels is not None for column in transformed.maps.raw_rows.columns]
        )
        self.edges: dict[int, FloatArray] = {}
        self.order = np.argsort(self.compared, kind="stable")
        self.starts = np.searchsorted(
            self.compared[self.order], np.arange(len(origins) + 1)
        )

    def rewritten(self) -> tuple[RawTrees, Tables]:
        """Return the rewritten trees and their tables."""
        self._number_columns()
        tables, goes_left = self._listed_columns()
        raw = RawTrees(
            roots=self.ensemble.roots,
            output=self.ensemble.output,
            column=self.column,
            threshold=self.threshold,
            left=self.left,
            right=self.right,
            missing_left=self.missing_left,
            leaves=self.ensemble.leaves,
            is_listed=self.is_listed,
            goes_left=goes_left,
            edges=self.edges,
        )
        return raw, tables

    def _nodes_of(self, k: int) -> IndexArray:
        """Return which inner nodes split on a transformed column."""
        return self.order[self.starts[k] : self.starts[k + 1]]

    def _used(self, column: int) -> list[int]:
        """Return the transformed columns of a column that some node splits on."""
        return [
            k
            for k in self.transformed.columns_of(column).tolist()
            if self.starts[k] < self.starts[k + 1]
        ]

    def _number_columns(self) -> None:
        """Rewrite the thresholds of columns of numbers."""
        transformed, maps = self.transformed, self.transformed.maps
        if not maps.steps:
            self.threshold[self.nodes] = self.last
            return
        used = {c: self._used(c) for c in transformed.ranges}
        listed = {c for c, ks in used.items() if ks and self._must_be_listed(c, ks)}
        self.edges = {c: transformed.edges.get(c, np.zeros(0)) for c in listed}
        self._add_spline_edges([k for ks in used.values() for k in ks])
        thresholds: list[Thresholds] = []
        back: list[IndexArray | None] = []
        for c, ks in used.items():
            for k in ks:
                if c in listed and transformed.kinds[k] in (Kind.STEPS, Kind.SPLINE):
                    continue  # their edges are known
                values, inverse = np.unique(
                    self.last[self._nodes_of(k)], return_inverse=True
                )
                thresholds.append(self._thresholds(k, values))
                back.append(inverse)
        for c in listed if maps.zero_is_missing else ():
            for k in used[c]:
                around_zero = np.array([np.nextafter(0.0, -1.0), 0.0])
                thresholds.append(self._thresholds(k, around_zero))
                back.append(None)
        cuts = raw_thresholds(maps, thresholds)
        for (c, k, *_), order, mine in zip(thresholds, back, cuts, strict=True):
            if c in listed:
                self._add_edges(c, mine)
            elif order is not None:
                self._set_thresholds(k, mine[order])
        self.is_listed[list(listed)] = True

    def _add_spline_edges(self, used: list[int]) -> None:
        """Add the numbers at which splines pass thresholds, turn or jump."""
        transformed, maps = self.transformed, self.transformed.maps
        some = [k for k in used if transformed.kinds[k] is Kind.SPLINE]
        if some and maps.zero_is_missing:
            raise UnreadableError(
                "XGBoost takes what a sparse matrix does not store for missing; use "
                "SplineTransformer(sparse_output=False)."
            )
        sums = [
            SplineSum(transformed.spline_columns[k].spline, np.array([k]), np.eye(1))
            for k in some
        ]
        thresholds = []
        for k, curve in zip(some, spline_curves(transformed, sums), strict=True):
            c = int(maps.origins[k])
            self._add_edges(c, curve.ends)
            values = np.unique(self.last[self._nodes_of(k)])
            lower, upper = transformed.ranges[c]
            first = np.maximum(np.r_[-np.inf, curve.starts], lower)
            last = np.minimum(np.r_[curve.ends, np.inf], upper)
            piece = np.repeat(np.arange(len(first)), len(values))
            falls, values = curve.rises[piece, 0] < 0, np.tile(values, len(first))
            thresholds.append(
                Thresholds(c, k, values, falls, first[piece], last[piece])
            )
        cuts = raw_thresholds(maps, thresholds)
        for each, mine in zip(thresholds, cuts, strict=True):
            self._add_edges(each.column, mine)

    def _add_edges(self, column: int, edges: FloatArray) -> None:
        """Add those edges of a column that are finite."""
        finite = edges[np.isfinite(edges)]
        self.edges[column] = np.union1d(self.edges[column], finite)

    def _must_be_listed(self, column: int, used: list[int]) -> bool:
        """Return whether splits on a column of numbers are more than one threshold.

        Bins and splines are not monotone. XGBoost takes an exact 0 of a sparse matrix
        for a missing value.
        """
        kinds = [self.transformed.kinds[k] for k in used]
        if self.transformed.maps.zero_is_missing or Kind.SPLINE in kinds:
            return True
        return any(
            self.transformed.kinds[k] is Kind.STEPS
            and not _rises(self.transformed, column, k)
            for k in used
        )

    def _thresholds(self, k: int, values: FloatArray) -> Thresholds:
        """Return thresholds of a transformed column that rises or falls all the way."""
        transformed = self.transformed
        c = int(transformed.maps.origins[k])
        falls, guess = transformed.falls(k), transformed.guess(k, values)
        return Thresholds(c, k, values, falls, *transformed.ranges[c], guess)

    def _set_thresholds(self, k: int, cuts: FloatArray) -> None:
        """Set the thresholds of the nodes that split on a transformed column."""
        some = self._nodes_of(k)
        nodes = self.nodes[some]
        self.threshold[nodes] = cuts
        missing = self.transformed.missing[k]
        if not np.isnan(missing):
            self.missing_left[nodes] = missing <= self.last[some]
        if self.transformed.falls(k):
            # Small numbers make large values, which go right.
            self.left[nodes], self.right[nodes] = (
                self.right[nodes],
                self.left[nodes].copy(),
            )
            self.missing_left[nodes] = ~self.missing_left[nodes]

    def _listed_columns(self) -> tuple[Tables, BoolArray]:
        """Write tables for the columns of labels, and the numbers that need them."""
        columns = [c for c in np.flatnonzero(self.is_listed).tolist() if self._used(c)]
        transformed = self._transformed_at_positions(columns)
        parts: list[tuple[NDArray[np.intp], FloatArray, BoolArray]] = []
        start = 0
        for c in columns:
            for k in self._used(c):
                some = self._nodes_of(k)
                missing = self.ensemble.missing_left[self.nodes[some]]
                pairs = self.last[some] + 1j * missing
                distinct, inverse = np.unique(pairs, return_inverse=True)
                self.threshold[self.nodes[some]] = start + inverse
                start += len(distinct)
                same = np.full(len(distinct), k, dtype=np.intp)
                parts.append((same, distinct.real, distinct.imag > 0))
        none = (np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0, dtype=bool))
        tables = Tables(*map(np.concatenate, zip(none, *parts, strict=True)))
        width = max([len(z) for z in transformed.values()], default=1)
        if width * len(tables.transformed) > _MAX_ENTRIES:
            raise UnreadableError(
                "The trees split by too many labels and bins to be put into tables."
            )
        goes_left = np.zeros((len(tables.transformed), width), dtype=bool)
        for c in columns:
            some = np.flatnonzero(
                self.transformed.maps.origins[tables.transformed] == c
            )
            goes = tables.goes_left(some, transformed[c])
            goes_left[some, : goes.shape[1] - 1] = goes[:, :-1]
            goes_left[some, -1] = goes[:, -1]
            nodes = np.flatnonzero(self.column == c)
            table = self.threshold[nodes].astype(np.intp)
            self.missing_left[nodes] = goes_left[table, -1]
        return tables, goes_left

    def _transformed_at_positions(self, columns: list[int]) -> dict[int, FloatArray]:
        """Return the transformed columns at the positions of listed columns.

        The last row is that of a missing value.
        """
        maps = self.transformed.maps
        codes = {}
        for c in columns:
            labels = maps.raw_rows.columns[c].labels
            if labels is not None:
                codes[c] = np.arange(float(len(labels)))
            else:
                codes[c] = piece_ends(self.edges[c])[1]
        if not codes:
            return {}
        out = {}
        for c, (transformed, _) in maps.transform_columns(codes).items():
            missing = np.where(maps.origins == c, self.transformed.missing, np.nan)
            out[c] = np.vstack([transformed, missing])
        return out


def _rises(transformed: TransformedColumns, column: int, k: int) -> bool:
    """Return whether a step function never falls."""
    _, ends = piece_ends(transformed.edges[column])
    return bool(
        (np.diff(transformed.maps.transform_column(column, ends)[:, k]) >= 0).all()
    )
