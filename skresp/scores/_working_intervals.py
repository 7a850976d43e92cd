"""The values of a feature that reach the target for one person, as closed intervals.

Both ends of an interval are values that the person can reach and that `predict`
accepts. Borders that are computed from the score function have rounding errors, so
`predict` is bisected down to neighbouring floats. This takes a few dozen calls for one
person. Scores do not need it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._actions._feature import snap_to_bounds
from skresp._model._codes import changed_codes
from skresp._model._decision import DOUBT, ROUNDINGS
from skresp._model._row_batch import RowBatch, Segment
from skresp._model._score_function import ScoreFunction
from skresp._model.lines._line_ends import LineEnds
from skresp._model.lines._score_lines import score_pieces
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._lines import Lines
from skresp.reach._part import Part, satisfied

from ._changed_points import changed_points
from ._exact_lines import evaluate_lines, known_lines
from ._settings import ScoreSettings

Intervals = list[tuple[float, float]]


def intervals_of(
    batch: RowBatch,
    part: Part,
    feature: str,
    values: FloatArray,
    settings: ScoreSettings,
) -> Intervals | None:
    """Return the values of one person's feature that reach the target.

    Parameters
    ----------
    batch : RowBatch
        The person's row and no other.
    part : Part
    feature : str
    values : array of shape (1, n_features_of_part)
        The person's values, as numbers.
    settings : ScoreSettings

    Returns
    -------
    list of pairs, or None
        Closed intervals in ascending order; an isolated value is a pair of equal
        numbers. None where the feature has no line, or the model is not known on it.
    """
    j = part.names.index(feature)
    row = np.zeros(1, dtype=np.intp)
    lines = known_lines(batch, part, j, row, values, settings)
    if not lines.has_line.any():
        return None
    assert batch.score_function is not None
    if lines.is_integer:
        return _runs_of_units(batch, batch.score_function, lines)
    floats = FloatSearch.of(batch, part, j, values)
    out: Intervals = []
    for low, high in zip(lines.low, lines.high, strict=True):
        stretch = floats.intervals(batch.score_function, float(low), float(high))
        for start, stop in stretch:
            if out and start <= floats.beside(out[-1][1], 1):
                out[-1] = out[-1][0], max(stop, out[-1][1])
            else:
                out.append((start, stop))
    return floats.without_own(out)


def join_values(
    values: FloatArray, reached: BoolArray, step: float, own: float | None
) -> Intervals:
    """Return runs of neighbouring values that reach the target.

    Parameters
    ----------
    values : array of shape (n_values,)
        Reachable values, in any order, perhaps repeated.
    reached : array of bool of shape (n_values,)
        Whether each reaches the target.
    step : float
        The largest distance between neighbours of a run.
    own : float or None
        The current value if it is at the target. It does not split a run, but no run
        ends with it.
    """
    good = set(values[reached].tolist()) | (set() if own is None else {own})
    runs: list[list[float]] = []
    last = None
    for value in sorted({*values.tolist(), *good}):
        if value in good:
            if last is not None and last in good and value - last <= step:
                runs[-1].append(value)
            else:
                runs.append([value])
        last = value
    if own is not None:
        for run in runs:
            if run[0] == own:
                del run[0]
            elif run[-1] == own:
                del run[-1]
    return [(run[0], run[-1]) for run in runs if run]


def _runs_of_units(
    batch: RowBatch, score_function: ScoreFunction, lines: Lines
) -> Intervals:
    """Return the runs of values of a long integer range that reach the target."""
    pieces = evaluate_lines(batch, score_function, lines)
    now, step = float(lines.before[0, lines.j]), lines.step
    out: Intervals = []
    low, high = pieces.low[pieces.reached], pieces.high[pieces.reached]
    # The current value does not split a run of a person who is at the target.
    low, high = np.where(low == 0, 1.0, low), np.where(high == 0, -1.0, high)
    own = bool(batch.reaches_target(np.zeros(1, dtype=np.intp))[0])
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        gap = 2.0 if own and a == 1 else 1.0
        if out and a <= out[-1][1] + gap:
            out[-1] = out[-1][0], b
        else:
            out.append((a, b))
    return [(now + a * step, now + b * step) for a, b in out]


@dataclass(frozen=True)
class FloatSearch:
    """A search for intervals over the floats that one person's real feature can take.

    Attributes
    ----------
    batch : RowBatch
    part : Part
    j : int
        The position of the feature in the part.
    before : array of shape (1, n_features)
        The person's values on the part.
    dtype : numpy dtype
        The dtype of the model's column; only its numbers can be reached.
    """

    batch: RowBatch
    part: Part
    j: int
    before: FloatArray
    dtype: Any

    @classmethod
    def of(cls, batch: RowBatch, part: Part, j: int, before: FloatArray) -> FloatSearch:
        """Return the search over the dtype of the model's column."""
        name, feature = part.names[j], part.features[j]
        dtype = batch.point_builder.new_values(name, feature, np.zeros(1)).dtype
        dtype = getattr(dtype, "numpy_dtype", dtype)
        return cls(batch, part, j, before, dtype if dtype.kind == "f" else np.float64)

    @property
    def now(self) -> float:
        """The current value."""
        return float(self.before[0, self.j])

    # -- the floats ------------------------------------------------------------------

    def beside(self, value: float, steps: int) -> float:
        """Return the float that is `steps` neighbours further."""
        at = self.ordinals(np.array([value])) + steps
        return float(self.from_ordinals(at)[0])

    def ordinals(self, values: FloatArray) -> NDArray[np.int64]:
        """Number the floats of the dtype in ascending order, 0 for 0."""
        width = np.dtype(self.dtype).itemsize
        size = np.abs(values).astype(self.dtype).view(f"i{width}").astype(np.int64)
        return np.where(values < 0, -size, size)

    def from_ordinals(self, positions: NDArray[np.int64]) -> FloatArray:
        """Return the floats with these numbers."""
        width = np.dtype(self.dtype).itemsize
        size = np.abs(positions).astype(f"i{width}").view(self.dtype).astype(float)
        return np.where(positions < 0, -size, size)

    def end(self, amount: float, inward: int) -> float:
        """Return where a change leads, rounded inward to a float of the dtype."""
        feature = self.part.features[self.j]
        value = float(
            snap_to_bounds(feature, self.before[:, self.j], np.array([amount]))[0]
        )
        near = float(np.asarray(value).astype(self.dtype))
        return self.beside(near, inward) if (near - value) * inward < 0 else near

    # -- evaluation ------------------------------------------------------------------

    def segment(self, values: FloatArray) -> tuple[Segment, FloatArray]:
        """Return points with these values of the feature, and their own changes."""
        own = np.zeros((len(values), self.before.shape[1]))
        own[:, self.j] = values - self.now
        before = np.broadcast_to(self.before, own.shape)
        change = self.part.total(own)
        exact = {self.j: values}
        return changed_points(self.batch, self.part, before, change, exact), own

    def reaches_target(self, values: FloatArray) -> BoolArray:
        """Return which values are feasible and accepted by `predict`."""
        segment, own = self.segment(values)
        rows = np.zeros(len(values), dtype=np.intp)
        return self.feasible(values, own) & self.batch.reaches_target(rows, [segment])

    def feasible(self, values: FloatArray, own: FloatArray) -> BoolArray:
        """Return which values are feasible, by these own changes."""
        before = np.broadcast_to(self.before, own.shape)
        ok = self.part.feasible(before, own)
        # Constraints must hold at the value itself, not only at its rounded change.
        after = before + self.part.total(own)
        after[:, self.j] = values
        for rule, columns in self.part.rules:
            ok &= satisfied(rule, before[:, columns], after[:, columns])
        return ok

    # -- the intervals ---------------------------------------------------------------

    def intervals(
        self, score_function: ScoreFunction, low: float, high: float
    ) -> Intervals:
        """Return the intervals on one feasible stretch of own changes."""
        first, last = self.end(low, 1), self.end(high, -1)
        if first > last:
            return []
        points = np.array([first, self.beside(first, 1), self.beside(last, -1), last])
        reached = np.full(4, -1)
        margin = 0.0
        if first < last:
            probes = self._probes(score_function, first, last)
            points = np.concatenate([points, probes[0]])
            reached = np.concatenate([reached, probes[1]])
            margin = probes[2]
        inside = (points >= first) & (points <= last)
        out = self._search(points[inside], reached[inside])
        return self._with_margin(out, margin, first, last) if margin else out

    def _probes(
        self, score_function: ScoreFunction, first: float, last: float
    ) -> tuple[FloatArray, IndexArray, float]:
        """Return values between which the prediction changes at most once.

        The second array is 1 where the score function reaches the target, 0 where it
        does not, and -1 where only `predict` can decide. The last value is how far
        from a border predictions depend on the number of rows in a call.
        """
        known_labels, codes = self.batch.coded(score_function)
        segments = [self.segment(np.array([value]))[0] for value in (first, last)]
        a, b = (changed_codes(known_labels, codes[:1], s.values) for s in segments)
        ends = LineEnds(a, b, np.array([first]), np.array([last]))
        eps = self.batch.point_builder.spacing
        pieces = score_pieces(known_labels, ends, eps)
        middle = self._rounded((pieces.low + pieces.high) / 2)
        size = max(abs(first), abs(last), abs(self.now))
        error = (
            float(np.max(pieces.error)) + ROUNDINGS * np.finfo(self.dtype).eps * size
        )
        # A piece wider than rounding has one prediction. For narrow ones, and the
        # borders around them, `predict` is called.
        wide = pieces.high - pieces.low > 4 * error
        known = np.full(len(pieces.line), -1)
        if score_function.decision is not None:
            unsure = score_function.decision.unsure(pieces.scores, pieces.rounding)
            sure = wide & ~unsure
            known[sure] = score_function.decision.gap(pieces.scores)[sure] > 0
        open_ = wide & (known < 0)
        if open_.any():
            known[open_] = self.reaches_target(middle[open_])
        left, right = known[:-1], known[1:]
        plain = (left == right) & (left >= 0)
        moving = ends.moves[0]
        if score_function.n_trees and moving.sum() > 1:
            plain[:] = False  # two columns may cross borders at the same point
        near_borders = self._around(pieces.high[:-1][~plain], error)
        margin = 0.0
        if score_function.decision is not None and any(
            score_function.shape(c) != "constant"
            for c in np.flatnonzero(moving).tolist()
        ):
            single = score_function.decision.doubt > DOUBT
            margin = float(np.max(pieces.error)) * (0.1 if single else 1e-3)
        return (
            np.concatenate([middle, near_borders]),
            np.concatenate([known, np.full(len(near_borders), -1)]),
            margin,
        )

    def _around(self, borders: FloatArray, error: float) -> FloatArray:
        """Return the floats next to borders, and those as far off as rounding."""
        probes = [self._rounded(borders + k * error) for k in (-1, 0, 1)]
        at = self.ordinals(probes[1])
        probes += [self.from_ordinals(at - 1), self.from_ordinals(at + 1)]
        return np.concatenate(probes)

    def _with_margin(
        self, intervals: Intervals, margin: float, first: float, last: float
    ) -> Intervals:
        """Return the intervals, shortened at ends that are borders of the model.

        A sum of products is rounded differently for one row and for many. Where the
        stretch from `first` to `last` ends, there is no such border.
        """
        out = []
        for low, high in intervals:
            by_model = np.array([low > first, high < last])
            ends = self._rounded(np.array([low + margin, high - margin]))
            if ends[0] <= ends[1] and by_model.any():
                moved = by_model & self.reaches_target(ends)
                low = float(ends[0]) if moved[0] else low
                high = float(ends[1]) if moved[1] else high
            out.append((low, high))
        return out

    def _rounded(self, values: FloatArray) -> FloatArray:
        return values.astype(self.dtype).astype(float)

    def _search(self, points: FloatArray, known: IndexArray) -> Intervals:
        """Return the intervals, from values between which predictions change once."""
        # Of equal values keep the one for which `predict` is still to be called.
        order = np.lexsort((known, points))
        points, known = points[order], known[order]
        new = np.r_[True, points[1:] != points[:-1]]
        points, known = points[new], known[new]
        evaluated = known < 0
        reached = self._evaluate(points, known > 0, evaluated)
        while True:
            # On both sides of a border only `predict` counts.
            flips = np.flatnonzero(reached[1:] != reached[:-1])
            beside = np.zeros(len(points), dtype=bool)
            beside[flips] = beside[flips + 1] = True
            beside &= ~evaluated
            if not beside.any():
                break
            reached = self._evaluate(points, reached, beside)
            evaluated |= beside
        a, b = self._bisect(points[flips], points[flips + 1], reached[flips])
        points = np.concatenate([points, a, b])
        reached = np.concatenate([reached, reached[flips], ~reached[flips]])
        order = np.argsort(points, kind="stable")
        points, reached = points[order], reached[order]
        first = reached & np.r_[True, ~reached[:-1]]
        last = reached & np.r_[~reached[1:], True]
        return list(zip(points[first].tolist(), points[last].tolist(), strict=True))

    def _evaluate(
        self, points: FloatArray, reached: BoolArray, some: BoolArray
    ) -> BoolArray:
        """Return `reached` with some values replaced by what `predict` says."""
        reached = reached.copy()
        if some.any():
            reached[some] = self.reaches_target(points[some])
        return reached

    def _bisect(
        self, low: FloatArray, high: FloatArray, at_low: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return neighbouring floats between which the prediction changes."""
        a, b = self.ordinals(low), self.ordinals(high)
        while True:
            wide = np.flatnonzero(b - 1 > a)
            if not len(wide):
                return self.from_ordinals(a), self.from_ordinals(b)
            middle = a[wide] // 2 + b[wide] // 2 + (a[wide] & b[wide] & 1)
            same = self.reaches_target(self.from_ordinals(middle)) == at_low[wide]
            a[wide] = np.where(same, middle, a[wide])
            b[wide] = np.where(same, b[wide], middle)

    def without_own(self, intervals: Intervals) -> Intervals:
        """Return the intervals without the current value at their ends.

        An interval whose values are all the same change away is one point.
        """
        out = []
        for low, high in intervals:
            if low == self.now:
                low = self.beside(low, 1)
            if high == self.now:
                high = self.beside(high, -1)
            if low > high:
                continue
            if low - self.now == high - self.now:
                value = self.end(low - self.now, 0)
                low = high = min(max(value, low), high)
            out.append((low, high))
        return out
