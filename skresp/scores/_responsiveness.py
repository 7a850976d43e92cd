"""Responsiveness: the probability that an intervention on a feature works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from skresp.actions import ActionSet
from skresp.reach import Part, TooManyTogetherError, parts_of

from ._door import Door
from ._dress import Numbers
from ._effects import cannot_move, draw_with_effects
from ._interval import agresti_coull
from ._lines import most_listed, told_lines
from ._listed import Table, count_hits, make_table
from ._lists import Lists, Places, Question, look_up
from ._sampled import Draw, count_drawn, draws
from ._stream import Keys, feature_keys, generator

# Rows whose part values are looked up together.
ROWS_AT_ONCE = 16_384
# Points drawn at once.
MOST_DRAWS = 500_000


@dataclass(frozen=True)
class Page:
    """The answers to the listed points of a run of rows, packed, for each part."""

    run: slice
    most: int | None  # how many changes of a feature that stands alone were listed
    answers: dict[Part, NDArray[np.uint8]]


_ARRAYS = ("values", "lower", "upper", "exact", "n_reachable", "at_target", "valid")


@dataclass(frozen=True)
class Scores:
    """One number a row and feature of the action set, in arrays of that shape.

    `n_reachable` counts the interventions: all of them where the score is `exact`,
    the ones drawn where it is not. `at_target` marks the rows that need no change,
    `valid` those that obey the constraints as they stand; the others score NaN.
    """

    values: Numbers
    lower: Numbers
    upper: Numbers
    exact: NDArray[np.bool_]
    n_reachable: NDArray[np.int32]
    at_target: NDArray[np.bool_]
    valid: NDArray[np.bool_]
    # The model's answers to listed points, a page for each run of rows.
    book: list[Page] = field(default_factory=list)

    @classmethod
    def blank(cls, rows: int, features: int) -> Scores:
        """Scores of 0 for features that nobody can move."""
        shape = rows, features
        values = np.zeros(shape)
        return cls(
            values,
            values,
            values,
            np.ones(shape, dtype=bool),
            np.zeros(shape, dtype=np.int32),
            np.zeros(rows, dtype=bool),
            np.ones(rows, dtype=bool),
        )

    def with_intervals(self, apart: bool) -> Scores:
        """The same with room for intervals; exact scores share one array for all."""
        if not apart:
            return self
        return replace(self, lower=self.values.copy(), upper=self.values.copy())

    def blot(self, rows: NDArray[np.bool_]) -> None:
        """Make these rows have no score."""
        for array in (self.values, self.lower, self.upper):
            array[rows] = np.nan
        self.n_reachable[rows] = 0
        self.at_target[rows] = False

    def arranged(self, rows: Places, columns: list[int]) -> Scores:
        """The scores of rows and features at these positions."""
        as_is = columns == list(range(self.values.shape[1]))
        done: dict[int, NDArray[Any]] = {}  # arrays that were one stay one
        for name in _ARRAYS:
            array = getattr(self, name)
            if id(array) not in done:
                new = array if len(rows) == len(array) else array[rows]
                keep = as_is or array.ndim == 1
                done[id(array)] = new if keep else new[:, columns]
        arrays: dict[str, Any] = {n: done[id(getattr(self, n))] for n in _ARRAYS}
        return Scores(**arrays, book=self.book)

    @classmethod
    def stacked(cls, parts: list[Scores]) -> Scores:
        """Scores of several runs of rows, one after the other."""
        shared = all(part.lower is part.values for part in parts)
        joined = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in _ARRAYS
            if not (shared and name in ("lower", "upper"))
        }
        book = [page for part in parts for page in part.book]
        shares = {"lower": joined["values"], "upper": joined["values"]}
        return cls(**{**shares, **joined}, book=book)


def score(
    door: Door,
    actions: ActionSet,
    codes: Numbers,
    keys: Callable[[], Keys],
    question: Question,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    shown: bool = False,
) -> Scores:
    """The responsiveness of every feature for every row.

    Parameters
    ----------
    door : Door
        Its wardrobe holds the same rows.
    codes : array of shape (n_rows, n_features)
        The rows as numbers; valid rows only.
    keys : callable
        Gives the rows' random keys, asked for only where something is drawn.
    """
    size = ROWS_AT_ONCE
    if shown or effective_n_jobs(n_jobs) > 1:
        # Enough runs to share out and to show; what they are does not change a score.
        size = min(size, max(len(codes) // 32, 64))
    runs = [
        slice(start, min(start + size, len(codes)))
        for start in range(0, len(codes), size)
    ]
    calls = [(door, actions, codes, keys, question, run) for run in runs]
    if len(runs) == 1:
        done = (score_run(*call) for call in calls)
    else:
        done = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
            delayed(score_run)(*call) for call in calls
        )
    out = []
    for run, scores in zip(runs, done, strict=True):
        out.append(scores)
        if progress is not None:
            progress(run.stop - run.start)
    if len(out) == 1:
        return out[0]
    return Scores.stacked(out) if out else Scores.blank(0, len(actions.names))


def score_run(
    door: Door,
    actions: ActionSet,
    codes: Numbers,
    keys: Callable[[], Keys],
    question: Question,
    run: slice,
) -> Scores:
    """The scores of a run of rows."""
    try:
        return _score_run(door, actions, codes, keys, question, run)
    except TooManyTogetherError:
        half = (run.start + run.stop) // 2
        halves = slice(run.start, half), slice(half, run.stop)
        return Scores.stacked(
            [score_run(door, actions, codes, keys, question, h) for h in halves]
        )


def _score_run(
    door: Door,
    actions: ActionSet,
    codes: Numbers,
    keys: Callable[[], Keys],
    question: Question,
    run: slice,
) -> Scores:
    rows = np.arange(run.start, run.stop)
    values = codes[run]
    out = Scores.blank(len(rows), len(actions.names))
    looked = []
    parts = [
        (part, values[:, columns], columns)
        for part, columns in zip(parts_of(actions), part_columns(actions), strict=True)
        if part.actionable or part.constraints
    ]
    most = most_listed(door, [(part, mine) for part, mine, _ in parts], question)
    for part, mine, columns in parts:
        lists = look_up(part, mine, question, most)
        np.logical_and(out.valid, lists.valid, out=out.valid)
        if part.actionable:
            looked.append((lists, columns))
    if question.invalid_rows == "raise" and not out.valid.all():
        raise InvalidRowsError
    tables = []
    if question.method != "sample" and question.effects is None:
        for lists, columns in looked:
            if (lists.which >= 0).any():
                table = make_table(lists, question.interventions, door.wardrobe)
                tables.append((table, columns))
    counted, out.at_target[:], packed = count_hits(door, [t for t, _ in tables], rows)
    answers = {t.part: bits for (t, _), bits in zip(tables, packed, strict=True)}
    out = replace(out, book=[Page(run, most, answers)])
    for (table, columns), hits in zip(tables, counted, strict=True):
        _note_listed(out, table, columns, hits)
    if question.effects is not None:
        out = out.with_intervals(True)
        _note_effects(out, door, actions, looked, values, rows, keys(), question)
        looked = []
    out = out.with_intervals(any(lists.is_drawn(question) for lists, _ in looked))
    for lists, columns in looked:
        for some, draw in draws(lists, question):
            for j in lists.part.actionable:
                told = _note_lines(
                    out, door, lists, j, columns[j], some, rows, question
                )
                for left in _portions(np.flatnonzero(~told), question.n_samples):
                    where = some[left]
                    drawn = draw(j, left, keys()[rows[where]])
                    hits = count_drawn(door, lists.part, rows[where], drawn)
                    _note_drawn(out, where, columns[j], drawn, hits, question.alpha)
    if not out.valid.all():
        out.blot(~out.valid)
    return out


@lru_cache(maxsize=64)
def part_columns(actions: ActionSet) -> tuple[Places, ...]:
    """For each part, where its features stand among the columns of the action set."""
    place = {name: i for i, name in enumerate(actions.names)}
    return tuple(
        np.array([place[name] for name in part.names]) for part in parts_of(actions)
    )


class InvalidRowsError(ValueError):
    """Some rows break a constraint as they stand."""


def interventions_of(
    actions: ActionSet, feature: str, codes: Numbers, keys: Keys, question: Question
) -> tuple[Numbers, bool]:
    """The interventions of one person on a feature, and whether that is all of them.

    The same ones that the person's score was computed from, as total changes with one
    column a feature of the action set.
    """
    part, columns = next(
        (p, c)
        for p, c in zip(parts_of(actions), part_columns(actions), strict=True)
        if feature in p.names
    )
    j = part.names.index(feature)
    lists = look_up(part, codes[:, columns], question)
    if question.effects is not None and part.features[j].actionable:
        rng = generator(feature_keys(keys, feature)[0])
        changes = draw_with_effects(
            actions, lists, columns, 0, codes[0], j, question, rng
        )
        return changes, False
    on_part, complete = _on_part(lists, j, keys, question)
    changes = np.zeros((len(on_part), len(actions.names)))
    changes[:, columns] = on_part
    return changes, complete


def _on_part(
    lists: Lists, j: int, keys: Keys, question: Question
) -> tuple[Numbers, bool]:
    part = lists.part
    if not part.features[j].actionable:
        return np.zeros((0, len(part.names))), True
    for _, draw in draws(lists, question):
        drawn = draw(j, np.zeros(1, dtype=np.intp), keys)
        return drawn.changes, bool(drawn.exact[0])
    reach = lists.reaches[lists.which[0]]
    return reach.changes[reach.interventions(j, question.interventions)], True


def _note_listed(out: Scores, table: Table, columns: Places, hits: Places) -> None:
    rows: Any = slice(None)
    if (table.which < 0).any():
        rows = np.flatnonzero(table.which >= 0)
    which = table.which[rows]
    for k, j in enumerate(table.features):
        sizes = table.sizes[which, k]
        out.n_reachable[rows, columns[j]] = sizes
        out.values[rows, columns[j]] = hits[rows, k] / np.maximum(sizes, 1)


def _note_effects(
    out: Scores,
    door: Door,
    actions: ActionSet,
    looked: list[tuple[Lists, Places]],
    values: Numbers,
    rows: Places,
    keys: Keys,
    question: Question,
) -> None:
    """Note scores in which chance has a part: every one of them is drawn."""
    everything = whole(actions)
    for lists, columns in looked:
        for j in lists.part.actionable:
            mine = feature_keys(keys[rows], lists.part.names[j])
            for some in _portions(np.flatnonzero(lists.valid), question.n_samples):
                found = [
                    draw_with_effects(
                        actions,
                        lists,
                        columns,
                        int(i),
                        values[i],
                        j,
                        question,
                        generator(mine[i]),
                    )
                    for i in some
                ]
                stuck = [cannot_move(lists, int(i), j, question) for i in some]
                draw = Draw.of(values[some], found, stuck)
                hits = count_drawn(door, everything, rows[some], draw)
                _note_drawn(out, some, columns[j], draw, hits, question.alpha)


def whole(actions: ActionSet) -> Part:
    """All features as if they were one part; for its columns only."""
    names = actions.names
    features = tuple(actions.features.values())
    return Part(names, features, (), (), tuple(range(len(names))))


def _portions(rows: Places, n_samples: int) -> list[Places]:
    """Rows a few at a time, so that their draws take bounded memory."""
    size = max(MOST_DRAWS // n_samples, 1)
    return [rows[i : i + size] for i in range(0, len(rows), size)]


def _note_lines(
    out: Scores,
    door: Door,
    lists: Lists,
    j: int,
    place: int,
    some: Places,
    rows: Places,
    question: Question,
) -> NDArray[np.bool_]:
    """Note the scores that are exact along a line; which of the rows have one."""
    found = told_lines(door, lists.part, j, rows[some], lists.values[some], question)
    if found is None:
        return np.zeros(len(some), dtype=bool)
    lines, told, pieces = found
    share, total = pieces.shares(len(some))
    count = total if lines.whole else pieces.counts(len(some))
    where = some[told]
    for array in (out.values, out.lower, out.upper):
        array[where, place] = share[told]
    most = np.iinfo(out.n_reachable.dtype).max
    out.n_reachable[where, place] = np.minimum(count[told], most)
    return told


def is_listed(part: Part, values: Numbers, question: Question) -> bool:
    """Whether one person's changes on a part are all listed."""
    lists = look_up(part, values, question)
    drawn = question.method == "sample" or question.effects is not None
    return not drawn and not lists.is_drawn(question)


def _note_drawn(
    out: Scores, rows: Places, place: int, draw: Draw, hits: Places, alpha: float
) -> None:
    share = hits / np.maximum(draw.counts, 1)
    low, high = agresti_coull(hits, draw.counts, alpha)
    out.values[rows, place] = share
    out.lower[rows, place] = np.where(draw.exact, share, low)
    out.upper[rows, place] = np.where(draw.exact, share, high)
    out.exact[rows, place] = draw.exact
    out.n_reachable[rows, place] = draw.counts
