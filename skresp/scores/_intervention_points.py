"""All interventions of many people on one feature, and which reach the target."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._errors import TooManyTogetherError
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._lines import Lines
from skresp.reach._part import Part, part_with
from skresp.reach._sampling import Sample

from ._changed_points import changed_points
from ._enumerated import listed_answers, make_change_table
from ._exact_lines import TargetPieces, exact_lines
from ._line_nodes import line_nodes
from ._random_effects import EffectSampler
from ._row_rng import Keys, feature_keys, generator
from ._sampled import draw
from ._score_task import ROWS_AT_ONCE, ScoreTask
from ._settings import ScoreSettings
from ._strategy import unlisted_rows


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

    @property
    def on_lines(self) -> bool:
        """Whether some points are pieces of lines, not single values."""
        return bool(((self.edge != self.amount) | (self.weight != 1)).any())

    def taken(self, rows: IndexArray, people: int) -> Points:
        """Return the points of people at these positions, which may be repeated."""
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


def points_of(task: ScoreTask, feature: str, *, nodes: bool = False) -> Points:
    """Return the interventions of all rows on one feature, evaluated again.

    A piece of a line is one point in its middle, or with `nodes` several, over which
    smooth functions can be summed.
    """
    part, columns = part_with(task.actions, feature)
    j = part.names.index(feature)
    nothing = (
        np.zeros(0, dtype=np.intp),
        np.zeros((0, len(part.names))),
        np.zeros(0, dtype=bool),
        np.zeros(0),
        np.zeros(0),
    )
    collected: list[_Arrays] = [nothing]
    if part.features[j].actionable:
        for start in range(0, len(task.codes), ROWS_AT_ONCE):
            run = slice(start, min(start + ROWS_AT_ONCE, len(task.codes)))
            collected += _points_of_run(task, run, part, columns, j, nodes)
    owner, total, reached, weight, edge = (
        np.concatenate(arrays) for arrays in zip(*collected, strict=True)
    )
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    return Points(
        feature,
        j,
        owner,
        task.codes[owner][:, columns],
        total[order],
        columns,
        reached[order],
        weight[order],
        edge[order],
    )


#: The owner, change, reached, weight and edge of some points.
_Arrays = tuple[IndexArray, FloatArray, BoolArray, FloatArray, FloatArray]


def _points_of_run(
    task: ScoreTask,
    run: slice,
    part: Part,
    columns: IndexArray,
    j: int,
    nodes: bool,
) -> list[_Arrays]:
    """Return the interventions of a run of rows on feature `j` of a part.

    Of two halves where lists are too long.
    """
    values = task.codes[run][:, columns]
    try:
        feasible = task.settings.feasible_changes(part, values)
    except TooManyTogetherError:
        half = (run.start + run.stop) // 2
        halves = slice(run.start, half), slice(half, run.stop)
        found = [_points_of_run(task, rows, part, columns, j, nodes) for rows in halves]
        return found[0] + found[1]
    return _points_of_changes(task, run, feasible, j, nodes)


def _points_of_changes(
    task: ScoreTask, run: slice, feasible: FeasibleChanges, j: int, nodes: bool
) -> list[_Arrays]:
    """Return the interventions of a run of rows, given its feasible changes."""
    batch, settings, part = task.batch, task.settings, feasible.part
    rows, values = np.arange(run.start, run.stop), feasible.values
    out = []
    if settings.method != "sample" and (feasible.which >= 0).any():
        table = make_change_table(
            [feasible], len(rows), settings.interventions, batch.point_builder
        )
        change = table.points.change
        reached = listed_answers(batch, table, rows)
        owner = table.points.spread(rows)
        marked = table.marks[change, part.actionable.index(j)]
        listed = [
            reach.scored(part, value, settings.interventions).changes
            for reach, value in zip(feasible.reaches, feasible.distinct, strict=True)
        ]
        changes = np.concatenate(listed)[change[marked]]
        out.append(_single_points(owner[marked], changes, reached[marked], j))
    for some in unlisted_rows(feasible, settings):
        lines, pieces = exact_lines(batch, part, j, rows[some], values[some], settings)
        out.append(_points_of_pieces(lines, pieces, nodes))
        to_draw = some[~lines.has_line]
        if len(to_draw):
            keys = task.keys[rows[to_draw]]
            drawn = draw(feasible, to_draw, j, keys, settings)
            owner = np.repeat(rows[to_draw], drawn.counts)
            points = changed_points(batch, part, drawn.before, drawn.changes)
            reached = batch.reaches_target(owner, [points])
            out.append(_single_points(owner, drawn.changes, reached, j))
    return out


def _single_points(
    owner: IndexArray, changes: FloatArray, reached: BoolArray, j: int
) -> _Arrays:
    """Return points of weight 1, each at its own edge."""
    return owner, changes, reached, np.ones(len(owner)), changes[:, j]


def _points_of_pieces(lines: Lines, pieces: TargetPieces, nodes: bool) -> _Arrays:
    """Return points on each piece, with the size of the piece as their weight."""
    # A piece on both sides of the current value is split in two.
    both = (pieces.low < 0) & (pieces.high > 0)
    line = np.concatenate([pieces.line, pieces.line[both]])
    low = np.concatenate([pieces.low, np.zeros(int(both.sum()))])
    high = np.concatenate([np.where(both, 0.0, pieces.high), pieces.high[both]])
    reached = np.concatenate([pieces.reached, pieces.reached[both]])
    if lines.is_integer:  # 0 is no change
        low, high = np.where(low == 0, 1.0, low), np.where(high == 0, -1.0, high)
    size = high - low + lines.is_integer
    keep = (size > 0) & lines.has_line[line]
    line, low, high, size, reached = (
        array[keep] for array in (line, low, high, size, reached)
    )
    edge = np.where(np.abs(low) < np.abs(high), low, high) * lines.step
    if nodes:
        piece, amount, size = line_nodes(low, high, lines.is_integer)
        line, reached, edge = line[piece], reached[piece], edge[piece]
    else:
        amount = (low + high) / 2
        amount = np.floor(amount) if lines.is_integer else amount
    return lines.rows[line], lines.changes(line, amount), reached, size, edge


def interventions_of(
    actions: ActionSet,
    feature: str,
    codes: FloatArray,
    keys: Keys,
    settings: ScoreSettings,
) -> tuple[Sample, bool]:
    """Return the interventions of one person, and whether these are all.

    They are the ones that the person's score was computed from, as total changes with
    one column for each feature of the action set.
    """
    part, columns = part_with(actions, feature)
    j = part.names.index(feature)
    values = codes[:, columns]
    feasible = FeasibleChanges.of(part, values, settings.method, settings.deadline)
    if settings.random_effects is not None and part.features[j].actionable:
        rng = generator(feature_keys(keys, feature)[0])
        sampler = EffectSampler(actions, feasible, columns, codes, settings)
        return sampler.draw(0, j, rng), False
    drawn, complete = _interventions_on_part(feasible, j, keys, settings)
    changes = np.zeros((len(drawn.changes), len(actions.names)))
    changes[:, columns] = drawn.changes
    return replace(drawn, changes=changes), complete


def _interventions_on_part(
    feasible: FeasibleChanges, j: int, keys: Keys, settings: ScoreSettings
) -> tuple[Sample, bool]:
    """Return the interventions of one person on a part, and whether these are all."""
    part = feasible.part
    if not part.features[j].actionable:
        return Sample(np.zeros((0, len(part.names))), 0), True
    for some in unlisted_rows(feasible, settings):
        drawn = draw(feasible, some, j, keys, settings)
        sample = Sample(drawn.changes, int(drawn.tried[0]), bool(drawn.uniform[0]))
        return sample, bool(drawn.exact[0])
    reach = feasible.reaches[feasible.which[0]]
    changes = reach.changes[reach.interventions(j, settings.interventions)]
    return Sample(changes, 0), True


def is_listed(part: Part, values: FloatArray, settings: ScoreSettings) -> bool:
    """Return whether one person's changes on a part are all listed."""
    if settings.method == "sample" or settings.random_effects is not None:
        return False
    feasible = FeasibleChanges.of(part, values, settings.method, settings.deadline)
    return not unlisted_rows(feasible, settings)
