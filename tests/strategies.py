"""Random action sets and people, small enough to read out loud."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from skresp import ActionSet, Feature
from skresp import constraints as c
from tests import oracle

DIRECTIONS = st.sampled_from([None, None, "increase", "decrease"])
LABELS = ("p", "q", "r")


@st.composite
def roles(draw):
    """actionable and mutable."""
    return draw(
        st.sampled_from(
            [
                {},
                {},
                {},
                {"actionable": False},
                {"actionable": False, "mutable": True},
            ]
        )
    )


@st.composite
def features(draw, reals=False):
    """One feature, of a discrete kind unless reals are allowed."""
    kinds = ["binary", "binary", "integer", "categorical"]
    kind = draw(st.sampled_from(["real", "real", *kinds] if reals else kinds))
    shared = draw(roles()) | {"direction": draw(DIRECTIONS)}
    if kind == "binary":
        return Feature("binary", **shared)
    if kind == "categorical":
        return Feature(
            "categorical", categories=LABELS[: draw(st.integers(1, 3))], **shared
        )
    limit = st.one_of(st.none(), st.none(), st.integers(0, 2))
    step = draw(st.sampled_from([None, None, 2])) if kind == "integer" else None
    return Feature(
        kind,
        0,
        draw(st.integers(1, 3)),
        max_increase=draw(limit),
        max_decrease=draw(limit),
        step=step,
        **shared,
    )


@st.composite
def people(draw, actions):
    """A row of an action set, at its bounds and outside them too."""
    row = {}
    for name, feature in actions.features.items():
        if feature.kind == "binary":
            row[name] = draw(st.integers(0, 1))
        elif feature.kind == "categorical":
            row[name] = draw(st.sampled_from([*feature.categories, "elsewhere"]))
        else:
            row[name] = draw(st.integers(feature.lower - 1, feature.upper + 1))
    return row


@st.composite
def conditions(draw, name, feature):
    if feature.kind == "categorical":
        op = draw(st.sampled_from(["==", "!=", "in"]))
        value = st.sampled_from(feature.categories)
    else:
        op = draw(st.sampled_from(["<=", ">=", "==", "!=", "in"]))
        value = st.integers(0, 2)
    if op == "in":
        return name, op, draw(st.lists(value, min_size=1, max_size=2, unique=True))
    return name, op, draw(value)


@st.composite
def rules(draw, given):
    """One constraint over some of the features, or None where none fits."""
    names = list(given)
    binaries = [n for n in names if given[n].kind == "binary"]
    numbers = [n for n in names if given[n].kind != "categorical"]
    kind = draw(
        st.sampled_from(
            [
                "one_hot",
                "ordinal",
                "thermometer",
                "reachability",
                "linkage",
                "linkage",
                "if_then",
                "switch",
                "linear",
            ]
        )
    )

    def some(pool, least, most=3):
        return draw(
            st.lists(st.sampled_from(pool), min_size=least, max_size=most, unique=True)
        )

    if kind in ("one_hot", "ordinal", "thermometer"):
        if len(binaries) < 2:
            return None
        group = some(binaries, 2)
        if kind == "one_hot":
            limit = draw(st.integers(1, len(group)))
            return c.OneHot(group, limit, draw(st.booleans()))
        if kind == "ordinal":
            return c.Ordinal(group, draw(DIRECTIONS), draw(st.booleans()))
        return c.Thermometer(group, draw(DIRECTIONS))
    discrete = [n for n in names if given[n].kind != "real"]
    if kind == "reachability":
        if not discrete:
            return None
        group = some(discrete, 1, 2)
        value = [
            st.sampled_from(given[n].categories)
            if given[n].kind == "categorical"
            else st.integers(0, 1 if given[n].kind == "binary" else 2)
            for n in group
        ]
        values = draw(st.lists(st.tuples(*value), min_size=1, max_size=4, unique=True))
        matrix = None
        if draw(st.booleans()):
            matrix = [
                [1 if i == k else draw(st.integers(0, 1)) for k in range(len(values))]
                for i in range(len(values))
            ]
        return c.Reachability(group, values, matrix)
    if kind in ("linkage", "linear"):
        if len(numbers) < 2:
            return None
        group = some(numbers, 2)
        weight = st.sampled_from([-2, -1, 1, 1, 2])
        if kind == "linkage":
            if given[group[0]].kind == "real":
                group = [n for n in group if given[n].kind == "real"]
                if len(group) < 2:
                    return None
            effects = {name: draw(weight) for name in group[1:]}
            return c.Linkage(group[0], effects, draw(st.booleans()))
        low = draw(st.one_of(st.none(), st.integers(-3, 2)))
        high = draw(st.integers(0 if low is None else low, 5))
        return c.Linear({name: draw(weight) for name in group}, low, high)
    if len(names) < 2:
        return None
    first, *rest = some(names, 2)
    if kind == "switch":
        if given[first].kind == "real":
            return None
        on = (
            draw(st.sampled_from(given[first].categories))
            if given[first].kind == "categorical"
            else draw(st.integers(0, 1))
        )
        return c.Switch(first, rest, on, draw(st.booleans()))
    return c.IfThen(
        draw(conditions(first, given[first])), draw(conditions(rest[0], given[rest[0]]))
    )


def case(draw, given, n_rules):
    """An action set with these features, and a valid person."""
    wanted = {draw(rules(given)): 1 for _ in range(n_rules)}
    try:
        actions = ActionSet(given, [rule for rule in wanted if rule is not None])
    except ValueError as error:
        assume("cycle" not in str(error))
        raise
    person = draw(people(actions))
    assume(oracle.move_ok(actions, person, person))
    return actions, person


@st.composite
def cases(draw, most_features=4, most_rules=3, reals=False):
    """An action set and a valid person."""
    given = {
        name: draw(features(reals))
        for name in "abcd"[: draw(st.integers(1, most_features))]
    }
    return case(draw, given, draw(st.integers(0, most_rules)))


def real_cases():
    """An action set with real features, and a valid person at whole values."""
    return cases(most_features=3, most_rules=2, reals=True).filter(
        lambda case: any(f.kind == "real" for f in case[0].features.values())
    )


@st.composite
def mixed_cases(draw):
    """An action set with reals that constraints tie to others, and a valid person."""
    names = "abcde"[: draw(st.integers(2, 5))]
    given = {
        name: Feature("real", 0, 3) if i < 2 else draw(features(reals=True))
        for i, name in enumerate(names)
    }
    return case(draw, given, draw(st.integers(1, 4)))


@st.composite
def cases_with_gaps(draw):
    """An action set and a person some of whose values are missing."""
    actions, person = draw(cases(most_features=3, most_rules=2))
    gaps = draw(st.lists(st.sampled_from(actions.names), min_size=1, unique=True))
    return actions, {**person, **dict.fromkeys(gaps)}
