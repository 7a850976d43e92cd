"""Responsiveness: the probability that an intervention on a feature works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from skresp.actions import ActionSet
from skresp.reach import (
    Part,
    Reach,
    distinct_rows,
    parts_of,
    reach_by_solver,
    shared_cache,
)

from ._door import Door
from ._dress import Numbers
from ._interval import agresti_coull
from ._listed import Places, Table, count_hits, make_table
from ._sampled import (
    Draw,
    count_drawn,
    draw_alone,
    draw_listed,
    draw_tied,
    is_drawn_from,
    stands_alone,
)
from ._stream import Keys

# Rows whose part values are looked up together.
ROWS_AT_ONCE = 16_384


@dataclass(frozen=True)
class Question:
    """How interventions are read and when they are drawn instead of listed."""

    interventions: str = "minimal"
    method: str = "auto"
    n_samples: int = 500
    alpha: float = 0.05


@dataclass(frozen=True)
class Scores:
    """One number a row and feature of the action set, in arrays of that shape.

    `n_reachable` counts the interventions: all of them where the score is `exact`,
    the ones drawn where it is not. `at_target` marks the rows that need no change.
    """

    values: Numbers
    lower: Numbers
    upper: Numbers
    exact: NDArray[np.bool_]
    n_reachable: Places
    at_target: NDArray[np.bool_]

    @classmethod
    def blank(cls, rows: int, features: int) -> Scores:
        """Scores of 0 for features that nobody can move."""
        shape = rows, features
        return cls(
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
            np.ones(shape, dtype=bool),
            np.zeros(shape, dtype=np.intp),
            np.zeros(rows, dtype=bool),
        )

    def taken(self, rows: Places) -> Scores:
        """The scores of rows at these positions; NaN for those at -1."""
        out = Scores(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))
        for array in (out.values, out.lower, out.upper):
            array[rows < 0] = np.nan
        out.n_reachable[rows < 0] = 0
        out.at_target[rows < 0] = False
        return out

    @classmethod
    def stacked(cls, parts: list[Scores]) -> Scores:
        """Scores of several runs of rows, one after the other."""
        return cls(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in cls.__dataclass_fields__
            )
        )


def score(
    door: Door,
    actions: ActionSet,
    codes: Numbers,
    keys: Callable[[], Keys],
    question: Question,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
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
    runs = [
        slice(start, min(start + ROWS_AT_ONCE, len(codes)))
        for start in range(0, len(codes), ROWS_AT_ONCE)
    ]
    done = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(score_run)(door, actions, codes, keys, question, run) for run in runs
    )
    out = []
    for run, scores in zip(runs, done, strict=True):
        out.append(scores)
        if progress is not None:
            progress(run.stop - run.start)
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
    rows = np.arange(run.start, run.stop)
    out = Scores.blank(len(rows), len(actions.names))
    tables: list[tuple[Table, Places]] = []
    for part in parts_of(actions):
        if not part.actionable:
            continue
        columns = np.array([actions.names.index(name) for name in part.names])
        lists = look_up(part, codes[run][:, columns], question)
        if question.method != "sample" and (lists.which >= 0).any():
            table = make_table(
                part,
                lists.which,
                lists.distinct,
                lists.reaches,
                question.interventions,
                door.wardrobe,
            )
            tables.append((table, columns[list(part.actionable)]))
        for some, draw in lists.draws(question):
            row_keys = keys()[rows[some]]
            for j in part.actionable:
                drawn = draw(j, row_keys)
                hits = count_drawn(door, part, rows[some], drawn)
                _note_drawn(out, some, columns[j], drawn, hits, question.alpha)
    counted, out.at_target[:] = count_hits(door, [table for table, _ in tables], rows)
    for (table, places), hits in zip(tables, counted, strict=True):
        _note_listed(out, table, places, hits)
    return out


@dataclass(frozen=True)
class Lists:
    """What is known of the changes of some rows on one part.

    `which` names each row's entry in `distinct` and `reaches`; it is -1 where a lone
    feature has too many changes to be looked up at all.
    """

    part: Part
    values: Numbers
    which: Places
    distinct: Numbers
    reaches: list[Reach]

    def draws(
        self, question: Question
    ) -> Iterator[tuple[Places, Callable[[int, Keys], Draw]]]:
        """The rows to draw for, each with how: a function of feature and keys."""
        how, n = question.interventions, question.n_samples
        refused = np.array([r.refused is not None for r in self.reaches], dtype=bool)
        alone = self.which < 0
        tied = ~alone
        if len(refused):
            tied &= refused[self.which]
        ways: list[tuple[NDArray[np.bool_], Any]] = [(tied, draw_tied)]
        if question.method == "sample":
            ways.append((~alone & ~tied, draw_listed))
        if alone.any():
            some = np.flatnonzero(alone)
            yield (
                some,
                lambda j, keys: draw_alone(self.part, self.values[some], keys, n),
            )
        for mask, draw in ways:
            if mask.any():
                rows = np.flatnonzero(mask)
                yield rows, partial(self._draw, draw, rows, how, n)

    def _draw(
        self, draw: Any, rows: Places, how: str, n: int, j: int, keys: Keys
    ) -> Draw:
        reaches = [self.reaches[w] for w in self.which[rows]]
        return draw(self.part, j, self.values[rows], reaches, how, keys, n)


def look_up(part: Part, values: Numbers, question: Question) -> Lists:
    """The complete lists of changes of some rows, where there are any."""
    which = np.full(len(values), -1, dtype=np.intp)
    looked = np.ones(len(values), dtype=bool)
    if stands_alone(part) and question.method in ("auto", "sample"):
        looked = ~is_drawn_from(part, values)
    first, which[looked] = distinct_rows(values[looked])
    distinct = values[looked][first]
    if question.method == "highs":
        reaches = [reach_by_solver(part, value) for value in distinct]
    else:
        reaches = shared_cache.get(part, distinct)
    if question.method in ("grid", "highs"):
        for reach in reaches:
            if reach.refused is not None:
                raise reach.refused
    return Lists(part, values, which, distinct, reaches)


def interventions_of(
    part: Part, feature: str, values: Numbers, keys: Keys, question: Question
) -> tuple[Numbers, bool]:
    """The interventions of one person on a feature, and whether that is all of them.

    The same ones that the person's score was computed from.
    """
    j = part.names.index(feature)
    if not part.features[j].actionable:
        return np.zeros((0, len(part.names))), True
    lists = look_up(part, values, question)
    for _, draw in lists.draws(question):
        drawn = draw(j, keys)
        return drawn.changes, bool(drawn.exact[0])
    reach = lists.reaches[lists.which[0]]
    return reach.changes[reach.interventions(j, question.interventions)], True


def _note_listed(out: Scores, table: Table, places: Places, hits: Places) -> None:
    rows = np.flatnonzero(table.which >= 0)
    sizes = table.sizes[table.which[rows]]
    where = np.ix_(rows, places)
    share = hits[rows] / np.maximum(sizes, 1)
    for array in (out.values, out.lower, out.upper):
        array[where] = share
    out.n_reachable[where] = sizes


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
