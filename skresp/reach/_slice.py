"""Uniform draws from the real slice of a part: discrete values fixed, reals free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from skresp.constraints import Expression, Row, row

from ._outcome import Outcome
from ._part import Numbers
from ._search import Search
from ._solver import solve


class Slice(NamedTuple):
    """Reached values that are fixed, reals that are held, and reals that are free."""

    fixed: Mapping[int, float]
    held: Sequence[int]
    free: Sequence[int]


def draw_slice(
    search: Search, region: Slice, n: int, rng: np.random.Generator
) -> list[Numbers]:
    """Return own changes within a slice, uniform over its free reals.

    By rejection from the smallest box around the slice; where the slice is too thin
    for that, one real after the other within what the others leave. Fewer than `n`
    where nothing more is found.
    """
    part = search.part
    fixed, held, free = region
    rows = [search.at(k, value) for k, value in fixed.items()]
    rows += [row(search.program.change(part.names[k]), 0, 0) for k in held]
    boxes = {}
    for k in free:
        box = _range(search, rows, k)
        if box is None:
            return []
        boxes[k] = box
    found: list[Numbers] = []
    size = max(4 * n, 64) if free else n
    for _ in range(4):
        draws = {k: rng.uniform(*box, size=size) for k, box in boxes.items()}
        own = _complete(search, fixed, held, draws, size)
        ok = part.feasible(np.broadcast_to(search.before, own.shape), own)
        found += list(own[ok])
        if len(found) >= n:
            return found[:n]
        if not free or not found:
            break
    while len(found) < n:
        one = _draw_one_by_one(search, rows, free, rng)
        if one is None:
            break
        found.append(one)
    return found


def _draw_one_by_one(
    search: Search, rows: Sequence[Row], free: Sequence[int], rng: np.random.Generator
) -> Numbers | None:
    """One real after the other, each uniform within what those before it leave."""
    rows = list(rows)
    for k in rng.permutation(list(free)).tolist():
        box = _range(search, rows, k)
        if box is None:
            return None
        amount = rng.uniform(*box)
        rows.append(row(search.program.own(search.part.names[k]), amount, amount))
    outcome, own = search.find(rows, Expression())
    return own if outcome is Outcome.FEASIBLE else None


def _complete(
    search: Search,
    fixed: Mapping[int, float],
    held: Sequence[int],
    draws: Mapping[int, Numbers],
    n: int,
) -> Numbers:
    """Own changes from fixed reached values and drawn own changes, sources first."""
    part = search.part
    own = np.zeros((n, len(part.names)))
    change = np.zeros_like(own)
    for k in part.order:
        arriving = np.zeros(n)
        for source, scale in part.links_into[k]:
            arriving += scale * change[:, source]
        if k in draws:
            own[:, k] = draws[k]
        elif k in fixed and part.features[k].can_change:
            own[:, k] = fixed[k] - search.before[k] - arriving
        elif k in held:
            own[:, k] = -arriving
        change[:, k] = own[:, k] + arriving
    return own


def _range(search: Search, rows: Sequence[Row], k: int) -> tuple[float, float] | None:
    """The least and greatest own change of a real feature under the rows."""
    own = search.program.own(search.part.names[k])
    ends = []
    for sign in (1.0, -1.0):
        _, value = solve(search.program, rows, sign * own, own.value)
        if value is None:
            return None
        ends.append(value)
    return min(ends), max(ends)
