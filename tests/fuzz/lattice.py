"""The meanings once more, on arrays: what a person can reach, by plain enumeration.

Shared with nothing in the package. Discrete features take every value; reals take the
points of a lattice of `STEP`, which is finer than the values that models are fitted on.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from skresp import constraints as c

STEP = 0.125
MOST = 60_000


class TooManyPointsError(Exception):
    """A case is too large to be enumerated."""


def is_missing(value):
    return value is None or (isinstance(value, float) and value != value)


def own_values(feature, value):
    """Every value that an own change may land on, the current one first."""
    mutable = feature.actionable if feature.mutable is None else feature.mutable
    if not mutable or is_missing(value):
        return [value]
    if feature.kind == "categorical":
        listed = feature.categories
        if feature.direction is None:
            return [value, *(v for v in listed if v != value)]
        if value not in listed:
            return [value]
        at = listed.index(value)
        rest = listed[at + 1 :] if feature.direction == "increase" else listed[:at]
        return [value, *rest]
    if feature.kind == "binary":
        low, high, step = 0, 1, 1
    else:
        low, high = feature.lower, feature.upper
        step = (feature.step or 1) if feature.kind == "integer" else STEP
    most_up = np.inf if feature.max_increase is None else feature.max_increase
    most_down = np.inf if feature.max_decrease is None else feature.max_decrease
    if feature.direction == "increase":
        most_down = 0
    if feature.direction == "decrease":
        most_up = 0
    first, last = np.ceil((low - value) / step), np.floor((high - value) / step)
    changes = np.arange(first, last + 1) * step
    changes = changes[(changes != 0) & (changes <= most_up) & (changes >= -most_down)]
    return [value, *(value + changes).tolist()]


def components(actions):
    """Lists of features that joint constraints tie together."""
    group = {name: {name} for name in actions.names}
    for rule in actions.constraints:
        joined = set().union(*(group[name] for name in features_of(rule)))
        for name in joined:
            group[name] = joined
    seen, out = set(), []
    for name in actions.names:
        if name not in seen:
            seen |= group[name]
            out.append([n for n in actions.names if n in group[name]])
    return out


def features_of(rule):
    if isinstance(rule, c.Linkage):
        return [rule.source, *(name for name, _ in rule.effects)]
    if isinstance(rule, c.IfThen):
        return [rule.if_.feature, rule.then.feature]
    if isinstance(rule, c.Switch):
        return [rule.switch, *rule.targets]
    if isinstance(rule, c.Linear):
        return [name for name, _ in rule.terms]
    return list(rule.features)


@dataclass
class Options:
    """What a person can reach on one part: new values by feature; staying put first.

    `own` marks the features with an own change, `moved` those that differ.
    """

    names: list
    values: dict
    own: np.ndarray
    moved: np.ndarray

    def __len__(self):
        return len(self.own)

    def single(self, actions, feature, how):
        """Mark the interventions on a feature."""
        j = self.names.index(feature)
        if not actions.features[feature].actionable:
            return np.zeros(len(self), dtype=bool)
        out = self.moved[:, j].copy()
        if how == "joint":
            return out
        weights = 1 << np.arange(len(self.names))
        sets = self.moved @ weights
        value = self.values[feature]
        for level in set(value[out].tolist()):
            here = np.flatnonzero(out & (value == level))
            kinds = np.unique(sets[here])
            for k in kinds:
                if any(o != k and (o & k) == o for o in kinds):
                    out[here[sets[here] == k]] = False
        return out


def options_on(actions, names, row):
    """All that a person can reach on one part."""
    rules = [r for r in actions.constraints if set(features_of(r)) <= set(names)]
    held = {n for n in names if is_missing(row[n])}
    for rule in rules:
        if not isinstance(rule, c.Linkage) and held & set(features_of(rule)):
            # Only values that are missing as the row stands count.
            if any(is_missing(row[n]) for n in features_of(rule)):
                held = held | set(features_of(rule))
    lists = [
        [row[n]] if is_missing(row[n]) else own_values(actions.features[n], row[n])
        for n in names
    ]
    if np.prod([float(len(each)) for each in lists]) > MOST:
        raise TooManyPointsError
    grid = np.indices([len(each) for each in lists]).reshape(len(names), -1)
    own = (grid != 0).T
    snap_to_bounds = {
        n: np.array(each, dtype=object)[at]
        if actions.features[n].kind == "categorical" or is_missing(row[n])
        else np.array(each, dtype=float)[at]
        for n, each, at in zip(names, lists, grid, strict=True)
    }
    after = _with_effects(actions, names, row, snap_to_bounds)
    moved = np.array(
        [
            np.zeros(len(own), dtype=bool) if is_missing(row[n]) else after[n] != row[n]
            for n in names
        ]
    ).T
    ok = np.ones(len(own), dtype=bool)
    for k, n in enumerate(names):
        f = actions.features[n]
        if f.kind == "binary" and not is_missing(row[n]):
            ok &= (after[n] == 0) | (after[n] == 1)
        if n in held:
            # It keeps its value; an own change may take back what arrives.
            ok &= ~moved[:, k]
    leads = np.array([actions.features[n].actionable for n in names])
    ok &= ~own[:, ~leads].any(axis=1) | own[:, leads].any(axis=1)
    for rule in rules:
        if isinstance(rule, c.Linkage) or not any(
            is_missing(row[n]) for n in features_of(rule)
        ):
            ok &= rule_ok(rule, actions.features, row, after)
    if not ok[0]:
        return None  # the row breaks a constraint as it stands
    return Options(names, {n: v[ok] for n, v in after.items()}, own[ok], moved[ok])


def _with_effects(actions, names, row, snap_to_bounds):
    """Add what follows along linkages; it passes through a value that is missing."""
    numbers = [n for n in names if actions.features[n].kind != "categorical"]
    many = len(next(iter(snap_to_bounds.values())))
    change = {
        n: np.zeros(many) if is_missing(row[n]) else snap_to_bounds[n] - row[n]
        for n in numbers
    }
    effects = [
        (r.source, name, scale)
        for r in actions.constraints
        if isinstance(r, c.Linkage) and r.source in names
        for name, scale in r.effects
    ]
    done: dict = {}

    def total(n):
        if n not in done:
            out = change[n]
            for source, target, scale in effects:
                if target == n:
                    out = out + scale * total(source)
            done[n] = out
        return done[n]

    def reached(n):
        lands = is_missing(row[n]) or not any(target == n for _, target, _ in effects)
        return snap_to_bounds[n] if lands else row[n] + total(n)

    return {n: reached(n) for n in names}


def _holds(condition, after):
    value = after[condition.feature]
    match condition.op:
        case "<=":
            return (value <= condition.value).astype(bool)
        case ">=":
            return (value >= condition.value).astype(bool)
        case "==":
            return value == condition.value
        case "!=":
            return value != condition.value
        case "in":
            return np.logical_or.reduce([value == v for v in condition.value])


def _one_way(direction, before, after):
    if direction == "increase":
        return after >= before
    if direction == "decrease":
        return after <= before
    return np.ones(np.shape(after), dtype=bool)


def rule_ok(rule, features, row, after):
    """Whether one joint constraint holds at each reached point."""
    if isinstance(rule, c.OneHot):
        on = sum(after[n] for n in rule.features)
        return on <= rule.limit if rule.at_most else on == rule.limit
    if isinstance(rule, c.Ordinal):
        on = sum(after[n] for n in rule.features)
        places = range(1, len(rule.features) + 1)
        level = sum(i * after[n] for i, n in zip(places, rule.features, strict=True))
        was = sum(i * row[n] for i, n in zip(places, rule.features, strict=True))
        fine = (on == 1) if rule.exhaustive else (on <= 1)
        return fine & _one_way(rule.direction, was, level)
    if isinstance(rule, c.Thermometer):
        marks = [after[n] for n in rule.features]
        fine = np.logical_and.reduce(
            [a >= b for a, b in itertools.pairwise(marks)] or [marks[0] == marks[0]]
        )
        was = sum(row[n] for n in rule.features)
        return fine & _one_way(rule.direction, was, sum(marks))
    if isinstance(rule, c.Reachability):
        now = list(zip(*(after[n].tolist() for n in rule.features), strict=True))
        was = tuple(row[n] for n in rule.features)
        values = [tuple(v) for v in rule.values]
        if was not in values:
            return np.zeros(len(now), dtype=bool)
        matrix = rule.reachable
        allowed = {
            v
            for k, v in enumerate(values)
            if matrix is None or matrix[values.index(was)][k]
        }
        return np.array([v in allowed for v in now], dtype=bool)
    if isinstance(rule, c.Linkage):
        ok = np.ones(len(after[rule.source]), dtype=bool)
        for n, _ in rule.effects:
            f = features[n]
            if not rule.keep_bounds or is_missing(row[n]):
                continue
            low, high = (0, 1) if f.kind == "binary" else (f.lower, f.upper)
            stays = after[n] == row[n]
            if low is not None:
                ok &= stays | (after[n] >= low)
            if high is not None:
                ok &= stays | (after[n] <= high)
        return ok
    if isinstance(rule, c.IfThen):
        return ~_holds(rule.if_, after) | _holds(rule.then, after)
    if isinstance(rule, c.Switch):
        moved = np.logical_or.reduce([after[n] != row[n] for n in rule.targets])
        on = after[rule.switch] == rule.on_value
        ok = ~on | ~moved
        if rule.force_change:
            ok &= on | moved | (after[rule.switch] == row[rule.switch])
        return ok
    if isinstance(rule, c.Linear):
        value = sum(w * after[n] for n, w in rule.terms)
        ok = np.ones(len(value), dtype=bool)
        if rule.lower is not None:
            ok &= value >= rule.lower
        if rule.upper is not None:
            ok &= value <= rule.upper
        return ok
    raise AssertionError(rule)


def own_changes(actions, row, after):
    """The own change of each number behind a reached row."""
    numbers = [n for n, f in actions.features.items() if f.kind != "categorical"]
    effects = [
        (r.source, name, scale)
        for r in actions.constraints
        if isinstance(r, c.Linkage)
        for name, scale in r.effects
    ]

    def arriving(n):
        return sum(scale * total(source) for source, to, scale in effects if to == n)

    def total(n):
        return arriving(n) if is_missing(row[n]) else after[n] - row[n]

    return {n: 0.0 if is_missing(row[n]) else total(n) - arriving(n) for n in numbers}


def allowed(actions, row, after, slack=1e-7):
    """What keeps a person from getting from one row to the other; None if nothing."""
    changes = own_changes(actions, row, after)
    for names in components(actions):
        rules = [r for r in actions.constraints if set(features_of(r)) <= set(names)]
        own, moved = {}, {}
        for n in names:
            f = actions.features[n]
            if is_missing(row[n]) or f.kind == "categorical":
                same = is_missing(row[n]) and is_missing(after[n])
                moved[n] = own[n] = not same and after[n] != row[n]
                if own[n] and after[n] not in own_values(f, row[n]):
                    return f"{n}: {row[n]} to {after[n]}"
                continue
            moved[n] = after[n] != row[n]
            change = changes[n]
            own[n] = abs(change) > slack
            if own[n] and not _own_allowed(f, row[n], change, slack):
                return f"{n}: own change {change} from {row[n]}"
            if f.kind == "binary" and after[n] not in (0, 1):
                return f"{n}: {after[n]} is not binary"
            if f.kind == "integer" and after[n] != round(after[n]):
                return f"{n}: {after[n]} is no integer"
        # A change leads others where it is more than rounding, however small.
        lead = any(
            actions.features[n].actionable and (own[n] or _leads(changes, row, n))
            for n in names
        )
        if not lead and any(own.values()):
            return f"{names}: moves without an actionable feature"
        for r in rules:
            gone = [n for n in features_of(r) if is_missing(row[n])]
            if gone and not isinstance(r, c.Linkage):
                if any(moved[n] for n in features_of(r)):
                    return f"{r}: moves beside a missing value"
            elif not _rule_allowed(r, actions.features, row, after, slack):
                return f"{r} is broken"
    return None


def _leads(changes, row, n):
    if n not in changes or is_missing(row[n]):
        return False
    return abs(changes[n]) > 5e-12


def _own_allowed(f, value, change, slack):
    mutable = f.actionable if f.mutable is None else f.mutable
    if not mutable or is_missing(value):
        return False
    if f.kind in ("binary", "integer"):
        nearest = min(own_values(f, value), key=lambda v: abs(v - value - change))
        return abs(nearest - value - change) <= slack
    up = np.inf if f.max_increase is None else f.max_increase
    down = np.inf if f.max_decrease is None else f.max_decrease
    if f.direction == "increase":
        down = 0
    if f.direction == "decrease":
        up = 0
    land = value + change
    return (
        -down - slack <= change <= up + slack
        and f.lower - slack <= land <= f.upper + slack
    )


def _rule_allowed(rule, features, row, after, slack):
    """One constraint, with room for rounding in reals."""
    reals = [
        n
        for n in features_of(rule)
        if features[n].kind == "real" and not is_missing(row[n]) and after[n] != row[n]
    ]
    tries = [after]
    for n in reals:
        tries = [{**t, n: t[n] + d} for t in tries for d in (0.0, -slack, slack)]
        near = round(after[n] / STEP) * STEP
        if near != after[n] and abs(near - after[n]) <= slack:
            tries.append({**after, n: near})
    for t in tries:
        columns = {
            n: np.array([t[n]], dtype=object)
            if features[n].kind == "categorical"
            else np.array([t[n]], dtype=float)
            for n in features_of(rule)
        }
        if rule_ok(rule, features, row, columns).all():
            return True
    return False
