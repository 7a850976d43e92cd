"""How the columns that a model gets follow from the numbers of its input."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from skresp._model._float_search import last_floats
from skresp._model._input_format import ColumnSummary
from skresp._model._unreadable import UnreadableError
from skresp._text import quote
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allowance

from ._raw_thresholds import (
    Ranges,
    Thresholds,
    input_falls,
    largest_number,
    plain_values,
    raw_thresholds,
)
from ._splines import (
    Spline,
    SplineColumn,
    between_knots,
    match_splines,
    read_splines,
)
from ._step_maps import StepMaps

# How many numbers of a column the steps get, inside of its range and far out.
_INSIDE, _FAR = 65, 48
# The relative error of a straight line, in float64 and in coarser dtypes.
_STRAIGHT, _STRAIGHT32 = 1e-13, 1e-5


class Kind(Enum):
    """How a transformed column follows from a number."""

    CONSTANT = "constant"
    STRAIGHT = "straight"
    STEPS = "steps"
    RISING = "rising"
    FALLING = "falling"
    SPLINE = "spline"


class TransformedColumns(NamedTuple):
    """The transformed columns of a model's steps.

    Attributes
    ----------
    maps : StepMaps
    kinds : dict of int to Kind
        For each transformed column that comes from a number.
    ranges : dict of int to (lower, upper)
        For each column of numbers, the range in which the steps are known.
    edges : dict of int to array
        The largest number of each piece of the step functions of a column.
    slope, center, value : array of shape (n_transformed,)
        A STRAIGHT column is slope * (x - center) + value.
    missing : array of shape (n_transformed,)
        The transformed columns where the input is missing; NaN if they are missing too.
    splines : list of Spline
        The splines of columns of numbers.
    spline_columns : dict of int to SplineColumn
        For each transformed column of the kind SPLINE.
    """

    maps: StepMaps
    kinds: dict[int, Kind]
    ranges: Ranges
    edges: dict[int, FloatArray]
    slope: FloatArray
    center: FloatArray
    value: FloatArray
    missing: FloatArray
    splines: list[Spline]
    spline_columns: dict[int, SplineColumn]

    def guess(self, k: int, values: FloatArray) -> FloatArray:
        """Return numbers at which a column has these values, if it is straight."""
        slope = self.slope[k] if self.kinds.get(k) is Kind.STRAIGHT else 1.0
        return self.center[k] + (values - self.value[k]) / slope

    def falls(self, k: int) -> bool:
        """Return whether a transformed column falls where the number rises."""
        kind = self.kinds[k]
        return kind is Kind.FALLING or (kind is Kind.STRAIGHT and self.slope[k] < 0)

    def columns_of(self, column: int) -> IndexArray:
        """Return the transformed columns that come from a column of the input."""
        return np.flatnonzero(self.maps.origins == column)


def read_transformed_columns(maps: StepMaps) -> TransformedColumns:
    """Read how the transformed columns follow from the columns of the input."""
    samples, values, ranges = _sampled(maps)
    edges, splines = _edges(maps, ranges), read_splines(maps, ranges)
    _add_between_knots(maps, splines, samples, values)
    kinds = _step_kinds(maps, edges, samples, values)
    unbounded = {c: x for c, x in samples.items() if np.isinf(ranges[c]).all()}
    slope, center, value, straight = _straight_lines(maps, unbounded, values, kinds)
    kinds |= dict.fromkeys(straight, Kind.STRAIGHT)
    matched = match_splines(maps, splines, samples, values)
    matched = {k: column for k, column in matched.items() if k not in kinds}
    kinds |= dict.fromkeys(matched, Kind.SPLINE)
    for k, c in enumerate(maps.origins.tolist()):
        if c in samples and k not in kinds:
            name = maps.raw_rows.columns[c].name
            kinds[k] = _curved_kind(name, values[c][:, k])
    return TransformedColumns(
        maps=maps,
        kinds=kinds,
        ranges=ranges,
        edges=edges,
        slope=slope,
        center=center,
        value=value,
        missing=_missing(maps),
        splines=splines,
        spline_columns=matched,
    )


def _sampled(
    maps: StepMaps,
) -> tuple[dict[int, FloatArray], dict[int, FloatArray], Ranges]:
    """Return numbers of each column, what the steps make of them, and the ranges.

    The numbers lie within the range in which the steps are known.
    """
    summaries = maps.raw_rows.input_format.summaries
    samples = {
        c: _sample(summaries[c], largest_number(maps, c))
        for c, column in enumerate(maps.raw_rows.columns)
        if column.labels is None
    }
    answers = {
        c: (plain_values(maps, transformed), ok)
        for c, (transformed, ok) in maps.transform_columns(samples).items()
    }
    ranges = _ranges(maps, samples, answers)
    values = {c: transformed for c, (transformed, _) in answers.items()}
    for c, (low, high) in ranges.items():
        inside = (samples[c] >= low) & (samples[c] <= high)
        if not inside.all():
            allowance().deadline.check()
            samples[c], values[c] = samples[c][inside], values[c][inside]
    return samples, values, ranges


def _add_between_knots(
    maps: StepMaps,
    splines: Sequence[Spline],
    samples: dict[int, FloatArray],
    values: dict[int, FloatArray],
) -> None:
    """Add numbers between the knots of splines to samples of columns."""
    wanted: dict[int, list[FloatArray]] = {}
    for spline in splines:
        wanted.setdefault(spline.column, []).append(between_knots(spline))
    for c, more in wanted.items():
        samples[c] = np.union1d(samples[c], np.concatenate(more))
    asked = {c: samples[c] for c in wanted}
    for c, (transformed, _) in maps.transform_columns(asked).items():
        values[c] = plain_values(maps, transformed)


def _missing(maps: StepMaps) -> FloatArray:
    """Return each transformed column where its input is missing."""
    columns = range(len(maps.raw_rows.columns))
    answers = maps.transform_columns({c: np.array([np.nan]) for c in columns})
    values = [answers[int(c)][0][0, k] for k, c in enumerate(maps.origins)]
    return np.array(values).astype(float)


def _sample(summary: ColumnSummary, limit: float) -> FloatArray:
    """Return numbers in ascending order: inside of a column's range, and far out."""
    low, high = summary.low, summary.high
    if not low < high:
        low, high = low - 1.0, low + 1.0
    inside = np.linspace(low, high, _INSIDE)
    rng = np.random.default_rng(0)
    between = rng.uniform(low, high, _INSIDE)
    far = np.geomspace(1e-9, limit, _FAR)
    return np.unique(np.concatenate([inside, between, far, -far, [0.0]]))


def _ranges(
    maps: StepMaps, samples: dict[int, FloatArray], answers: dict[int, Any]
) -> Ranges:
    """Return the range of each column of numbers in which the steps are known."""
    lower, upper = dict.fromkeys(samples, -np.inf), dict.fromkeys(samples, np.inf)
    summaries = maps.raw_rows.input_format.summaries
    ends: list[tuple[int, float, float]] = []
    for c, x in samples.items():
        known = _is_accepted(maps, c, answers[c])
        middle = int(np.searchsorted(x, (summaries[c].low + summaries[c].high) / 2))
        if not known[middle]:
            raise UnreadableError(
                f"The steps before the model do not accept numbers in the range of "
                f"column {quote(maps.raw_rows.columns[c].name)}."
            )
        bad = np.flatnonzero(~known)
        above, below = bad[bad > middle], bad[bad < middle]
        if len(below):
            ends.append((c, x[below[-1] + 1], x[below[-1]]))
        if len(above):
            ends.append((c, x[above[0] - 1], x[above[0]]))
    for (c, inside, outside), end in zip(ends, _last_accepted(maps, ends), strict=True):
        (upper if outside > inside else lower)[c] = float(end)
    return {c: (lower[c], upper[c]) for c in samples}


def _is_accepted(
    maps: StepMaps, column: int, answer: tuple[FloatArray, BoolArray]
) -> BoolArray:
    """Return which numbers of a column the steps transform to numbers."""
    transformed, ok = answer
    mine = np.flatnonzero(maps.origins == column)
    return np.asarray(ok & ~np.isnan(transformed[:, mine]).any(axis=1))


def _last_accepted(maps: StepMaps, ends: list[tuple[int, float, float]]) -> FloatArray:
    """Return the last numbers that the steps accept, on the way out of ranges.

    An end is given by its column, a number inside and a number outside.
    """
    if not ends:
        return np.zeros(0)
    column, inside, outside = (np.array(each) for each in zip(*ends, strict=True))
    sign = np.where(outside > inside, 1.0, -1.0)

    def accepted(x: FloatArray) -> BoolArray:
        numbers = {c: (sign * x)[column == c] for c in np.unique(column).tolist()}
        out = np.zeros(len(x), dtype=bool)
        for c, answer in maps.transform_columns(numbers).items():
            out[column == c] = _is_accepted(maps, c, answer)
        return out

    return sign * last_floats(accepted, sign * inside, sign * outside)


def _edges(maps: StepMaps, ranges: Ranges) -> dict[int, FloatArray]:
    """Return the edges of the step functions of each column."""
    thresholds = []
    for i, each in maps.number_inputs().items():
        if len(each.edges):
            c, falls = each.origin, input_falls(maps, each.origin, i)
            thresholds.append(Thresholds(c, i, each.edges, falls, *ranges[c]))
    out: dict[int, FloatArray] = {}
    cuts = raw_thresholds(maps, thresholds, inputs=True)
    for (c, *_), mine in zip(thresholds, cuts, strict=True):
        out[c] = np.union1d(out.get(c, np.zeros(0)), mine[np.isfinite(mine)])
    return out


def _straight_lines(
    maps: StepMaps,
    samples: dict[int, FloatArray],
    values: dict[int, FloatArray],
    known: Collection[int],
) -> tuple[FloatArray, FloatArray, FloatArray, list[int]]:
    """Return slope, center and value of all lines, and which columns are straight.

    `values` are the transformed columns of `samples`; those in `known` are left out.
    """
    slope, center, value = (np.zeros(len(maps.origins)) for _ in range(3))
    centers, tried = {}, {}
    for c, x in samples.items():
        mine = [k for k in np.flatnonzero(maps.origins == c) if k not in known]
        z = values[c][:, mine]
        with np.errstate(all="ignore"):
            slope[mine] = (z[-1] - z[0]) / (x[-1] - x[0])
            zeros = -z[np.searchsorted(x, 0.0)] / slope[mine]
        some = np.isfinite(zeros)
        if some.any():
            tried[c], centers[c] = np.array(mine)[some], zeros[some]
    straight = []
    for c, (answers, _) in maps.transform_columns(centers).items():
        x = samples[c]
        share = _STRAIGHT32 if maps.raw_rows.is_coarse(c) else _STRAIGHT
        answers = plain_values(maps, answers)
        for i, k in enumerate(tried[c].tolist()):
            z, at, base = values[c][:, k], centers[c][i], answers[i, k]
            with np.errstate(all="ignore"):  # far numbers of a curve are infinite
                size = np.abs(z) + np.abs(slope[k] * at) + np.abs(slope[k] * x)
                error = np.abs(slope[k] * (x - at) + base - z)
            if (error <= share * size).all():
                center[k], value[k] = at, base
                straight.append(k)
    return slope, center, value, straight


def _curved_kind(name: str, z: FloatArray) -> Kind:
    """Return how a transformed column follows from ascending numbers of a column."""
    with np.errstate(invalid="ignore"):
        # Far numbers may all be infinite.
        steps = np.where(z[1:] == z[:-1], 0.0, np.diff(z))
    if not steps.any():
        return Kind.CONSTANT
    if (steps >= 0).all():
        return Kind.RISING
    if (steps <= 0).all():
        return Kind.FALLING
    raise UnreadableError(
        f"What the steps make of column {quote(name)} neither rises nor falls along "
        f"it; use steps that do, or bins (KBinsDiscretizer)."
    )


def piece_ends(edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first and the last number of each piece; the outer ones are near."""
    first = np.nextafter(edges, np.inf)
    if not len(edges):
        return np.zeros(1), np.zeros(1)
    return np.r_[edges[0], first], np.r_[edges, first[-1]]


def _step_kinds(
    maps: StepMaps,
    all_edges: dict[int, FloatArray],
    samples: dict[int, FloatArray],
    values: dict[int, FloatArray],
) -> dict[int, Kind]:
    """Return which transformed columns are constant on each piece between edges."""
    out = {}
    for c, edges in all_edges.items():
        first, last = (
            plain_values(maps, maps.transform_column(c, ends))
            for ends in piece_ends(edges)
        )
        piece = np.searchsorted(edges, samples[c])
        for k in np.flatnonzero(maps.origins == c).tolist():
            same = (first[:, k] == last[:, k]).all()
            if same and (first[piece, k] == values[c][:, k]).all():
                out[k] = Kind.STEPS
    return out
