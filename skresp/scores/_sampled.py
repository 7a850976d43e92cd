"""Scores from samples, for people whose changes cannot be listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import (
    Part,
    Reach,
    TooLargeError,
    allow,
    cannot_move,
    list_by_solver,
    list_minimal,
    sample_joint,
    sample_minimal,
)

from ._alone import own_ranges
from ._door import Door, Segment
from ._dress import Numbers
from ._listed import Places, chunks, new_values
from ._lists import Lists, Question
from ._stream import Keys, feature_keys, generator, uniforms

# Draws that the model is asked about even where the time is up.
_LAST_DRAWS = 500


@dataclass(frozen=True)
class Draw:
    """Interventions of some rows, one row after the other: `counts[i]` of the i-th.

    Where `exact`, they are all there are; else they were drawn.
    """

    counts: Places
    before: Numbers
    changes: Numbers
    exact: NDArray[np.bool_]

    @classmethod
    def of(
        cls, values: Numbers, found: Sequence[Numbers], exact: bool | list[bool]
    ) -> Draw:
        """From one array of changes a row."""
        counts = np.array([len(changes) for changes in found], dtype=np.intp)
        return cls(
            counts,
            np.repeat(values, counts, axis=0),
            np.concatenate([np.zeros((0, values.shape[1])), *found]),
            np.broadcast_to(exact, len(values)),
        )


def draw_alone(part: Part, values: Numbers, keys: Keys, n: int) -> Draw:
    """Uniform changes of a feature that stands alone, `n` for each row."""
    feature = part.features[0]
    low, high = own_ranges(feature, values[:, 0])
    u = uniforms(feature_keys(keys, part.names[0]), n)
    if feature.kind == "real":
        change = low[:, None] + (high - low)[:, None] * u
    else:
        within = (low <= 0) & (high >= 0)  # 0 is no change and is left out
        places = np.floor(u * (high - low + 1 - within)[:, None]) + low[:, None]
        places += within[:, None] & (places >= 0)
        change = places * (feature.step or 1)
    return Draw(
        np.full(len(values), n, dtype=np.intp),
        np.repeat(values, n, axis=0),
        change.reshape(-1, 1),
        np.zeros(len(values), dtype=bool),
    )


def draw_listed(
    part: Part,
    values: Numbers,
    reaches: Sequence[Reach],
    question: Question,
    j: int,
    keys: Keys,
) -> Draw:
    """Interventions drawn from complete lists."""
    u = uniforms(feature_keys(keys, part.names[j]), question.n_samples)
    found = []
    for i, reach in enumerate(reaches):
        pool = reach.interventions(j, question.interventions)
        picks = (u[i] * len(pool)).astype(np.intp) if len(pool) else []
        found.append(reach.changes[pool[picks]])
    return Draw.of(values, found, False)


def draw_tied(
    part: Part,
    values: Numbers,
    reaches: Sequence[Reach],
    question: Question,
    j: int,
    keys: Keys,
) -> Draw:
    """Interventions in parts that the grid cannot list, person by person.

    They are listed while they are few, which may take half of the points of the score,
    and drawn elsewhere. Where the time ends, what has been drawn for the first person
    counts.
    """
    how, n = question.interventions, question.n_samples
    found: list[Numbers] = []
    exact: list[bool] = []
    for x, reach, key in zip(
        values, reaches, feature_keys(keys, part.names[j]), strict=True
    ):
        question.deadline.check()
        left, half = question.points, question.points // 2
        with allow(question.deadline, half) as given:
            changes = _list_tied(part, x, reach, how, j)
        is_exact = changes is not None
        if changes is None:
            sample = sample_minimal if how == "minimal" else sample_joint
            spent = half - given.points if half < np.inf else 0
            with allow(question.deadline, left - spent):
                drawn = sample(part, x, j, n, generator(key))
                changes = drawn.changes
                is_exact = not len(changes) and cannot_move(part, x, j)
            if not drawn.uniform:
                changes = changes[:0]  # their share would say nothing
            if not len(changes) and not is_exact:
                question.deadline.check()  # no time is no answer
        exact.append(is_exact)
        found.append(changes)
    if len(values) > 1:
        question.deadline.check()
    return Draw.of(values, found, exact)


def _list_tied(
    part: Part, x: Numbers, reach: Reach, how: str, j: int
) -> Numbers | None:
    """Return all interventions of one person on a feature, None where too many."""
    if np.isnan(x[j]):
        return np.zeros((0, len(x)))  # what is missing stays missing
    if how == "minimal" and not part.links_into[j]:
        return list_minimal(part, x, j)
    if isinstance(reach.refused, TooLargeError):
        return list_by_solver(part, x, j, how)
    return None


Drawer = Callable[[int, Places, Keys], Draw]


def draws(lists: Lists, question: Question) -> Iterator[tuple[Places, Drawer]]:
    """The rows to draw for, each time with how.

    The second is a function of the feature, of positions among these rows and of
    their keys.
    """
    part = lists.part
    alone = lists.which < 0
    tied = ~alone & lists.valid
    if len(lists.refused):
        tied &= lists.refused[lists.which]
    listed = ~alone & ~tied & lists.valid
    if alone.any():
        rows = np.flatnonzero(alone)
        yield rows, partial(_draw_alone, part, lists.values[rows], question.n_samples)
    ways: list[tuple[NDArray[np.bool_], Any]] = [(tied, draw_tied)]
    if question.method == "sample":
        ways.append((listed, draw_listed))
    for mask, draw in ways:
        if mask.any():
            rows = np.flatnonzero(mask)
            yield rows, partial(_draw, draw, lists, rows, question)


def _draw_alone(
    part: Part, values: Numbers, n: int, j: int, some: Places, keys: Keys
) -> Draw:
    return draw_alone(part, values[some], keys, n)


def _draw(
    draw: Any,
    lists: Lists,
    rows: Places,
    question: Question,
    j: int,
    some: Places,
    keys: Keys,
) -> Draw:
    reaches = [lists.reaches[w] for w in lists.which[rows[some]]]
    return draw(lists.part, lists.values[rows[some]], reaches, question, j, keys)


def count_drawn(
    door: Door, part: Part, rows: Places, draw: Draw
) -> tuple[Places, Places]:
    """How many of each row's draws reach the target, of how many.

    With a limit to the time some draws may be left out. The first of them are always
    asked about: drawing them took the time.
    """
    hits = np.zeros(len(rows), dtype=np.intp)
    asked = np.zeros(len(rows), dtype=np.intp)
    ends = np.cumsum(draw.counts)
    for chunk in chunks(draw.counts, door):
        counts = draw.counts[chunk]
        first = ends[chunk.start] - draw.counts[chunk.start]
        total = int(counts.sum())
        if door.deadline.is_over:
            if chunk.start:
                break
            total = min(total, _LAST_DRAWS)
        points = slice(int(first), int(first) + total)
        new = new_values(part, draw.before[points], draw.changes[points], door.wardrobe)
        owner = np.repeat(np.arange(chunk.start, chunk.stop), counts)[:total]
        reached, answered = door.ask_some(
            rows[owner], [Segment(0, total, new)], final=total <= _LAST_DRAWS
        )
        owner = owner[:answered]
        hits += np.bincount(owner, reached[:answered], len(rows)).astype(np.intp)
        asked += np.bincount(owner, minlength=len(rows))
    return hits, asked
