"""The definitions in slow, plain Python, independent of the code that is tested.

Everything here works on labels and plain numbers, one person and one point at a time,
and follows the definitions word by word.
"""

from __future__ import annotations

import itertools

from skresp import constraints as c


def rounding(feature, *values):
    """How far the arithmetic of floats may carry a real value."""
    return 1e-9 * max(1, *map(abs, values)) if feature.kind == "real" else 0


def own_change_ok(feature, value, change):
    """The limits on what a person does to a feature directly."""
    if change == 0:
        return True
    mutable = feature.actionable if feature.mutable is None else feature.mutable
    if not mutable:
        return False
    if feature.direction == "increase" and change < 0:
        return False
    if feature.direction == "decrease" and change > 0:
        return False
    land = value + change
    if feature.kind == "binary":
        return land in (0, 1)
    off = rounding(feature, value, land)
    if not feature.lower - off <= land <= feature.upper + off:
        return False
    if feature.max_increase is not None and change > feature.max_increase + off:
        return False
    if feature.max_decrease is not None and -change > feature.max_decrease + off:
        return False
    return feature.kind == "real" or change % (feature.step or 1) == 0


def label_change_ok(feature, before, after):
    """The same for labels."""
    if before == after:
        return True
    mutable = feature.actionable if feature.mutable is None else feature.mutable
    if not mutable or after not in feature.categories:
        return False
    if feature.direction is None:
        return True
    if before not in feature.categories:
        return False
    moved = feature.categories.index(after) - feature.categories.index(before)
    return moved > 0 if feature.direction == "increase" else moved < 0


def condition_ok(condition, after):
    value = after[condition.feature]
    match condition.op:
        case "<=":
            return value <= condition.value
        case ">=":
            return value >= condition.value
        case "==":
            return value == condition.value
        case "!=":
            return value != condition.value
        case "in":
            return any(value == v for v in condition.value)


def level(names, row):
    """The number of the dummy that is on, counted from 1; 0 where none is."""
    return next((i for i, name in enumerate(names, start=1) if row[name] == 1), 0)


def way_ok(direction, before, after):
    if direction == "increase":
        return after >= before
    if direction == "decrease":
        return after <= before
    return True


def rule_ok(rule, features, before, after):
    """One joint constraint, on the pair of current and reached point."""
    if isinstance(rule, c.OneHot):
        on = sum(after[name] for name in rule.features)
        return on <= rule.limit if rule.at_most else on == rule.limit
    if isinstance(rule, c.Ordinal):
        on = sum(after[name] for name in rule.features)
        if on > 1 or (rule.exhaustive and on != 1):
            return False
        return way_ok(
            rule.direction, level(rule.features, before), level(rule.features, after)
        )
    if isinstance(rule, c.Thermometer):
        marks = [after[name] for name in rule.features]
        if marks != sorted(marks, reverse=True):
            return False
        return way_ok(rule.direction, sum(before[n] for n in rule.features), sum(marks))
    if isinstance(rule, c.Reachability):
        was = tuple(before[name] for name in rule.features)
        now = tuple(after[name] for name in rule.features)
        if was not in rule.values or now not in rule.values:
            return False
        if rule.reachable is None:
            return True
        return bool(rule.reachable[rule.values.index(was)][rule.values.index(now)])
    if isinstance(rule, c.Linkage):
        if not rule.keep_bounds:
            return True
        for name, _ in rule.effects:
            if after[name] == before[name]:
                continue
            feature = features[name]
            low = 0 if feature.kind == "binary" else feature.lower
            high = 1 if feature.kind == "binary" else feature.upper
            if low is not None and after[name] < low:
                return False
            if high is not None and after[name] > high:
                return False
        return True
    if isinstance(rule, c.IfThen):
        return not condition_ok(rule.if_, after) or condition_ok(rule.then, after)
    if isinstance(rule, c.Switch):
        moved = [name for name in rule.targets if after[name] != before[name]]
        if after[rule.switch] == rule.on_value:
            return not moved
        if rule.force_change and not moved:
            return after[rule.switch] == before[rule.switch]
        return True
    if isinstance(rule, c.Linear):
        value = sum(weight * after[name] for name, weight in rule.terms)
        if rule.lower is not None and value < rule.lower:
            return False
        return rule.upper is None or value <= rule.upper
    raise AssertionError(rule)


def move_ok(actions, before, after):
    """Whether a person can get from one row (a dict) to the other."""
    led, followed = set(), set()
    for name, feature in actions.features.items():
        if feature.kind == "categorical":
            own = before[name] != after[name]
            if not label_change_ok(feature, before[name], after[name]):
                return False
        else:
            own = after[name] - before[name]
            for rule in actions.constraints:
                if isinstance(rule, c.Linkage):
                    for target, scale in rule.effects:
                        if target == name:
                            moved = after[rule.source] - before[rule.source]
                            own -= scale * moved
            if abs(own) <= rounding(feature, before[name], after[name]):
                own = 0
            if not own_change_ok(feature, before[name], own):
                return False
            if feature.kind == "binary" and after[name] not in (0, 1):
                return False
        part = next(p for p in actions.parts if name in p)
        if own:
            (led if feature.actionable else followed).add(part)
    if not followed <= led:
        return False
    return all(
        rule_ok(rule, actions.features, before, after) for rule in actions.constraints
    )


def reach(feature):
    """How far an own change can go at most, whatever the value."""
    return 1 if feature.kind == "binary" else feature.upper - feature.lower + 10


def candidates(actions, before):
    """A box of rows around a person that holds every feasible one."""
    span = {}
    for name in actions.effect_order:
        feature = actions.features[name]
        if feature.kind == "categorical":
            continue
        mutable = feature.can_change
        span[name] = reach(feature) if mutable else 0
        for (source, target), scale in actions.effects.items():
            if target == name:
                span[name] += abs(scale) * span[source]
    columns = []
    for name, feature in actions.features.items():
        value = before[name]
        if feature.kind == "categorical":
            columns.append(list(dict.fromkeys([value, *feature.categories])))
        elif feature.kind == "binary":
            columns.append([0, 1])
        else:
            far = int(span[name])
            columns.append([value + d for d in range(-far, far + 1)])
    for row in itertools.product(*columns):
        yield dict(zip(actions.names, row, strict=True))


def all_points(actions, before):
    """Every reachable row, the current one included."""
    return [row for row in candidates(actions, before) if move_ok(actions, before, row)]


def interventions(actions, before, feature, how, points=None):
    """The reachable rows that intervene on one feature."""
    points = all_points(actions, before) if points is None else points
    part = next(p for p in actions.parts if feature in p)
    if not actions.features[feature].actionable:
        return []
    points = [
        row
        for row in points
        if row[feature] != before[feature]
        and all(row[n] == before[n] for n in actions.names if n not in part)
    ]
    if how == "joint":
        return points

    def changed(row):
        return {name for name in part if row[name] != before[name]}

    return [
        row
        for row in points
        if not any(
            other[feature] == row[feature] and changed(other) < changed(row)
            for other in points
        )
    ]
