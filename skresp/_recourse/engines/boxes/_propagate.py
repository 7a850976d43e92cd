"""Cut values off a box that no feasible change reaches.

A box has intervals of own changes and reached values, and sets of positions. What is
cut off is infeasible even with the tolerance that constraints have for rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skresp._numba import compiled_part, copied_part
from skresp._typing import FloatArray

from ._forest import Box, has_position, position_bit
from ._rules import AT_LEAST, AT_MOST, IN, INTEGER, NOT_IN, REAL, Rules

# The tolerance of constraints, relative to values of at least 1 (`Feature`).
SLACK = 1e-9
_MAX_ROUNDS = 20
# An interval that shrinks by less than this share is not worth another round.
_WORTHWHILE = 0.01
# What a rule does to a box: nothing, too little for another round, enough for one.
# These are bits, so that those of several rules can be joined.
_NOTHING, _LITTLE, _MUCH = 0, 1, 2
_EMPTY = -1


@compiled_part
def propagate(
    rules: Rules,
    low: FloatArray,
    high: FloatArray,
    words: NDArray[np.uint64],
    open_parts: NDArray[np.bool_],
) -> bool:
    """Shrink a box, in place; return False where nothing is left of it.

    Parameters
    ----------
    low, high : array of shape (2 * n_variables,)
        Own changes, then reached values.
    words : array of shape (n_views, n_words), uint64
    open_parts : array of shape (n_parts,), bool
        The parts whose rules may shrink the box, updated. Parts do not depend on each
        other: the rules of one that did nothing do nothing again until the box is
        smaller there.
    """
    n = len(rules.kind)
    box = Box(low[n:], high[n:], words)
    for _ in range(_MAX_ROUNDS):
        is_worthwhile = False
        for p in range(len(open_parts)):
            if not open_parts[p]:
                continue
            done = _NOTHING
            for kind in range(rules.part_start.shape[1]):
                first = rules.part_start[p, kind]
                for i in range(first, rules.part_start[p + 1, kind]):
                    if kind == 0:
                        change = _own(rules, i, low, high)
                    elif kind == 1:
                        change = _row(rules, i, low, high)
                    elif kind == 2:
                        change = _view(rules, rules.view_order[i], box)
                    elif kind == 3:
                        change = _implication(rules, i, box)
                    elif kind == 4:
                        change = _keeps(rules, i, box)
                    else:
                        change = _list(rules, i, box)
                    if change == _EMPTY:
                        return False
                    done |= change
            open_parts[p] = done != _NOTHING
            is_worthwhile |= done & _MUCH != 0
        if not is_worthwhile:
            break
    return True


@compiled_part
def _tighten(low: FloatArray, high: FloatArray, c: int, a: float, b: float) -> int:
    """Intersect an interval with another one.

    Returns what that did to the interval.
    """
    width, change = high[c] - low[c], _NOTHING
    if a > low[c]:
        low[c], change = a, _LITTLE
    if b < high[c]:
        high[c], change = b, _LITTLE
    if low[c] > high[c]:
        return _EMPTY
    return _MUCH if high[c] - low[c] < (1.0 - _WORTHWHILE) * width else change


@copied_part
def _own(rules: Rules, k: int, low: FloatArray, high: FloatArray) -> int:
    """Shrink an own change to 0 and its range; that of an integer to whole numbers.

    Ends of intervals are rounded outward before, so no tolerance is needed here.
    """
    n = len(rules.kind)
    a, b = max(low[k], rules.own_low[k]), min(high[k], rules.own_high[k])
    if rules.kind[k] == INTEGER:
        a = np.ceil(a / rules.step[k]) * rules.step[k]
        b = np.floor(b / rules.step[k]) * rules.step[k]
    if low[k] <= 0.0 <= high[k]:
        if a > b:
            a = b = 0.0
        a, b = min(a, 0.0), max(b, 0.0)
    done = _tighten(low, high, k, a, b)
    if done == _EMPTY or rules.kind[k] == REAL:
        return done
    a, b = np.ceil(low[n + k]), np.floor(high[n + k])
    change = _tighten(low, high, n + k, a, b)
    return _EMPTY if change == _EMPTY else done | change


@copied_part
def _row(rules: Rules, r: int, low: FloatArray, high: FloatArray) -> int:
    """Shrink the intervals of a weighted sum with limits."""
    first, last = rules.row_start[r], rules.row_start[r + 1]
    least = most = size = 0.0
    for i in range(first, last):
        c, weight = rules.row_column[i], rules.row_weight[i]
        a, b = weight * low[c], weight * high[c]
        least += min(a, b)
        most += max(a, b)
        size += max(abs(a), abs(b))
    # The second term is for the rounding of these sums themselves.
    slack = rules.row_slack[r] * max(rules.row_least[r], size) + 1e-14 * size
    lower, upper = rules.row_lower[r] - slack, rules.row_upper[r] + slack
    if least > upper or most < lower:
        return _EMPTY
    done = _NOTHING
    if least >= lower and most <= upper:
        return done
    for i in range(first, last):
        c, weight = rules.row_column[i], rules.row_weight[i]
        a, b = weight * low[c], weight * high[c]
        # What the others leave for this one.
        p = (lower - (most - max(a, b)) - 1e-14 * size) / weight
        q = (upper - (least - min(a, b)) + 1e-14 * size) / weight
        change = _tighten(low, high, c, min(p, q), max(p, q))
        if change == _EMPTY:
            return _EMPTY
        done |= change
    return done


@compiled_part
def _view(rules: Rules, v: int, box: Box) -> int:
    """Match the positions of a view with the interval of its variable."""
    low, high, words = box
    k = rules.view_variable[v]
    a, b = np.inf, -np.inf
    done = _NOTHING
    for p in range(rules.view_low.shape[1]):
        if not has_position(words[v], p):
            continue
        if rules.view_low[v, p] <= high[k] and rules.view_high[v, p] >= low[k]:
            a = min(a, rules.view_low[v, p])
            b = max(b, rules.view_high[v, p])
        else:
            words[v, p // 64] &= ~position_bit(p)
            done = _MUCH
    change = _tighten(low, high, k, a, b)
    return _EMPTY if change == _EMPTY else done | change


@compiled_part
def _slack(rules: Rules, k: int, low: FloatArray, high: FloatArray) -> float:
    """Return the tolerance of conditions on a variable."""
    if rules.kind[k] != REAL:
        return 0.0
    return SLACK * max(1.0, max(abs(low[k]), abs(high[k])))


@compiled_part
def _is_named(rules: Rules, i: int, value: float) -> bool:
    """Return whether a value is one of those that a condition names."""
    for q in range(rules.condition_start[i], rules.condition_start[i + 1]):
        if rules.condition_value[q] == value:
            return True
    return False


@compiled_part
def holds(rules: Rules, i: int, box: Box) -> int:
    """Return whether a condition is true in a box: 1 always, 0 never, 2 sometimes."""
    low, high, words = box
    k, op = rules.condition_variable[i], rules.condition_op[i]
    first, last = rules.condition_start[i], rules.condition_start[i + 1]
    slack = _slack(rules, k, low, high)
    if op == AT_MOST:
        value = rules.condition_value[first]
        return 1 if high[k] <= value else (0 if low[k] > value + slack else 2)
    if op == AT_LEAST:
        value = rules.condition_value[first]
        return 1 if low[k] >= value else (0 if high[k] < value - slack else 2)
    some = other = False
    v = rules.label_view[k]
    if v >= 0:
        for p in range(rules.view_low.shape[1]):
            if has_position(words[v], p):
                inside = _is_named(rules, i, rules.view_low[v, p])
                some |= inside
                other |= not inside
    else:
        other = low[k] < high[k]
        inside = False
        for q in range(first, last):
            value = rules.condition_value[q]
            some |= low[k] - slack <= value <= high[k] + slack
            inside |= low[k] == value
        # A value that is equal up to the tolerance may be either.
        other |= not inside
    if op == NOT_IN:
        some, other = other, some
    if some and other:
        return 2
    return 1 if some else 0


@compiled_part
def _enforce(rules: Rules, i: int, wanted: bool, box: Box) -> int:
    """Shrink a box to where a condition is true, or to where it is false."""
    low, high, words = box
    k, op = rules.condition_variable[i], rules.condition_op[i]
    if op in (AT_MOST, AT_LEAST):
        return _enforce_limit(rules, i, wanted, box)
    among = (op == IN) == wanted
    if rules.label_view[k] >= 0:
        return _enforce_labels(rules, i, among, words[rules.label_view[k]])
    first, last = rules.condition_start[i], rules.condition_start[i + 1]
    real = rules.kind[k] == REAL
    slack = _slack(rules, k, low, high)
    if among:
        a, b = np.inf, -np.inf
        for q in range(first, last):
            value = rules.condition_value[q]
            if low[k] - slack <= value <= high[k] + slack:
                a, b = min(a, value - slack), max(b, value + slack)
        return _tighten(low, high, k, a, b)
    done = _NOTHING
    for q in range(first, last):
        value = rules.condition_value[q]
        if not real and low[k] == value:
            done = _MUCH
            low[k] += 1.0
        if not real and high[k] == value:
            done = _MUCH
            high[k] -= 1.0
        if low[k] > high[k]:
            return _EMPTY
    return done


@compiled_part
def _enforce_limit(rules: Rules, i: int, wanted: bool, box: Box) -> int:
    """Shrink a box by a condition "at most" or "at least" that is true, or false."""
    low, high = box.lower, box.upper
    k = rules.condition_variable[i]
    value = rules.condition_value[rules.condition_start[i]]
    slack = _slack(rules, k, low, high)
    real = rules.kind[k] == REAL
    if (rules.condition_op[i] == AT_MOST) == wanted:  # at most, or less than
        end = value + slack if wanted else np.ceil(value) - 1.0
        if not wanted and real:
            end = value
        return _tighten(low, high, k, -np.inf, end)
    end = value - slack if wanted else np.floor(value) + 1.0
    if not wanted and real:
        end = value
    return _tighten(low, high, k, end, np.inf)


@compiled_part
def _enforce_labels(
    rules: Rules, i: int, among: bool, words: NDArray[np.uint64]
) -> int:
    """Keep the positions that a condition names, or those that it does not name."""
    v = rules.label_view[rules.condition_variable[i]]
    done, left = _NOTHING, 0
    for p in range(rules.view_low.shape[1]):
        if has_position(words, p):
            if _is_named(rules, i, rules.view_low[v, p]) == among:
                left += 1
            else:
                words[p // 64] &= ~position_bit(p)
                done = _MUCH
    return done if left else _EMPTY


@compiled_part
def _implication(rules: Rules, i: int, box: Box) -> int:
    """Shrink a box by an implication."""
    if_, then = rules.if_then[i]
    first = holds(rules, if_, box)
    if first == 0:
        return _NOTHING
    second = holds(rules, then, box)
    if first == 1 and second == 0:
        return _EMPTY
    if first == 1 and second == 2:
        return _enforce(rules, then, True, box)
    if first == 2 and second == 0:
        return _enforce(rules, if_, False, box)
    return _NOTHING


@compiled_part
def _keeps(rules: Rules, i: int, box: Box) -> int:
    """Shrink a box by a condition under which a variable keeps its value."""
    low, high = box.lower, box.upper
    condition, k = rules.switch[i]
    value = rules.before[k]
    on = holds(rules, condition, box)
    moved = value < low[k] or value > high[k]
    if on == 1:
        return _EMPTY if moved else _tighten(low, high, k, value, value)
    if on == 2 and moved:
        return _enforce(rules, condition, False, box)
    return _NOTHING


@compiled_part
def is_open(rules: Rules, i: int, option: int, box: Box) -> bool:
    """Return whether an option of list `i` lies in a box."""
    low, high, words = box
    for j in range(rules.list_variables.shape[1]):
        k = rules.list_variables[i, j]
        if k < 0:
            break
        value = rules.list_values[option, j]
        if value < low[k] or value > high[k]:
            return False
        v = rules.label_view[k]
        if v >= 0:
            found = False
            for p in range(rules.view_low.shape[1]):
                if rules.view_low[v, p] == value:
                    found |= has_position(words[v], p)
            if not found:
                return False
    return True


@compiled_part
def _list(rules: Rules, i: int, box: Box) -> int:
    """Shrink a box to the options of a list that lie in it."""
    low, high, words = box
    most = rules.list_variables.shape[1]
    a, b = np.full(most, np.inf), np.full(most, -np.inf)
    left = np.zeros((most, words.shape[1]), dtype=np.uint64)
    some = False
    for option in range(rules.list_start[i], rules.list_start[i + 1]):
        if not is_open(rules, i, option, box):
            continue
        some = True
        for j in range(most):
            k = rules.list_variables[i, j]
            if k < 0:
                break
            value = rules.list_values[option, j]
            a[j], b[j] = min(a[j], value), max(b[j], value)
            v = rules.label_view[k]
            if v >= 0:
                for p in range(rules.view_low.shape[1]):
                    if rules.view_low[v, p] == value:
                        left[j, p // 64] |= position_bit(p)
    if not some:
        return _EMPTY
    done = _NOTHING
    for j in range(most):
        k = rules.list_variables[i, j]
        if k < 0:
            break
        change = _tighten(low, high, k, a[j], b[j])
        if change == _EMPTY:
            return _EMPTY
        done |= change
        v = rules.label_view[k]
        if v >= 0:
            for w in range(words.shape[1]):
                if words[v, w] & ~left[j, w]:
                    words[v, w] &= left[j, w]
                    done = _MUCH
    return done
