"""Lines of feasible changes: one feature moves, its effects follow, the rest stays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._own_changes import own_ranges
from ._part import Part


@dataclass(frozen=True)
class Lines:
    """Lines of one feature of a part, one for each of some rows.

    Attributes
    ----------
    part : Part
    j : int
        The position of the feature in the part.
    rows : array of shape (n_rows,)
        The positions of the rows in the table.
    before : array of shape (n_rows, n_features)
        Their values on the part.
    has_line : array of bool of shape (n_rows,)
        Which rows have a line, and no other interventions on the feature.
    line : array of shape (n_stretches,)
        The row of each feasible stretch.
    low, high : array of shape (n_stretches,)
        Its ends, in units of the feature's own change; for an integer in steps.
    gap_line, gap_amount : array of shape (n_gaps,)
        Single amounts between or at the ends of stretches that are not feasible, unless
        other features move too. They have no weight in a score.
    """

    part: Part
    j: int
    rows: IndexArray
    before: FloatArray
    has_line: BoolArray
    line: IndexArray
    low: FloatArray
    high: FloatArray
    gap_line: IndexArray
    gap_amount: FloatArray

    @property
    def step(self) -> float:
        """The own change of one unit."""
        return float(self.part.features[self.j].step or 1)

    @property
    def is_integer(self) -> bool:
        """Whether the feature is an integer, so that only whole units count."""
        return self.part.features[self.j].kind == "integer"

    def changes(self, line: IndexArray, amount: FloatArray) -> FloatArray:
        """Return the total changes at these amounts along these lines."""
        own = np.zeros((len(line), len(self.part.names)))
        own[:, self.j] = amount * self.step
        return self.part.total(own)

    def without(self, rows: IndexArray) -> Lines:
        """Return the same lines, without those of some rows."""
        if not len(rows):
            return self
        has_line = self.has_line.copy()
        has_line[rows] = False
        kept, gaps = has_line[self.line], has_line[self.gap_line]
        return replace(
            self,
            has_line=has_line,
            line=self.line[kept],
            low=self.low[kept],
            high=self.high[kept],
            gap_line=self.gap_line[gaps],
            gap_amount=self.gap_amount[gaps],
        )

    @classmethod
    def none(cls, part: Part, j: int, rows: IndexArray, before: FloatArray) -> Lines:
        """Return the lines of rows that have no line."""
        has_line, nothing = np.zeros(len(rows), dtype=bool), np.zeros(0)
        line = np.zeros(0, dtype=np.intp)
        return cls(
            part, j, rows, before, has_line, line, nothing, nothing, line, nothing
        )


def lines_of(
    part: Part, j: int, rows: IndexArray, before: FloatArray, interventions: str
) -> Lines:
    """Return the lines of a feature."""
    feature = part.features[j]
    none = Lines.none(part, j, rows, before)
    if feature.kind not in ("integer", "real") or part.is_pushed(j):
        return none
    low, high = own_ranges(feature, before[:, j])
    moves = low < high
    if part.stands_alone:
        some = np.flatnonzero(moves)
        return replace(none, has_line=moves, line=some, low=low[some], high=high[some])
    if feature.kind != "real" or not part.leads_alone(j):
        return none
    others_fixed = not any(f.can_change for k, f in enumerate(part.features) if k != j)
    if interventions == "joint" and not others_fixed:
        return none
    feasible: list[tuple[int, float, float]] = []
    gaps: list[tuple[int, float]] = []
    has_line = np.zeros(len(before), dtype=bool)
    for i in np.flatnonzero(moves).tolist():
        stretches = _stretches(part, j, before[i], float(low[i]), float(high[i]))
        if stretches is None:
            continue
        good = [(a, b) for a, b, ok in stretches if ok]
        if (others_fixed and good) or len(good) == len(stretches):
            has_line[i] = True
            feasible += [(i, a, b) for a, b in good]
            if not others_fixed:
                gaps += [(i, a) for a in _gaps(part, j, before[i], good)]
    line = np.array([i for i, _, _ in feasible], dtype=np.intp)
    ends = np.array([(a, b) for _, a, b in feasible]).reshape(-1, 2)
    low, high = ends.T
    return replace(
        none,
        has_line=has_line,
        line=line,
        low=low,
        high=high,
        gap_line=np.array([i for i, _ in gaps], dtype=np.intp),
        gap_amount=np.array([amount for _, amount in gaps]),
    )


def _gaps(
    part: Part, j: int, x: FloatArray, stretches: list[tuple[float, float]]
) -> list[float]:
    """Return the ends of feasible stretches that are not feasible themselves."""
    ends = np.unique(stretches)
    ends = ends[ends != 0]
    own = np.zeros((len(ends), len(x)))
    own[:, j] = ends
    ok = part.feasible(np.broadcast_to(x, own.shape), own)
    return [float(end) for end in ends[~ok]]


def _stretches(
    part: Part, j: int, x: FloatArray, low: float, high: float
) -> list[tuple[float, float, bool]] | None:
    """Return the stretches of a line, and whether they are feasible.

    Between their ends no constraint changes. Return None where a constraint does not
    know where it changes.
    """
    unit = np.zeros((1, len(x)))
    unit[0, j] = 1.0
    rates = part.total(unit)[0]
    cuts = {low, high, *((0.0,) if low < 0 < high else ())}
    for rule, columns in part.rules:
        points = rule.turning_points(x[columns], rates[columns])
        if points is None:
            return None
        cuts |= {t for t in points if low < t < high}
    edges = np.array(sorted(cuts))
    middle = (edges[:-1] + edges[1:]) / 2
    own = np.zeros((len(middle), len(x)))
    own[:, j] = middle
    ok = part.feasible(np.broadcast_to(x, own.shape), own)
    return list(zip(edges[:-1], edges[1:], ok, strict=True))
