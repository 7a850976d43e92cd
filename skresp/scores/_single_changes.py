"""Interventions on one feature that reach the target.

They come from the same lists, lines and draws as scores, so scores and verdicts cannot
disagree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allow
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._lines import Lines
from skresp.reach._part import Part
from skresp.reach._sampling import sample_at

from ._changed_points import changed_points
from ._exact_lines import TargetPieces, crowded_lines, exact_lines
from ._row_rng import Keys, feature_keys, generator
from ._sampled import draw
from ._settings import ScoreSettings
from ._strategy import unlisted_rows


@dataclass
class SingleChanges:
    """Interventions on one feature that reach the target.

    Attributes
    ----------
    owner : array of shape (n_changes,)
        The person of each intervention, in ascending order.
    change : array of shape (n_changes, n_features)
        Total changes on the part, feasible and accepted by `predict`.
    decided : array of bool of shape (n_people,)
        Where no other intervention is left undecided.
    used : array of shape (n_people,)
        The number of points evaluated.
    """

    owner: IndexArray
    change: FloatArray
    decided: BoolArray
    used: NDArray[np.int64]


def single_changes(
    batch: RowBatch,
    part: Part,
    j: int,
    rows: IndexArray,
    values: FloatArray,
    keys: Keys,
    settings: ScoreSettings,
    points: NDArray[np.int64],
) -> SingleChanges:
    """Return interventions on feature `j` of a part that reach the target.

    Parameters
    ----------
    batch : RowBatch
    part : Part
    j : int
    rows : array of shape (n_people,)
        The positions of the people in the batch.
    values : array of shape (n_people, n_features)
        Their values on the part.
    keys : array of shape (n_people,)
        Their random keys.
    settings : ScoreSettings
    points : array of shape (n_people,)
        Maximum number of points to evaluate for each person.
    """
    feasible = settings.feasible_changes(part, values)
    search = _Search(batch, feasible, j, rows, points)
    search.try_listed(settings.interventions)
    for some in unlisted_rows(feasible, settings):
        lines, pieces = exact_lines(batch, part, j, rows[some], values[some], settings)
        search.try_lines(some, lines, pieces)
        search.try_gaps(some, lines, keys, settings)
        search.try_drawn(some[~lines.has_line], keys, settings)
    return search.result()


class _Search:
    """Collects interventions that reach the target, person by person."""

    def __init__(
        self,
        batch: RowBatch,
        feasible: FeasibleChanges,
        j: int,
        rows: IndexArray,
        points: NDArray[np.int64],
    ) -> None:
        self.batch, self.feasible, self.j, self.rows = batch, feasible, j, rows
        self.part, self.values = feasible.part, feasible.values
        self.points_left = np.array(points, dtype=np.int64)
        self.points = self.points_left.copy()
        self.decided = np.zeros(len(rows), dtype=bool)
        self.hits: list[tuple[IndexArray, FloatArray]] = []

    def result(self) -> SingleChanges:
        """Return the changes that reach the target, ordered by person."""
        owner = np.concatenate([np.zeros(0, dtype=np.intp), *(o for o, _ in self.hits)])
        nothing = np.zeros((0, len(self.part.names)))
        change = np.concatenate([nothing, *(c for _, c in self.hits)])
        order = np.argsort(owner, kind="stable")
        used = self.points - self.points_left
        return SingleChanges(owner[order], change[order], self.decided, used)

    def _try(self, owner: IndexArray, change: FloatArray) -> None:
        """Evaluate changes, and keep those that reach the target."""
        before = self.values[owner]
        ok = self.part.feasible(before, self.part.own(change))
        ok &= (change != 0).any(axis=1)
        some = np.flatnonzero(ok)
        points = changed_points(self.batch, self.part, before[some], change[some])
        ok[some] = self.batch.reaches_target(self.rows[owner[some]], [points])
        self.hits.append((owner[ok], change[ok]))

    def _spend(self, owner: IndexArray) -> BoolArray:
        """Spend the points of people who have enough for all; return who has."""
        counts = np.bincount(owner, minlength=len(self.rows))
        allowed = counts <= self.points_left
        self.points_left -= np.where(allowed, counts, 0)
        return allowed

    def try_listed(self, interventions: str) -> None:
        """Try all interventions of complete lists."""
        feasible = self.feasible
        owner, changes = [], []
        for i in np.flatnonzero(feasible.which >= 0):
            reach = feasible.reaches[feasible.which[i]]
            if reach.refused is None and reach.valid:
                listed = reach.changes[reach.interventions(self.j, interventions)]
                owner.append(np.full(len(listed), i))
                changes.append(listed)
                self.decided[i] = True
        if owner:
            self._try_all(np.concatenate(owner), np.concatenate(changes))

    def _try_all(self, owner: IndexArray, change: FloatArray) -> None:
        """Try the changes of people whose points allow all of them."""
        allowed = self._spend(owner)
        self.decided &= allowed
        some = allowed[owner]
        self._try(owner[some], change[some])

    def try_lines(self, some: IndexArray, lines: Lines, pieces: TargetPieces) -> None:
        """Try a few points of lines: on pieces that reach the target, else at borders.

        If only isolated points of a line reach the target, these are borders. Where
        two borders are closer than rounding, nothing is decided. A piece without size
        is tried like a border: rounding decides what the model says of it.
        """
        reached = np.flatnonzero(pieces.reached & (pieces.size > 0))
        good, perhaps = (
            np.bincount(pieces.line[which], minlength=len(some)) > 0
            for which in (reached, pieces.reached)
        )
        line, amount = _nearest_and_largest(pieces, reached, lines.is_integer)
        owner = some[line]
        allowed = self._spend(owner)[owner]
        self._try(owner[allowed], lines.changes(line[allowed], amount[allowed]))
        none = lines.has_line & ~good
        self.decided[some[none & ~perhaps]] = True
        if none.any() and self.batch.score_function is not None:
            crowded = crowded_lines(self.batch, self.batch.score_function, lines)
            self.decided[some[crowded]] = False
        if not lines.is_integer:
            line, amount = _borders(pieces, none)
            self._try_all(some[line], lines.changes(line, amount))

    def try_gaps(
        self, some: IndexArray, lines: Lines, keys: Keys, settings: ScoreSettings
    ) -> None:
        """Try draws at single amounts where other features have to move too.

        Where none of them reaches the target, others may.
        """
        keys = feature_keys(keys, self.part.names[self.j])
        for line, amount in zip(lines.gap_line, lines.gap_amount, strict=True):
            i = some[line]
            if not self.decided[i]:
                continue
            with allow(self.batch.deadline, float(self.points_left[i])) as given:
                changes, are_none = sample_at(
                    self.part,
                    self.values[i],
                    self.j,
                    float(amount * lines.step),
                    settings.n_samples,
                    generator(keys[i]),
                )
            self.points_left[i] -= given.spent
            self.decided[i] = are_none
            owner = np.full(min(len(changes), self.points_left[i]), i)
            self._try(owner, changes[: len(owner)])
            self.points_left[i] -= len(owner)

    def try_drawn(self, some: IndexArray, keys: Keys, settings: ScoreSettings) -> None:
        """Try the interventions that a score is computed from."""
        for i in some:
            if self.decided[i] or self.points_left[i] <= 0:
                continue
            drawn = draw(self.feasible, np.array([i]), self.j, keys[[i]], settings)
            change = drawn.changes[: self.points_left[i]]
            self.decided[i] = bool(drawn.exact[0]) and len(change) == len(drawn.changes)
            self.points_left[i] -= len(change)
            self._try(np.full(len(change), i), change)


def _nearest_and_largest(
    pieces: TargetPieces, reached: IndexArray, is_integer: bool
) -> tuple[IndexArray, FloatArray]:
    """Return points on the nearest and on the largest piece that reaches the target.

    `reached` are the positions of the pieces that do.
    """
    line, low, high = pieces.line[reached], pieces.low[reached], pieces.high[reached]
    apart = np.maximum(np.maximum(low, -high), 0.0)
    picks = []
    for key in (apart, low - high):
        order = np.lexsort((key, line))
        first = np.r_[True, line[order][1:] != line[order][:-1]] if len(order) else []
        picks.append(order[np.asarray(first, dtype=bool)])
    pick = np.unique(np.concatenate(picks))
    line, low, high = line[pick], low[pick], high[pick]
    across = (low <= 0) & (high >= 0)
    # On a piece around the current value, the longer side.
    end = np.where(high >= -low, high, low)
    near = np.where(across, end, np.where(low > 0, low, high))
    middle = np.where(across, end / 2, (low + high) / 2)
    if is_integer:
        middle = np.where(across, end, np.floor(middle))
    return np.concatenate([line, line]), np.concatenate([near, middle])


def _borders(pieces: TargetPieces, lines: BoolArray) -> tuple[IndexArray, FloatArray]:
    """Return the ends of the pieces of some lines, each once.

    Also the middle of a piece without size.
    """
    some = lines[pieces.line]
    inner = some & (pieces.size == 0)
    line = np.concatenate([pieces.line[each] for each in (some, some, inner)])
    middle = (pieces.low[inner] + pieces.high[inner]) / 2
    position = np.concatenate([pieces.low[some], pieces.high[some], middle])
    order = np.lexsort((position, line))
    line, position = line[order], position[order]
    new = (line[1:] != line[:-1]) | (position[1:] != position[:-1])
    keep = np.r_[True, new][: len(line)] & (position != 0)
    return line[keep], position[keep]
