"""Responsiveness: the probability that an intervention on a feature works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from skresp.actions import ActionSet
from skresp.reach import (
    PIECE,
    OutOfTimeError,
    Part,
    TooManyTogetherError,
    parts_of,
)

from ._door import Door
from ._dress import Numbers
from ._effects import cannot_move, draw_with_effects
from ._interval import agresti_coull
from ._lines import most_listed, told_lines
from ._listed import Table, count_hits, make_table
from ._lists import Lists, Places, Question, look_up
from ._sampled import Draw, count_drawn, draws
from ._scores import Page, Scores
from ._stream import Keys, feature_keys, generator

# Rows whose part values are looked up together.
ROWS_AT_ONCE = 16_384
# Points drawn at once.
MOST_DRAWS = 500_000


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
    deadline, jobs = question.deadline, effective_n_jobs(n_jobs)
    at_target = None
    if deadline.is_limited:
        # Known of everybody, also of those whom nobody has time to score.
        at_target, _ = door.ask_in_time(np.arange(len(codes)))
    out = []
    done = 0
    try:
        # With a limit a few people at a time: what is scored stays scored.
        piece = max(PIECE, 0.05 * deadline.limit)
        for block in deadline.slices(len(codes), piece, jobs * ROWS_AT_ONCE):
            length = block.stop - block.start
            size = ROWS_AT_ONCE
            if shown or jobs > 1:
                # Enough runs to share out and to show; what they are does not change
                # a score.
                size = min(size, max(length // 32, 64))
            if deadline.is_limited:
                size = min(size, -(-length // jobs))
            runs = [
                slice(start, min(start + size, block.stop))
                for start in range(block.start, block.stop, size)
            ]
            calls = [(door, actions, codes, keys, question, run) for run in runs]
            if len(runs) == 1:
                found = (score_run(*call) for call in calls)
            else:
                found = Parallel(
                    n_jobs=n_jobs, prefer="threads", return_as="generator"
                )(delayed(score_run)(*call) for call in calls)
            for run, scores in zip(runs, found, strict=True):
                out.append(scores)
                done = run.stop
                if progress is not None:
                    progress(run.stop - run.start)
    except OutOfTimeError:
        out.append(_Run(door, actions, codes, keys, question, slice(done, None)).out)
    if not out:
        return Scores.blank(0, len(actions.names))
    scores = out[0] if len(out) == 1 else Scores.stacked(out)
    if at_target is not None:
        scores.at_target[:] = at_target & scores.valid
    return scores


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
        return _Run(door, actions, codes, keys, question, run).scores()
    except TooManyTogetherError:
        half = (run.start + run.stop) // 2
        halves = slice(run.start, half), slice(half, run.stop)
        return Scores.stacked(
            [score_run(door, actions, codes, keys, question, h) for h in halves]
        )


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


def whole(actions: ActionSet) -> Part:
    """All features as if they were one part; for its columns only."""
    names = actions.names
    features = tuple(actions.features.values())
    return Part(names, features, (), (), tuple(range(len(names))))


def is_listed(part: Part, values: Numbers, question: Question) -> bool:
    """Whether one person's changes on a part are all listed."""
    lists = look_up(part, values, question)
    drawn = question.method == "sample" or question.effects is not None
    return not drawn and not lists.is_drawn(question)


class _Run:
    """The scores of a run of rows, noted as they are found.

    With a limit to the time, what has not been noted when it ends is left open.
    """

    def __init__(
        self,
        door: Door,
        actions: ActionSet,
        codes: Numbers,
        keys: Callable[[], Keys],
        question: Question,
        run: slice,
    ) -> None:
        self.door, self.actions, self.keys = door, actions, keys
        self.question = question
        self.rows = np.arange(*run.indices(len(codes)))
        self.values = codes[run]
        self.out = Scores.blank(len(self.rows), len(actions.names))
        self.missing: NDArray[np.bool_] | None = None
        if question.deadline.is_limited:
            self.out = self.out.with_intervals(True)
            self.missing = np.zeros(self.out.values.shape, dtype=bool)
            self.missing[:, [actions.names.index(n) for n in actions.actionable]] = True
            self.out.leave_open(self.missing)
        self.out = replace(self.out, book=[Page(self._slice, None, {}, in_time=False)])

    @property
    def _slice(self) -> slice:
        return (
            slice(int(self.rows[0]), int(self.rows[-1]) + 1)
            if len(self.rows)
            else (slice(0, 0))
        )

    def scores(self) -> Scores:
        """All of them."""
        with suppress(OutOfTimeError):
            self._fill()
        if self.missing is not None:
            self.out.leave_open(self.missing)
        if not self.out.valid.all():
            self.out.blot(~self.out.valid)
        return self.out

    def _note(self, rows: Any, place: int) -> None:
        """Note that a score has been computed."""
        if self.missing is not None:
            self.missing[rows, place] = False

    def _fill(self) -> None:
        door, question = self.door, self.question
        looked = []
        parts = [
            (part, self.values[:, columns], columns)
            for part, columns in zip(
                parts_of(self.actions), part_columns(self.actions), strict=True
            )
            if part.actionable or part.constraints
        ]
        most = most_listed(door, [(part, mine) for part, mine, _ in parts], question)
        valid = self.out.valid
        for part, mine, columns in parts:
            lists = look_up(part, mine, question, most)
            np.logical_and(valid, lists.valid, out=valid)
            if part.actionable:
                looked.append((lists, columns))
        if question.invalid_rows == "raise" and not valid.all():
            raise InvalidRowsError
        tables = []
        if question.method != "sample" and question.effects is None:
            for lists, columns in looked:
                if (lists.which >= 0).any():
                    question.deadline.check()
                    table = make_table(lists, question.interventions, door.wardrobe)
                    tables.append((table, columns))
        counted, self.out.at_target[:], packed = count_hits(
            door, [t for t, _ in tables], self.rows
        )
        answers = {t.part: bits for (t, _), bits in zip(tables, packed, strict=True)}
        for (table, columns), hits in zip(tables, counted, strict=True):
            self._note_listed(table, columns, hits)
        drawn = question.effects is not None
        drawn = drawn or any(lists.is_drawn(question) for lists, _ in looked)
        if self.missing is None:
            self.out = self.out.with_intervals(drawn)
        if question.effects is not None:
            self._note_effects(looked)
        else:
            self._note_tied(looked)
        self.out = replace(self.out, book=[Page(self._slice, most, answers)])

    def _note_listed(self, table: Table, columns: Places, hits: Places) -> None:
        rows: Any = slice(None)
        if (table.which < 0).any():
            rows = np.flatnonzero(table.which >= 0)
        which, out = table.which[rows], self.out
        for k, j in enumerate(table.features):
            sizes = table.sizes[which, k]
            out.n_reachable[rows, columns[j]] = sizes
            share = hits[rows, k] / np.maximum(sizes, 1)
            out.values[rows, columns[j]] = share
            if self.missing is not None:
                out.lower[rows, columns[j]] = out.upper[rows, columns[j]] = share
                out.exact[rows, columns[j]] = True
            self._note(rows, columns[j])

    def _note_tied(self, looked: list[tuple[Lists, Places]]) -> None:
        """Note the scores of parts that have no list: by lines, else drawn."""
        question, rows = self.question, self.rows
        waiting = []
        for lists, columns in looked:
            for some, draw in draws(lists, question):
                for j in lists.part.actionable:
                    question.deadline.check()
                    told = self._note_lines(lists, j, columns[j], some)
                    left = np.flatnonzero(~told)
                    waiting.append((lists, columns, some, left, draw, j))
        # What is exact comes first; drawing may take all the time there is.
        for lists, columns, some, left, draw, j in waiting:
            for chunk in self._chunks(left):
                where = some[chunk]
                drawn = draw(j, chunk, self.keys()[rows[where]])
                self._note_drawn(lists.part, where, columns[j], drawn)

    def _chunks(self, rows: Places) -> Iterator[Places]:
        """Rows a few at a time: draws of bounded memory, and looks at the clock."""
        most = max(MOST_DRAWS // self.question.n_samples, 1)
        for block in self.question.deadline.slices(len(rows)):
            some = rows[block]
            for start in range(0, len(some), most):
                yield some[start : start + most]

    def _note_lines(
        self, lists: Lists, j: int, place: int, some: Places
    ) -> NDArray[np.bool_]:
        """Note the scores that are exact along a line; which of the rows have one."""
        found = told_lines(
            self.door,
            lists.part,
            j,
            self.rows[some],
            lists.values[some],
            self.question,
        )
        if found is None:
            return np.zeros(len(some), dtype=bool)
        lines, told, pieces = found
        share, total = pieces.shares(len(some))
        count = total if lines.whole else pieces.counts(len(some))
        where, out = some[told], self.out
        for array in (out.values, out.lower, out.upper):
            array[where, place] = share[told]
        most = np.iinfo(out.n_reachable.dtype).max
        out.n_reachable[where, place] = np.minimum(count[told], most)
        out.exact[where, place] = True
        self._note(where, place)
        return told

    def _note_effects(self, looked: list[tuple[Lists, Places]]) -> None:
        """Note scores in which chance has a part: every one of them is drawn."""
        everything = whole(self.actions)
        keys, question = self.keys(), self.question
        for lists, columns in looked:
            for j in lists.part.actionable:
                mine = feature_keys(keys[self.rows], lists.part.names[j])
                for some in self._chunks(np.flatnonzero(lists.valid)):
                    found = [
                        draw_with_effects(
                            self.actions,
                            lists,
                            columns,
                            int(i),
                            self.values[i],
                            j,
                            question,
                            generator(mine[i]),
                        )
                        for i in some
                    ]
                    stuck = [cannot_move(lists, int(i), j, question) for i in some]
                    draw = Draw.of(self.values[some], found, stuck)
                    self._note_drawn(everything, some, columns[j], draw)

    def _note_drawn(self, part: Part, rows: Places, place: int, draw: Draw) -> None:
        """Ask the model about draws, and note the scores of those it had time for."""
        hits, counts = count_drawn(self.door, part, self.rows[rows], draw)
        some = np.flatnonzero((counts > 0) | (draw.counts == 0))
        hits, counts, exact = hits[some], counts[some], draw.exact[some]
        exact = exact & (counts == draw.counts[some])
        share = hits / np.maximum(counts, 1)
        low, high = agresti_coull(hits, counts, self.question.alpha)
        where, out = rows[some], self.out
        out.values[where, place] = share
        out.lower[where, place] = np.where(exact, share, low)
        out.upper[where, place] = np.where(exact, share, high)
        out.exact[where, place] = exact
        out.n_reachable[where, place] = counts
        self._note(where, place)
