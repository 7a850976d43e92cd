"""How the columns that a model gets follow from the numbers of its input."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allowance

from ._elementary_steps import step_inputs
from ._float_search import last_floats
from ._input_format import ColumnSummary
from ._raw_thresholds import (
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
from ._unreadable import UnreadableError

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
    numbers : array of shape (n_numbers,)
        The columns of the input that hold numbers.
    kinds : dict of int to Kind
        For each transformed column that comes from a number.
    lower, upper : dict of int to float
        The range of each column of numbers in which the steps are known.
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
    numbers: IndexArray
    kinds: dict[int, Kind]
    lower: dict[int, float]
    upper: dict[int, float]
    edges: dict[int, FloatArray]
    slope: FloatArray
    center: FloatArray
    value: FloatArray
    missing: FloatArray
    splines: list[Spline]
    spline_columns: dict[int, SplineColumn]

    def guess(self, k: IndexArray, values: FloatArray) -> FloatArray:
        """Return the numbers at which straight columns have these values."""
        straight = [self.kinds.get(i) is Kind.STRAIGHT for i in range(len(self.slope))]
        slope = np.where(straight, self.slope, 1.0)
        return self.center[k] + (values - self.value[k]) / slope[k]

    def falls(self, k: int) -> bool:
        """Return whether a transformed column falls where the number rises."""
        kind = self.kinds[k]
        return kind is Kind.FALLING or (kind is Kind.STRAIGHT and self.slope[k] < 0)

    def columns_of(self, column: int) -> IndexArray:
        """Return the transformed columns that come from a column of the input."""
        return np.flatnonzero(self.maps.origins == column)


def read_transformed_columns(maps: StepMaps) -> TransformedColumns:
    """Read how the transformed columns follow from the columns of the input."""
    columns = maps.raw_rows.columns
    numbers = np.array(
        [i for i, c in enumerate(columns) if c.labels is None], dtype=np.intp
    )
    missing = _missing(maps)
    summaries = maps.raw_rows.input_format.summaries
    samples = {
        int(c): _sample(summaries[c], largest_number(maps, int(c))) for c in numbers
    }
    answers = {
        c: (plain_values(maps, transformed), ok)
        for c, (transformed, ok) in maps.transform_columns(samples).items()
    }
    lower, upper = _ranges(maps, samples, answers)
    for c in samples:
        inside = (samples[c] >= lower[c]) & (samples[c] <= upper[c])
        if inside.all():
            continue
        allowance().deadline.check()
        samples[c] = samples[c][inside]
        answers[c] = (answers[c][0][inside], answers[c][1][inside])
    edges = _edges(maps, lower, upper)
    splines = read_splines(maps, lower, upper)
    _add_between_knots(maps, splines, samples, answers)
    values = {c: z for c, (z, _) in answers.items()}
    kinds = _step_kinds(maps, edges, samples, values)
    unbounded = {c for c in samples if np.isinf(lower[c]) and np.isinf(upper[c])}
    tried = {c: x for c, x in samples.items() if c in unbounded}
    slope, center, value, straight = _straight_lines(maps, tried, values, kinds)
    kinds |= dict.fromkeys(straight, Kind.STRAIGHT)
    matched = match_splines(maps, splines, samples, values)
    matched = {k: column for k, column in matched.items() if k not in kinds}
    kinds |= dict.fromkeys(matched, Kind.SPLINE)
    for k, c in enumerate(maps.origins.tolist()):
        if c in samples and k not in kinds:
            kinds[k] = _curved_kind(columns[c].name, values[c][:, k])
    return TransformedColumns(
        maps,
        numbers,
        kinds,
        lower,
        upper,
        edges,
        slope,
        center,
        value,
        missing,
        splines,
        matched,
    )


def _add_between_knots(
    maps: StepMaps,
    splines: Sequence[Spline],
    samples: dict[int, FloatArray],
    answers: dict[int, tuple[FloatArray, BoolArray]],
) -> None:
    """Add numbers between the knots of splines to samples of columns."""
    wanted: dict[int, list[FloatArray]] = {}
    for spline in splines:
        wanted.setdefault(spline.column, []).append(between_knots(spline))
    for c, more in wanted.items():
        samples[c] = np.union1d(samples[c], np.concatenate(more))
    asked = {c: samples[c] for c in wanted}
    for c, (transformed, ok) in maps.transform_columns(asked).items():
        answers[c] = plain_values(maps, transformed), ok


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
) -> tuple[dict[int, float], dict[int, float]]:
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
                f"column {maps.raw_rows.columns[c].name!r}."
            )
        bad = np.flatnonzero(~known)
        above, below = bad[bad > middle], bad[bad < middle]
        if len(below):
            ends.append((c, x[below[-1] + 1], x[below[-1]]))
        if len(above):
            ends.append((c, x[above[0] - 1], x[above[0]]))
    for (c, inside, outside), end in zip(ends, _last_accepted(maps, ends), strict=True):
        (upper if outside > inside else lower)[c] = float(end)
    return lower, upper


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


def _edges(
    maps: StepMaps, lower: dict[int, float], upper: dict[int, float]
) -> dict[int, FloatArray]:
    """Return the edges of the step functions of each column."""
    row = maps.raw_rows(maps.raw_rows.middle()[None])
    inputs = step_inputs(maps.steps, row, len(maps.raw_rows.columns))
    found = [
        (each.origin, i, each.edges)
        for i, each in enumerate(inputs)
        if each.origin in lower and len(each.edges)
    ]
    if not found:
        return {}
    column = np.concatenate([np.full(len(e), c) for c, _, e in found])
    which = np.concatenate([np.full(len(e), i) for _, i, e in found])
    threshold = np.concatenate([edges for _, _, edges in found])
    falls = {i: input_falls(maps, c, i) for c, i, _ in found}
    cuts = raw_thresholds(
        maps,
        column,
        which,
        threshold,
        lower,
        upper,
        inputs=True,
        falls=np.array([falls[i] for i in which.tolist()]),
    )
    out = {}
    for c in np.unique(column).tolist():
        mine = cuts[column == c]
        out[c] = np.unique(mine[np.isfinite(mine)])
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
        f"What the steps make of column {name!r} neither rises nor falls along it; use "
        f"steps that do, or bins (KBinsDiscretizer)."
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
