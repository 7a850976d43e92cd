"""Drawing from reachable sets that cannot be listed: real features, huge ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from skresp.constraints import Expression, Row, row

from ._allowance import allowance
from ._deadline import LimitError
from ._outcome import Outcome
from ._own import own_changes, own_count
from ._part import Numbers, Part
from ._search import Search
from ._solver import solve

# Proposals for each point wanted, before the answer is what was found so far.
TRIES_PER_POINT = 20
# Discrete configurations of a part with reals that are told apart.
MOST_CONFIGURATIONS = 1_000
# Smallest sets of partners, and configurations of each, that one draw chooses among.
MOST_SUPPORTS_DRAWN = 32


@dataclass(frozen=True)
class Sample:
    """Total changes drawn, and how many proposals that took."""

    changes: Numbers
    tried: int


def draw_own(
    part: Part, before: Numbers, k: int, n: int, rng: np.random.Generator, *, zero: bool
) -> Numbers:
    """Own changes of feature `k`, uniform within its limits, 0 among them or not."""
    feature, value = part.features[k], float(before[k])
    count = own_count(feature, value)
    if np.isinf(count):
        return rng.uniform(*feature.own_limits(value), size=n)
    if count <= 1 and not zero:
        return np.zeros(0)
    if feature.kind != "integer":
        moves = own_changes(feature, value)
        return rng.choice(moves if zero else moves[1:], size=n)
    step = feature.step or 1
    low, high = feature.own_limits(value)
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    if count <= 1:
        return np.zeros(n)
    within = first <= 0 <= last
    if zero and not within:  # 0 stands apart from the range: give it its one place
        places = rng.integers(first - 1, last + 1, size=n)
        return step * np.where(places < first, 0.0, places)
    if zero:
        return step * rng.integers(first, last + 1, size=n).astype(float)
    places = rng.integers(first, last + (0 if within else 1), size=n)
    return step * np.where(within & (places >= 0), places + 1, places).astype(float)


def sample_minimal(
    part: Part, before: Numbers, j: int, n: int, rng: np.random.Generator
) -> Sample:
    """Minimal interventions on feature `j`: its change is uniform, the rest follows.

    The other features stay where they are if that is feasible; otherwise the
    smallest sets that must move do.
    """
    search = Search(part, before)
    found: list[Numbers] = []
    tried = 0
    settled = part.leads_alone(j)
    while len(found) < n and tried < TRIES_PER_POINT * n:
        size = _proposals(n - len(found))
        if not size:
            break
        amounts = _draw_change(search, j, size, rng)
        tried += max(len(amounts), 1)
        own = np.zeros((len(amounts), len(part.names)))
        own[:, j] = amounts
        alone = np.zeros(len(amounts), dtype=bool)
        if settled:
            alone = part.feasible(np.broadcast_to(before, own.shape), own)
        for i in range(len(amounts)):
            if alone[i]:
                found.append(part.total(own[i : i + 1])[0])
                continue
            try:
                change = _minimal_draw(search, j, before[j] + amounts[i], rng)
            except LimitError:
                return Sample(_stack(found, part), tried)
            if change is not None:
                found.append(change)
    return Sample(_stack(found, part), tried)


def _proposals(wanted: int) -> int:
    """Return how many proposals to make, and take them off the allowance.

    As many as are wanted, or as the allowance has left.
    """
    given = allowance()
    size = int(min(wanted, given.points))
    if given.deadline.is_over:
        return 0
    given.spend(size)
    return size


def _draw_change(search: Search, j: int, n: int, rng: np.random.Generator) -> Numbers:
    """Total changes of feature `j` to try, uniform within what its limits allow."""
    part = search.part
    if not part.links_into[j]:
        return draw_own(part, search.before, j, n, rng, zero=False)
    # What arrives from elsewhere may carry it further than its own change can.
    low, high = search.program.bounds(search.program.change(part.names[j]))
    if part.features[j].kind == "real":
        return rng.uniform(low, high, size=n) if low < high else np.zeros(0)
    amounts = rng.integers(round(low), round(high) + 1, size=n).astype(float)
    return amounts[amounts != 0]


def sample_joint(
    part: Part, before: Numbers, j: int | None, n: int, rng: np.random.Generator
) -> Sample:
    """Feasible changes (that move feature `j`): uniform over the discrete
    configurations, then uniform over the real slice of each."""
    reals = _free_reals(part, before)
    if not reals:
        return _sample_discrete(part, before, j, n, rng)
    search = Search(part, before)
    found: list[Numbers] = []
    tried = 0
    try:
        propose = _configuration_source(search, None if j in reals else j, rng)
    except LimitError:
        return Sample(_stack(found, part), tried)
    while len(found) < n and tried < TRIES_PER_POINT * n:
        proposals = [propose() for _ in range(_proposals(n - len(found)))]
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
                for own in _draw_slice(search, dict(key), (), reals, count, rng):
                    change = part.total(own[None])[0]
                    if j is None or change[j] != 0:
                        found.append(change)
        except LimitError:
            break
    order = rng.permutation(len(found))
    return Sample(_stack([found[i] for i in order], part), tried)


def _free_reals(part: Part, before: Numbers) -> list[int]:
    return [
        k
        for k, feature in enumerate(part.features)
        if feature.kind == "real" and np.isinf(own_count(feature, float(before[k])))
    ]


def _configuration_source(
    search: Search, j: int | None, rng: np.random.Generator
) -> Callable[[], dict[int, float] | None]:
    """Something that proposes discrete reached values, uniform over the feasible ones.

    From their list while they are few; else any combination of own changes, which the
    real slice then accepts or not.
    """
    part, before = search.part, search.before
    discrete = _discrete(search)
    counts = [own_count(part.features[k], float(before[k])) for k in discrete]
    if math.prod(counts) <= MOST_CONFIGURATIONS:
        extra: list[Row] = []
        if j is not None:
            extra.append(row(search.program.changed(part.names[j]), lower=1))
        listed = _configurations(search, extra)
        return lambda: listed[rng.integers(len(listed))] if listed else None

    def propose() -> dict[int, float]:
        own = np.zeros((1, len(before)))
        for k in discrete:
            own[0, k] = draw_own(part, before, k, 1, rng, zero=True)[0]
        after = before + part.total(own)[0]
        return {k: float(after[k]) for k in discrete}

    return propose


def _discrete(search: Search) -> list[int]:
    return [
        k
        for k, feature in enumerate(search.part.features)
        if feature.kind != "real" and not np.isnan(search.before[k])
    ]


def _sample_discrete(
    part: Part, before: Numbers, j: int | None, n: int, rng: np.random.Generator
) -> Sample:
    """Uniform over the feasible changes, by rejection from all own changes."""
    found = np.zeros((0, len(part.names)))
    tried = 0
    while len(found) < n and tried < TRIES_PER_POINT * n:
        size = _proposals(max(n - len(found), 64))
        if not size:
            break
        tried += size
        own = np.column_stack(
            [
                draw_own(part, before, k, size, rng, zero=True)
                for k in range(len(before))
            ]
        )
        own = own[part.feasible(np.broadcast_to(before, own.shape), own)]
        change = part.total(own)
        if j is not None:
            change = change[change[:, j] != 0]
        found = np.concatenate([found, change])
    return Sample(found[:n], tried)


def _minimal_draw(
    search: Search, j: int, value: float, rng: np.random.Generator
) -> Numbers | None:
    part = search.part
    at = row(search._at(j, value), 0, 0)
    supports, _ = search.supports([at], MOST_SUPPORTS_DRAWN)
    reals = _free_reals(part, search.before)
    choices: list[tuple[dict[int, float], list[int], list[int]]] = []
    for support in supports:
        outside = [k for k in range(len(part.names)) if k not in support]
        still = [row(search.program.change(part.names[k]), 0, 0) for k in outside]
        free = [k for k in reals if k in support and k != j]
        held = [k for k in reals if k in outside]
        for fixed in _configurations(search, [at, *still], MOST_SUPPORTS_DRAWN):
            choices.append((fixed | {j: value}, held, free))
    if not choices:
        return None
    fixed, held, free = choices[rng.integers(len(choices))]
    drawn = _draw_slice(search, fixed, held, free, 1, rng)
    return part.total(drawn[0][None])[0] if drawn else None


def _configurations(
    search: Search, extra: Sequence[Row], most: int = MOST_CONFIGURATIONS
) -> list[dict[int, float]]:
    """The feasible combinations of discrete reached values, at most `most` of them."""
    part, program = search.part, search.program
    discrete = _discrete(search)
    cuts = list(extra)
    found: list[dict[int, float]] = []
    while len(found) < most:
        _, own = search.find(cuts, Expression())
        if own is None:
            break
        after = search.before + part.total(own[None])[0]
        found.append({k: float(after[k]) for k in discrete})
        if not discrete:
            break
        same = program.agreement({part.names[k]: after[k] for k in discrete})
        cuts.append(row(same, upper=len(discrete) - 1))
    return found


def _draw_slice(
    search: Search,
    fixed: Mapping[int, float],
    held: Sequence[int],
    free: Sequence[int],
    n: int,
    rng: np.random.Generator,
) -> list[Numbers]:
    """Own changes with some reached values fixed, some reals held and others uniform.

    By rejection from the smallest box around the slice; where the slice is too thin
    for that, one real after the other within what the others leave. Fewer than `n`
    where nothing more is found.
    """
    part = search.part
    rows = [row(search._at(k, value), 0, 0) for k, value in fixed.items()]
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


def _stack(found: Sequence[Numbers], part: Part) -> Numbers:
    return np.array(found, dtype=float).reshape(-1, len(part.names))
