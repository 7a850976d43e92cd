"""The values of a feature that reach the target for one person, as closed intervals.

Both ends of an interval are values that the person can reach and that the model itself
accepts. Borders that were computed from the model's structure are off by rounding, so
they are searched down to the last float with the model's own answers. This takes a few
dozen questions, for one person at a time; scores need none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import landed
from skresp.reach import Part, satisfied

from ._along import ROUNDINGS, Along, LinearAlong, TreesAlong
from ._decision import DOUBT
from ._door import Door, Segment
from ._dress import Numbers
from ._lines import Lines, answer, lines_of
from ._listed import new_values
from ._lists import Question

Intervals = list[tuple[float, float]]
Truth = NDArray[np.bool_]


def intervals_of(
    door: Door, part: Part, feature: str, values: Numbers, question: Question
) -> Intervals | None:
    """Return where along its line one person's feature reaches the target.

    Parameters
    ----------
    door : Door
        Its wardrobe holds the person's row and no other.
    values : array of shape (1, n_features_of_part)
        The person's values, as numbers.

    Returns
    -------
    list of pairs, or None
        Closed intervals in ascending order; a value that works alone is a pair of
        equal numbers. None where the feature has no line that can be told.
    """
    if question.method != "auto" or question.effects or door.along is None:
        return None
    j = part.names.index(feature)
    row = np.zeros(1, dtype=np.intp)
    found = lines_of(part, j, row, values, question.interventions)
    if found is None or not found[1].any():
        return None
    lines = found[0]
    if lines.whole:
        return _runs_of_units(door, door.along, lines)
    floats = Floats.of(door, part, j, values)
    out: Intervals = []
    for low, high in zip(lines.low, lines.high, strict=True):
        stretch = floats.intervals(door.along, float(low), float(high))
        if stretch is None:
            return None
        for start, stop in stretch:
            if out and start <= floats.beside(out[-1][1], 1):
                out[-1] = out[-1][0], max(stop, out[-1][1])
            else:
                out.append((start, stop))
    return floats.without_own(out)


def join_values(
    values: Numbers, works: Truth, step: float, own: float | None
) -> Intervals:
    """Return runs of neighbouring values that work.

    Parameters
    ----------
    values : reachable values, in any order; a value may come more than once
    works : whether each reaches the target
    step : how far apart the neighbours of a run are at most
    own : the current value where it is at the target: it does not part a run, but no
        run ends with it
    """
    good = set(values[works].tolist()) | (set() if own is None else {own})
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


def _runs_of_units(door: Door, along: Along, lines: Lines) -> Intervals | None:
    """Return the runs of values of a long integer range that work."""
    pieces = answer(door, along, lines)
    if pieces is None:
        return None
    now, step = float(lines.before[0, lines.j]), lines.step
    out: Intervals = []
    low, high = pieces.low[pieces.reached], pieces.high[pieces.reached]
    # The current value parts no run of a person who is at the target.
    low, high = np.where(low == 0, 1.0, low), np.where(high == 0, -1.0, high)
    own = bool(door.ask(np.zeros(1, dtype=np.intp))[0])
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        gap = 2.0 if own and a == 1 else 1.0
        if out and a <= out[-1][1] + gap:
            out[-1] = out[-1][0], b
        else:
            out.append((a, b))
    return [(now + a * step, now + b * step) for a, b in out]


@dataclass(frozen=True)
class Floats:
    """The values that one person's real feature can take, asked about one by one.

    Attributes
    ----------
    dtype : the dtype of the model's column; only its numbers can be reached
    """

    door: Door
    part: Part
    j: int
    before: Numbers
    dtype: Any

    @classmethod
    def of(cls, door: Door, part: Part, j: int, before: Numbers) -> Floats:
        """Find the dtype of the column."""
        name, feature = part.names[j], part.features[j]
        dtype = door.wardrobe.new_values(name, feature, np.zeros(1)).dtype
        dtype = getattr(dtype, "numpy_dtype", dtype)
        return cls(door, part, j, before, dtype if dtype.kind == "f" else np.float64)

    @property
    def now(self) -> float:
        """The current value."""
        return float(self.before[0, self.j])

    # -- the floats ------------------------------------------------------------------

    def beside(self, value: float, steps: int) -> float:
        """Return the float so many places further."""
        at = self.ordinals(np.array([value])) + steps
        return float(self.from_ordinals(at)[0])

    def ordinals(self, values: Numbers) -> NDArray[np.int64]:
        """Number the floats of the dtype in ascending order, 0 for 0."""
        width = np.dtype(self.dtype).itemsize
        size = np.abs(values).astype(self.dtype).view(f"i{width}").astype(np.int64)
        return np.where(values < 0, -size, size)

    def from_ordinals(self, places: NDArray[np.int64]) -> Numbers:
        """Return the floats with these numbers."""
        width = np.dtype(self.dtype).itemsize
        size = np.abs(places).astype(f"i{width}").view(self.dtype).astype(float)
        return np.where(places < 0, -size, size)

    def end(self, amount: float, inward: int) -> float:
        """Return where a change leads, rounded inward to a float of the dtype."""
        feature = self.part.features[self.j]
        value = float(landed(feature, self.before[:, self.j], np.array([amount]))[0])
        found = float(np.asarray(value).astype(self.dtype))
        return self.beside(found, inward) if (found - value) * inward < 0 else found

    # -- the answers -----------------------------------------------------------------

    def segment(self, values: Numbers) -> tuple[Segment, Numbers]:
        """Return the points at which the feature has these values, and own changes."""
        own = np.zeros((len(values), self.before.shape[1]))
        own[:, self.j] = values - self.now
        before = np.broadcast_to(self.before, own.shape)
        new = new_values(
            self.part,
            before,
            self.part.total(own),
            self.door.wardrobe,
            {self.j: values},
        )
        return Segment(0, len(values), new), own

    def works(self, values: Numbers) -> Truth:
        """Return which values can be reached and are accepted by the model."""
        segment, own = self.segment(values)
        rows = np.zeros(len(values), dtype=np.intp)
        return self.feasible(values, own) & self.door.ask(rows, [segment])

    def feasible(self, values: Numbers, own: Numbers) -> Truth:
        """Return which values can be reached, by these own changes."""
        before = np.broadcast_to(self.before, own.shape)
        ok = self.part.feasible(before, own)
        # The rules hold at the value itself too, not only where the change rounds to.
        after = before + self.part.total(own)
        after[:, self.j] = values
        for rule, columns in self.part.rules:
            ok &= satisfied(rule, before[:, columns], after[:, columns])
        return ok

    # -- the intervals ---------------------------------------------------------------

    def intervals(self, along: Along, low: float, high: float) -> Intervals | None:
        """Return the intervals on one feasible stretch of own changes."""
        first, last = self.end(low, 1), self.end(high, -1)
        if first > last:
            return []
        points = np.array([first, self.beside(first, 1), self.beside(last, -1), last])
        answers = np.full(4, -1)
        margin = 0.0
        if first < last:
            found = self._cells(along, first, last)
            if found is None:
                return None
            points = np.concatenate([points, found[0]])
            answers = np.concatenate([answers, found[1]])
            margin = found[2]
        inside = (points >= first) & (points <= last)
        out = self._searched(points[inside], answers[inside])
        return self._kept_off(out, margin) if margin else out

    def _cells(
        self, along: Along, first: float, last: float
    ) -> tuple[Numbers, NDArray[np.intp], float] | None:
        """Return values between which the answer changes at most once.

        With the answers where the model's structure tells them, else -1, and how far
        from a border the answer depends on how many rows are asked about at once.
        """
        ends = []
        for value in (first, last):
            cut = self.segment(np.array([value]))[0].within(0, 1)
            row = np.zeros(1, dtype=np.intp)
            ends.append(self.door.wardrobe.take(row, [cut] if cut else []))
        cells = along.cells(ends[0], ends[1], np.array([first]), np.array([last]))
        if cells is None:
            return None
        middle = self._rounded((cells.low + cells.high) / 2)
        size = max(abs(first), abs(last), abs(self.now))
        error = float(np.max(cells.error)) + ROUNDINGS * np.finfo(self.dtype).eps * size
        # A cell that is wider than rounding has one answer. Narrow ones, and the
        # borders around them, are asked about.
        wide = cells.high - cells.low > 4 * error
        told = np.full(len(cells.line), -1)
        if along.decision is not None:
            sure = wide & ~along.decision.unsure(cells.scores)
            told[sure] = along.decision.gap(cells.scores)[sure] > 0
        ask = wide & (told < 0)
        if ask.any():
            told[ask] = self.works(middle[ask])
        border, left, right = cells.high[:-1], told[:-1], told[1:]
        plain = (left == right) & (left >= 0)
        if isinstance(along, TreesAlong) and self._several_move(along, ends):
            plain[:] = False  # two columns may pass their borders at one point
        near = border[~plain]
        probes = [self._rounded(near + k * error) for k in (-1, 0, 1)]
        at = self.ordinals(probes[1])
        probes += [self.from_ordinals(at - 1), self.from_ordinals(at + 1)]
        asked = np.concatenate(probes)
        margin = 0.0
        if isinstance(along, LinearAlong):
            single = along.decision.doubt > DOUBT
            margin = float(np.max(cells.error)) * (0.1 if single else 1e-3)
        return (
            np.concatenate([middle, asked]),
            np.concatenate([told, np.full(len(asked), -1)]),
            margin,
        )

    def _kept_off(self, intervals: Intervals, margin: float) -> Intervals:
        """Return the intervals with a margin kept where the model refuses.

        The sums of a linear model are rounded differently in one row and in many.
        """
        out = []
        for low, high in intervals:
            beyond = np.array([self.beside(low, -1), self.beside(high, 1)])
            by_model = self.feasible(beyond, self.segment(beyond)[1])
            ends = self._rounded(np.array([low + margin, high - margin]))
            if ends[0] <= ends[1] and by_model.any():
                moved = by_model & self.works(ends)
                low = float(ends[0]) if moved[0] else low
                high = float(ends[1]) if moved[1] else high
            out.append((low, high))
        return out

    def _several_move(self, along: TreesAlong, ends: list[Any]) -> bool:
        first, last = (along.numbers(end) for end in ends)
        if first is None or last is None:
            return True
        return int((np.nan_to_num(first) != np.nan_to_num(last)).sum()) > 1

    def _rounded(self, values: Numbers) -> Numbers:
        return values.astype(self.dtype).astype(float)

    def _searched(self, points: Numbers, told: NDArray[np.intp]) -> Intervals:
        """Return the intervals, from values between which the answer changes once."""
        # Of equal values keep the one whose answer is still to be asked for.
        order = np.lexsort((told, points))
        points, told = points[order], told[order]
        new = np.r_[True, points[1:] != points[:-1]]
        points, told = points[new], told[new]
        asked = told < 0
        answers = self._asked(points, told > 0, asked)
        while True:
            # What lies beside a border is known from the model itself.
            flips = np.flatnonzero(answers[1:] != answers[:-1])
            beside = np.zeros(len(points), dtype=bool)
            beside[flips] = beside[flips + 1] = True
            beside &= ~asked
            if not beside.any():
                break
            answers = self._asked(points, answers, beside)
            asked |= beside
        a, b = self._bisected(points[flips], points[flips + 1], answers[flips])
        points = np.concatenate([points, a, b])
        answers = np.concatenate([answers, answers[flips], ~answers[flips]])
        order = np.argsort(points, kind="stable")
        points, answers = points[order], answers[order]
        first = answers & np.r_[True, ~answers[:-1]]
        last = answers & np.r_[~answers[1:], True]
        return list(zip(points[first].tolist(), points[last].tolist(), strict=True))

    def _asked(self, points: Numbers, answers: Truth, some: Truth) -> Truth:
        answers = answers.copy()
        if some.any():
            answers[some] = self.works(points[some])
        return answers

    def _bisected(
        self, low: Numbers, high: Numbers, at_low: Truth
    ) -> tuple[Numbers, Numbers]:
        """Return neighbouring floats between which the answer changes."""
        a, b = self.ordinals(low), self.ordinals(high)
        while True:
            wide = np.flatnonzero(b - 1 > a)
            if not len(wide):
                return self.from_ordinals(a), self.from_ordinals(b)
            middle = a[wide] // 2 + b[wide] // 2 + (a[wide] & b[wide] & 1)
            same = self.works(self.from_ordinals(middle)) == at_low[wide]
            a[wide] = np.where(same, middle, a[wide])
            b[wide] = np.where(same, b[wide], middle)

    def without_own(self, intervals: Intervals) -> Intervals:
        """Return the intervals with the current value at no end.

        Values that are one and the same change away are one point.
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
