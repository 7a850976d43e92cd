"""Draw feasible changes that cannot be listed: real features, huge ranges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from skresp._typing import FloatArray
from skresp.constraints._program import row

from ._allowance import allowance
from ._configurations import (
    changes_without_reals,
    configuration_source,
    discrete_positions,
    find_configurations,
)
from ._deadline import LimitError
from ._interventions_by_amount import free_reals, minimal_by_amount, movable_reals
from ._own_changes import draw_own
from ._part import Part
from ._real_slice import Slice, draw_slice
from ._second_real import with_second_real
from ._solver_search import MAX_BY_SOLVER, MAX_SUPPORTS, Search
from ._stretches import Stretches, draw_points

# Draws of one score, or of one set of points, that fit in memory.
MOST_DRAWS = 100_000_000
# Proposals for each wanted point. After that the points drawn so far are returned.
TRIES_PER_POINT = 20
# Proposals that are made in any case where they are cheap.
MAX_REJECTED = 20_000
# Configurations that the solver lists before the grid is used, and where draws cannot
# be uniform anyway.
FEW_BY_SOLVER = 32


@dataclass(frozen=True)
class Sample:
    """Drawn total changes.

    Attributes
    ----------
    changes : array of shape (n_changes, n_features)
    tried : int
        The number of proposals.
    uniform : bool
        False where the draws come from a few feasible changes that do not represent
        the others, so that the share of those that reach the target says nothing.
    """

    changes: FloatArray
    tried: int
    uniform: bool = True


def sample_interventions(
    part: Part,
    before: FloatArray,
    j: int,
    n: int,
    rng: np.random.Generator,
    interventions: str,
) -> Sample:
    """Draw interventions on feature `j`, minimal or joint ones."""
    sample = sample_minimal if interventions == "minimal" else sample_joint
    return sample(part, before, j, n, rng)


def sample_minimal(
    part: Part, before: FloatArray, j: int, n: int, rng: np.random.Generator
) -> Sample:
    """Draw minimal interventions on feature `j`; its change is uniform.

    The other features stay where they are if that is feasible; otherwise the smallest
    sets that must move do. The solver is used only where other reals may have to move,
    and once for all draws of the same amount.
    """
    if part.stays(before, j):
        return Sample(np.zeros((0, len(before))), 0)
    draws = _MinimalDraws(Search(part, before), j, rng)
    tried = 0
    try:
        while len(draws.changes) < n and tried < TRIES_PER_POINT * n:
            size = _proposals(n - len(draws.changes))
            if not size:
                break
            amounts = _draw_change(draws.search, j, size, rng)
            tried += max(len(amounts), 1)
            draws.take(amounts)
        if not draws.changes and part.features[j].kind == "real":
            # Perhaps only single amounts are feasible, which no proposal hits.
            amounts, are_all = _extreme_changes(draws.search, j)
            draws.uniform &= are_all
            draws.take(rng.choice(amounts, size=n) if len(amounts) else amounts)
    except LimitError:
        pass
    return Sample(_stack(draws.changes, part), tried, draws.uniform)


def sample_at(
    part: Part,
    before: FloatArray,
    j: int,
    amount: float,
    n: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, bool]:
    """Draw minimal interventions on feature `j` with one change of it.

    The second value is whether there is none.
    """
    draws = _MinimalDraws(Search(part, before), j, rng)
    with suppress(LimitError):
        draws.take(np.full(n, amount))
        return _stack(draws.changes, part), draws.uniform and not draws.has_choices
    return _stack(draws.changes, part), False


class _MinimalDraws:
    """Minimal interventions on feature `j` that have been drawn."""

    def __init__(self, search: Search, j: int, rng: np.random.Generator) -> None:
        self.search, self.j, self.rng = search, j, rng
        self.grid = cache(partial(changes_without_reals, search.part, search.before))
        self.choices: dict[float, list[Choice]] = {}
        self.changes: list[FloatArray] = []
        self.uniform = True
        self.has_choices = False

    def take(self, proposed: FloatArray) -> None:
        """Draw an intervention for each proposed change of the feature, if any."""
        search, j = self.search, self.j
        amounts, wanted = np.unique(proposed, return_counts=True)
        by_amount = minimal_by_amount(search.part, search.before, j, amounts)
        more = with_second_real(search.part, search.before, j, by_amount, search)
        drawn: list[FloatArray | Stretches] = []
        try:
            # In random order, so that a limit does not favour small amounts.
            for i in self.rng.permutation(len(amounts)).tolist():
                known = by_amount.of(i)
                amount = float(amounts[i])
                if more.known[i]:
                    self.choices[amount] = [*known, *more.stretches[i]]
                elif amount not in self.choices:
                    self.choices[amount], all_of_them = _choices(
                        search, j, amount, known, self.grid, thorough=self.uniform
                    )
                    self.uniform &= all_of_them
                choices = self.choices[amount]
                self.has_choices |= bool(choices)
                _draw_choices(search, choices, int(wanted[i]), self.rng, drawn)
        finally:
            self.changes += draw_points(search.part, search.before, drawn, self.rng)


def _extreme_changes(search: Search, j: int) -> tuple[FloatArray, bool]:
    """Return the least and the largest change of a real that the solver finds.

    The second value is whether there is no other.
    """
    name = search.part.names[j]
    moves = row(search.program.changed(name), lower=1)
    change = search.program.change(name)
    ends = [search.find([moves], sign * change)[1] for sign in (1.0, -1.0)]
    totals = [search.part.total(own[None])[0, j] for own in ends if own is not None]
    amounts = np.unique(totals)
    return amounts[amounts != 0], len(amounts) == 1


def _proposals(wanted: int) -> int:
    """Return how many proposals the allowance permits, and spend them."""
    given = allowance()
    return 0 if given.deadline.is_over else given.spend_up_to(wanted)


def _draw_change(
    search: Search, j: int, n: int, rng: np.random.Generator
) -> FloatArray:
    """Draw total changes of feature `j` to try, uniform within its limits."""
    part = search.part
    if not part.links_into[j]:
        return draw_own(part.features[j], float(search.before[j]), n, rng, zero=False)
    # Effects may move it further than its own change can.
    low, high = search.program.bounds(search.program.change(part.names[j]))
    if part.features[j].kind == "real":
        return rng.uniform(low, high, size=n) if low < high else np.zeros(0)
    amounts = rng.integers(round(low), round(high) + 1, size=n).astype(float)
    return amounts[amounts != 0]


def sample_joint(
    part: Part, before: FloatArray, j: int | None, n: int, rng: np.random.Generator
) -> Sample:
    """Draw feasible changes, or only those that move feature `j`.

    Uniform over the discrete configurations, then over the real slice of each.
    """
    if j is not None and part.stays(before, j):
        return Sample(np.zeros((0, len(before))), 0)
    if not free_reals(part, before):
        return _sample_discrete(part, before, j, n, rng)
    reals = movable_reals(part, before)
    search = Search(part, before)
    changes: list[FloatArray] = []
    empty: set[tuple[tuple[int, float], ...]] = set()
    tried = 0
    try:
        propose = configuration_source(search, None if j in reals else j, rng)
    except LimitError:
        return Sample(_stack(changes, part), tried)
    while len(changes) < n and tried < TRIES_PER_POINT * n:
        proposals = [propose() for _ in range(_proposals(n - len(changes)))]
        tried += len(proposals)
        # Draws of the same configuration share its slice.
        wanted: dict[tuple[tuple[int, float], ...], int] = {}
        for fixed in proposals:
            if fixed is not None:
                key = tuple(fixed.items())
                wanted[key] = wanted.get(key, 0) + 1
        if not wanted:
            break
        try:
            for key, count in wanted.items():
                drawn = []
                if key not in empty:
                    region = Slice(dict(key), (), reals, moving=j)
                    drawn = draw_slice(search, region, count, rng)
                if not drawn:
                    empty.add(key)
                changes += [part.total(own[None])[0] for own in drawn]
        except LimitError:
            break
    uniform = True
    if not changes:
        changes, uniform = _solver_points(search, j, n, rng)
    order = rng.permutation(len(changes))
    return Sample(_stack([changes[i] for i in order], part), tried, uniform)


def _solver_points(
    search: Search, j: int | None, n: int, rng: np.random.Generator
) -> tuple[list[FloatArray], bool]:
    """Draw changes from the configurations that the solver finds.

    For regions that no proposal hits. The second value is whether these are all
    configurations, so that the draws are uniform.
    """
    part = search.part
    extra = []
    if j is not None:
        extra.append(row(search.program.changed(part.names[j]), lower=1))
    reals = movable_reals(part, search.before)
    # Without reals the solver would have listed the points themselves.
    most = MAX_BY_SOLVER if reals else FEW_BY_SOLVER
    changes: list[FloatArray] = []
    try:
        listed, complete = find_configurations(search, extra, most)
        choices: list[Choice] = [Slice(fixed, [], reals, moving=j) for fixed in listed]
        _draw_choices(search, choices, n, rng, changes)
        if not changes and j in reals:
            choices, complete = _at_extreme_changes(search, j, reals)
            _draw_choices(search, choices, n, rng, changes)
    except LimitError:
        complete = False
    return changes, complete


def _at_extreme_changes(
    search: Search, j: int, reals: Sequence[int]
) -> tuple[list[Choice], bool]:
    """Return slices for single changes of a real, and whether there are no others."""
    choices: list[Choice] = []
    amounts, complete = _extreme_changes(search, j)
    others = [k for k in reals if k != j]
    for value in (search.before[j] + amounts).tolist():
        at = [search.at(j, value)]
        listed, all_of_them = find_configurations(search, at, MAX_BY_SOLVER)
        complete &= all_of_them
        choices += [Slice(fixed | {j: value}, [], others) for fixed in listed]
    return choices, complete


def _sample_discrete(
    part: Part, before: FloatArray, j: int | None, n: int, rng: np.random.Generator
) -> Sample:
    """Draw uniformly from the feasible changes, by rejection from all own changes."""
    changes = np.zeros((0, len(part.names)))
    tried = 0
    least = 64
    while len(changes) < n and tried < max(TRIES_PER_POINT * n, MAX_REJECTED):
        size = _proposals(max(n - len(changes), least))
        if not size:
            break
        tried += size
        least = min(2 * least, 4_096)
        own = np.column_stack(
            [
                draw_own(feature, value, size, rng, zero=True)
                for feature, value in zip(part.features, before.tolist(), strict=True)
            ]
        )
        own = own[part.feasible(np.broadcast_to(before, own.shape), own)]
        change = part.total(own)
        if j is not None:
            change = change[change[:, j] != 0]
        changes = np.concatenate([changes, change])
    uniform = True
    if not len(changes):
        points, uniform = _solver_points(Search(part, before), j, n, rng)
        changes = _stack(points, part)
    return Sample(changes[:n], tried, uniform)


Choice = FloatArray | Slice | Stretches


def _choices(
    search: Search,
    j: int,
    amount: float,
    known: FloatArray,
    grid: Callable[[], FloatArray | None],
    *,
    thorough: bool,
) -> tuple[list[Choice], bool]:
    """Return the minimal interventions with one change of a feature.

    A choice is a total change (those `known` come first) or a slice, perhaps an empty
    one. The second value is whether these are all. Unless `thorough`, a few are enough.
    `grid` lists the changes of the discrete features.
    """
    part, before = search.part, search.before
    value = float(before[j] + amount)
    at = search.at(j, value)
    most = MAX_SUPPORTS if thorough else FEW_BY_SOLVER
    sets, complete = search.supports([at, *search.without(known)], most)
    reals = movable_reals(part, before)
    discrete = discrete_positions(search)
    choices: list[Choice] = list(known)
    for moving in sets:
        outside = [k for k in range(len(part.names)) if k not in moving]
        rows = [at, *(row(search.program.change(part.names[k]), 0, 0) for k in outside)]
        free = [k for k in reals if k in moving and k != j]
        held = [k for k in reals if k in outside]
        still = [
            k
            for k in outside
            if part.features[k].kind == "real"
            and part.links_into[k]
            and k not in reals
            and not np.isnan(before[k])
        ]
        fixed, all_of_them = find_configurations(search, rows, FEW_BY_SOLVER)
        if thorough and not all_of_them:
            listed = grid()
            if listed is None:
                fixed, all_of_them = find_configurations(search, rows, MAX_BY_SOLVER)
            else:
                fits = np.array([k in moving for k in discrete])
                same = ((listed[:, discrete] != 0) == fits).all(axis=1)
                if j in discrete:
                    same &= listed[:, j] == amount
                after = np.unique((before + listed[same])[:, discrete], axis=0)
                fixed = [dict(zip(discrete, v, strict=True)) for v in after.tolist()]
                all_of_them = True
        complete &= all_of_them
        choices += [
            Slice(values | {j: value}, held, free, still=still) for values in fixed
        ]
    return choices, complete


def _draw_choices(
    search: Search,
    choices: list[Choice],
    n: int,
    rng: np.random.Generator,
    changes: list[Any],
) -> None:
    """Draw changes uniformly from choices; fewer where a slice gives fewer.

    They are added to `changes`, so that those before a limit are kept. Empty slices are
    removed from `choices` in place, and others are drawn instead. Stretches are added
    as they are, for `draw_points`.
    """
    while n and choices:
        picks = [0] * n if len(choices) == 1 else rng.integers(len(choices), size=n)
        n = 0
        empty = set()
        for pick, count in Counter(map(int, picks)).items():
            choice = choices[pick]
            if not isinstance(choice, Slice):
                changes += [choice] * count
                continue
            drawn = draw_slice(search, choice, count, rng)
            changes += [search.part.total(own[None])[0] for own in drawn]
            if not drawn:
                empty.add(pick)
                n += count
        choices[:] = [c for i, c in enumerate(choices) if i not in empty]


def _stack(changes: Sequence[FloatArray], part: Part) -> FloatArray:
    """Return changes as an array of shape (n_changes, n_features)."""
    return np.array(changes, dtype=float).reshape(-1, len(part.names))
