"""Terms of a score that depend on one column each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skresp._model.steps._step_maps import StepMaps
from skresp._model.steps._turning_curves import BranchMaps, weighted_sums
from skresp._typing import BoolArray, FloatArray, IndexArray

# Values that are multiplied at once, which stay in the processor's cache.
_VALUES_AT_ONCE = 16_384


class TableTerm(NamedTuple):
    """A term that is constant for each label, or between the edges of a number.

    Attributes
    ----------
    column : int
    edges : array of shape (n_pieces - 1,) or None
        The largest number of each piece but the last, ascending; None for labels.
    values : array of shape (n_pieces + 1, n_outputs)
        What each piece or label adds; the last row is for a missing value.
    """

    column: int
    edges: FloatArray | None
    values: FloatArray

    def positions(self, codes: FloatArray) -> IndexArray:
        """Return the rows of `values` for codes."""
        missing = np.isnan(codes)
        found = codes if self.edges is None else np.searchsorted(self.edges, codes)
        return np.where(missing, len(self.values) - 1, found).astype(np.intp)

    def add(self, codes: FloatArray) -> FloatArray:
        """Return what codes add, of shape (n, n_outputs)."""
        return self.values[self.positions(codes)]

    def bounds(
        self, lower: FloatArray, upper: FloatArray, labels: BoolArray | None
    ) -> tuple[FloatArray, FloatArray]:
        """Return the least and most that intervals, or sets of labels, add.

        `labels` has the shape (n, n_labels + 1).
        """
        first, last = self.positions(lower), self.positions(upper)
        position = np.arange(len(self.values))
        inside = (position >= first[:, None]) & (position <= last[:, None])
        if self.edges is None and labels is not None:
            inside = labels
        some = inside[:, :, None]
        low = np.where(some, self.values, np.inf).min(axis=1)
        return low, np.where(some, self.values, -np.inf).max(axis=1)


class MappedTerm(NamedTuple):
    """A term that only the steps before the model can compute.

    It is the weighted sum of columns that the steps make of one column of numbers.
    Each of them rises or falls all the way.

    Attributes
    ----------
    column : int
    maps : StepMaps or BranchMaps
    transformed : array of shape (n_transformed,)
        The columns after the steps.
    weights : array of shape (n_transformed, n_outputs)
    rises : array of shape (n_transformed,)
        1.0 where a transformed column rises with the number, -1.0 where it falls.
    missing : array of shape (n_outputs,)
        What a missing value adds.
    """

    column: int
    maps: StepMaps | BranchMaps
    transformed: IndexArray
    weights: FloatArray
    rises: FloatArray
    missing: FloatArray

    @property
    def is_monotone(self) -> bool:
        """Whether each output rises or falls all the way."""
        slopes = self.weights * self.rises[:, None]
        return bool(((slopes >= 0).all(axis=0) | (slopes <= 0).all(axis=0)).all())

    def add(self, codes: FloatArray, transformed: FloatArray) -> FloatArray:
        """Return what codes add, of shape (n, n_outputs), given `transform_terms`."""
        out = weighted_sums(transformed, self.weights)
        return np.where(np.isnan(codes)[:, None], self.missing, out)

    def bounds(
        self, lower: FloatArray, transformed: tuple[FloatArray, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the least and most that intervals add.

        `transformed` is what `transform_terms` returns for their two ends.
        """
        a, b = transformed
        low = np.zeros((len(lower), self.weights.shape[1]))
        high = low.copy()
        for k, weights in enumerate(self.weights):
            first, last = a[:, [k]] * weights, b[:, [k]] * weights
            low += np.minimum(first, last)
            high += np.maximum(first, last)
        missing = np.isnan(lower)[:, None]
        return (
            np.where(missing, self.missing, low),
            np.where(missing, self.missing, high),
        )


def transform_terms(
    terms: Sequence[MappedTerm], codes: Sequence[FloatArray]
) -> list[FloatArray]:
    """Return the transformed columns of terms, each for codes of its own.

    A call of the steps takes milliseconds for any number of rows, so they are called
    once for all terms that share them. Missing codes give 0.

    Returns
    -------
    list of array of shape (n_codes, n_transformed)
    """
    asked: dict[int, dict[int, list[FloatArray]]] = {}
    for term, some in zip(terms, codes, strict=True):
        by_column = asked.setdefault(id(term.maps), {})
        by_column.setdefault(term.column, []).append(some[~np.isnan(some)])
    distinct = {
        maps: {c: np.unique(np.concatenate(some)) for c, some in by_column.items()}
        for maps, by_column in asked.items()
    }
    found = {
        id(maps): _transform_valid(maps, distinct[id(maps)])
        for maps in {id(term.maps): term.maps for term in terms}.values()
    }
    out = []
    for term, some in zip(terms, codes, strict=True):
        known = ~np.isnan(some)
        values = np.zeros((len(some), len(term.transformed)))
        if known.any():
            numbers = distinct[id(term.maps)][term.column]
            at = np.searchsorted(numbers, some[known])
            values[known] = found[id(term.maps)][term.column][:, term.transformed][at]
        out.append(values)
    return out


def _transform_valid(
    maps: StepMaps | BranchMaps, columns: Mapping[int, FloatArray]
) -> dict[int, FloatArray]:
    """Return what steps make of codes by column; raise as they do for invalid codes."""
    columns = {c: codes for c, codes in columns.items() if len(codes)}
    if not columns:
        return {}
    found = maps.transform_columns(columns)
    return {
        c: values if ok.all() else maps.transform_column(c, columns[c])
        for c, (values, ok) in found.items()
    }


def transform_ends(
    terms: Sequence[MappedTerm],
    lower: Sequence[FloatArray],
    upper: Sequence[FloatArray],
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the transformed columns of terms at both ends of intervals."""
    ends = [np.concatenate(pair) for pair in zip(lower, upper, strict=True)]
    return [
        (values[: len(low)], values[len(low) :])
        for values, low in zip(transform_terms(terms, ends), lower, strict=True)
    ]


@dataclass(frozen=True)
class Terms:
    """All terms of a group.

    Attributes
    ----------
    slopes : array of shape (n_columns, n_outputs)
        A column of numbers adds slope * (x - center).
    centers : array of shape (n_columns,)
        Where a scaler subtracts a large mean, it keeps the digits that count.
    missing : array of shape (n_columns, n_outputs)
        What a missing value adds, in columns with a slope.
    tables : tuple of TableTerm
    maps : tuple of MappedTerm
    """

    slopes: FloatArray
    centers: FloatArray
    missing: FloatArray
    tables: tuple[TableTerm, ...] = ()
    maps: tuple[MappedTerm, ...] = ()

    @cached_property
    def straight(self) -> IndexArray:
        """The columns with a slope."""
        return np.flatnonzero(self.slopes.any(axis=1) | self.missing.any(axis=1))

    @cached_property
    def _of_straight(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The centers, slopes and `missing` of these columns, by output."""
        some = self.straight
        return self.centers[some], self.slopes[some].T, self.missing[some].T

    @cached_property
    def others(self) -> list[TableTerm | MappedTerm]:
        """The terms other than slopes."""
        return [*self.tables, *self.maps]

    def _add_others(self, codes: Sequence[FloatArray]) -> list[FloatArray]:
        """Return what each of the terms other than slopes adds, for its own codes."""
        n = len(self.tables)
        out = [t.add(some) for t, some in zip(self.tables, codes[:n], strict=True)]
        columns = transform_terms(self.maps, codes[n:])
        for term, some, values in zip(self.maps, codes[n:], columns, strict=True):
            out.append(term.add(some, values))
        return out

    def add_columns(self, codes: FloatArray) -> list[FloatArray]:
        """Return what each of the terms other than slopes adds to rows."""
        return self._add_others([codes[:, term.column] for term in self.others])

    def edges(self, column: int) -> list[FloatArray]:
        """Return the edges of each table of a column of numbers."""
        return [
            term.edges
            for term in self.tables
            if term.column == column and term.edges is not None
        ]

    def sums(self, codes: FloatArray) -> FloatArray:
        """Return the sums of the terms of rows, of shape (n_rows, n_outputs).

        The sum of a row never depends on the other rows.
        """
        out = self.straight_sums(codes)
        for added in self.add_columns(codes):
            out += added
        return out

    def straight_sums(self, codes: FloatArray) -> FloatArray:
        """Return the sums of the slopes alone, of the same shape."""
        out = np.empty((len(codes), self.slopes.shape[1]))
        for k, added in enumerate(self._add_straight(codes)):
            out[:, k] = added.sum(axis=1)
        return out

    def sums_and_sizes(
        self, codes: FloatArray, *, slopes_only: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Return the sums of the terms of rows, and of their absolute values.

        With `slopes_only`, the first are those of the slopes alone.
        """
        out = np.empty((len(codes), self.slopes.shape[1]))
        size = np.empty(out.shape)
        step = max(_VALUES_AT_ONCE // max(codes.shape[1], 1), 1)
        for start in range(0, len(codes), step):
            some = slice(start, start + step)
            for k, added in enumerate(self._add_straight(codes[some])):
                out[some, k] = added.sum(axis=1)
                size[some, k] = np.abs(added, out=added).sum(axis=1)
        for added in self.add_columns(codes):
            if not slopes_only:
                out += added
            size += np.abs(added)
        return out, size

    def _add_straight(self, codes: FloatArray) -> Iterator[FloatArray]:
        """Yield for each output what the columns with a slope add to rows."""
        centers, all_slopes, all_missing = self._of_straight
        some = codes if len(centers) == codes.shape[1] else codes[:, self.straight]
        # The memory layout decides how a row is summed.
        X = np.ascontiguousarray(some) - centers
        missing = np.isnan(X)
        has_missing = missing.any()
        if has_missing:
            X[missing] = 0.0
        for slopes, constants in zip(all_slopes, all_missing, strict=True):
            added = X * slopes
            yield np.where(missing, constants, added) if has_missing else added

    @property
    def n_terms(self) -> int:
        """The number of terms."""
        return len(self.straight) + len(self.others)

    def changes(
        self, before: Mapping[int, FloatArray], after: Mapping[int, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return by how much sums change, and the absolute sum of the terms of that.

        Both are given as codes by column.
        """
        columns = np.array(list(after), dtype=np.intp)
        old = np.stack([before[c] for c in after], axis=1)
        new = np.stack(list(after.values()), axis=1)
        return self.listed_changes(np.broadcast_to(columns, new.shape), old, new)

    def listed_changes(
        self, columns: IndexArray, before: FloatArray, after: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Do the same for changes that move columns of their own.

        Columns that do not change are left out, however large they are. All arrays
        have the shape (n_changes, width); a column of -1 is none.
        """
        gain = np.zeros((len(after), self.slopes.shape[1]))
        size = gain.copy()
        step = after - before
        step[np.isnan(step) | (columns < 0)] = 0.0  # a missing value stays as it is
        for j in range(step.shape[1]):
            added = step[:, j, None] * self.slopes[columns[:, j]]
            gain += added
            size += np.abs(added)
        places = [np.nonzero(columns == term.column) for term in self.others]
        ends = [np.concatenate([before[at], after[at]]) for at in places]
        for (some, _), codes, values in zip(
            places, ends, self._add_others(ends), strict=True
        ):
            (old, new), (taken, added) = np.split(codes, 2), np.split(values, 2)
            still = (old == new) | (np.isnan(old) & np.isnan(new))
            taken[still] = added[still] = 0.0
            gain[some] += added - taken
            size[some] += np.abs(added) + np.abs(taken)
        return gain, size

    def bounds(
        self, lower: FloatArray, upper: FloatArray, sets: dict[int, BoolArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest sums over boxes (see `ScoreFunction`)."""
        low = np.zeros((len(lower), self.slopes.shape[1]))
        high = low.copy()
        for c in self.straight:
            ends = [
                (x[:, [c]] - self.centers[c]) * self.slopes[c] for x in (lower, upper)
            ]
            missing = np.isnan(lower[:, [c]])
            low += np.where(missing, self.missing[c], np.minimum(*ends))
            high += np.where(missing, self.missing[c], np.maximum(*ends))
        for table in self.tables:
            c = table.column
            least, most = table.bounds(lower[:, c], upper[:, c], sets.get(c))
            low += least
            high += most
        ends = [[x[:, term.column] for term in self.maps] for x in (lower, upper)]
        for term, below, both in zip(
            self.maps, ends[0], transform_ends(self.maps, *ends), strict=True
        ):
            least, most = term.bounds(below, both)
            low += least
            high += most
        return low, high
