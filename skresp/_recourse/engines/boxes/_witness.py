"""A promising feasible point of a box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._actions._feature import ROUNDING_AT_BOUNDS
from skresp._numba import compiled_part
from skresp._typing import FloatArray

from ._channels import Channels, Slopes
from ._forest import Box, has_position, position_bit
from ._propagate import SLACK, holds, is_open
from ._rules import INTEGER, REAL, Rules
from ._slabs import Slabs

# Rounds of moving values back into the limits of weighted sums.
_MAX_REPAIRS = 10
# Distance from the end of an interval, relative to the values there.
_INSIDE = 1e-9
# As in `Part`: effects that are cancelled up to this share leave 0.
_CANCELLED = 1e-12


class Point(NamedTuple):
    """A change of a person.

    Attributes
    ----------
    own, reached : array of shape (n_variables,)
        Own changes and reached values; lists have no own changes.
    position : array of shape (n_views,), int64
    option : array of shape (n_lists,), int64
        The option of each list.
    aim : array of shape (2, n_variables)
        The interval that each reached value should be in.
    aimed : array of shape (n_variables,), bool
        Whether the aim matters.
    words : array of shape (n_views, n_words), uint64
        Room for one set of positions.
    """

    own: FloatArray
    reached: FloatArray
    position: NDArray[np.int64]
    option: NDArray[np.int64]
    aim: FloatArray
    aimed: NDArray[np.bool_]
    words: NDArray[np.uint64]

    @classmethod
    def empty(cls, variables: int, views: int, words: int, lists: int) -> Point:
        """Return room for a point."""
        return cls(
            np.zeros(variables),
            np.zeros(variables),
            np.zeros(views, dtype=np.int64),
            np.zeros(lists, dtype=np.int64),
            np.zeros((2, variables)),
            np.zeros(variables, dtype=bool),
            np.zeros((views, words), dtype=np.uint64),
        )


@compiled_part
def aim_at_box(
    rules: Rules,
    slopes: Slopes,
    channels: Channels,
    low: FloatArray,
    high: FloatArray,
    words: NDArray[np.uint64],
    point: Point,
) -> None:
    """Aim at a box, on the better side of linear terms."""
    n = len(rules.kind)
    for k in range(n):
        point.aim[0, k], point.aim[1, k] = low[n + k], high[n + k]
        point.aimed[k] = False
        if slopes.moves[k]:
            rise = 0.0
            for c in range(slopes.slope.shape[1]):
                for r in range(len(channels.offset)):
                    weight = abs(channels.coefficient[r, c] * channels.slope[c])
                    rise += weight * slopes.slope[k, c]
            point.aimed[k] = True
            if rise > 0:
                point.aim[0, k] = point.aim[1, k]
            else:
                point.aim[1, k] = point.aim[0, k]
    for v in range(len(rules.view_variable)):
        point.words[v] = words[v]


@compiled_part
def aim_at_slabs(rules: Rules, high: FloatArray, slabs: Slabs, point: Point) -> None:
    """Aim at the best slab of each column within a box."""
    n = len(rules.kind)
    for c in range(len(slabs.many)):
        if slabs.many[c] == 0:
            continue
        best = 0
        for s in range(slabs.many[c]):
            if slabs.gap[c, s] > slabs.gap[c, best]:
                best = s
        if c < n:
            if point.aim[0, c] == point.aim[1, c] and point.aimed[c]:
                # The better end of a linear term, within the slab.
                end = min(slabs.edges[c, best], point.aim[1, c])
                point.aim[0, c] = point.aim[1, c] = end
                if best and end <= slabs.edges[c, best - 1]:
                    point.aim[0, c] = np.nextafter(slabs.edges[c, best - 1], np.inf)
                    point.aim[1, c] = min(slabs.edges[c, best], high[n + c])
            else:
                if best:
                    edge = np.nextafter(slabs.edges[c, best - 1], np.inf)
                    point.aim[0, c] = max(point.aim[0, c], edge)
                point.aim[1, c] = min(point.aim[1, c], slabs.edges[c, best])
            point.aimed[c] = True
        else:
            v = c - n
            for w in range(point.words.shape[1]):
                point.words[v, w] &= slabs.groups[v, best, w]
            point.aimed[rules.view_variable[v]] = True


@compiled_part
def _wanted(rules: Rules, k: int, point: Point) -> float:
    """Return the value within the aim of a variable that is nearest to the current."""
    a, b = point.aim[0, k], point.aim[1, k]
    x = rules.before[k]
    for v in range(len(rules.view_variable)):
        if rules.view_variable[v] != k:
            continue
        # The nearest piece that is left.
        nearest, low, high = np.inf, a, b
        for p in range(rules.view_low.shape[1]):
            if not has_position(point.words[v], p):
                continue
            low_p = max(a, rules.view_low[v, p])
            high_p = min(b, rules.view_high[v, p])
            if low_p <= high_p:
                away = max(0.0, max(low_p - x, x - high_p))
                if away < nearest:
                    nearest, low, high = away, low_p, high_p
        a, b = low, high
    if a <= x <= b:
        return x
    inside = 0.0
    if rules.kind[k] == REAL:
        inside = min((b - a) / 2, _INSIDE * max(1.0, max(abs(a), abs(b))))
    return a + inside if x < a else b - inside


@compiled_part
def _allowed(
    own: float, low: float, high: float, own_low: float, own_high: float, step: float
) -> float:
    """Return the own change within limits that is nearest to a wanted one.

    From `low` to `high` in a box, and from `own_low` to `own_high` apart from 0. Of an
    integer it is a multiple of `step`, of anything else `step` is 0.
    """
    # Numbers, not `Rules`: this is called for every variable, and a call would copy
    # the tuple.
    a, b = max(low, own_low), min(high, own_high)
    zero = low <= 0.0 <= high
    if a > b:
        return 0.0
    out = min(max(own, a), b)
    if step:
        out = np.rint(out / step) * step
        if out < a:
            out += step
        if out > b:
            out -= step
        if out < a:
            return 0.0
    if zero and abs(own) <= abs(own - out):
        return 0.0
    return out


@compiled_part
def _effect_on(rules: Rules, k: int, change: FloatArray) -> float:
    """Return the effect on a variable."""
    effect = 0.0
    for i in range(rules.link_start[k], rules.link_start[k + 1]):
        effect += rules.link_scale[i] * change[rules.link_source[i]]
    return effect


@compiled_part
def _reach(rules: Rules, point: Point, change: FloatArray) -> None:
    """Compute the reached values of own changes, as `Part.total` does."""
    for k in rules.order:
        change[k] = point.own[k]
        size = abs(point.own[k])
        for i in range(rules.link_start[k], rules.link_start[k + 1]):
            effect = rules.link_scale[i] * change[rules.link_source[i]]
            change[k] += effect
            size += abs(effect)
        many = rules.link_start[k + 1] > rules.link_start[k]
        if many and rules.kind[k] == REAL and abs(change[k]) <= _CANCELLED * size:
            change[k] = 0.0
        bounds = rules.bound_low[k], rules.bound_high[k]
        point.reached[k] = _after(rules.before[k], change[k], bounds)


@compiled_part
def _after(before: float, change: float, bounds: tuple[float, float]) -> float:
    """Return the value of a variable after a change, as `snap_to` does."""
    # Without the rules as a parameter: each call would copy the whole tuple.
    after = before + change
    if change != 0.0:
        for bound in bounds:
            size = max(abs(before), abs(bound))
            if abs(after - bound) <= ROUNDING_AT_BOUNDS * size:  # not for NaN
                after = bound
    return after


@compiled_part
def settle(
    rules: Rules,
    low: FloatArray,
    high: FloatArray,
    words: NDArray[np.uint64],
    slabs: Slabs,
    point: Point,
    middle: bool,
) -> bool:
    """Find a feasible point of a box near its aim; return whether there is one.

    With `middle`, reals go to the middle of their own changes instead, away from the
    borders of the box. Constraints that have no form in `rules` are not checked.
    """
    n = len(rules.kind)
    box = Box(low[n:], high[n:], words)
    change = np.zeros(n)
    for i in range(len(rules.list_start) - 1):
        if not _choose_option(rules, i, box, slabs, point):
            return False
    for k in rules.order:
        effect = own = 0.0
        if rules.link_start[k + 1] > rules.link_start[k]:
            effect = _effect_on(rules, k, change)
        if point.aimed[k] or rules.label_view[k] >= 0:
            own = _wanted(rules, k, point) - rules.before[k] - effect
        if middle and rules.kind[k] == REAL:
            own = (low[k] + high[k]) / 2
        step = rules.step[k] if rules.kind[k] == INTEGER else 0.0
        limits = rules.own_low[k], rules.own_high[k]
        point.own[k] = _allowed(own, low[k], high[k], *limits, step)
        change[k] = point.own[k] + effect
    _reach(rules, point, change)
    for _ in range(_MAX_REPAIRS):
        if not _repair(rules, low, high, point):
            break
        _reach(rules, point, change)
    return _is_feasible(rules, point)


@compiled_part
def _choose_option(rules: Rules, i: int, box: Box, slabs: Slabs, point: Point) -> bool:
    """Choose the option of a list whose values are in the best slabs."""
    best, found = -np.inf, -1
    n = len(rules.kind)
    for option in range(rules.list_start[i], rules.list_start[i + 1]):
        if not is_open(rules, i, option, box):
            continue
        value = 0.0
        for j in range(rules.list_variables.shape[1]):
            k = rules.list_variables[i, j]
            if k < 0:
                break
            x = rules.list_values[option, j]
            for c in range(len(slabs.many)):
                if c == k or (c >= n and rules.view_variable[c - n] == k):
                    value += _slab_gap(rules, slabs, c, n, x)
            if point.aimed[k] and slabs.many[k] == 0:
                width = abs(box.upper[k] - box.lower[k])
                value -= abs(x - point.aim[0, k]) / (1.0 + width)
        if value > best:
            best, found = value, option
    if found < 0:
        return False
    point.option[i] = found
    for j in range(rules.list_variables.shape[1]):
        k = rules.list_variables[i, j]
        if k < 0:
            break
        point.own[k] = 0.0
        point.reached[k] = rules.list_values[found, j]
    return True


@compiled_part
def _slab_gap(rules: Rules, slabs: Slabs, c: int, n: int, x: float) -> float:
    """Return the bound of the slab that a value is in; 0 without slabs."""
    m = slabs.many[c]
    if m == 0:
        return 0.0
    if c < n:
        for s in range(m):
            if x <= slabs.edges[c, s]:
                return slabs.gap[c, s]
        return slabs.gap[c, m - 1]
    p = position_of(rules, c - n, x)
    for s in range(m):
        if p >= 0 and has_position(slabs.groups[c - n, s], p):
            return slabs.gap[c, s]
    return 0.0


@compiled_part
def position_of(rules: Rules, v: int, x: float) -> int:
    """Return the position of a value in a view; -1 where it has none."""
    for p in range(rules.view_low.shape[1]):
        if rules.view_low[v, p] <= x <= rules.view_high[v, p]:
            return p
    return -1


@compiled_part
def _repair(rules: Rules, low: FloatArray, high: FloatArray, point: Point) -> bool:
    """Move own changes towards the limits of weighted sums; return whether any moved.

    Rows with own changes are effects, which hold by construction.
    """
    n = len(rules.kind)
    moved = False
    for r in range(len(rules.row_lower)):
        first, last = rules.row_start[r], rules.row_start[r + 1]
        if rules.row_column[first] < n:
            continue
        total = 0.0
        for i in range(first, last):
            total += rules.row_weight[i] * point.reached[rules.row_column[i] - n]
        off = min(max(total, rules.row_lower[r]), rules.row_upper[r]) - total
        # Values that the score does not aim at move first.
        for some in range(2):
            for i in range(first, last):
                k = rules.row_column[i] - n
                if off == 0.0 or point.aimed[k] != (some == 1):
                    continue
                own = point.own[k] + off / rules.row_weight[i]
                step = rules.step[k] if rules.kind[k] == INTEGER else 0.0
                limits = rules.own_low[k], rules.own_high[k]
                own = _allowed(own, low[k], high[k], *limits, step)
                if own != point.own[k]:
                    off -= rules.row_weight[i] * (own - point.own[k])
                    point.own[k] = own
                    moved = True
    return moved


@compiled_part
def _is_feasible(rules: Rules, point: Point) -> bool:
    """Return whether a point satisfies the rules, and note its positions."""
    n = len(rules.kind)
    for v in range(len(rules.view_variable)):
        p = position_of(rules, v, point.reached[rules.view_variable[v]])
        if p < 0:
            return False
        point.position[v] = p
        point.words[v] = 0
        point.words[v, p // 64] = position_bit(p)
    for r in range(len(rules.row_lower)):
        first, last = rules.row_start[r], rules.row_start[r + 1]
        if rules.row_column[first] < n:
            continue
        total = size = 0.0
        for i in range(first, last):
            added = rules.row_weight[i] * point.reached[rules.row_column[i] - n]
            total += added
            size += abs(added)
        slack = 0.5 * rules.row_slack[r] * max(rules.row_least[r], size)
        if total < rules.row_lower[r] - slack or total > rules.row_upper[r] + slack:
            return False
    z = point.reached
    here = Box(z, z, point.words)
    for i in range(len(rules.if_then)):
        if holds(rules, rules.if_then[i, 0], here) != 0:
            if holds(rules, rules.if_then[i, 1], here) != 1:
                return False
    for i in range(len(rules.switch)):
        k = rules.switch[i, 1]
        if z[k] != rules.before[k]:
            if holds(rules, rules.switch[i, 0], here) != 0:
                return False
    return _is_accompanied(rules, point)


@compiled_part
def _is_accompanied(rules: Rules, point: Point) -> bool:
    """Return whether what is mutable only moves along with something actionable."""
    for k in rules.order:
        if rules.role[k] == 2 and point.own[k] != 0.0:
            acted = False
            for j in rules.order:
                if rules.part[j] == rules.part[k] and rules.role[j] == 1:
                    acted |= abs(point.own[j]) > SLACK * max(1.0, abs(rules.before[j]))
            if not acted:
                return False
    return True


@compiled_part
def lies_in(
    low: FloatArray, high: FloatArray, words: NDArray[np.uint64], point: Point
) -> bool:
    """Return whether the reached values of a point lie in a box."""
    n = len(point.reached)
    for k in range(n):
        if point.reached[k] < low[n + k] or point.reached[k] > high[n + k]:
            return False
    for v in range(len(point.position)):
        if not has_position(words[v], point.position[v]):
            return False
    return True
