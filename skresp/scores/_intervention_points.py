"""All interventions of many people on one feature, and which reach the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model._row_batch import RowBatch, Segment
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._lines import Lines
from skresp.reach._part import parts_of

from ._enumerated import make_change_table, new_values
from ._exact_lines import Pieces, exact_lines
from ._responsiveness import part_columns
from ._row_rng import Keys
from ._sampled import draws
from ._scores import CachedAnswers
from ._settings import ScoreSettings


@dataclass(frozen=True)
class Points:
    """Interventions of several people on one feature, ordered by person.

    Attributes
    ----------
    feature : str
    position : int
        The position of the feature in `columns`.
    owner : array of shape (n_points,)
        The person of each point.
    before, change : array of shape (n_points, n_columns)
        Current values and total changes, as numbers.
    columns : array of shape (n_columns,)
        The features of the action set that `before` and `change` hold.
    reached : array of bool of shape (n_points,)
        Whether the point reaches the target.
    weight : array of shape (n_points,)
        The weight of a point: 1, or the size of a piece of a line.
    edge : array of shape (n_points,)
        The change of the feature at the point, or at the near end of its piece.
    """

    feature: str
    position: int
    owner: IndexArray
    before: FloatArray
    change: FloatArray
    columns: IndexArray
    reached: BoolArray
    weight: FloatArray
    edge: FloatArray

    @property
    def amount(self) -> FloatArray:
        """The change of the feature itself."""
        return self.change[:, self.position]

    def taken(self, rows: IndexArray, people: int) -> Points:
        """Return the points of people at these positions, repeated where they are."""
        counts = np.bincount(self.owner, minlength=people)
        starts = np.cumsum(counts) - counts
        wanted = counts[rows]
        shift = starts[rows] - (np.cumsum(wanted) - wanted)
        pick = np.repeat(shift, wanted) + np.arange(wanted.sum())
        return Points(
            self.feature,
            self.position,
            np.repeat(np.arange(len(rows)), wanted),
            self.before[pick],
            self.change[pick],
            self.columns,
            self.reached[pick],
            self.weight[pick],
            self.edge[pick],
        )


def points_of(
    batch: RowBatch,
    actions: ActionSet,
    codes: FloatArray,
    keys: Callable[[], Keys],
    settings: ScoreSettings,
    answer_cache: list[CachedAnswers],
    feature: str,
) -> Points:
    """Return the interventions of all rows on one feature.

    Which listed points reach the target is in the cache. Drawn points are evaluated
    again.
    """
    part, columns = next(
        (p, c)
        for p, c in zip(parts_of(actions), part_columns(actions), strict=True)
        if feature in p.names
    )
    j = part.names.index(feature)
    collected = []
    if not all(cached.in_time for cached in answer_cache):
        raise ValueError(
            "Some scores were not computed within time_limit, so this variant of them "
            "is unknown. Call explain with a larger time_limit, or without one."
        )
    for cached in answer_cache:
        values = codes[cached.run][:, columns]
        rows = np.arange(cached.run.start, cached.run.stop)
        feasible = FeasibleChanges.of(
            part, values, settings.method, settings.deadline, settings.max_listed
        )
        if part in cached.answers and j in part.actionable:
            table = make_change_table(
                feasible, settings.interventions, batch.point_builder
            )
            counts, change = table.points(slice(None))
            bits = np.unpackbits(cached.answers[part], count=len(change))
            reached = bits.astype(bool)
            owner = np.repeat(np.arange(len(rows)), counts)
            marked = table.marks[change, part.actionable.index(j)]
            changes = np.concatenate(
                [
                    r.used(part.actionable, settings.interventions)[0]
                    for r in feasible.reaches
                ]
            )[change[marked]]
            one = np.ones(int(marked.sum()))
            collected.append(
                (rows[owner[marked]], changes, reached[marked], one, changes[:, j])
            )
        for some, draw in draws(feasible, settings):
            if j not in part.actionable:
                continue
            lines, pieces = exact_lines(
                batch, part, j, rows[some], feasible.values[some], settings
            )
            collected.append(_points_of_pieces(lines, pieces))
            to_draw = np.flatnonzero(~lines.has_line)
            if len(to_draw):
                drawn = draw(j, to_draw, keys()[rows[some[to_draw]]])
                owner = np.repeat(rows[some[to_draw]], drawn.counts)
                new = new_values(part, drawn.before, drawn.changes, batch.point_builder)
                reached = batch.reaches_target(owner, [Segment(0, len(owner), new)])
                one = np.ones(len(owner))
                amount = drawn.changes[:, j]
                collected.append((owner, drawn.changes, reached, one, amount))
    nothing = (
        np.zeros(0, dtype=np.intp),
        np.zeros((0, len(part.names))),
        np.zeros(0, dtype=bool),
        np.zeros(0),
        np.zeros(0),
    )
    owner, total, reached, weight, edge = (
        np.concatenate(arrays) for arrays in zip(nothing, *collected, strict=True)
    )
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    return Points(
        feature,
        j,
        owner,
        codes[owner][:, columns],
        total[order],
        columns,
        reached[order],
        weight[order],
        edge[order],
    )


def _points_of_pieces(
    lines: Lines, pieces: Pieces
) -> tuple[IndexArray, FloatArray, BoolArray, FloatArray, FloatArray]:
    """Return the owner, change, reached, weight and edge of a point on each piece."""
    # A piece on both sides of the current value is split in two.
    both = (pieces.low < 0) & (pieces.high > 0)
    line = np.concatenate([pieces.line, pieces.line[both]])
    low = np.concatenate([pieces.low, np.zeros(int(both.sum()))])
    high = np.concatenate([np.where(both, 0.0, pieces.high), pieces.high[both]])
    reached = np.concatenate([pieces.reached, pieces.reached[both]])
    if lines.is_integer:  # 0 is no change
        low, high = np.where(low == 0, 1.0, low), np.where(high == 0, -1.0, high)
    size, middle = high - low, (low + high) / 2
    if lines.is_integer:
        size, middle = size + 1.0, np.floor(middle)
    edge = np.where(np.abs(low) < np.abs(high), low, high) * lines.step
    keep = (size > 0) & lines.has_line[line]
    changes = lines.changes(line, middle)
    owner = lines.rows[line[keep]]
    return owner, changes[keep], reached[keep], size[keep], edge[keep]
