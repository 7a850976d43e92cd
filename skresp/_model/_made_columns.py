"""How the columns that a model gets follow from the numbers of its input."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allowance

from ._elementary_steps import step_inputs
from ._float_search import last_floats
from ._input_format import ColumnSummary
from ._step_maps import StepMaps
from ._unreadable import UnreadableError

# Numbers of a column that the steps are asked for, inside of its range and far out.
_INSIDE, _FAR = 65, 48
# The relative error of a straight line, in float64 and in coarser dtypes.
_STRAIGHT, _STRAIGHT32 = 1e-13, 1e-5


class Kind(Enum):
    """How a made column follows from a number."""

    CONSTANT = "constant"
    STRAIGHT = "straight"
    STEPS = "steps"
    RISING = "rising"
    FALLING = "falling"


class MadeColumns(NamedTuple):
    """The made columns of a model's steps.

    Attributes
    ----------
    maps : StepMaps
    numbers : array of shape (n_numbers,)
        The columns of the input that hold numbers.
    kinds : dict of int to Kind
        For each made column that comes from a number.
    lower, upper : dict of int to float
        The range of each column of numbers in which the steps are known.
    edges : dict of int to array
        The largest number of each piece of the step functions of a column.
    slope, center, value : array of shape (n_made,)
        A STRAIGHT column is slope * (x - center) + value.
    missing : array of shape (n_made,)
        The made columns where the input is missing; NaN if the model sees it missing.
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

    def guess(self, made: IndexArray, values: FloatArray) -> FloatArray:
        """Return the numbers of straight made columns with these values."""
        straight = [self.kinds.get(k) is Kind.STRAIGHT for k in range(len(self.slope))]
        slope = np.where(straight, self.slope, 1.0)
        return self.center[made] + (values - self.value[made]) / slope[made]

    def falls(self, made: int) -> bool:
        """Return whether a made column falls where the number rises."""
        kind = self.kinds[made]
        return kind is Kind.FALLING or (kind is Kind.STRAIGHT and self.slope[made] < 0)

    def made_of(self, column: int) -> IndexArray:
        """Return the made columns that come from a column of the input."""
        return np.flatnonzero(self.maps.origins == column)


def read_made_columns(maps: StepMaps) -> MadeColumns:
    """Find out how the made columns follow from the columns of the input."""
    columns = maps.raw_rows.columns
    numbers = np.array(
        [i for i, c in enumerate(columns) if c.labels is None], dtype=np.intp
    )
    width = len(maps.origins)
    missing = _missing(maps)
    summaries = maps.raw_rows.input_format.summaries
    samples = {int(c): _sample(summaries[c], _limit(maps, int(c))) for c in numbers}
    answers = {
        c: (_plain(maps, made), ok)
        for c, (made, ok) in maps.ask_safely(samples).items()
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
    out = MadeColumns(
        maps,
        numbers,
        {},
        lower,
        upper,
        edges,
        np.zeros(width),
        np.zeros(width),
        np.zeros(width),
        missing,
    )
    made = {c: z for c, (z, _) in answers.items()}
    _find_steps(out, samples, made)
    _find_straight(out, samples, made)
    for k, c in enumerate(maps.origins.tolist()):
        if c in samples and k not in out.kinds:
            out.kinds[k] = _kind(out, c, made[c][:, k])
    return out


def _missing(maps: StepMaps) -> FloatArray:
    """Return each made column where its input is missing."""
    columns = range(len(maps.raw_rows.columns))
    answers = maps.ask_safely({c: np.array([np.nan]) for c in columns})
    made = np.array([answers[int(c)][0][0, k] for k, c in enumerate(maps.origins)])
    return made.astype(float)


def _plain(maps: StepMaps, made: FloatArray) -> FloatArray:
    """Return made columns with 0 where a sparse matrix stores nothing."""
    return np.where(np.isnan(made), 0.0, made) if maps.zero_is_missing else made


def _limit(maps: StepMaps, column: int) -> float:
    """Return the largest number that is asked for, by the dtype of a column."""
    return 2.0**60 if maps.raw_rows.is_coarse(column) else 2.0**300


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
    lower, upper = {}, {}
    summaries = maps.raw_rows.input_format.summaries
    for c, x in samples.items():
        made, ok = answers[c]
        mine = np.flatnonzero(maps.origins == c)
        known = ok & ~np.isnan(made[:, mine]).any(axis=1)
        middle = int(np.searchsorted(x, (summaries[c].low + summaries[c].high) / 2))
        if not known[middle]:
            raise UnreadableError(
                f"The steps before the model do not accept numbers in the range of "
                f"column {maps.raw_rows.columns[c].name!r}."
            )
        bad = np.flatnonzero(~known)
        above, below = bad[bad > middle], bad[bad < middle]
        first = 0 if not len(below) else int(below[-1]) + 1
        last = len(x) - 1 if not len(above) else int(above[0]) - 1
        lower[c] = -np.inf if first == 0 else float(x[first])
        upper[c] = np.inf if last == len(x) - 1 else float(x[last])
    return lower, upper


def _edges(
    maps: StepMaps, lower: dict[int, float], upper: dict[int, float]
) -> dict[int, FloatArray]:
    """Return the edges of the step functions of each column."""
    row = maps.raw_rows(maps.raw_rows.middle()[None])
    found = step_inputs(maps.steps, row, len(maps.raw_rows.columns))
    found = [(c, values, edges) for c, values, edges in found if c in lower]
    if not found:
        return {}
    column = np.concatenate([np.full(len(e), c) for c, _, e in found])
    which = np.concatenate([np.full(len(e), i) for i, (_, _, e) in enumerate(found)])
    threshold = np.concatenate([edges for _, _, edges in found])
    cuts = pull_back(maps, column, which, threshold, lower, upper, inputs=True)
    out = {}
    for c in np.unique(column).tolist():
        mine = cuts[column == c]
        out[c] = np.unique(mine[np.isfinite(mine)])
    return out


def pull_back(
    maps: StepMaps,
    column: IndexArray,
    made: IndexArray,
    threshold: FloatArray,
    lower: dict[int, float],
    upper: dict[int, float],
    *,
    inputs: bool = False,
    falls: BoolArray | None = None,
    guess: FloatArray | None = None,
) -> FloatArray:
    """Return the largest numbers whose made column is at most a threshold.

    For a falling made column, the largest numbers at which it exceeds the threshold.
    They are -inf or inf where no number, or every number does.

    Parameters
    ----------
    column, made, threshold : array of shape (n,)
        The column of the input, the made column, and the threshold.
    lower, upper : dict of int to float
        The range of each column.
    inputs : bool
        Whether `made` counts the inputs of step functions instead.
    falls : array of shape (n,), optional
    guess : array of shape (n,), optional
        Numbers close to the result.
    """
    if not len(column):
        return np.zeros(0)
    order = np.argsort(column, kind="stable")
    starts = np.searchsorted(column[order], column)
    row = np.empty(len(column), dtype=np.intp)
    row[order] = np.arange(len(column)) - starts[order]
    codes = np.tile(maps.raw_rows.middle(), (int(row.max()) + 1, 1))
    down = np.zeros(len(column), dtype=bool) if falls is None else falls

    def holds(x: FloatArray) -> BoolArray:
        codes[row, column] = x
        answers = maps.step_inputs(codes) if inputs else maps.made(codes)
        z = _plain(maps, answers)[row, made]
        return np.where(down, z > threshold, z <= threshold)

    limit = {c: _limit(maps, c) for c in lower}
    first = np.array([max(lower[c], -limit[c]) for c in column.tolist()])
    last = np.array([min(upper[c], limit[c]) for c in column.tolist()])
    some, all_ = holds(first), holds(last)
    cuts = last_floats(holds, first, np.where(some, last, first), guess)
    return np.where(all_, np.inf, np.where(some, cuts, -np.inf))


def _find_straight(
    out: MadeColumns, samples: dict[int, FloatArray], made: dict[int, FloatArray]
) -> None:
    """Note which made columns are straight lines."""
    slope, centers, tried = out.slope, {}, {}
    for c, x in samples.items():
        if np.isfinite(out.lower[c]) or np.isfinite(out.upper[c]):
            continue
        mine = np.array([k for k in out.made_of(c) if k not in out.kinds], dtype=int)
        z = made[c][:, mine]
        with np.errstate(all="ignore"):
            slope[mine] = (z[-1] - z[0]) / (x[-1] - x[0])
            center = -z[np.searchsorted(x, 0.0)] / slope[mine]
        some = np.isfinite(center)
        if some.any():
            tried[c], centers[c] = mine[some], center[some]
    for c, (answers, _) in out.maps.ask_safely(centers).items():
        x, share = (
            samples[c],
            _STRAIGHT32 if out.maps.raw_rows.is_coarse(c) else _STRAIGHT,
        )
        answers = _plain(out.maps, answers)
        for i, k in enumerate(tried[c].tolist()):
            z, center, value = made[c][:, k], centers[c][i], answers[i, k]
            size = np.abs(z) + np.abs(slope[k] * center) + np.abs(slope[k] * x)
            error = np.abs(slope[k] * (x - center) + value - z)
            if (error <= share * size).all():
                out.center[k], out.value[k] = center, value
                out.kinds[k] = Kind.STRAIGHT


def _kind(out: MadeColumns, column: int, z: FloatArray) -> Kind:
    """Return how a made column follows from ascending numbers."""
    steps = np.diff(z)
    if not steps.any():
        return Kind.CONSTANT
    if (steps >= 0).all():
        return Kind.RISING
    if (steps <= 0).all():
        return Kind.FALLING
    name = out.maps.raw_rows.columns[column].name
    raise UnreadableError(
        f"What the steps make of column {name!r} neither rises nor falls."
    )


def piece_ends(edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first and the last number of each piece; the outer ones are near."""
    first = np.nextafter(edges, np.inf)
    if not len(edges):
        return np.zeros(1), np.zeros(1)
    return np.r_[edges[0], first], np.r_[edges, first[-1]]


def _find_steps(
    out: MadeColumns, samples: dict[int, FloatArray], made: dict[int, FloatArray]
) -> None:
    """Note which made columns are constant on each piece between edges."""
    for c, edges in out.edges.items():
        first, last = (
            _plain(out.maps, out.maps.ask(c, ends)) for ends in piece_ends(edges)
        )
        piece = np.searchsorted(edges, samples[c])
        for k in out.made_of(c).tolist():
            same = (first[:, k] == last[:, k]).all()
            if same and (first[piece, k] == made[c][:, k]).all():
                out.kinds[k] = Kind.STEPS
