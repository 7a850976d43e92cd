"""Branch and bound over tables, for engines whose scores are sums of table cells.

A person chooses one option of each part. A table holds what the options of a few parts
add to the scores; prefix maxima of the tables bound every completion of a partial
choice.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from skresp._numba import compiled_part
from skresp._recourse._status import Proof, Status
from skresp._typing import FloatArray, IndexArray, IntArray

from ._base import EngineResult, EngineRun

# Maximum number of parts in one search: the parts of a table are bits of an integer.
MAX_PARTS = 62
# Maximum number of choices close to the decision threshold that are sent to the model.
MAX_CLOSE = 4_096
# Up to this many options of a part are sorted by insertion.
_FEW = 32


class SearchMode(IntEnum):
    """What a search looks for."""

    BEST = 0  # the choice with the greatest least score
    ALL = 1  # all choices whose scores are at least the wanted gain
    CHEAPEST = 2  # the cheapest of these


class Goal(NamedTuple):
    """Mode and limits of a search, as numbers for kernels.

    `wanted_gain` is used in modes ALL and CHEAPEST. In mode BEST a search ends at a
    value above `enough`. `max_steps` limits the nodes.
    """

    mode: int
    wanted_gain: float
    enough: float
    max_steps: int


class Tables(NamedTuple):
    """Sums over the combinations of few parts or groups each.

    Attributes
    ----------
    masks : array of shape (max_tables,)
        The parts of each table, as bits.
    offsets : array of shape (max_tables + 1,)
        Where the cells of each table begin; the last part varies fastest.
    cells : array of shape (max_cells, n_scores)
    levels : array of shape (max_tables, n_parts + 1)
        `levels[t, l]` is where the maxima of table `t` over all but its first `l`
        parts begin in `maxima`.
    maxima : array of shape (n_maxima, n_scores)
    """

    masks: IntArray
    offsets: IntArray
    cells: FloatArray
    levels: IntArray
    maxima: FloatArray


class SearchResult(NamedTuple):
    """The result of a search for one person.

    `choice` are the choices found, one row each; `value` is the least gap of the best,
    `nodes` the number of nodes, `done` whether the search finished.
    """

    choice: IndexArray
    value: float
    nodes: int
    done: bool


class TableRun(EngineRun):
    """A run of an engine that searches over tables."""

    def search(
        self, i: int, mode: SearchMode, wanted_gain: float, max_steps: int
    ) -> SearchResult:
        """Search choices of options of one person."""
        raise NotImplementedError  # pragma: no cover

    def cost_of(self, choice: IndexArray) -> FloatArray:
        """Return the costs of choices of options."""
        each = [cost[choice[:, p]] for p, cost in enumerate(self.costs)]
        return np.stack(each, axis=1).sum(axis=1)

    def note_joint(
        self, out: EngineResult, people: IndexArray, choice: IndexArray
    ) -> None:
        """Note witnesses that change several features.

        Where the options of a person are incomplete, a single change that works may be
        missing, so the person is `possible` only.
        """
        out.choice[people] = choice
        out.note(people, Status.JOINT, Proof.WITNESS)
        out.note(people[~self.covers_all[people]], Status.POSSIBLE, Proof.WITNESS)

    def settle_close(
        self, out: EngineResult, people: IndexArray, tolerance: FloatArray
    ) -> None:
        """Decide people whose best gap is within the rounding error of 0.

        `tolerance` are the rounding errors of all people of the run.
        """
        found: dict[int, SearchResult] = {}
        for i in people.tolist():
            if self.budget.deadline.is_over:
                break
            # Half of the points to find choices, half to evaluate them.
            max_steps = (self.budget.max_points - int(out.used[i])) // 2
            wanted_gain = -float(tolerance[i])
            found[i] = self.search(i, SearchMode.ALL, wanted_gain, max_steps)
            out.used[i] += found[i].nodes + len(found[i].choice)
            waiting = sum(len(each.choice) for each in found.values())
            # With a time limit, what was found is decided at once.
            if waiting > MAX_CLOSE or self.budget.deadline.is_limited:
                self._evaluate(out, found)
                found = {}
        self._evaluate(out, found)

    def _evaluate(self, out: EngineResult, found: dict[int, SearchResult]) -> None:
        """Decide people by evaluating choices near the threshold with `predict`.

        All in one call: each costs as much as thousands of points for some models.
        """
        if not found:
            return
        counts = [len(each.choice) for each in found.values()]
        choices = np.concatenate([each.choice for each in found.values()])
        reached = self.reaches_target(np.repeat(list(found), counts), choices)
        each_reached = np.split(reached, np.cumsum(counts)[:-1])
        for (i, each), ok in zip(found.items(), each_reached, strict=True):
            if ok.any():
                choice = each.choice[ok]
                best = np.argmin(self.cost_of(choice))
                self.note_joint(out, np.array([i]), choice[[best]])
                out.cheapest[i] = each.done and self.priced[i]
            elif each.done and self.covers_all[i]:
                out.note(i, Status.FIXED, Proof.EXHAUSTION)
            else:
                proof = Proof.INCOMPLETE if each.done else Proof.OUT_OF_BUDGET
                out.note(i, Status.UNKNOWN, proof)


@compiled_part
def prefix_maxima(table_arrays, tables, sizes):  # type: ignore[no-untyped-def]
    """Compute the maxima of tables over all but their first parts.

    `tables` is the number of tables, `sizes` the number of choices of each part or
    group; `levels` and `maxima` are set.
    """
    masks, offsets, cells, levels, maxima = table_arrays
    scores = cells.shape[1]
    end = 0
    dims = np.empty(len(sizes), np.int64)
    for t in range(tables):
        depth = 0
        for a in range(len(sizes)):
            if masks[t] >> a & 1:
                dims[depth] = sizes[a]
                depth += 1
        size = offsets[t + 1] - offsets[t]
        levels[t, depth] = end
        for k in range(size):
            for r in range(scores):
                maxima[end + k, r] = cells[offsets[t] + k, r]
        below = end
        end += size
        for level in range(depth - 1, -1, -1):
            width = dims[level]
            size //= width
            levels[t, level] = end
            for k in range(size):
                for r in range(scores):
                    most = maxima[below + k * width, r]
                    for o in range(1, width):
                        most = max(most, maxima[below + k * width + o, r])
                    maxima[end + k, r] = most
            below = end
            end += size


@compiled_part
def _tables_of_parts(masks, tables, parts):  # type: ignore[no-untyped-def]
    """Return the tables that each part occurs in, and their number."""
    many = np.zeros(parts, np.int64)
    member = np.empty((parts, max(tables, 1)), np.int64)
    for a in range(parts):
        for t in range(tables):
            if masks[t] >> a & 1:
                member[a, many[a]] = t
                many[a] += 1
    return member, many


@compiled_part
def _sort(keys, order):  # type: ignore[no-untyped-def]
    """Set `order` to the positions of keys in ascending order; equal ones stay."""
    if len(keys) > _FEW:
        order[: len(keys)] = np.argsort(keys, kind="mergesort")
        return
    for o in range(len(keys)):
        k = o
        while k > 0 and keys[order[k - 1]] > keys[o]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = o


@compiled_part
def branch(  # type: ignore[no-untyped-def]
    goal,
    table_arrays,
    tables,
    sizes,
    opening,
    cost,
    start,
    best_value,
    best_cost,
    chosen,
    found,
    found_count,
    meter,
):
    """Choose an option of each part in turn; prune what cannot be better.

    Parameters
    ----------
    goal : Goal
    table_arrays : Tables
        With prefix maxima; `tables` is their number.
    sizes : array of shape (n_parts,)
        The number of options of each part.
    opening : array of shape (n_scores,)
        What the scores start from.
    cost, start : arrays
        The costs of options; those of part `a` begin at `start[a]`.
    best_value, best_cost : float
        What a choice must beat.
    chosen : array of shape (n_parts,)
        Gets the best choice.
    found : array of shape (n_room, n_parts)
        Gets the choices in mode ALL, from row `found_count` on.
    meter : see `run_until`

    Returns
    -------
    nodes used, best value, best cost, number of choices found, whether the search
    finished, whether `chosen` was set
    """
    mode, wanted_gain, enough, max_steps = goal
    masks, _, _, levels, maxima = table_arrays
    scores = len(opening)
    parts = len(sizes)
    widest = 1
    for a in range(parts):
        widest = max(widest, sizes[a])
    index = np.zeros((parts + 1, max(tables, 1)), np.int64)
    level = np.zeros((parts + 1, max(tables, 1)), np.int64)
    current = np.zeros((parts + 1, scores))
    spent = np.zeros(parts + 1)
    bounds = np.empty((parts, widest, scores))
    least = np.empty((parts, widest))
    order = np.empty((parts, widest), np.int64)
    keys = np.empty(widest)
    tried = np.zeros(parts, np.int64)
    pick = np.zeros(parts, np.int64)
    for r in range(scores):
        current[0, r] = opening[r]
        for t in range(tables):
            current[0, r] += maxima[levels[t, 0], r]
    member, many = _tables_of_parts(masks, tables, parts)
    nodes = 0
    changed = False
    depth = 0
    fresh = True
    while depth >= 0:
        if depth == parts:
            value = np.inf
            for r in range(scores):
                value = min(value, current[depth, r])
            if mode == SearchMode.BEST:
                if value > best_value:
                    best_value = value
                    changed = True
                    for a in range(parts):
                        chosen[a] = pick[a]
                    if value > enough:
                        return nodes, best_value, best_cost, found_count, True, True
            elif value >= wanted_gain:
                if mode == SearchMode.ALL:
                    if found_count == len(found):
                        return nodes, best_value, best_cost, found_count, False, changed
                    for a in range(parts):
                        found[found_count, a] = pick[a]
                    found_count += 1
                elif spent[depth] < best_cost:
                    best_cost = spent[depth]
                    best_value = value
                    changed = True
                    for a in range(parts):
                        chosen[a] = pick[a]
            depth -= 1
            fresh = False
            continue
        a = depth
        if fresh:
            meter[0] += tables + sizes[a] * (many[a] + 2) * scores
            if nodes >= max_steps or meter[0] > meter[1]:
                return nodes, best_value, best_cost, found_count, False, changed
            nodes += 1
            for o in range(sizes[a]):
                for r in range(scores):
                    bounds[a, o, r] = current[depth, r]
            for k in range(many[a]):
                t = member[a, k]
                here = levels[t, level[depth, t]] + index[depth, t]
                there = levels[t, level[depth, t] + 1] + index[depth, t] * sizes[a]
                for o in range(sizes[a]):
                    for r in range(scores):
                        bounds[a, o, r] += maxima[there + o, r] - maxima[here, r]
            for o in range(sizes[a]):
                worst = np.inf
                for r in range(scores):
                    worst = min(worst, bounds[a, o, r])
                least[a, o] = worst
                keys[o] = -worst
                if mode == SearchMode.CHEAPEST:
                    keys[o] = cost[start[a] + o]
            _sort(keys[: sizes[a]], order[a])
            tried[a] = 0
        if tried[a] == sizes[a]:
            depth -= 1
            fresh = False
            continue
        o = order[a, tried[a]]
        tried[a] += 1
        fresh = False
        if mode == SearchMode.BEST:
            if least[a, o] <= best_value:
                tried[a] = sizes[a]  # the others have lower bounds
                continue
        else:
            if least[a, o] < wanted_gain:
                continue
            if mode == SearchMode.CHEAPEST:
                price = spent[depth] + cost[start[a] + o]
                if price >= best_cost:
                    tried[a] = sizes[a]  # the others cost more
                    continue
                spent[depth + 1] = price
        pick[a] = o
        for r in range(scores):
            current[depth + 1, r] = bounds[a, o, r]
        for t in range(tables):
            index[depth + 1, t] = index[depth, t]
            level[depth + 1, t] = level[depth, t]
        for k in range(many[a]):
            t = member[a, k]
            index[depth + 1, t] = index[depth, t] * sizes[a] + o
            level[depth + 1, t] += 1
        depth += 1
        fresh = True
    return nodes, best_value, best_cost, found_count, True, changed
