"""Exact scores of a feature along whose changes nothing else has freedom.

The feature moves, its effects follow, the rest stays put: a line. The score is the
share of its feasible length that reaches the target (for an integer, of its values).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skresp.reach import Deadline, Part

from ._alone import (
    MOST_LISTED_BESIDE_A_LINE,
    is_drawn_from,
    own_ranges,
    stands_alone,
)
from ._along import ROUNDINGS, Along, coarsest
from ._door import Door, Segment
from ._dress import Numbers
from ._listed import new_values
from ._lists import Places, Question
from ._sweep import Cells

# Trees times lines that are walked at once.
_MOST_FRAGMENTS = 400_000
# Whole units on either side of a border that are asked about one by one.
_MOST_IN_DOUBT = 2_048


@dataclass(frozen=True)
class Lines:
    """Lines of one feature `j` of a part, one for each of some rows.

    `stretches` are their feasible parts: which line, from where, to where, in units
    of the feature's own change; for an integer in steps.
    """

    part: Part
    j: int
    rows: Places
    before: Numbers
    line: Places
    low: Numbers
    high: Numbers

    @property
    def step(self) -> float:
        """The own change that one unit stands for."""
        return float(self.part.features[self.j].step or 1)

    @property
    def whole(self) -> bool:
        """Whether only whole units count."""
        return self.part.features[self.j].kind == "integer"

    def changes(self, line: Places, amount: Numbers) -> Numbers:
        """The total changes at these places of these lines."""
        own = np.zeros((len(line), len(self.part.names)))
        own[:, self.j] = amount * self.step
        return self.part.total(own)

    def values(self, door: Door, line: Places, amount: Numbers) -> Segment:
        """The points at these places of these lines."""
        changes = self.changes(line, amount)
        new = new_values(self.part, self.before[line], changes, door.wardrobe)
        return Segment(0, len(line), new)


@dataclass(frozen=True)
class Pieces:
    """Pieces of lines with the model's answer, ordered by line and place.

    `size` is what a piece counts: its length, or how many whole units lie on it.
    """

    line: Places
    low: Numbers
    high: Numbers
    size: Numbers
    reached: NDArray[np.bool_]

    def shares(self, lines: int) -> tuple[Numbers, Numbers]:
        """For each line the share of it that reaches the target, and its size."""
        total = np.bincount(self.line, self.size, minlength=lines)
        good = np.bincount(self.line, self.size * self.reached, minlength=lines)
        return good / np.where(total > 0, total, 1.0), np.asarray(total, dtype=float)

    def counts(self, lines: int) -> Places:
        """For each line the number of its pieces."""
        return np.bincount(self.line, minlength=lines)


def lines_of(
    part: Part, j: int, rows: Places, before: Numbers, interventions: str
) -> tuple[Lines, NDArray[np.bool_]] | None:
    """The lines of a feature, and for which rows they are all there is to it.

    None where the feature is of a kind that has none.
    """
    feature = part.features[j]
    if feature.kind not in ("integer", "real") or part.is_pushed(j):
        return None
    low, high = own_ranges(feature, before[:, j])
    moves = low < high
    if stands_alone(part):
        some = np.flatnonzero(moves)
        return Lines(part, j, rows, before, some, low[some], high[some]), moves
    if feature.kind != "real" or not part.leads_alone(j):
        return None
    others_fixed = not any(f.can_change for k, f in enumerate(part.features) if k != j)
    if interventions == "joint" and not others_fixed:
        return None
    found: list[tuple[int, float, float]] = []
    told = np.zeros(len(before), dtype=bool)
    for i in np.flatnonzero(moves):
        stretches = _feasible(part, j, before[i], float(low[i]), float(high[i]))
        if stretches is None:
            continue
        good = [(a, b) for a, b, ok in stretches if ok]
        if (others_fixed and good) or len(good) == len(stretches):
            told[i] = True
            found += [(int(i), a, b) for a, b in good]
    line = np.array([i for i, _, _ in found], dtype=np.intp)
    ends = np.array([(a, b) for _, a, b in found]).reshape(-1, 2)
    return Lines(part, j, rows, before, line, ends[:, 0], ends[:, 1]), told


def _feasible(
    part: Part, j: int, x: Numbers, low: float, high: float
) -> list[tuple[float, float, bool]] | None:
    """The stretches between which the constraints may change their mind."""
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


def most_listed(
    door: Door, parts: Sequence[tuple[Part, Numbers]], question: Question
) -> int | None:
    """How many changes of a feature that stands alone are listed, None for the usual.

    Few where the model can be told along a line. That is found out only where somebody
    has more: it takes reading the model.
    """
    if question.method != "auto" or question.effects is not None:
        return None
    few = MOST_LISTED_BESIDE_A_LINE
    for part, values in parts:
        if stands_alone(part) and part.features[0].kind == "integer":
            if is_drawn_from(part, values, few).any():
                return few if door.along is not None else None
    return None


def told_lines(
    door: Door, part: Part, j: int, rows: Places, values: Numbers, question: Question
) -> tuple[Lines, NDArray[np.bool_], Pieces] | None:
    """The lines of a feature that are all there is to it, for which rows, and answers.

    None where the model cannot be told, or nobody has such a line.
    """
    if question.method != "auto" or question.effects or door.along is None:
        return None
    found = lines_of(part, j, rows, values, question.interventions)
    if found is None or not found[1].any():
        return None
    pieces = answer(door, door.along, found[0])
    return None if pieces is None else (*found, pieces)


def answer(door: Door, along: Along, lines: Lines) -> Pieces | None:
    """The pieces of the lines and whether they reach the target."""
    done = []
    for some in _batches(along, len(lines.line), door.deadline):
        pieces = _answer(door, along, lines, some)
        if pieces is None:
            return None
        done.append(pieces)
    if not done:
        nothing = np.zeros(0)
        return Pieces(nothing.astype(np.intp), nothing, nothing, nothing, nothing > 0)
    columns = zip(
        *((p.line, p.low, p.high, p.size, p.reached) for p in done), strict=True
    )
    return Pieces(*(np.concatenate(column) for column in columns))


def _batches(along: Along, lines: int, deadline: Deadline) -> Iterator[slice]:
    trees = len(along.ensemble.roots) if hasattr(along, "ensemble") else 4
    size = max(_MOST_FRAGMENTS // trees, 1)
    for block in deadline.slices(lines):
        for start in range(block.start, block.stop, size):
            yield slice(start, min(start + size, block.stop))


def _answer(door: Door, along: Along, lines: Lines, some: slice) -> Pieces | None:
    line, low, high = lines.line[some], lines.low[some], lines.high[some]
    rows = lines.rows[line]
    ends = []
    for amount in (low, high):
        cut = lines.values(door, line, amount).within(0, len(line))
        ends.append(door.wardrobe.take(rows, [cut] if cut else []))
    cells = along.cells(ends[0], ends[1], low, high)
    if cells is None:
        return None
    place, size = (cells.low + cells.high) / 2, cells.high - cells.low
    if lines.whole:
        # What the column itself rounds comes on top.
        reach = np.abs(lines.before[line, lines.j]) / lines.step
        reach += np.maximum(np.abs(low), np.abs(high))
        error = cells.error + ROUNDINGS * coarsest(ends[0]) * reach
        cells, place, size = _whole_units(cells, low, high, error)
    which = line[cells.line]
    asked = np.ones(len(which), dtype=bool)
    reached = np.zeros(len(which), dtype=bool)
    if along.decision is not None:
        asked = along.decision.unsure(cells.scores)
        asked |= np.isnan(cells.scores).any(axis=1)
        reached = along.decision.gap(cells.scores) > 0
    if asked.any():
        segment = lines.values(door, which[asked], place[asked])
        reached[asked] = door.ask(lines.rows[which[asked]], [segment])
    return Pieces(which, cells.low, cells.high, size, reached)


def _whole_units(
    cells: Cells, low: Numbers, high: Numbers, error: Numbers
) -> tuple[Cells, Numbers, Numbers]:
    """Return runs of whole units, a unit on each run, and how many units it counts.

    Every unit of a line belongs to exactly one run. A unit within `error` of a border
    is a run by itself, with NaN for its scores: the model is asked about it. 0 is no
    change and counts nowhere.
    """
    line, a, b = cells.line, cells.low, cells.high
    first = np.ceil(a)
    last = np.where(b >= high[line], high[line], np.ceil(b) - 1)
    which, scores = np.arange(len(line)), cells.scores
    inner = b < high[line]
    doubtful = _units_near(line[inner], b[inner], low, high, error)
    if len(doubtful[0]):
        first, last, which, alone = _split_off(line, first, last, *doubtful)
        scores = np.where(alone[:, None], np.nan, scores[which])
        line = line[which]
    size = last - first + 1 - ((first <= 0) & (last >= 0))
    some = size > 0
    line, first, last, size = line[some], first[some], last[some], size[some]
    place = np.floor((first + last) / 2)
    place[place == 0] = np.where(last > 0, last, first)[place == 0]
    return Cells(line, first, last, scores[some]), place, size


def _units_near(
    line: Places, border: Numbers, low: Numbers, high: Numbers, error: Numbers
) -> tuple[Places, Numbers]:
    """Return the lines and units that lie within the error of a border, in order."""
    off = np.minimum(error[line], _MOST_IN_DOUBT)
    start = np.maximum(np.ceil(border - off), low[line])
    stop = np.minimum(np.floor(border + off), high[line])
    counts = np.maximum(stop - start + 1, 0).astype(np.intp)
    shift = np.cumsum(counts) - counts
    unit = np.repeat(start - shift, counts) + np.arange(counts.sum())
    pairs = np.unique(np.stack([np.repeat(line, counts).astype(float), unit]), axis=1)
    return pairs[0].astype(np.intp), pairs[1]


def _split_off(
    line: Places, first: Numbers, last: Numbers, on: Places, unit: Numbers
) -> tuple[Numbers, Numbers, Places, NDArray[np.bool_]]:
    """Return runs in which the units `unit` of the lines `on` stand by themselves.

    The last two values tell for each run which of the given runs it is of, and whether
    it is such a unit.
    """
    some = np.flatnonzero(last >= first)
    line, first, last = line[some], first[some], last[some]
    # Where runs begin: as given, at a unit that stands alone, and right after it.
    owner = np.concatenate([line, on, on])
    begin = np.concatenate([first, unit, unit + 1])
    alone = np.repeat([False, True, False], [len(line), len(unit), len(unit)])
    run = np.concatenate([np.arange(len(line)), np.full(2 * len(unit), -1)])
    order = np.lexsort((~alone, begin, owner))
    owner, begin, alone, run = owner[order], begin[order], alone[order], run[order]
    run = np.maximum.accumulate(run)
    new = np.r_[True, (owner[1:] != owner[:-1]) | (begin[1:] != begin[:-1])]
    run = run[np.r_[np.flatnonzero(new)[1:], len(new)] - 1]
    owner, begin, alone = owner[new], begin[new], alone[new]
    follows = np.r_[owner[1:] == owner[:-1], False]
    end = np.where(follows, np.r_[begin[1:], 0.0] - 1, last[run])
    return begin, end, some[run], alone
